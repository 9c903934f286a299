"""The OpenShift versions that can be installed."""

from frontend.messages import Call, Reply
from shared.arm.errors import NAMESPACE, CloudError, ErrorCode
from shared.clusters import catalogue


def list_all(call: Call) -> Reply:
    """Return every version, oldest first."""
    names = catalogue.names(call.services.store.versions.enabled())
    return Reply(200, {"value": [_external(name, f"{call.path}/{name}") for name in names]})


def get(call: Call) -> Reply:
    """Return one version.

    Raises:
        CloudError: 404 `ResourceNotFound`, listing the existing versions.
    """
    name, names = call.parameters["openShiftVersion"], catalogue.names(call.services.store.versions.enabled())
    if name not in names:
        raise CloudError(
            404,
            ErrorCode.RESOURCE_NOT_FOUND,
            f"The OpenShift version '{name}' cannot be installed. Versions that can: {', '.join(names)}.",
        )
    return Reply(200, _external(name, call.path))


def _external(name: str, resource_id: str) -> dict[str, object]:
    return {
        "id": resource_id,
        "name": name,
        "type": f"{NAMESPACE}/OpenShiftVersion",
        "properties": {"version": name},
    }
