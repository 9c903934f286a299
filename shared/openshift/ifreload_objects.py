"""The DaemonSet that reloads a node's network interface after a fault of Azure's driver has stopped it.

Source: ARO-RP `pkg/ifreload/ifreload.go`.
"""

from shared.json_object import Json
from shared.openshift import privileged_objects

_NAMESPACE = "openshift-azure-ifreload"


def objects(registry: str, privileged: Json) -> list[Json]:
    """Return every object, in the order in which they depend on each other.

    Args:
        registry: host name of the registry that has the image.
        privileged: the cluster's own constraints `privileged`.
    """
    container = {
        "name": "ifreload",
        "image": f"{registry}/ifreload:109810fe",
        "securityContext": {"privileged": True},
    }
    return [
        privileged_objects.namespace(_NAMESPACE),
        privileged_objects.constraints("privileged-ifreload", privileged, f"{_NAMESPACE}:default"),
        privileged_objects.daemon_set("ifreload", _NAMESPACE, {"hostNetwork": True, "containers": [container]}),
    ]
