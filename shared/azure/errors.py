"""Azure's errors, translated once: which class of retry they belong to, and what a customer reads.

    AzureError
    ├── ServiceRequestError, ServiceResponseError     the connection broke: transient
    ├── ClientAuthenticationError                     Entra ID refused a credential: principal
    └── HttpResponseError                             by status and code, see the tables

`ODataV4Format` and ARM's own error bodies differ little; both become our `details`, text and target kept.
"""

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from azure.core.exceptions import (
    AzureError,
    ClientAuthenticationError,
    HttpResponseError,
    ServiceRequestError,
    ServiceResponseError,
)

from shared.arm.errors import CloudError, CloudErrorBody, ErrorCode, Owner

_AUTHORIZATION_CODES = frozenset({"AuthorizationFailed", "LinkedAuthorizationFailed"})
_BUSY_CODES = frozenset(
    {
        "AnotherOperationInProgress",
        # What was read is old, or the answer to the write was lost: it is read again.
        "ConditionNotMet",
        "Conflict",
        "DeploymentActive",
        "DeploymentBeingCancelled",
        "OperationNotAllowedDuringUpdate",
        "PreconditionFailed",
        "ReferencedResourceNotProvisioned",
        "RetryableError",
        "ResourceGroupBeingDeleted",
        "StorageAccountOperationInProgress",
    }
)
_TRANSIENT_STATUS = frozenset({408, 500, 502, 503, 504})

# Azure's code: ours, and whose the failure is. What is absent becomes DeploymentFailed, which is Azure's.
_CODES: dict[str, tuple[ErrorCode, Owner]] = {
    "QuotaExceeded": (ErrorCode.RESOURCE_QUOTA_EXCEEDED, Owner.CUSTOMER),
    "ResourceQuotaExceeded": (ErrorCode.RESOURCE_QUOTA_EXCEEDED, Owner.CUSTOMER),
    "OperationNotAllowed": (ErrorCode.RESOURCE_QUOTA_EXCEEDED, Owner.CUSTOMER),
    "StorageAccountCountExceeded": (ErrorCode.RESOURCE_QUOTA_EXCEEDED, Owner.CUSTOMER),
    "MaxStorageAccountsCountPerSubscriptionExceeded": (ErrorCode.RESOURCE_QUOTA_EXCEEDED, Owner.CUSTOMER),
    "PublicIPCountLimitReached": (ErrorCode.RESOURCE_QUOTA_EXCEEDED, Owner.CUSTOMER),
    "SkuNotAvailable": (ErrorCode.SKU_NOT_AVAILABLE, Owner.CUSTOMER),
    "OSProvisioningTimedOut": (ErrorCode.DEPLOYMENT_FAILED, Owner.PLATFORM),
    "RequestDisallowedByPolicy": (ErrorCode.REQUEST_DISALLOWED_BY_POLICY, Owner.CUSTOMER),
    "ScopeLocked": (ErrorCode.SCOPE_LOCKED, Owner.CUSTOMER),
    "InUseSubnetCannotBeDeleted": (ErrorCode.IN_USE_SUBNET_CANNOT_BE_DELETED, Owner.CUSTOMER),
    "MissingSubscriptionRegistration": (ErrorCode.RESOURCE_PROVIDER_NOT_REGISTERED, Owner.CUSTOMER),
    "TooManyRequests": (ErrorCode.THROTTLING_LIMIT_EXCEEDED, Owner.AZURE),
    "SubscriptionRequestsThrottled": (ErrorCode.THROTTLING_LIMIT_EXCEEDED, Owner.AZURE),
    "AuthorizationFailed": (ErrorCode.DEPLOYMENT_FAILED, Owner.CUSTOMER),
    "LinkedAuthorizationFailed": (ErrorCode.DEPLOYMENT_FAILED, Owner.CUSTOMER),
}
# What ARM wraps a cause in: words of its own, and the cause in `details`.
_WRAPPERS = frozenset(
    {
        "DeploymentFailed",
        "InvalidTemplateDeployment",
        "MultipleErrorsOccurred",
        "PreflightValidationCheckFailed",
        "ResourceDeploymentFailure",
    }
)
# Azure answers a quota with the vague OperationNotAllowed too; its text tells the two apart.
_QUOTA_TEXT = re.compile(r"quota", re.IGNORECASE)
# Signatures are the only secrets that an address, and so a message that quotes one, may carry.
_SIGNATURE = re.compile(r"(sig|signature|code)=[^&\s'\"]+", re.IGNORECASE)


@dataclass(frozen=True)
class Failure:
    """One failed call to Azure, as the engine and the customer need it."""

    error: CloudError
    retry_class: str
    retry_after_seconds: int | None
    resource_id: str
    correlation_id: str


def translate(error: AzureError) -> Failure:
    """Translate any error of an Azure SDK; the caller chains it as the cause."""
    response = getattr(error, "response", None)
    cause = _cause(error)
    code, owner = _our_code(cause)
    return Failure(
        error=CloudError(
            _status(error),
            code,
            telling(cause)["message"],
            details=[cause],
            owner=Owner.AZURE if retry_class(error) in ("throttled", "transient") else owner,
        ),
        retry_class=retry_class(error),
        retry_after_seconds=_retry_after(response),
        resource_id=_resource_id(response),
        correlation_id=str(response.headers.get("x-ms-correlation-request-id", "")) if response is not None else "",
    )


def retry_class(error: AzureError) -> str:
    """Return the class by which a plan's retry policy decides."""
    if isinstance(error, ServiceRequestError | ServiceResponseError):
        return "transient"
    if isinstance(error, ClientAuthenticationError):
        return "principal" if getattr(error, "status_code", None) not in _TRANSIENT_STATUS else "transient"
    return _http_class(error) if isinstance(error, HttpResponseError) else "none"


def _http_class(error: HttpResponseError) -> str:
    if error.status_code == 429:  # noqa: PLR2004 - Too Many Requests
        return "throttled"
    if error.status_code in _TRANSIENT_STATUS:
        return "transient"
    code = azure_code(error)
    if code in _AUTHORIZATION_CODES:
        return "authorization"
    return "busy" if error.status_code in (409, 412) and (code in _BUSY_CODES or not code) else "none"


def azure_code(error: AzureError) -> str:
    """Return the code that Azure gave, or an empty text."""
    body = getattr(error, "error", None)
    return str(getattr(body, "code", None) or getattr(error, "error_code", None) or "")


def our_error(status_code: int, cause: CloudErrorBody) -> CloudError:
    """Translate an error that Azure told inside an answer, such as the operation of a deployment."""
    code, owner = _our_code(cause)
    return CloudError(status_code, code, telling(cause).get("message", ""), details=[cause], owner=owner)


def telling(cause: CloudErrorBody) -> CloudErrorBody:
    """Return the part of a cause that says what went wrong, with Azure's own numbers and names."""
    inner = cause.get("details", [])
    if not inner or cause.get("code") not in _WRAPPERS:
        return cause
    return telling(next((each for each in inner if each["code"] in _CODES), inner[0]))


def body_of(azure_error: Any) -> CloudErrorBody:
    """Return an error model of an SDK as a body: code, message, target, details, nothing invented."""
    body = CloudErrorBody(
        code=str(getattr(azure_error, "code", None) or "Unknown"),
        message=clean(str(getattr(azure_error, "message", None) or "")),
    )
    if target := getattr(azure_error, "target", None):
        body["target"] = str(target)
    if details := getattr(azure_error, "details", None):
        body["details"] = [body_of(detail) for detail in details]
    return body


def clean(text: str) -> str:
    """Take signatures out of a text that may quote an address."""
    return _SIGNATURE.sub(r"\1=...", text)


def _cause(error: AzureError) -> CloudErrorBody:
    body = getattr(error, "error", None)
    if body is not None and getattr(body, "code", None):
        return body_of(body)
    code = azure_code(error) or type(error).__name__
    return CloudErrorBody(code=code, message=clean(str(error.message or error).split("\n", 1)[0]))


def _our_code(cause: CloudErrorBody) -> tuple[ErrorCode, Owner]:
    """Look for the first code we know, from the outside in: ARM wraps the cause in codes of its own."""
    code = cause.get("code", "")
    quota = code != "OperationNotAllowed" or _QUOTA_TEXT.search(cause.get("message", ""))
    if code in _CODES and quota:
        return _CODES[code]
    inner = [_our_code(detail) for detail in cause.get("details", [])]
    unknown = (ErrorCode.DEPLOYMENT_FAILED, Owner.AZURE)
    return next((found for found in inner if found[0] != ErrorCode.DEPLOYMENT_FAILED), inner[0] if inner else unknown)


def _status(error: AzureError) -> int:
    status = getattr(error, "status_code", None) or 500
    return status if 400 <= status < 600 else 500  # noqa: PLR2004 - HTTP's error range


def _retry_after(response: Any) -> int | None:
    text = str(response.headers.get("Retry-After", "")) if response is not None else ""
    return max(1, int(text)) if text.isdigit() else None


def _resource_id(response: Any) -> str:
    """Return the path of the request, which for ARM is the id of the resource."""
    url = str(getattr(getattr(response, "request", None), "url", "") or "")
    path = urlsplit(url).path
    return path if path.lower().startswith("/subscriptions/") else ""
