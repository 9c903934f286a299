"""How a failed step explains itself: the cause as it was given, and round it what a person needs to act.

`details` holds the cause first, then one entry each for step, Azure resource, remedy, correlation id and owner.
"""

from azure.core.exceptions import AzureError

from activities.executor import Outcome, TryAgain
from activities.step import Call
from shared import settings
from shared.arm.errors import CloudError, CloudErrorBody, ErrorCode, Owner
from shared.azure import errors
from shared.store import NotFound, PreconditionFailed

# What an executor may raise on purpose. Everything else is a bug, and ends the activity without an outcome.
EXPECTED = (CloudError, TryAgain, AzureError, PreconditionFailed, NotFound)


def outcome(call: Call, error: BaseException) -> Outcome:
    """Return the outcome of a step that raised one of the expected errors."""
    if isinstance(error, AzureError):
        failure = errors.translate(error)
        if _is_the_services(failure.resource_id):
            failure.error.owner = Owner.PLATFORM
        found = _failed(call, failure.error, failure.retry_class, failure.resource_id)
        after = failure.retry_after_seconds
        return found | ({"retryAfterSeconds": after} if after else {})
    if isinstance(error, TryAgain):
        return _failed(call, error.error, error.retry_class)
    if isinstance(error, CloudError):
        return _failed(call, error, "none")
    lost = CloudError(409, ErrorCode.CONFLICT, "The cluster's record was changed by others five times in a row.")
    return _failed(call, lost, "busy")


def _is_the_services(resource_id: str) -> bool:
    """Tell whether a resource lies in the service's own subscription, where no customer can mend anything."""
    mine = settings.load().subscription_id
    return resource_id.lower().startswith(f"/subscriptions/{mine}/".lower())


def _failed(call: Call, error: CloudError, retry_class: str, resource_id: str = "") -> Outcome:
    return {"outcome": "failed", "error": dict(explain(call, error, resource_id)), "retryClass": retry_class}


def explain(call: Call, error: CloudError, resource_id: str = "") -> CloudErrorBody:
    """Return the error body of a failed step: the code of its cause, and a message that begins with what failed."""
    row = call["row"]
    body = CloudErrorBody(code=error.code, message=f"Step '{row['name']}' failed: {error.message}")
    if error.target:
        body["target"] = error.target
    body["details"] = [
        *error.details,
        {"code": "Step", "message": row["name"], "target": row["phase"]},
        *([CloudErrorBody(code="AzureResource", message=resource_id)] if resource_id else []),
        {"code": "Remedy", "message": row["message"]},
        {"code": "CorrelationId", "message": call["correlationId"]},
        {"code": "Owner", "message": str(error.owner)},
    ]
    return body
