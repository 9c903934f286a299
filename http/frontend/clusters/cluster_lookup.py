"""The cluster in the path of a request, and its secrets."""

from azure.core.exceptions import ResourceNotFoundError

from frontend.messages import Call
from frontend.services import Services
from shared.arm.errors import CloudError, request_not_allowed, resource_not_found
from shared.documents import ClusterDocument
from shared.vault import Bundle


def cluster_document(call: Call) -> ClusterDocument:
    """Return the document of the cluster in the path.

    Raises:
        CloudError: 404 `ResourceNotFound`.
    """
    document = call.services.store.clusters.get(call.key)
    if document is None:
        raise resource_not_found(call.resource_id)
    return document


def bundle_of(services: Services, document: ClusterDocument, purpose: str, none: CloudError) -> Bundle:
    """Return a bundle of a cluster's secrets.

    Args:
        services: what the request uses.
        document: the cluster document.
        purpose: a value of `Purpose`.
        none: the refusal of a cluster that has no such bundle yet.

    Raises:
        CloudError: `none`; 400 `RequestNotAllowed` if the bundle has been deleted since the document was read.
    """
    versioned_id = document.get("secrets", {}).get(purpose)
    if not versioned_id:
        raise none
    try:
        return services.vault.get_secret(versioned_id)
    except ResourceNotFoundError as error:
        raise request_not_allowed(
            f"The secrets of the cluster '{document['openShiftCluster']['id']}' have just been deleted."
        ) from error
