"""Lists of clusters, in pages of ten."""

from frontend.clusters.cluster_reply import body, live_tag, with_conditions
from frontend.clusters.enrichment import add_live_values
from frontend.messages import Call, Reply
from frontend.paged import continuation, next_link
from shared import deadline
from shared.arm import resource_id
from shared.clusters import states
from shared.clusters.convert import to_external
from shared.clusters.live import live_values
from shared.clusters.live.live_values import Live
from shared.documents import ClusterDocument
from shared.store import unreadable_documents

# Pages of the store that one request reads.
_MOST_PAGES = 10


def list_in_subscription(call: Call) -> Reply:
    """Answer GET of a subscription's clusters: return a page of them."""
    return _list(call, f"/subscriptions/{call.subscription_id}/")


def list_in_resource_group(call: Call) -> Reply:
    """Answer GET of a resource group's clusters: return a page of them."""
    return _list(call, f"/subscriptions/{call.subscription_id}/resourcegroups/{call.parameters['resourceGroupName']}/")


def _list(call: Call, prefix: str) -> Reply:
    """Return one page. Pages of the store that have nothing for the caller are skipped, ten at most.

    Args:
        call: the request.
        prefix: beginning of the keys; its last slash separates `rg1` from `rg10`.
    """
    store, following = call.services.store, continuation(call, prefix)
    for _ in range(_MOST_PAGES):
        documents, following = store.clusters.page(prefix, call.subscription_id, following)
        shown = call.visible([document for document in documents if can_be_shown(call, document)])
        if shown or not following:
            break
    link = next_link(call, prefix, following)
    # Last, because it may take longer than all other calls of a request.
    with deadline.live_reads():
        live = add_live_values(call, shown)
    clusters = with_conditions(call, shown, live)
    tagged = [
        body(call, cluster, live_tag(document, cluster)) for document, cluster in zip(shown, clusters, strict=True)
    ]
    return Reply(200, {"value": tagged} | link)


def can_be_shown(call: Call, document: ClusterDocument) -> bool:
    """Tell whether a cluster can be converted. One that cannot is left out, so that the others are seen."""
    try:
        resource_id.parse(document["key"])
        resource_id.parse(document["openShiftCluster"]["id"])
        states.is_usable(document["openShiftCluster"])
        to_external(live_values.with_live_values(document["openShiftCluster"], Live()), call.version)
    except unreadable_documents.ERRORS as error:
        unreadable_documents.note(call.services.store.clusters.name, document.get("id"), error)
        return False
    return True
