"""PUT of a subscription: ARM reports that it is registered, suspended or deleted."""

from functools import partial

from frontend.messages import Call, Reply
from frontend.races import repeat_until_written
from shared.clusters.subscriptions import next_document
from shared.documents import SubscriptionDocument
from shared.store import ensure_written


def put(call: Call) -> Reply:
    """Answer PUT of a subscription: store ARM's report and return the document, 201 for a new one, otherwise 200."""
    return repeat_until_written(f"Subscription '{call.subscription_id}'", lambda: _put(call))


def _put(call: Call) -> Reply:
    subscriptions = call.services.store.subscriptions
    stored = subscriptions.get(call.subscription_id)
    document = next_document(stored, call.subscription_id, call.content)
    ensure_written(partial(subscriptions.put, document), partial(_says, call, document))
    return Reply(200 if stored else 201, document["subscription"])


def _says(call: Call, document: SubscriptionDocument) -> bool:
    """Tell whether the stored document says the same, whoever wrote it."""
    current = call.services.store.subscriptions.get(call.subscription_id) or {}
    return all(current.get(member) == document.get(member) for member in ("subscription", "deleting"))
