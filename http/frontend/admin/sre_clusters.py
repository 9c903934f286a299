"""The clusters of all subscriptions, for operators, in pages of a hundred."""

from dataclasses import replace

from frontend.clusters.cluster_reply import body, with_conditions
from frontend.clusters.openshift_cluster_list import can_be_shown
from frontend.messages import Call, Reply
from frontend.paged import continuation, next_link
from shared.clusters.api_versions import ADMIN

_SIZE = 100
_SCOPE = "/"


def list_all(call: Call) -> Reply:
    """Answer GET of all clusters by an operator: return a page of them, in the operators' view.

    They are as they are stored: no cluster is asked, so that a page with many that do not answer takes no longer. The
    GET of one cluster asks it.

    Raises:
        CloudError: 400 `InvalidParameter` for a page that this list has not given.
    """
    viewed = replace(call, version=ADMIN)
    documents, following = call.services.store.clusters.following(continuation(call, _SCOPE) or "", _SIZE)
    shown = [document for document in documents if can_be_shown(viewed, document)]
    clusters = with_conditions(viewed, shown, [document["openShiftCluster"] for document in shown])
    value = [body(viewed, cluster, document["_etag"]) for document, cluster in zip(shown, clusters, strict=True)]
    return Reply(200, {"value": value} | next_link(call, _SCOPE, following))
