"""The rows that a resume of a failed create carries over, and when it has to begin the bootstrap again.

Ten certificates of the install graph, and the signature with which machines fetch their ignition, are valid for one day
from `install.now`. After twenty hours a bootstrap would not finish in time, so machines and graph are removed and made
again. Pure: the frontend uses it before it resolves the plan.
"""

from datetime import datetime

from orchestrators.plans.create import CREATE
from orchestrators.plans.rows import Row
from shared import durations
from shared.documents import Properties

REMOVAL = "remove_expired_machines"
_GRAPH = "ensure_graph"
_ENDPOINTS = "ensure_service_endpoints"
_TOKEN = "ensure_acr_token"  # noqa: S105 - a row's name
_LAST_OF_BOOTSTRAP = "bootstrap_config_map_ready"


def begins_again(properties: Properties, done: list[str], now: datetime) -> bool:
    """Tell whether the certificates of a failed create are too old to continue with.

    A create can end between sealing the graph and recording when the certificates were made. They may then be as old as
    the cluster.

    Args:
        properties: the cluster's properties.
        done: rows that are done so far.
        now: time of the request.
    """
    began = (properties.get("install") or {}).get("now") or properties.get("createdAt")
    if _LAST_OF_BOOTSTRAP in done or not began:
        return False
    return now - datetime.fromisoformat(began) >= durations.OLDEST_BOOTSTRAP


def carried_over_rows(done: list[str], *, again: bool, rows: tuple[Row, ...] = CREATE) -> list[str]:
    """Return the rows that need not run again, in their order.

    Args:
        done: rows that are done so far.
        again: whether the bootstrap begins again; then the removal and all rows that depend on it do not count as done.
        rows: the rows of the plan.
    """
    # Somebody may have removed the endpoints since, and without them no machine gets its ignition.
    repeated = {_ENDPOINTS} | (depending_on((REMOVAL, _GRAPH), rows) if again else set())
    if again or _GRAPH not in done:
        # No graph contains the token's password, or that graph is about to be removed. So the row makes another one.
        repeated.add(_TOKEN)
    return [name for name in done if name not in repeated]


def depending_on(names: tuple[str, ...], rows: tuple[Row, ...]) -> set[str]:
    """Return these rows and all that need them, directly or indirectly."""
    dependents = set(names)
    while more := {row.name for row in rows if row.name not in dependents and dependents.intersection(row.needs)}:
        dependents |= more
    return dependents
