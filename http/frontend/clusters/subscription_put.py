"""PUT of a subscription: ARM reports that it is registered, suspended or deleted."""

from functools import partial

from frontend.messages import Call, Reply
from shared.arm.errors import conflict
from shared.clusters.subscriptions import next_document
from shared.documents import SubscriptionDocument
from shared.store import UPDATE_TRIES, Conflict, NotFound, PreconditionFailed, ensure_written


def put(call: Call) -> Reply:
    """Store ARM's report and answer with the stored document: 201 for a new subscription, otherwise 200."""
    subscriptions = call.services.store.subscriptions
    for _ in range(UPDATE_TRIES):
        stored = subscriptions.get(call.subscription_id)
        document = next_document(stored, call.subscription_id, call.content)
        try:
            ensure_written(partial(subscriptions.put, document), partial(_says, call, document))
        except (Conflict, NotFound, PreconditionFailed):
            continue
        return Reply(200 if stored else 201, document["subscription"])
    raise conflict(f"Subscription '{call.subscription_id}' was changed by other requests at the same time. Try again.")


def _says(call: Call, document: SubscriptionDocument) -> bool:
    """Tell whether the stored document says the same, whoever wrote it."""
    found = call.services.store.subscriptions.get(call.subscription_id) or {}
    return all(found.get(member) == document.get(member) for member in ("subscription", "deleting"))
