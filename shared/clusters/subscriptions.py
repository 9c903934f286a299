"""What the state of a subscription allows, and ARM's reports about it."""

from typing import Any

from shared.arm.errors import CloudError, ErrorCode, invalid_parameter, invalid_request_content, shown
from shared.documents import Subscription, SubscriptionDocument

STATES = ("Registered", "Unregistered", "Warned", "Suspended", "Deleted")
# The members of a subscription that we know, parents first. Each may be missing or null.
_TYPES: tuple[tuple[str, type, str], ...] = (
    ("properties", dict, "an object"),
    ("properties.tenantId", str, "a string"),
    ("properties.accountOwner", dict, "an object"),
    ("properties.registeredFeatures", list, "an array"),
)
MAY_WRITE = frozenset({"Registered"})
MAY_DELETE = frozenset({"Registered", "Warned", "Suspended"})


def state_of(document: SubscriptionDocument | None) -> str | None:
    """Return the state that ARM has reported, or None."""
    return document["subscription"].get("state") if document else None


def tenant_of(document: SubscriptionDocument | None, subscription_id: str) -> str:
    """Return the tenant that ARM has reported for a subscription.

    Args:
        document: the subscription's, or None.
        subscription_id: the subscription.

    Raises:
        CloudError: 400 `InvalidSubscriptionState` if ARM has reported none.
    """
    tenant_id = ((document["subscription"] if document else {}).get("properties") or {}).get("tenantId")
    if not tenant_id:
        raise CloudError(
            400,
            ErrorCode.INVALID_SUBSCRIPTION_STATE,
            f"Azure Resource Manager has not reported the tenant of subscription '{subscription_id}'. "
            "Register the subscription with the resource provider again.",
        )
    return str(tenant_id)


def require_state(state: str | None, subscription_id: str, allowed: frozenset[str]) -> None:
    """Refuse a request whose subscription is not in a state that allows it.

    Args:
        state: the subscription's state, or None.
        subscription_id: the subscription.
        allowed: the states that allow the request.

    Raises:
        CloudError: 400 `InvalidSubscriptionState`, naming the state and the allowed ones.
    """
    if state in allowed:
        return
    now = f"is in state '{state}'" if state else "is not registered with Microsoft.RedHatOpenShift"
    raise CloudError(
        400,
        ErrorCode.INVALID_SUBSCRIPTION_STATE,
        f"The request is not allowed: subscription '{subscription_id}' {now}. Allowed: {', '.join(sorted(allowed))}.",
    )


def next_document(stored: SubscriptionDocument | None, subscription_id: str, body: Any) -> SubscriptionDocument:
    """Return the document after a subscription PUT. Members that it leaves out are kept, at any depth.

    Args:
        stored: the document before, or None.
        subscription_id: the subscription.
        body: ARM's body.

    Raises:
        CloudError: 400 if the body is not a subscription, or would leave the state `Deleted`.
    """
    if not isinstance(body, dict):
        raise invalid_request_content("The request body must be an object with 'state' and 'properties'.")
    state = body.get("state")
    if state not in STATES:
        given = "The member 'state' is missing" if state is None else f"The state '{shown(state)}' is invalid"
        raise invalid_parameter("state", f"{given}: it must be one of {', '.join(STATES)}.")
    sent = _subscription(body)
    before = state_of(stored)
    if before == "Deleted" and state != before:
        raise CloudError(
            400,
            ErrorCode.INVALID_SUBSCRIPTION_STATE,
            f"Subscription '{subscription_id}' is in state 'Deleted', which is final: it cannot become '{state}'.",
            "state",
        )
    document: SubscriptionDocument = stored.copy() if stored else {"id": subscription_id.lower()}
    document["subscription"] = _laid_over(stored["subscription"] if stored else {}, _without_email(sent))
    if state == "Deleted":
        document["deleting"] = True
    return document


def _laid_over(stored: Any, sent: Any) -> Any:
    """Return what was sent over what is stored. What an object leaves out stays, because we may not know what it is."""
    if not isinstance(stored, dict) or not isinstance(sent, dict):
        return sent
    return {**stored, **{name: _laid_over(stored.get(name), value) for name, value in sent.items()}}


def _subscription(body: Any) -> Subscription:
    """Return a body in which everything that we know has its type."""
    for path, kind, noun in _TYPES:
        value: Any = body
        for name in path.split("."):
            value = (value or {}).get(name)
        if value is not None and not isinstance(value, kind):
            raise invalid_request_content(f"The member '{path}' of the request body must be {noun}.", path)
    subscription: Subscription = body
    return subscription


def _without_email(body: Subscription) -> Subscription:
    """Return the body without the owner's email address: it is personal data that nothing here needs."""
    properties = body.get("properties")
    owner = properties.get("accountOwner") if properties else None
    if not properties or owner is None:
        return body
    return {**body, "properties": {**properties, "accountOwner": {**owner, "email": ""}}}
