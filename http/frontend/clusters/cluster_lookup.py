"""The cluster in the path of a request."""

from frontend.messages import Call
from shared.arm.errors import resource_not_found
from shared.documents import ClusterDocument


def cluster_document(call: Call) -> ClusterDocument:
    """Return the document of the cluster in the path.

    Raises:
        CloudError: 404 `ResourceNotFound`.
    """
    document = call.services.store.clusters.get(call.key)
    if document is None:
        raise resource_not_found(call.resource_id)
    return document
