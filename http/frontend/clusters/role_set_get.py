"""The role sets of workload identity, as customers need them to give their identities the right roles."""

from typing import Any

from frontend.messages import Call, Reply
from shared.arm.errors import CloudError, ErrorCode, shown
from shared.clusters import role_sets
from shared.documents import RoleSetDocument


def list_all(call: Call) -> Reply:
    """Answer GET of the role sets by a customer: return that of every minor version, the oldest first."""
    sets = role_sets.offered(call.services.store.role_sets.enabled())
    return Reply(200, {"value": [_external(call, each, f"{call.path}/{minor}") for minor, each in sets.items()]})


def get(call: Call) -> Reply:
    """Answer GET of a role set by a customer: return the roles of one minor version.

    Raises:
        CloudError: 404 `ResourceNotFound`, listing the minor versions that have one.
    """
    minor = call.parameters["openShiftMinorVersion"]
    sets = role_sets.offered(call.services.store.role_sets.enabled())
    if minor not in sets:
        raise CloudError(
            404,
            ErrorCode.RESOURCE_NOT_FOUND,
            f"OpenShift '{shown(minor)}' has no role set for workload identity. Minor versions that have one: "
            f"{', '.join(sets) or 'none'}.",
        )
    return Reply(200, _external(call, sets[minor], call.path))


def _external(call: Call, document: RoleSetDocument, resource_id: str) -> dict[str, Any]:
    return role_sets.to_external(document, resource_id, for_operators=call.version.for_operators)
