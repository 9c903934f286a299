"""GET of a cluster."""

from frontend.clusters.enrichment import enriched
from frontend.messages import Call, Reply
from shared import deadline
from shared.arm.errors import resource_not_found
from shared.clusters.convert import to_external


def get(call: Call) -> Reply:
    """Return a cluster as the requested version shows it, with what the live cluster says about itself.

    Raises:
        CloudError: 404 `ResourceNotFound`.
    """
    document = call.services.store.clusters.get(call.key)
    if document is None:
        raise resource_not_found(call.resource_id)
    with deadline.live_reads():
        (cluster,) = enriched(call, [document])
    return Reply(200, to_external(cluster, call.version))
