"""POST of an action on a cluster that takes longer than a request: it begins an operation with a plan of its own."""

from collections.abc import Callable

from frontend.clusters.cluster_lookup import cluster_document
from frontend.clusters.operation_begin import begin_without_body, refused_reply
from frontend.messages import Call, Reply
from frontend.races import repeat_until_written
from shared.arm.errors import CloudError
from shared.arm.preconditions import require_match
from shared.clusters import states
from shared.clusters.states import Event
from shared.documents import ClusterDocument


def begin(call: Call, event: Event, prepare: Callable[[Call, ClusterDocument], None]) -> Reply:
    """Begin the operation of an action; return 202 with both addresses that clients poll.

    Args:
        call: the request.
        event: the action.
        prepare: refuses what the cluster is not ready for, and writes into the document in memory what the plan's rows
            have to know. It runs again after each lost race.

    Raises:
        CloudError: 404 `ResourceNotFound`; 400 `RequestNotAllowed`, or what `prepare` refuses; 409 after five lost
            races; 412 `PreconditionFailed`.
    """
    return repeat_until_written(f"The cluster '{call.resource_id}'", lambda: _begin(call, event, prepare))


def _begin(call: Call, event: Event, prepare: Callable[[Call, ClusterDocument], None]) -> Reply:
    document = cluster_document(call)
    require_match(call.request.headers, document["_etag"])
    try:
        edge = states.find_edge(document["openShiftCluster"], event)
    except CloudError as error:
        return refused_reply(call, document, error)
    prepare(call, document)
    return begin_without_body(call, document, edge)
