"""The state of the subscription, which decides what its owner may do."""

from frontend.messages import Call, Handler, Reply
from shared.clusters.subscriptions import require_state


def subscription(call: Call, handle: Handler) -> Reply:
    """Refuse a verb that the subscription's state does not allow.

    Raises:
        CloudError: 400 `InvalidSubscriptionState`.
    """
    require_allowed_state(call)
    return handle(call)


def require_allowed_state(call: Call) -> None:
    """Refuse a request whose verb the state of its subscription does not allow, as the middleware does.

    Raises:
        CloudError: 400 `InvalidSubscriptionState`.
    """
    verb = call.route.verbs.get(call.request.method)
    if verb is not None and verb.subscription_states:
        state = call.services.subscription_state(call.subscription_id)
        require_state(state, call.subscription_id, verb.subscription_states)
