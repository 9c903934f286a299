"""ARM's errors: a constructor for each well-known case, so that codes and texts occur once, and the rendering."""

from collections.abc import Sequence
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from emulator.arm.ids import ResourceId
from emulator.core.refusals import Refusal
from emulator.core.service_error import ServiceError
from emulator.core.sources import MEMORY, OWN, documentation, public_output, said


def render(request: Request, error: ServiceError) -> Response:
    """Render an error as ARM does: `{"error": {...}}`; the answer to a HEAD has no body."""
    body = None if request.method == "HEAD" else {"error": error.body()}
    headers = {"Cache-Control": "no-cache"} | error.headers | getattr(request.state, "arm_headers", {})
    if body is None:
        return Response(status_code=error.status_code, headers=headers)
    return JSONResponse(body, status_code=error.status_code, headers=headers)


# fmt: off
MISSING_API_VERSION = Refusal(400, "MissingApiVersionParameter", MEMORY,
    "The api-version query parameter (?api-version=) is required for all requests.")
INVALID_API_VERSION = Refusal(400, "InvalidApiVersionParameter", MEMORY,
    "The api-version '{version}' is invalid. The supported versions are '{supported:,}'.")
INVALID_SUBSCRIPTION_ID = Refusal(400, "InvalidSubscriptionId", MEMORY,
    "The provided subscription identifier '{subscription_id}' is malformed or invalid.")
SUBSCRIPTION_NOT_FOUND = Refusal(404, "SubscriptionNotFound", MEMORY,
    "The subscription '{subscription_id}' could not be found.")
RESOURCE_GROUP_NOT_FOUND = Refusal(404, "ResourceGroupNotFound", MEMORY, "Resource group '{name}' could not be found.")
RESOURCE_GROUP_BEING_DELETED = Refusal(409, "ResourceGroupBeingDeleted", MEMORY,
    "The resource group '{name}' is in deprovisioning state and cannot perform this operation.")
PARENT_RESOURCE_NOT_FOUND = Refusal(404, "ParentResourceNotFound", MEMORY,
    "Failed to perform '{verb}' on resource(s) of type '{identifier.types:/}', because the parent resource "
    "'{identifier.parent}' could not be found.")
RESOURCE_BEING_DELETED = Refusal(409, "ResourceBeingDeleted", MEMORY,
    "The resource '{identifier}' is being deleted and cannot be written.")
OPERATION_PREEMPTED = Refusal(409, "OperationPreempted", MEMORY,
    "The operation has been preempted by a more recent operation, a deletion.")
INVALID_RESOURCE_LOCATION = Refusal(409, "InvalidResourceLocation", MEMORY,
    "The resource '{identifier.name}' already exists in location '{current}' in resource group "
    "'{identifier.resource_group}'. A resource with the same name cannot be created in location '{wanted}'. Please "
    "select a new resource name.")
UNKNOWN_ACTION = Refusal(400, "NotSupportedByLocalAzure", OWN,
    "The local Azure does not have the action '{action}' of type '{resource_type}'.")
METHOD_NOT_SUPPORTED = Refusal(405, "MethodNotAllowed", MEMORY,
    "The requested resource does not support http method '{method}'.")
STILL_THERE = Refusal(409, "ResourceDeletionFailed", MEMORY,
    "The resource '{resource_id}' still exists after its deletion has succeeded.")
_NOT_REGISTERED = (
    "The subscription is not registered to use namespace '{namespace}'. See https://aka.ms/rps-not-found for how to "
    "register subscriptions.")
NOT_REGISTERED = Refusal(409, "MissingSubscriptionRegistration", MEMORY, _NOT_REGISTERED,
    details=[{"code": "MissingSubscriptionRegistration", "target": "{namespace}", "message": _NOT_REGISTERED}])
INVALID_REQUEST_CONTENT = Refusal(400, "InvalidRequestContent", MEMORY,
    "The request content was invalid and could not be deserialized: '{reason}'.")
LOCATION_REQUIRED = Refusal(400, "LocationRequired", MEMORY, "The location property is required for this definition.")
LOCATION_NOT_AVAILABLE = Refusal(400, "LocationNotAvailableForResourceType", MEMORY,
    "The provided location '{location}' is not available for resource type '{resource_type}'. List of available "
    "regions for the resource type is '{available}'.")
LOCATION_WITHOUT_GROUPS = Refusal(400, "LocationNotAvailableForResourceGroup",
    public_output("an answer to `az webapp up` in a published transcript"),
    "The provided location '{location}' is not available for resource group. List of available regions is "
    "'{available}'.")
NO_ZONES = Refusal(400, "LocationNotSupportAvailabilityZones",
    public_output("an answer to `az network public-ip create` in a published transcript"),
    "The resource '{identifier.type}/{identifier.full_name}' does not support availability zones at location "
    "'{location}'.")
UNKNOWN_ZONES = Refusal(400, "InvalidAvailabilityZone",
    public_output("an answer to cluster-api-provider-azure, in a published log of its azuremachine_controller"),
    "The zone(s) '{given:,}' for resource '{identifier.type}/{identifier.full_name}' is not supported. The supported "
    "zones for location '{location}' are '{known:,}'")
ANOTHER_OPERATION = Refusal(409, "AnotherOperationInProgress", MEMORY,
    "Another operation on this or dependent resource is in progress. To retrieve status of the operation use uri: "
    "{uri}.")
INVALID_RESOURCE_NAME = Refusal(400, "InvalidResourceName",
    documentation("https://learn.microsoft.com/en-us/azure/virtual-network/network-security-groups-overview"),
    "Resource name {name} is invalid. The name can be up to 80 characters long. It must begin with a word character, "
    "and it must end with a word character or with '_'. The name may contain word characters or '.', '-', '_'.")
# Azure/azure-powershell repeats these texts in its cmdlets for Site Recovery, which check tags before they are sent.
_TAGS = "Azure/azure-powershell: src/RecoveryServices/RecoveryServices.SiteRecovery, checks of tags"
TOO_MANY_TAGS = Refusal(400, "TooManyTags", MEMORY,
    "The number of tags '{count}' exceeds the maximum number of tags allowed, '{most}'.")
RESERVED_CHARACTERS = Refusal(400, "InvalidTagNameCharacters", public_output(_TAGS),
    "The tag names '{names:, }' have reserved characters '<,>,%,&,\\,?,/' or control characters.")
TAG_NAME_LENGTH = Refusal(400, "InvalidTagName", public_output(_TAGS),
    "Tag key too large. Following tag name '{names:, }' exceeded the maximum length. Maximum allowed length for tag "
    "name - '{longest}' characters.")
TAG_VALUE_TOO_LONG = Refusal(400, "InvalidTagValueLength", public_output(_TAGS),
    "Tag value too large. Following tag value '{values:, }' exceeded the maximum length. Maximum allowed length for "
    "tag value - '{longest}' characters.")
REFERENCED_RESOURCE_ELSEWHERE = Refusal(400, "ReferencedResourceMustBeInTheSameSubscription", MEMORY,
    "Resource {target} referenced by resource {holder} must be in the same subscription.")
LINKED_ID_MALFORMED = Refusal(400, "LinkedInvalidPropertyId", MEMORY,
    "Property id '{target}' at path '{path}' is invalid. Expect fully qualified resource Id that start with "
    "'/subscriptions/{{subscriptionId}}' or '/providers/{{resourceProviderNamespace}}/'.")
REFERENCE_NOT_EMULATED = Refusal(400, "NotSupportedByLocalAzure", OWN,
    "The local Azure has no resources of type {resource_type}, to which '{path}' refers.")
INVALID_RESOURCE_GROUP = Refusal(400, "InvalidResourceGroup", MEMORY,
    "The provided resource group name '{name}' has these invalid characters or exceeds {longest} characters. The name "
    "can only be a letter, digit, '-', '.', '(', ')' or '_' and cannot end with a period.")
INVALID_RESOURCE_GROUP_LOCATION = Refusal(409, "InvalidResourceGroupLocation", MEMORY,
    "Invalid resource group location '{wanted}'. The Resource group already exists in location '{current}'.")
MANAGED_BY_MISMATCH = Refusal(409, "ResourceGroupManagedByMismatch", MEMORY,
    "The resource group '{name}' is managed by '{current}'; managedBy cannot be changed to '{wanted}'.")
INVALID_FILTER = Refusal(400, "InvalidFilterInQueryString", MEMORY,
    "Invalid $filter '{text}' specified in the query string.")
OPERATION_NOT_FOUND = Refusal(404, "OperationNotFound", MEMORY, "The operation '{operation_id}' could not be found.")
METHOD_NOT_ALLOWED = Refusal(405, "MethodNotAllowed", MEMORY, "{method} is not allowed on {path}.")
CONTENT_TOO_LARGE = Refusal(413, "RequestContentTooLarge",
    public_output("a deployment of 2,187 resources, as its author tells it; the text in an article on large templates"),
    "The request content size exceeds the maximum size of {megabytes} MB.")
INVALID_PAGE = Refusal(400, "InvalidSkipToken", MEMORY, "The skip token '{token}' or top '{top}' is invalid.")
NO_TAGS = Refusal(400, "ResourceTypeNotSupported", MEMORY,
    "The resource type '{resource_type}' does not support the tags operation.")
NOT_EMULATED = Refusal(400, "NotSupportedByLocalAzure", OWN, "The local Azure does not have {what}.")
NO_REGISTERED_PROVIDER = Refusal(400, "NoRegisteredProviderFound", MEMORY,
    "No registered resource provider found for location '{location}' and API version '{version}' for type '{kind}'. The "
    "supported api-versions are '{supported:, }'.")
DUPLICATE_CHILD = Refusal(400, "InvalidRequestFormat", MEMORY, "Cannot parse the request.",
    details=[{"code": "DuplicateResourceName",
        "message": "Resource {parent_id} has two child resources with the same name ({name})."}])
PRECONDITION_FAILED = Refusal(412, "PreconditionFailed", MEMORY,
    "The condition '{given}' in the {header} header was not satisfied for {identifier}. The current was '{current}'.")
REFERENCED_RESOURCE_MISSING = Refusal(400, "InvalidResourceReference", MEMORY,
    "Resource {target} referenced by resource {holder} was not found. Please make sure that the referenced resource "
    "exists, and that both resources are in the same region.")
REFERENCE_OF_ANOTHER_TYPE = Refusal(400, "InvalidRequestFormat", MEMORY, "Cannot parse the request.",
    details=[{"code": "InvalidJsonReferenceFormat",
        "message": "Reference Id {target} is not formatted correctly. The Id is expected to reference resources of type "
            "{wanted}. Path {path}."}])
_WRONG_TENANT = (
    "The access token is from the wrong issuer 'https://sts.windows.net/{token_tenant}/'. It must match the tenant "
    "'https://sts.windows.net/{tenant}/' associated with this subscription. Please use the authority (URL) "
    "'https://login.windows.net/{tenant}' to get the token. Note, if the subscription is transferred to another tenant "
    "there is no impact to the services, but information about new tenant could take time to propagate (up to an hour). "
    "If you just transferred your subscription and see this error message, please try back later.")
WRONG_TENANT = Refusal(401, "InvalidAuthenticationTokenTenant", MEMORY, _WRONG_TENANT,
    headers={"WWW-Authenticate": 'Bearer authorization_uri="https://login.windows.net/{tenant}", error="invalid_token", '
        f'error_description="{_WRONG_TENANT}"'})
# fmt: on


@said(MEMORY)
def resource_not_found(identifier: ResourceId) -> ServiceError:
    """Build the 404 for a resource that does not exist."""
    where = f" under resource group '{identifier.resource_group}'" if identifier.resource_group else ""
    return ServiceError(
        404,
        "ResourceNotFound",
        f"The Resource '{identifier.type}/{identifier.full_name}'{where} was not found. For more details please go to "
        "https://aka.ms/ARMResourceNotFoundFix",
    )


@said(public_output("https://github.com/Azure/bicep-registry-modules/pull/1607"))
def group_deletion_blocked(group: str, errors: Sequence[tuple[str, ServiceError]]) -> ServiceError:
    """Build the 409 for a group with resources that cannot be deleted, given as (id, error) pairs."""
    identifiers = ", ".join(identifier.partition("/providers/")[2] for identifier, _ in errors)
    return ServiceError(
        409,
        "ResourceGroupDeletionBlocked",
        f"Deletion of resource group '{group}' failed as resources with identifiers '{identifiers}' could not be "
        f"deleted. The provisioning state of the resource group will be rolled back. The tracking Id is '{uuid4()}'. "
        "Please check audit logs for more details.",
        details=[{"target": identifier} | error.body() for identifier, error in errors],
    )


def absent_path(request: Request) -> ServiceError:
    """Build the error for a path or method that nothing serves."""
    return NOT_EMULATED(f"{request.method} {request.url.path.rstrip('/')}")


@said(MEMORY)
def unreadable(problems: Sequence[str]) -> ServiceError:
    """Build the 400 for a body with unknown or wrong members; the first is in the message, all are in the details."""
    error = INVALID_REQUEST_CONTENT(problems[0])
    error.details = [{"code": "InvalidRequestContent", "message": problem} for problem in problems]
    return error


@said(public_output("https://github.com/Azure/azure-cli/issues/18109"))
def unreadable_compute_resource(problems: Sequence[str]) -> ServiceError:
    """Build the 400 of Microsoft.Compute for properties that are unknown or wrong; it names the first."""
    return ServiceError(400, "BadRequest", problems[0])


@said(public_output("hashicorp/packer: an answer kept by the tests of builder/azure/arm"))
def unreadable_network_resource(problems: Sequence[str]) -> ServiceError:
    """Build the 400 of Microsoft.Network for properties that are unknown or wrong."""
    return ServiceError(
        400,
        "InvalidRequestFormat",
        "Cannot parse the request.",
        details=[{"code": "InvalidJson", "message": problem} for problem in problems],
    )
