"""GET of a cluster."""

from frontend.clusters.cluster_lookup import cluster_document
from frontend.clusters.cluster_reply import body, live_tag, with_conditions
from frontend.clusters.enrichment import add_live_values
from frontend.messages import Call, Reply
from shared import deadline
from shared.arm.preconditions import is_not_modified, require_match


def get(call: Call) -> Reply:
    """Answer GET of a cluster: return what is stored in the requested version's form, and what the live cluster says.

    A caller who has this answer already, by `If-None-Match`, gets 304.

    Raises:
        CloudError: 404 `ResourceNotFound`; 412 `PreconditionFailed`.
    """
    document = cluster_document(call)
    require_match({**call.request.headers, "if-none-match": ""}, document["_etag"])
    with deadline.live_reads():
        live = add_live_values(call, [document])
    (cluster,) = with_conditions(call, [document], live)
    tag = live_tag(document, cluster)
    if is_not_modified(call.request.headers, tag):
        return Reply(304, headers={"ETag": tag})
    return Reply(200, body(call, cluster, tag), {"ETag": tag})
