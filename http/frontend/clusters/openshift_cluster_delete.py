"""DELETE of a cluster. It also cancels a create that is running."""

from frontend.clusters.operation_begin import begin_without_body, refused_reply
from frontend.messages import Call, Reply
from frontend.races import repeat_until_written
from shared.arm.errors import CloudError
from shared.arm.preconditions import require_match
from shared.clusters import states
from shared.clusters.states import Event
from shared.clusters.subscriptions import MAY_DELETE, require_state


def delete(call: Call) -> Reply:
    """Answer DELETE of a cluster: begin to delete it; return 202, or 204 if there is none.

    Raises:
        CloudError: 400 `InvalidSubscriptionState` or `RequestNotAllowed`; 409 after five lost races; 412
            `PreconditionFailed`.
    """
    return repeat_until_written(f"The cluster '{call.resource_id}'", lambda: _delete(call))


def _delete(call: Call) -> Reply:
    store = call.services.store
    document = store.clusters.get(call.key)
    require_match(call.request.headers, document["_etag"] if document else "")
    if document is None:
        return Reply(204)
    require_state(call.services.subscription_state(call.subscription_id), call.subscription_id, MAY_DELETE)
    try:
        edge = states.find_edge(document["openShiftCluster"], Event.DELETE)
    except CloudError as error:
        return refused_reply(call, document, error)
    return begin_without_body(call, document, edge)
