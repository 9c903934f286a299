"""The OpenShift versions that can be installed."""

from frontend.messages import Call, Reply
from shared.arm.errors import NAMESPACE, CloudError, ErrorCode
from shared.clusters import catalogue
from shared.clusters.api_versions import OPEN_SHIFT_VERSION, has_feature


def list_all(call: Call) -> Reply:
    """Answer GET of the OpenShift versions: return all that can be installed, oldest first."""
    names = catalogue.installable_versions(call.services.store.versions.enabled())
    return Reply(200, {"value": [_external(call, name, f"{call.path}/{name}") for name in names]})


def get(call: Call) -> Reply:
    """Answer GET of an OpenShift version: return it if it can be installed.

    Raises:
        CloudError: 404 `ResourceNotFound`, listing the existing versions.
    """
    name, names = (
        call.parameters["openShiftVersion"],
        catalogue.installable_versions(call.services.store.versions.enabled()),
    )
    if name not in names:
        raise CloudError(
            404,
            ErrorCode.RESOURCE_NOT_FOUND,
            f"The OpenShift version '{name}' cannot be installed. Versions that can: {', '.join(names)}.",
        )
    return Reply(200, _external(call, name, call.path))


def _external(call: Call, name: str, resource_id: str) -> dict[str, object]:
    """Return a version; those who can ask for a single one see it as a resource, with name and type."""
    resource = {"name": name, "type": f"{NAMESPACE}/OpenShiftVersion"}
    is_resource = has_feature(call.version, OPEN_SHIFT_VERSION)
    return {"id": resource_id, **(resource if is_resource else {}), "properties": {"version": name}}
