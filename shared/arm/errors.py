"""Errors that users see: one type, its codes, and one constructor for each well-known case.

    Exception
    └── CloudError            everything a client may see, rendered as {"error": {...}}

There is no other class: failures differ in their code, and the code is data. Code that meets another exception (a bug,
a broken connection) lets it pass; the frontend's guard turns it into `InternalServerError`, and the engine's wrapper
into an outcome. Validation of a request collects failures and raises once, see `raise_all`; checks against Azure do the
same with `summarize`.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import islice
from typing import TypedDict

from shared import durations, findings

NAMESPACE = "Microsoft.RedHatOpenShift"
RESOURCE_TYPE = "openShiftClusters"


class CloudErrorBody(TypedDict, total=False):
    """The inner object of an ARM error; empty members are left out."""

    code: str
    message: str
    target: str
    details: list["CloudErrorBody"]


class ErrorCode(StrEnum):
    """Every `error.code` that this provider returns."""

    INTERNAL_SERVER_ERROR = "InternalServerError"
    SERVICE_UNAVAILABLE = "ServiceUnavailable"
    DEPLOYMENT_FAILED = "DeploymentFailed"
    INVALID_PARAMETER = "InvalidParameter"
    INVALID_REQUEST_CONTENT = "InvalidRequestContent"
    INVALID_RESOURCE = "InvalidResource"
    INVALID_RESOURCE_NAMESPACE = "InvalidResourceNamespace"
    INVALID_RESOURCE_TYPE = "InvalidResourceType"
    INVALID_SUBSCRIPTION_ID = "InvalidSubscriptionID"
    INVALID_SUBSCRIPTION_STATE = "InvalidSubscriptionState"
    INVALID_LOCATION = "InvalidLocation"
    INVALID_OPERATION_ID = "InvalidOperationID"
    MISMATCHING_RESOURCE_ID = "MismatchingResourceID"
    MISMATCHING_RESOURCE_NAME = "MismatchingResourceName"
    MISMATCHING_RESOURCE_TYPE = "MismatchingResourceType"
    PROPERTY_CHANGE_NOT_ALLOWED = "PropertyChangeNotAllowed"
    REQUEST_NOT_ALLOWED = "RequestNotAllowed"
    RESOURCE_GROUP_NOT_FOUND = "ResourceGroupNotFound"
    RESOURCE_GROUP_BEING_DELETED = "ResourceGroupBeingDeleted"
    RESOURCE_NOT_FOUND = "ResourceNotFound"
    NOT_FOUND = "NotFound"
    METHOD_NOT_ALLOWED = "MethodNotAllowed"
    LENGTH_REQUIRED = "LengthRequired"
    UNSUPPORTED_MEDIA_TYPE = "UnsupportedMediaType"
    UNAUTHORIZED = "Unauthorized"
    FORBIDDEN = "Forbidden"
    AUTHORIZATION_FAILED = "AuthorizationFailed"
    LINKED_AUTHORIZATION_FAILED = "LinkedAuthorizationFailed"
    LINKED_INVALID_PROPERTY_ID = "LinkedInvalidPropertyId"
    CONFLICT = "Conflict"
    PRECONDITION_FAILED = "PreconditionFailed"
    CANCELED = "OperationCanceled"
    DUPLICATE_RESOURCE_GROUP = "DuplicateResourceGroup"
    DUPLICATE_CLIENT_ID = "DuplicateClientID"
    DUPLICATE_DOMAIN = "DuplicateDomain"
    RESOURCE_QUOTA_EXCEEDED = "ResourceQuotaExceeded"
    QUOTA_EXCEEDED = "QuotaExceeded"
    RESOURCE_PROVIDER_NOT_REGISTERED = "ResourceProviderNotRegistered"
    INVALID_LINKED_VNET = "InvalidLinkedVNet"
    INVALID_LINKED_ROUTE_TABLE = "InvalidLinkedRouteTable"
    INVALID_LINKED_NAT_GATEWAY = "InvalidLinkedNatGateway"
    INVALID_LINKED_DISK_ENCRYPTION_SET = "InvalidLinkedDiskEncryptionSet"
    INVALID_SERVICE_PRINCIPAL_CREDENTIALS = "InvalidServicePrincipalCredentials"
    INVALID_SERVICE_PRINCIPAL_CLAIMS = "InvalidServicePrincipalClaims"
    INVALID_SERVICE_PRINCIPAL_PERMISSIONS = "InvalidServicePrincipalPermissions"
    INVALID_RESOURCE_PROVIDER_PERMISSIONS = "InvalidResourceProviderPermissions"
    INVALID_WORKLOAD_IDENTITY_PERMISSIONS = "InvalidWorkloadIdentityPermissions"
    INVALID_CLUSTER_MSI_PERMISSIONS = "InvalidClusterMSIPermissions"
    INVALID_PLATFORM_WORKLOAD_IDENTITY = "InvalidPlatformWorkloadIdentity"
    PLATFORM_WORKLOAD_IDENTITY_CONTAINS_INVALID_CREDENTIAL = "PlatformWorkloadIdentityContainsInvalidCredential"
    PLATFORM_WORKLOAD_IDENTITY_MISMATCH = "PlatformWorkloadIdentityMismatch"
    INVALID_NETWORK_ADDRESS = "InvalidNetworkAddress"
    INVALID_CIDR_RANGE = "InvalidCIDRRange"
    CLUSTER_RESOURCE_GROUP_ALREADY_EXISTS = "ClusterResourceGroupAlreadyExists"
    IN_USE_SUBNET_CANNOT_BE_DELETED = "InUseSubnetCannotBeDeleted"
    CANNOT_DELETE_LOAD_BALANCER = "CannotDeleteLoadBalancerWithPrivateLinkService"
    SCOPE_LOCKED = "ScopeLocked"
    SKU_NOT_AVAILABLE = "SkuNotAvailable"
    REQUEST_DISALLOWED_BY_POLICY = "RequestDisallowedByPolicy"
    THROTTLING_LIMIT_EXCEEDED = "ThrottlingLimitExceeded"


class Owner(StrEnum):
    """Who is responsible for a failure. Alerts and retries depend on it."""

    CUSTOMER = "customer"
    PLATFORM = "platform"
    AZURE = "azure"


# The codes whose owner is not the customer. All others mean a request that somebody can correct.
_OWNERS: dict[str, Owner] = {
    ErrorCode.INTERNAL_SERVER_ERROR: Owner.PLATFORM,
    ErrorCode.SERVICE_UNAVAILABLE: Owner.PLATFORM,
    ErrorCode.INVALID_RESOURCE_PROVIDER_PERMISSIONS: Owner.PLATFORM,
    ErrorCode.DEPLOYMENT_FAILED: Owner.AZURE,
    ErrorCode.THROTTLING_LIMIT_EXCEEDED: Owner.AZURE,
}


class CloudError(Exception):
    """An error that a client sees: HTTP status, stable code, message for people, JSON path, nested details."""

    def __init__(  # noqa: PLR0917 - the usual order of an ARM error's members
        self,
        status_code: int,
        code: str,
        message: str,
        target: str = "",
        details: list[CloudErrorBody] | None = None,
        owner: Owner | None = None,
    ) -> None:
        # All arguments go to Exception, because pickling rebuilds an exception from its `args`.
        super().__init__(status_code, code, message, target, details, owner)
        self.status_code = status_code
        self.code = str(code)
        self.message = message
        self.target = target
        self.details: list[CloudErrorBody] = list(details or [])
        self.owner = owner or _OWNERS.get(self.code, Owner.CUSTOMER)

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    def body(self) -> CloudErrorBody:
        """Return the inner object, `{"code", "message", "target", "details"}` without empty members."""
        body = CloudErrorBody(code=self.code, message=self.message)
        if self.target:
            body["target"] = self.target
        if self.details:
            body["details"] = self.details
        return body

    def to_body(self) -> dict[str, CloudErrorBody]:
        """Return the reply, `{"error": {...}}`."""
        return {"error": self.body()}


_SHOWN_CHARACTERS = 400


def shown(value: object) -> str:
    """Return a value as messages and targets quote it. A long value is cut, because people read replies and logs."""
    text = str(value)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}... ({len(text)} characters)"


def raise_all(errors: Iterable[CloudError]) -> None:
    """Raise one error for all failures, or return if there is none. No more are looked for than it lists.

    The outer error is the first failure. If there are several, `details` lists every failure including the first, so
    that a client which shows only details misses none. It lists a hundred at most.

    Raises:
        CloudError: with status, code, message and target of the first failure.
    """
    failures = list(islice(errors, findings.MOST))
    if not failures:
        return
    first = failures[0]
    if len(failures) == 1:
        raise first
    raise CloudError(
        first.status_code,
        first.code,
        first.message,
        first.target,
        [failure.body() for failure in failures],
        first.owner,
    )


def summarize(failures: Sequence[CloudError]) -> CloudError:
    """Return one error for the findings of several checks; `details` lists each finding once, even a single one.

    A single finding becomes the outer error unchanged. For several, the outer message counts them, and the error keeps
    the code and the target that they share; otherwise it has the first finding's code.
    """
    entries = list({str(failure.body()): failure.body() for failure in failures}.values())
    first = failures[0]
    if len(entries) == 1:
        return CloudError(first.status_code, first.code, first.message, first.target, entries, first.owner)
    targets = {entry.get("target", "") for entry in entries}
    return CloudError(
        first.status_code,
        first.code,
        f"{len(entries)} problems were found, all listed in the details. The first: {first.message}",
        first.target if len(targets) == 1 else "",
        entries[: findings.MOST],
        first.owner,
    )


def internal_server_error() -> CloudError:
    """Build the reply to an unexpected exception. The log has the trace, under the same correlation id."""
    return CloudError(500, ErrorCode.INTERNAL_SERVER_ERROR, "Internal server error. The service has logged the cause.")


def service_unavailable(message: str) -> CloudError:
    """Build the 503 of a request that fails because a dependency of this service is away."""
    return CloudError(503, ErrorCode.SERVICE_UNAVAILABLE, message)


def invalid_parameter(target: str, message: str) -> CloudError:
    """Build the error for a value that breaks a rule."""
    return CloudError(400, ErrorCode.INVALID_PARAMETER, message, target)


def invalid_request_content(message: str, target: str = "") -> CloudError:
    """Build the error for a body that cannot be decoded."""
    return CloudError(400, ErrorCode.INVALID_REQUEST_CONTENT, message, target)


def resource_not_found(resource_id: str) -> CloudError:
    """Build the 404 for a cluster that does not exist."""
    return CloudError(
        404,
        ErrorCode.RESOURCE_NOT_FOUND,
        f"The resource '{shown(resource_id)}' was not found. Check its name, resource group and subscription.",
    )


def operation_not_found(operation_id: str) -> CloudError:
    """Build the 404 for an operation that is unknown, expired (7 days), or of another subscription."""
    return CloudError(
        404,
        ErrorCode.NOT_FOUND,
        f"The operation '{operation_id}' was not found. Operations are kept for {durations.OPERATIONS_KEPT.days} days.",
    )


def path_not_found(path: str) -> CloudError:
    """Build the 404 for a path that this provider does not serve."""
    return CloudError(404, ErrorCode.NOT_FOUND, f"The path '{shown(path)}' is not served by {NAMESPACE}.")


def method_not_allowed(method: str, path: str, allowed: tuple[str, ...]) -> CloudError:
    """Build the 405 for a known path; the caller adds the header `Allow`.

    Args:
        method: the method of the request.
        path: the path of the request.
        allowed: the methods that the path has.
    """
    return CloudError(
        405,
        ErrorCode.METHOD_NOT_ALLOWED,
        f"The method '{method}' is not allowed on '{shown(path)}'. Allowed: {', '.join(allowed)}.",
    )


def unauthorized(message: str) -> CloudError:
    """Build the 401 for a request without a valid token; the caller adds the header `WWW-Authenticate`."""
    return CloudError(401, ErrorCode.UNAUTHORIZED, message)


def forbidden(message: str) -> CloudError:
    """Build the 403 for a caller without the client certificate, or the app roles, that this path requires."""
    return CloudError(403, ErrorCode.FORBIDDEN, message)


def authorization_failed(client: str, object_id: str, action: str, scope: str) -> CloudError:
    """Build the 403 for a request that Azure RBAC does not allow, in ARM's words.

    Args:
        client: user name or application id of the caller.
        object_id: object id of the caller.
        action: the action that the caller lacks.
        scope: the scope of the action.
    """
    return CloudError(
        403,
        ErrorCode.AUTHORIZATION_FAILED,
        f"The client '{client}' with object id '{object_id}' does not have authorization to perform action '{action}' "
        f"over scope '{scope}' or the scope is invalid. If access was recently granted, please refresh your "
        "credentials.",
    )


def linked_authorization_failed(
    client: str, object_id: str, action: str, scope: str, missing: Sequence[tuple[str, str]]
) -> CloudError:
    """Build the 403 for a body that names resources which the caller may not use, in ARM's words.

    Args:
        client: user name or application id of the caller.
        object_id: object id of the caller.
        action: the action of the request.
        scope: the resource that the request writes.
        missing: the actions that the caller lacks, each with the id of its resource.
    """
    actions = ",".join(dict.fromkeys(action for action, _ in missing))
    resources = ",".join(resource for _, resource in missing)
    return CloudError(
        403,
        ErrorCode.LINKED_AUTHORIZATION_FAILED,
        f"The client '{client}' with object id '{object_id}' has permission to perform action '{action}' on scope "
        f"'{scope}'; however, it does not have permission to perform action(s) '{actions}' on the linked scope(s) "
        f"'{resources}' (respectively) or the linked scope(s) are invalid.",
    )


def linked_invalid_property_id(value: str, target: str, wanted: str) -> CloudError:
    """Build the 400 for a member that should be the id of another resource.

    Args:
        value: what the body has.
        target: JSON path of the member.
        wanted: the full type of the resource.
    """
    return CloudError(
        400,
        ErrorCode.LINKED_INVALID_PROPERTY_ID,
        f"The value '{shown(value)}' of '{target}' is not the id of a resource of the type '{wanted}'.",
        target,
    )


def resource_group_not_found(name: str) -> CloudError:
    """Build the 404 for a write into a resource group that does not exist, in ARM's words."""
    return CloudError(404, ErrorCode.RESOURCE_GROUP_NOT_FOUND, f"Resource group '{name}' could not be found.")


def resource_group_being_deleted(name: str) -> CloudError:
    """Build the 409 for a write into a resource group that is being deleted, in ARM's words."""
    return CloudError(
        409,
        ErrorCode.RESOURCE_GROUP_BEING_DELETED,
        f"The resource group '{name}' is in deprovisioning state and cannot perform this operation.",
    )


def scope_locked(scope: str, operation: str, locked: Sequence[str]) -> CloudError:
    """Build the 409 for a request that a management lock forbids, in ARM's words.

    Args:
        scope: the resource that the request is about.
        operation: `write` or `delete`.
        locked: the scopes that have such a lock.
    """
    return CloudError(
        409,
        ErrorCode.SCOPE_LOCKED,
        f"The scope '{scope}' cannot perform {operation} operation because following scope(s) are locked: "
        f"'{','.join(locked)}'. Please remove the lock and try again.",
    )


def request_not_allowed(message: str) -> CloudError:
    """Build the refusal of a request that the cluster's state does not allow."""
    return CloudError(400, ErrorCode.REQUEST_NOT_ALLOWED, message)


def conflict(message: str) -> CloudError:
    """Build the 409 for a write that lost five races, or that the present state of other resources does not allow."""
    return CloudError(409, ErrorCode.CONFLICT, message)


def precondition_failed(message: str) -> CloudError:
    """Build the 412 for a request whose `If-Match` or `If-None-Match` does not hold."""
    return CloudError(412, ErrorCode.PRECONDITION_FAILED, message)


def property_change_not_allowed(target: str, message: str) -> CloudError:
    """Build the refusal to change a member that is fixed at create."""
    return CloudError(400, ErrorCode.PROPERTY_CHANGE_NOT_ALLOWED, message, target)
