"""Azure's errors, translated in one place: their retry class, and what a customer reads.

    AzureError
    ├── ServiceRequestError, ServiceResponseError     the connection broke before an answer: transient
    ├── CredentialUnavailableError                    no token for the app's own identity: transient
    ├── ClientAuthenticationError                     the service's own credential is refused: transient;
    │   │                                             the same if Entra ID is busy, or did not answer
    │   └── PrincipalRefused                          the credential of a cluster's principal is: principal
    └── HttpResponseError                             by status and code, see the tables
        └── DecodeError                               the answer broke off, or is not in its format: transient

An answer that breaks off is also an `HttpResponseError` without a response.

`ODataV4Format` and ARM's own error bodies differ little. Both become our `details`, with their text and target.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from azure.core.exceptions import (
    AzureError,
    ClientAuthenticationError,
    DecodeError,
    HttpResponseError,
    ServiceRequestError,
    ServiceResponseError,
)
from azure.identity import CredentialUnavailableError

from shared import tracing
from shared.arm.errors import CloudError, CloudErrorBody, ErrorCode, Owner
from shared.steps import RetryClass

_AUTHORIZATION_CODES = frozenset(
    {
        "AuthorizationFailed",
        "LinkedAuthorizationFailed",
        # Of the storage service, which learns of a role minutes after ARM.
        "AuthorizationPermissionMismatch",
    }
)
_BUSY_CODES = frozenset(
    {
        "AnotherOperationInProgress",
        "ConcurrentFederatedIdentityCredentialsWritesForSingleManagedIdentity",
        # The document that was read is old, or the answer to the write was lost; it is read again.
        "ConditionNotMet",
        "Conflict",
        "DeploymentActive",
        "DeploymentBeingCancelled",
        "OperationNotAllowedDuringUpdate",
        "PreconditionFailed",
        "ReferencedResourceNotProvisioned",
        "RetryableError",
        "ResourceGroupBeingDeleted",
        "StorageAccountIsNotProvisioned",
        "StorageAccountOperationInProgress",
    }
)
_AWAY = frozenset({RetryClass.THROTTLED, RetryClass.TRANSIENT})
_TRANSIENT_STATUS = frozenset({408, 500, 502, 503, 504})

# Maps Azure's code to ours and its owner. Absent codes become DeploymentFailed, which is Azure's.
_CODES: dict[str, tuple[ErrorCode, Owner]] = {
    "QuotaExceeded": (ErrorCode.RESOURCE_QUOTA_EXCEEDED, Owner.CUSTOMER),
    "ResourceQuotaExceeded": (ErrorCode.RESOURCE_QUOTA_EXCEEDED, Owner.CUSTOMER),
    "OperationNotAllowed": (ErrorCode.RESOURCE_QUOTA_EXCEEDED, Owner.CUSTOMER),
    "StorageAccountCountExceeded": (ErrorCode.RESOURCE_QUOTA_EXCEEDED, Owner.CUSTOMER),
    "MaxStorageAccountsCountPerSubscriptionExceeded": (ErrorCode.RESOURCE_QUOTA_EXCEEDED, Owner.CUSTOMER),
    "PublicIPCountLimitReached": (ErrorCode.RESOURCE_QUOTA_EXCEEDED, Owner.CUSTOMER),
    "StaticPublicIPCountLimitReached": (ErrorCode.RESOURCE_QUOTA_EXCEEDED, Owner.CUSTOMER),
    "SkuNotAvailable": (ErrorCode.SKU_NOT_AVAILABLE, Owner.CUSTOMER),
    "OSProvisioningTimedOut": (ErrorCode.DEPLOYMENT_FAILED, Owner.PLATFORM),
    "RequestDisallowedByPolicy": (ErrorCode.REQUEST_DISALLOWED_BY_POLICY, Owner.CUSTOMER),
    "ScopeLocked": (ErrorCode.SCOPE_LOCKED, Owner.CUSTOMER),
    "CannotDeleteLoadBalancerWithPrivateLinkService": (ErrorCode.CANNOT_DELETE_LOAD_BALANCER, Owner.CUSTOMER),
    "InUseSubnetCannotBeDeleted": (ErrorCode.IN_USE_SUBNET_CANNOT_BE_DELETED, Owner.CUSTOMER),
    "MissingSubscriptionRegistration": (ErrorCode.RESOURCE_PROVIDER_NOT_REGISTERED, Owner.CUSTOMER),
    "TooManyRequests": (ErrorCode.THROTTLING_LIMIT_EXCEEDED, Owner.AZURE),
    "SubscriptionRequestsThrottled": (ErrorCode.THROTTLING_LIMIT_EXCEEDED, Owner.AZURE),
    "AuthorizationFailed": (ErrorCode.DEPLOYMENT_FAILED, Owner.CUSTOMER),
    "LinkedAuthorizationFailed": (ErrorCode.DEPLOYMENT_FAILED, Owner.CUSTOMER),
    "DenyAssignmentAuthorizationFailed": (ErrorCode.DEPLOYMENT_FAILED, Owner.CUSTOMER),
    # Concerns the roles of the cluster's principal. The customer owns the principal, the scope and all other
    # assignments there; the service chooses the name, the role and the type of the principal.
    "RoleAssignmentExists": (ErrorCode.DEPLOYMENT_FAILED, Owner.CUSTOMER),
    "RoleAssignmentLimitExceeded": (ErrorCode.DEPLOYMENT_FAILED, Owner.CUSTOMER),
    "PrincipalNotFound": (ErrorCode.DEPLOYMENT_FAILED, Owner.CUSTOMER),
    "RoleAssignmentUpdateNotPermitted": (ErrorCode.DEPLOYMENT_FAILED, Owner.PLATFORM),
    "RoleDefinitionDoesNotExist": (ErrorCode.DEPLOYMENT_FAILED, Owner.PLATFORM),
    "InvalidPrincipalId": (ErrorCode.DEPLOYMENT_FAILED, Owner.PLATFORM),
    "UnmatchedPrincipalType": (ErrorCode.DEPLOYMENT_FAILED, Owner.PLATFORM),
    "SubnetIsFull": (ErrorCode.DEPLOYMENT_FAILED, Owner.CUSTOMER),
}
_UNKNOWN = (ErrorCode.DEPLOYMENT_FAILED, Owner.AZURE)
# ARM's name for the additional information of a refusal by Azure Policy.
_POLICY = "PolicyViolation"
_EXEMPT = (
    "az policy exemption create --name aro --exemption-category Waiver --policy-assignment '{assignment}' --scope "
)
# A call for a resource: its group is the cluster's or one of the customer's own, such as that of the virtual network.
_EXEMPT_GROUP = f"Exempt the resource group of what it refuses: {_EXEMPT}{{group}}."
# A call for the cluster's resource group itself, or an answer about something in it.
_EXEMPT_CLUSTER = (
    "Exempt the cluster's resource group from it, or the subscription while there is no such group: "
    f"{_EXEMPT}<resource group or subscription id>. If it asks for tags, a cluster made with these tags passes it too, "
    "because they are copied to its resource group."
)
_GROUP = re.compile(r"(/subscriptions/[^/]+/resourceGroups/[^/]+)/providers/.+", re.IGNORECASE)
# The codes in which ARM wraps a cause: they have general words of their own, and the cause in `details`.
_WRAPPERS = frozenset(
    {
        "DeploymentFailed",
        "InvalidTemplateDeployment",
        "MultipleErrorsOccurred",
        "PreflightValidationCheckFailed",
        "ResourceDeploymentFailure",
    }
)
# Azure also reports a quota with the vague OperationNotAllowed; the text tells the two apart.
_QUOTA_TEXT = re.compile(r"quota", re.IGNORECASE)
# Values that a header may ask for: digits that `int` reads, and no number that is too large for a clock.
_SECONDS = re.compile(r"[0-9]{1,9}")
# Signatures are the only secrets in an address, and so in a message that quotes one. systemd writes `code=exited` about
# a process, in a context that ends where a word ends.
_ENDED = r"(?!(?:exited|killed|dumped|trapped|stopped|continued)(?:[,)\s]|$))"
_SIGNATURE = re.compile(rf"(sig|signature|code)={_ENDED}[^&\s'\"]+", re.IGNORECASE)

# Entra ID's codes for "later". The SDK keeps neither the status nor `Retry-After` of an OAuth answer.
# https://learn.microsoft.com/entra/identity-platform/reference-error-codes
_DIRECTORY_IS_BUSY = re.compile(r"AADSTS(90006|90024|90033|90055)\b")
_OF_THE_DIRECTORY = re.compile(r"AADSTS\d+")
_COSMOS_TAIL = re.compile(r"\s*ActivityId: [0-9a-f-]+, Microsoft\.Azure\.Documents\S*\s*$")


class PrincipalRefused(ClientAuthenticationError):  # noqa: N818 - named by what Entra ID did
    """A cluster's principal was refused, which its customer can fix. Any other credential here is the service's own."""


@dataclass(frozen=True)
class Failure:
    """One failed call to Azure, as the engine and the customer need it. `host` is the called host, if known."""

    error: CloudError
    retry_class: RetryClass
    retry_after_seconds: int | None
    resource_id: str
    host: str


def translate(error: AzureError) -> Failure:
    """Translate any error of an Azure SDK; the caller chains it as the cause."""
    response = getattr(error, "response", None)
    cause = _cause(error)
    code, owner = _our_code(cause)
    url = urlsplit(_url(error))
    again = retry_class(error)
    return Failure(
        error=CloudError(
            _status(error),
            code,
            _message(cause, url.path),
            details=[cause],
            owner=_owner(error, again, owner),
        ),
        retry_class=again,
        retry_after_seconds=_retry_after(response),
        resource_id=url.path if url.path.lower().startswith("/subscriptions/") else "",
        host=url.hostname or "",
    )


def _owner(error: AzureError, again: RetryClass, owner: Owner) -> Owner:
    """Return the owner of a failed call if its class or status says more than its code does."""
    if is_refusal(error):
        return Owner.CUSTOMER if again == RetryClass.PRINCIPAL else Owner.PLATFORM
    if again in _AWAY:
        return Owner.AZURE
    # The customer owns roles, policies, locks and firewalls.
    forbidden = status_of(error) == HTTPStatus.FORBIDDEN
    return Owner.CUSTOMER if forbidden and owner == Owner.AZURE else owner


def retry_class(error: AzureError) -> RetryClass:
    """Return the class by which a plan's retry policy decides."""
    # The SDK hides the answer of the app's identity endpoint, which has no principal to refuse.
    if _is_broken(error) or isinstance(error, CredentialUnavailableError):
        return RetryClass.TRANSIENT
    if is_refusal(error):
        # While Entra ID refuses the service (its clock is off, its key has just changed), nothing is wrong with any
        # cluster, so this is waited for as any other outage.
        return RetryClass.PRINCIPAL if isinstance(error, PrincipalRefused) else RetryClass.TRANSIENT
    if isinstance(error, ClientAuthenticationError):
        passing = _http_class(error)
        return passing if passing in _AWAY else RetryClass.TRANSIENT
    return _http_class(error) if isinstance(error, HttpResponseError) else RetryClass.NONE


def _is_broken(error: BaseException) -> bool:
    """Tell whether no whole answer came: the connection broke before it or in it, or something else answered."""
    if isinstance(error, ServiceRequestError | ServiceResponseError):
        return True
    if isinstance(error, ClientAuthenticationError) or not isinstance(error, HttpResponseError):
        return False
    # A refusal counts by its status, whatever its body. A success that cannot be read is none.
    return not error.status_code or (isinstance(error, DecodeError) and error.status_code < HTTPStatus.BAD_REQUEST)


def is_away(error: AzureError) -> bool:
    """Tell whether the called service gave no answer or a "later", which says nothing about the request itself."""
    return retry_class(error) in _AWAY


def is_refusal(error: BaseException) -> bool:
    """Tell whether a credential was refused. It was not if Entra ID is busy, did not answer, or cannot be asked."""
    if isinstance(error, PrincipalRefused):
        return True
    if not isinstance(error, ClientAuthenticationError) or isinstance(error, CredentialUnavailableError):
        return False
    if error.response is None:
        return error.__cause__ is None and _refuses(str(error.message))
    return _http_class(error) not in _AWAY and not isinstance(error.__cause__, DecodeError)


def _refuses(text: str) -> bool:
    """Tell whether Entra ID itself refused a credential. A busy front end of it answers without a code."""
    return bool(_OF_THE_DIRECTORY.search(text)) and not _DIRECTORY_IS_BUSY.search(text)


def _http_class(error: HttpResponseError) -> RetryClass:
    if error.status_code == HTTPStatus.TOO_MANY_REQUESTS:
        return RetryClass.THROTTLED
    if error.status_code in _TRANSIENT_STATUS:
        return RetryClass.TRANSIENT
    code = azure_code(error)
    if code in _AUTHORIZATION_CODES:
        return RetryClass.AUTHORIZATION
    busy = error.status_code in (409, 412) and (code in _BUSY_CODES or not code)
    return RetryClass.BUSY if busy else RetryClass.NONE


def status_of(error: AzureError) -> int:
    """Return the status of the answer, or 0 if there was none."""
    return int(getattr(error, "status_code", None) or 0)


def azure_code(error: AzureError) -> str:
    """Return the code that Azure gave, or ""."""
    body = getattr(error, "error", None)
    return str(getattr(body, "code", None) or getattr(error, "error_code", None) or "")


def our_error(status_code: int, cause: CloudErrorBody) -> CloudError:
    """Translate an error that Azure reports inside an answer, such as the operation of a deployment."""
    code, owner = _our_code(cause)
    return CloudError(status_code, code, _message(cause), details=[cause], owner=owner)


def _message(cause: CloudErrorBody, path: str = "") -> str:
    """Return the message for people: Azure's own words and, if a policy refused, which one and what helps.

    Args:
        cause: what Azure answered.
        path: the path of the call that it answered, if it is known.
    """
    root = root_cause(cause)
    policies = [detail for detail in root.get("details", []) if detail["code"] == _POLICY]
    text = root.get("message", "")
    if not policies:
        return text
    refusals = " ".join(detail["message"] for detail in policies)
    of_resource = _GROUP.fullmatch(path)
    advice = _EXEMPT_GROUP if of_resource else _EXEMPT_CLUSTER
    group = of_resource[1] if of_resource else ""
    return f"{text} {refusals} {advice.format(assignment=policies[0]['target'], group=group)}"


def root_cause(cause: CloudErrorBody) -> CloudErrorBody:
    """Return the part of a cause that says what went wrong, with Azure's own numbers and names."""
    inner = cause.get("details", [])
    if not inner or cause.get("code") not in _WRAPPERS:
        return cause
    return root_cause(next((detail for detail in inner if detail["code"] in _CODES), inner[0]))


def body_of(azure_error: Any) -> CloudErrorBody:
    """Return an error model of an SDK as a body with code, message, target and details, adding nothing."""
    body = CloudErrorBody(
        code=str(getattr(azure_error, "code", None) or "Unknown"),
        message=clean(str(getattr(azure_error, "message", None) or "")),
    )
    if target := getattr(azure_error, "target", None):
        body["target"] = str(target)
    details = [body_of(detail) for detail in getattr(azure_error, "details", None) or []]
    if details := details + _violations(azure_error):
        body["details"] = details
    return body


def _violations(azure_error: Any) -> list[CloudErrorBody]:
    """Return the policies that refused, one entry each. SDKs keep them separately, as typed additional information."""
    information = getattr(azure_error, "additional_info", None) or []
    return [
        _violation(extra.info) for extra in information if extra.type == _POLICY and isinstance(extra.info, Mapping)
    ]


def _violation(info: Mapping[str, Any]) -> CloudErrorBody:
    def named(what: str) -> str:
        name = info.get(f"policy{what}DisplayName") or info.get(f"policy{what}Name") or "?"
        return f"'{name}' ({info.get(f'policy{what}Id', 'id unknown')})"

    message = (
        f"The policy assignment {named('Assignment')} refuses it, with the policy definition {named('Definition')}."
    )
    return CloudErrorBody(code=_POLICY, message=clean(message), target=str(info.get("policyAssignmentId", "")))


def clean(text: str) -> str:
    """Remove signatures from a text that may quote an address, and the text that Cosmos DB appends for its own log."""
    return _SIGNATURE.sub(r"\1=...", _COSMOS_TAIL.sub("", text))


def _cause(error: AzureError) -> CloudErrorBody:
    broken = next((link for link in _chain(error) if isinstance(link, AzureError) and _is_broken(link)), None)
    if broken is not None:
        return CloudErrorBody(code=type(broken).__name__, message=_broken(broken))
    body = getattr(error, "error", None)
    if body is not None and getattr(body, "code", None):
        return body_of(body)
    code = azure_code(error) or type(error).__name__
    return CloudErrorBody(code=code, message=clean(str(error.message or error).split("\n", 1)[0]))


def _broken(error: AzureError) -> str:
    """Describe a broken connection: to whom it was, and the last exception in the chain that explains why."""
    *_, cause = _chain(error)
    host = urlsplit(_url(error)).hostname or "Azure"
    return f"The connection to {host} broke before a whole answer came: {clean(str(cause) or type(cause).__name__)}."


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and those that it was made from: its cause, one that the SDK keeps, or an argument."""
    link: BaseException | None = error
    seen: list[BaseException] = []
    while link is not None and link not in seen:
        yield link
        seen.append(link)
        arguments = (argument for argument in reversed(link.args) if isinstance(argument, BaseException))
        link = link.__cause__ or getattr(link, "inner_exception", None) or next(arguments, None)


def _url(error: BaseException) -> str:
    """Return the address of the call, from its answer or from the request that got none."""
    for link in _chain(error):
        request = getattr(getattr(link, "response", None), "request", None) or getattr(link, "request", None)
        if url := getattr(request, "url", None):
            return str(url)
    return tracing.address.get()


def _our_code(cause: CloudErrorBody) -> tuple[ErrorCode, Owner]:
    """Return the first code that we know, from the outside in, because ARM wraps the cause in its own codes."""
    code = cause.get("code", "")
    quota = code != "OperationNotAllowed" or _QUOTA_TEXT.search(cause.get("message", ""))
    if code in _CODES and quota:
        return _CODES[code]
    inner = [_our_code(detail) for detail in cause.get("details", [])]
    return next((ours for ours in inner if ours != _UNKNOWN), _UNKNOWN)


def _status(error: AzureError) -> int:
    status = status_of(error) or 500
    return status if 400 <= status < 600 else 500  # noqa: PLR2004 - HTTP's error range


def _retry_after(response: Any) -> int | None:
    text = str(response.headers.get("Retry-After", "")) if response is not None else ""
    return max(1, int(text)) if _SECONDS.fullmatch(text) else None
