"""The plans that the service has itself: create, update and delete of a cluster, in the form of a site's plans."""

from pathlib import Path

from orchestrators.plans import PLANS
from orchestrators.plans.rows import Row
from phases.commands.command_options import HERE
from shared.json_object import Json
from shared.phase_documents import site

# No document has this namespace by itself: it tells a plan of the service from a site's plan of the same name.
NAMESPACE = "builtin"
ROW_COLUMNS = ("namespace", "name", "phase", "executor", "needs", "when")

_DESCRIPTIONS = {
    "create": "Makes a cluster (PUT of a new one)",
    "update": "Changes a cluster (PUT or PATCH)",
    "delete": "Removes a cluster and what was made for it",
    "stop": "Switches the machines of a cluster off",
    "start": "Switches the machines of a stopped cluster on",
    "revoke_credentials": "Ends all administrators' credentials of a cluster",
    "renew": "Renews the certificates and credentials of a cluster that end",
}


def no_site(bundle: Path, metadata: str) -> bool:
    """Return whether the command was called where no site is, and none was asked for."""
    return bundle == HERE and metadata == site.METADATA_FILE and not (bundle / metadata).is_file()


def plans() -> list[Json]:
    """Return the plans, with the members with which a site's plans are listed."""
    return [{"namespace": NAMESPACE, "name": name, "description": _DESCRIPTIONS[name]} for name in PLANS]


def phases(plan: str) -> list[Json]:
    """Return the rows of a plan in its order: the members of a site's phases, and what only rows have."""
    return [_row(row) for row in PLANS[plan]]


def _row(row: Row) -> Json:
    return {
        "namespace": NAMESPACE,
        "name": row.name,
        "clusterName": "",
        "executor": row.executor,
        "docEntrypoint": "",
        "phase": row.section,
        "kind": str(row.kind),
        "needs": list(row.needs),
        "when": row.when,
    }
