"""The role sets of workload identity, as customers need them to give their identities the right roles."""

from frontend.messages import Call, Reply
from shared.arm.errors import CloudError, ErrorCode, shown
from shared.clusters import role_sets


def list_all(call: Call) -> Reply:
    """Return the role set of every minor version, the oldest first."""
    found = role_sets.offered(call.services.store.role_sets.enabled())
    return Reply(200, {"value": [role_sets.to_external(each, f"{call.path}/{minor}") for minor, each in found.items()]})


def get(call: Call) -> Reply:
    """Return one role set.

    Raises:
        CloudError: 404 `ResourceNotFound`, listing the minor versions that have one.
    """
    minor = call.parameters["openShiftMinorVersion"]
    found = role_sets.offered(call.services.store.role_sets.enabled())
    if minor not in found:
        raise CloudError(
            404,
            ErrorCode.RESOURCE_NOT_FOUND,
            f"OpenShift '{shown(minor)}' has no role set for workload identity. Minor versions that have one: "
            f"{', '.join(found) or 'none'}.",
        )
    return Reply(200, role_sets.to_external(found[minor], call.path))
