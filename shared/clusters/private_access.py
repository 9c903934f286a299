"""How the service itself reaches the API server of a cluster that it has made."""

from typing import NamedTuple

from shared.clusters.secrets import Purpose
from shared.documents import ClusterDocument


class PrivateAccess(NamedTuple):
    """What a cluster's document says of its API server.

    Args:
        secret_id: versioned id of the bundle with the kubeconfigs.
        address: the address of the private endpoint, which every cluster has.
    """

    secret_id: str
    address: str


def private_access(document: ClusterDocument) -> PrivateAccess:
    """Return how to reach a cluster.

    Raises:
        LookupError: the create has not stored it yet; the message names what is missing.
    """
    secret_id = (document.get("secrets") or {}).get(Purpose.CREDENTIALS)
    address = (document["openShiftCluster"]["properties"].get("networkProfile") or {}).get("privateEndpointIp")
    if not secret_id:
        raise LookupError("credentials")
    if not address:
        raise LookupError("private endpoint and its address")
    return PrivateAccess(secret_id, address)
