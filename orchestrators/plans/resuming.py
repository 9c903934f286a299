"""What a resume of a failed create takes over, and when it has to begin the bootstrap again.

Ten certificates of the install graph, and the signature by which machines fetch their ignition, live one day from
`install.now`. After twenty hours a bootstrap would not end in time: machines and graph go, and new ones are made.
Pure: the frontend decides with it before it resolves the plan.
"""

from datetime import datetime, timedelta
from typing import Any

from orchestrators.plans.create import CREATE
from orchestrators.plans.rows import Row

# Of the 24 hours four are left for the bootstrap: its rows have deadlines of three hours in all.
LONGEST = timedelta(hours=20)
REMOVAL = "remove_expired_machines"
_GRAPH = "ensure_graph"
_TOKEN = "ensure_acr_token"  # noqa: S105 - a row's name
_LAST_OF_BOOTSTRAP = "bootstrap_config_map_ready"


def begins_again(properties: dict[str, Any], done: list[str], now: datetime) -> bool:
    """Tell whether the certificates of a failed create are too old to go on with.

    They may have been made any time since the cluster's creation when nobody noted when: a create can end between the
    sealed graph and that note.

    Args:
        properties: of the cluster.
        done: rows that were done so far.
        now: of the request.
    """
    began = (properties.get("install") or {}).get("now") or properties.get("createdAt")
    if _LAST_OF_BOOTSTRAP in done or not began:
        return False
    return now - datetime.fromisoformat(began) >= LONGEST


def carried_over(done: list[str], *, again: bool, rows: tuple[Row, ...] = CREATE) -> list[str]:
    """Return the rows that need not run again, in their order.

    Args:
        done: rows that were done so far.
        again: whether the bootstrap begins again: nothing of what comes after the removal counts then.
        rows: of the plan.
    """
    repeated = depending_on((REMOVAL, _GRAPH), rows) if again else set()
    if again or _GRAPH not in done:
        # No graph carries the token's password, or soon none will, so a resume rotates it.
        repeated.add(_TOKEN)
    return [name for name in done if name not in repeated]


def depending_on(names: tuple[str, ...], rows: tuple[Row, ...]) -> set[str]:
    """Return these rows and all that need them, however many rows lie between."""
    found = set(names)
    while more := {row.name for row in rows if row.name not in found and found.intersection(row.needs)}:
        found |= more
    return found
