"""The error of a failed step: the cause as it was reported, with everything that a person needs to act."""

from urllib.parse import urlsplit

from azure.core.exceptions import AzureError

from activities.runtime import remedy_choice
from activities.runtime.call import Call
from activities.runtime.executor import TryAgain
from shared import remedies, settings
from shared.arm.errors import CloudError, CloudErrorBody, ErrorCode, Owner
from shared.arm.operation_errors import operation_error, step_detail
from shared.azure import azure_errors
from shared.settings import SettingsError
from shared.steps import Failed, RetryClass
from shared.store import NotFound, PreconditionFailed

# The errors that an executor may raise on purpose. Everything else is a bug; the wrapper reports only its type.
EXPECTED = (CloudError, TryAgain, AzureError, PreconditionFailed, NotFound)


def outcome(call: Call, error: BaseException) -> Failed:
    """Return the outcome of a step that raised one of the expected errors."""
    if isinstance(error, AzureError):
        return _refused(call, azure_errors.translate(error))
    if isinstance(error, SettingsError):
        return _failed(call, _unconfigured(), RetryClass.TRANSIENT, remedies.OURS)
    if isinstance(error, TryAgain):
        found, retry_class = error.error, error.retry_class
    elif isinstance(error, CloudError):
        found, retry_class = error, RetryClass.NONE
    else:
        lost = "Other writers changed the cluster's document five times in a row."
        found, retry_class = CloudError(409, ErrorCode.CONFLICT, lost, owner=Owner.PLATFORM), RetryClass.BUSY
    return _failed(call, found, retry_class, remedy_choice.of_step(found, retry_class, call["row"]))


def _unconfigured() -> CloudError:
    return CloudError(503, ErrorCode.SERVICE_UNAVAILABLE, "The service's settings are invalid.", owner=Owner.PLATFORM)


def _refused(call: Call, failure: azure_errors.Failure) -> Failed:
    """Return the outcome of a step whose call Azure refused or did not answer."""
    error = failure.error
    if _is_the_services(failure):
        error.owner, remedy = Owner.PLATFORM, remedies.OURS
    else:
        remedy = remedy_choice.of_azure(error, failure.retry_class)
    found = _failed(call, error, failure.retry_class, remedy, failure.resource_id)
    if failure.retry_after_seconds:
        found["retryAfterSeconds"] = failure.retry_after_seconds
    return found


def _is_the_services(failure: azure_errors.Failure) -> bool:
    """Tell whether a call was for a resource of the service itself, which no customer can fix."""
    service_settings = settings.load()
    own_hosts = (
        service_settings.cosmosdb_account,
        service_settings.keyvault_name,
        service_settings.cluster_keyvault_name,
        *filter(None, [urlsplit(service_settings.issuer_account_url).netloc.partition(".")[0]]),
    )
    own_subscription = f"/subscriptions/{service_settings.subscription_id}/".lower()
    return failure.resource_id.lower().startswith(own_subscription) or _first_label(failure.host) in own_hosts


def _first_label(host: str) -> str:
    """Return the account or vault that a host name begins with. Cosmos DB's regional hosts append `-<region>` to it."""
    label, account = host.partition(".")[0], settings.load().cosmosdb_account
    return account if label.startswith(f"{account}-") else label


def _failed(call: Call, error: CloudError, retry_class: RetryClass, remedy: str, resource_id: str = "") -> Failed:
    return {"outcome": "failed", "error": explain(call, error, remedy, resource_id), "retryClass": retry_class}


def explain(call: Call, error: CloudError, remedy: str, resource_id: str = "") -> CloudErrorBody:
    """Return the error body of a failed step: the code of its cause, and a message that begins with what failed.

    Args:
        call: the call of the step.
        error: the error that it failed with.
        remedy: the advice, as `activities/runtime/remedy_choice.py` chose it.
        resource_id: the resource that the failed call was about.
    """
    row = call["row"]
    details = [*error.details, step_detail(row["name"], row["phase"])]
    if resource_id:
        details.append({"code": "AzureResource", "message": resource_id})
    message = f"Step '{row['name']}' failed: {error.message}"
    body = operation_error(error.code, message, details, remedy, call["correlationId"], error.owner)
    return body | {"target": error.target} if error.target else body
