"""GET of a cluster."""

from frontend.messages import Call, Reply
from shared.arm.errors import resource_not_found
from shared.clusters.convert import to_external


def get(call: Call) -> Reply:
    """Return a cluster as the requested version shows it.

    Raises:
        CloudError: 404 `ResourceNotFound`.
    """
    document = call.services.store.clusters.get(call.key)
    if document is None:
        raise resource_not_found(call.resource_id)
    return Reply(200, to_external(document["openShiftCluster"], call.version))
