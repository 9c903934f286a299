"""The state of the subscription. ARM reports it in advance, and it decides what the owner may do."""

from frontend.messages import Call, Handler, Reply
from shared.clusters.subscriptions import require_state


def subscription(call: Call, handle: Handler) -> Reply:
    """Refuse a verb that the subscription's state does not allow.

    Raises:
        CloudError: 400 `InvalidSubscriptionState`.
    """
    verb = call.route.verbs.get(call.request.method)
    if verb is not None and verb.subscription_states:
        document = call.services.store.subscriptions.get(call.subscription_id)
        require_state(document, call.subscription_id, verb.subscription_states)
    return handle(call)
