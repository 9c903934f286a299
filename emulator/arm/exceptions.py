"""ARM's errors: a constructor for each well-known case, so that codes and texts occur once, and the rendering."""

import re
from collections.abc import Sequence
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from emulator.arm.ids import ResourceId
from emulator.core.errors import ServiceError
from emulator.core.sources import MEMORY, OWN, documentation, public_output, said


def render(request: Request, error: ServiceError) -> Response:
    """Render an error as ARM does: `{"error": {...}}`; the answer to a HEAD has no body."""
    body = None if request.method == "HEAD" else {"error": error.body()}
    headers = {"Cache-Control": "no-cache"} | error.headers | getattr(request.state, "arm_headers", {})
    if body is None:
        return Response(status_code=error.status_code, headers=headers)
    return JSONResponse(body, status_code=error.status_code, headers=headers)


@said(MEMORY)
def missing_api_version() -> ServiceError:
    """Build the 400 for a request without an api-version."""
    return ServiceError(
        400,
        "MissingApiVersionParameter",
        "The api-version query parameter (?api-version=) is required for all requests.",
    )


@said(MEMORY)
def invalid_api_version(version: str, supported: Sequence[str]) -> ServiceError:
    """Build the 400 for a version that one of ARM's own paths does not support."""
    return ServiceError(
        400,
        "InvalidApiVersionParameter",
        f"The api-version '{version}' is invalid. The supported versions are '{','.join(supported)}'.",
    )


@said(MEMORY)
def no_registered_provider(resource_type: str, location: str, version: str, supported: Sequence[str]) -> ServiceError:
    """Build the 400 for a write in a version that the type does not support.

    Args:
        resource_type: full type, such as `Microsoft.Network/virtualNetworks`.
        location: the location in the body of the write.
        version: the api-version of the request.
        supported: the api-versions of the type.
    """
    kind = resource_type.partition("/")[2]
    return ServiceError(
        400,
        "NoRegisteredProviderFound",
        f"No registered resource provider found for location '{location}' and API version '{version}' for type "
        f"'{kind}'. The supported api-versions are '{', '.join(supported)}'.",
    )


@said(MEMORY)
def invalid_resource_type(resource_type: str, version: str, supported: Sequence[str] = ()) -> ServiceError:
    """Build the error for a type that the namespace lacks (404), or a version that the type does not support (400).

    Args:
        resource_type: full type, such as `Microsoft.Network/virtualNetworks`.
        version: the api-version of the request.
        supported: the api-versions of the type; () if there is no such type.
    """
    namespace, _, kind = resource_type.partition("/")
    known = f" The supported api-versions are '{','.join(supported)}'." if supported else ""
    return ServiceError(
        400 if supported else 404,
        "InvalidResourceType",
        f"The resource type '{kind}' could not be found in the namespace '{namespace}' for api version "
        f"'{version}'.{known}",
    )


@said(MEMORY)
def invalid_resource_namespace(namespace: str) -> ServiceError:
    """Build the 404 for a resource provider that does not exist."""
    return ServiceError(404, "InvalidResourceNamespace", f"The resource namespace '{namespace}' is invalid.")


@said(MEMORY)
def invalid_subscription_id(subscription_id: str) -> ServiceError:
    """Build the 400 for a subscription id that is not a GUID."""
    return ServiceError(
        400,
        "InvalidSubscriptionId",
        f"The provided subscription identifier '{subscription_id}' is malformed or invalid.",
    )


@said(MEMORY)
def subscription_not_found(subscription_id: str) -> ServiceError:
    """Build the 404 for a subscription that does not exist."""
    return ServiceError(404, "SubscriptionNotFound", f"The subscription '{subscription_id}' could not be found.")


@said(MEMORY)
def resource_group_not_found(name: str) -> ServiceError:
    """Build the 404 for a resource group that does not exist."""
    return ServiceError(404, "ResourceGroupNotFound", f"Resource group '{name}' could not be found.")


@said(MEMORY)
def resource_group_being_deleted(name: str) -> ServiceError:
    """Build the 409 for a write to a group that is being deleted."""
    return ServiceError(
        409,
        "ResourceGroupBeingDeleted",
        f"The resource group '{name}' is in deprovisioning state and cannot perform this operation.",
    )


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


@said(MEMORY)
def parent_resource_not_found(identifier: ResourceId, verb: str) -> ServiceError:
    """Build the 404 for a child that is written or listed although its parent does not exist."""
    return ServiceError(
        404,
        "ParentResourceNotFound",
        f"Failed to perform '{verb}' on resource(s) of type '{'/'.join(identifier.types)}', because the parent resource "
        f"'{identifier.parent}' could not be found.",
    )


@said(MEMORY)
def resource_being_deleted(identifier: ResourceId) -> ServiceError:
    """Build the 409 for a write to a resource that is being deleted."""
    return ServiceError(
        409, "ResourceBeingDeleted", f"The resource '{identifier}' is being deleted and cannot be written."
    )


@said(MEMORY)
def operation_preempted() -> ServiceError:
    """Build the 409 for a write in progress if its resource is being deleted or already gone."""
    return ServiceError(
        409, "OperationPreempted", "The operation has been preempted by a more recent operation, a deletion."
    )


@said(MEMORY)
def invalid_resource_location(identifier: ResourceId, current: str, wanted: str) -> ServiceError:
    """Build the 409 for a write that would move a resource to another location.

    Args:
        identifier: id of the resource.
        current: its location.
        wanted: the location in the body of the write.
    """
    return ServiceError(
        409,
        "InvalidResourceLocation",
        f"The resource '{identifier.name}' already exists in location '{current}' in resource group "
        f"'{identifier.resource_group}'. A resource with the same name cannot be created in location '{wanted}'. Please "
        "select a new resource name.",
    )


@said(OWN)
def unknown_action(action: str, resource_type: str) -> ServiceError:
    """Build the 400 for an action that the type does not have here. Which ones it has in Azure is not known."""
    return ServiceError(
        400,
        "NotSupportedByLocalAzure",
        f"The local Azure does not have the action '{action}' of type '{resource_type}'.",
    )


@said(MEMORY)
def method_not_supported(method: str) -> ServiceError:
    """Build the 405 for a write to a child that can be written only in the body of its parent."""
    return ServiceError(405, "MethodNotAllowed", f"The requested resource does not support http method '{method}'.")


@said(MEMORY)
def duplicate_child(parent_id: str, name: str) -> ServiceError:
    """Build the 400 for a body with two children of the same name."""
    message = f"Resource {parent_id} has two child resources with the same name ({name})."
    return ServiceError(
        400,
        "InvalidRequestFormat",
        "Cannot parse the request.",
        details=[{"code": "DuplicateResourceName", "message": message}],
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


@said(MEMORY)
def still_there(resource_id: str) -> ServiceError:
    """Build the 409 for a resource that its provider still has although it has said that it deleted it."""
    return ServiceError(
        409, "ResourceDeletionFailed", f"The resource '{resource_id}' still exists after its deletion has succeeded."
    )


@said(MEMORY)
def not_registered(namespace: str) -> ServiceError:
    """Build the 409 for a provider that the subscription has not registered."""
    return ServiceError(
        409,
        "MissingSubscriptionRegistration",
        f"The subscription is not registered to use namespace '{namespace}'. See https://aka.ms/rps-not-found for how "
        "to register subscriptions.",
        details=[
            {
                "code": "MissingSubscriptionRegistration",
                "target": namespace,
                "message": f"The subscription is not registered to use namespace '{namespace}'. See "
                "https://aka.ms/rps-not-found for how to register subscriptions.",
            }
        ],
    )


@said(MEMORY)
def invalid_request_content(reason: str) -> ServiceError:
    """Build the 400 for a body that cannot be read."""
    return ServiceError(
        400,
        "InvalidRequestContent",
        f"The request content was invalid and could not be deserialized: '{reason}'.",
    )


@said(MEMORY)
def location_required() -> ServiceError:
    """Build the 400 for a tracked resource without a location."""
    return ServiceError(400, "LocationRequired", "The location property is required for this definition.")


@said(MEMORY)
def location_not_available(location: str, resource_type: str, available: str) -> ServiceError:
    """Build the 400 for a location in which the type is not available.

    Args:
        location: the location in the body of the write.
        resource_type: full type, such as `Microsoft.Network/virtualNetworks`.
        available: the type's locations, joined by commas.
    """
    return ServiceError(
        400,
        "LocationNotAvailableForResourceType",
        f"The provided location '{location}' is not available for resource type '{resource_type}'. List of available "
        f"regions for the resource type is '{available}'.",
    )


@said(public_output("an answer to `az webapp up` in a published transcript"))
def location_without_groups(location: str, available: str) -> ServiceError:
    """Build the 400 for a location in which there can be no resource group.

    Args:
        location: the location in the body of the write.
        available: the locations of groups, joined by commas.
    """
    return ServiceError(
        400,
        "LocationNotAvailableForResourceGroup",
        f"The provided location '{location}' is not available for resource group. List of available regions is "
        f"'{available}'.",
    )


@said(public_output("an answer to `az network public-ip create` in a published transcript"))
def no_zones(identifier: ResourceId, location: str) -> ServiceError:
    """Build the 400 for zones in a region that has none."""
    return ServiceError(
        400,
        "LocationNotSupportAvailabilityZones",
        f"The resource '{identifier.type}/{identifier.full_name}' does not support availability zones at location "
        f"'{location}'.",
    )


@said(public_output("an answer to cluster-api-provider-azure, in a published log of its azuremachine_controller"))
def unknown_zones(identifier: ResourceId, given: Sequence[str], location: str, known: Sequence[str]) -> ServiceError:
    """Build the 400 for zones that the region does not have.

    Args:
        identifier: id of the resource.
        given: the zones that were given.
        location: name of the region.
        known: the region's zones.
    """
    return ServiceError(
        400,
        "InvalidAvailabilityZone",
        f"The zone(s) '{','.join(given)}' for resource '{identifier.type}/{identifier.full_name}' is not supported. The "
        f"supported zones for location '{location}' are '{','.join(known)}'",
    )


@said(MEMORY)
def wrong_tenant(token_tenant: str, subscription_tenant: str) -> ServiceError:
    """Build the 401 for a token of another tenant than the subscription's."""
    message = (
        f"The access token is from the wrong issuer 'https://sts.windows.net/{token_tenant}/'. It must match the tenant "
        f"'https://sts.windows.net/{subscription_tenant}/' associated with this subscription. Please use the authority "
        f"(URL) 'https://login.windows.net/{subscription_tenant}' to get the token. Note, if the subscription is "
        "transferred to another tenant there is no impact to the services, but information about new tenant could take "
        "time to propagate (up to an hour). If you just transferred your subscription and see this error message, "
        "please try back later."
    )
    challenge = (
        f'Bearer authorization_uri="https://login.windows.net/{subscription_tenant}", error="invalid_token", '
        f'error_description="{message}"'
    )
    return ServiceError(401, "InvalidAuthenticationTokenTenant", message, headers={"WWW-Authenticate": challenge})


# Paths of ARM itself that are not emulated.
_PATHS = re.compile(
    r"/providers(/[^/]+)?|/subscriptions/[^/]+/(tagNames(/.*)?|checkZonePeers"
    r"|resourcegroups/[^/]+/(exportTemplate|moveResources|validateMoveResources))",
    re.IGNORECASE,
)


def absent_path(request: Request) -> ServiceError:
    """Build the error for a path or method that nothing serves, and which Azure may have."""
    path = request.url.path.rstrip("/")
    return path_not_emulated(request.method, path) if _PATHS.fullmatch(path) else unknown_path(request)


@said(OWN)
def path_not_emulated(method: str, path: str) -> ServiceError:
    """Build the 400 for a path of Azure Resource Manager that the local Azure does not have."""
    return ServiceError(400, "NotSupportedByLocalAzure", f"The local Azure does not have {method} {path}.")


@said(MEMORY)
def unknown_path(request: Request) -> ServiceError:
    """Build the 404 for a path or method that nothing serves."""
    return ServiceError(
        404,
        "NotFound",
        f"No HTTP resource was found that matches the request URI '{request.url.path}' and verb {request.method}.",
    )


@said(MEMORY)
def precondition_failed(resource_id: str, header: str, given: str, current: str | None) -> ServiceError:
    """Build the 412 for an If-Match or If-None-Match that does not hold.

    Args:
        resource_id: id of the resource.
        header: name of the header.
        given: the etag in the header, or `*`.
        current: the resource's etag; None if it does not exist.
    """
    return ServiceError(
        412,
        "PreconditionFailed",
        f"The condition '{given}' in the {header} header was not satisfied for {resource_id}. The current was "
        f"'{current or ''}'.",
    )


@said(MEMORY)
def another_operation(uri: str) -> ServiceError:
    """Build the 409 for a write while another operation on the resource, or on a dependent one, is in progress."""
    return ServiceError(
        409,
        "AnotherOperationInProgress",
        "Another operation on this or dependent resource is in progress. To retrieve status of the operation use uri: "
        f"{uri}.",
    )


@said(documentation("https://learn.microsoft.com/en-us/azure/virtual-network/network-security-groups-overview"))
@said(MEMORY)
def invalid_resource_name(name: str) -> ServiceError:
    """Build the 400 for a name that breaks the rule of most types, and of all of Microsoft.Network."""
    return ServiceError(
        400,
        "InvalidResourceName",
        f"Resource name {name} is invalid. The name can be up to 80 characters long. It must begin with a word "
        "character, and it must end with a word character or with '_'. The name may contain word characters or '.', "
        "'-', '_'.",
    )


@said(MEMORY)
def unreadable(problems: Sequence[str]) -> ServiceError:
    """Build the 400 for a body with unknown or wrong members; the first is in the message, all are in the details."""
    error = invalid_request_content(problems[0])
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


# Azure/azure-powershell repeats these texts in its cmdlets for Site Recovery, which check tags before they are sent.
_TAGS = "Azure/azure-powershell: src/RecoveryServices/RecoveryServices.SiteRecovery, checks of tags"


@said(MEMORY)
def too_many_tags(count: int, most: int) -> ServiceError:
    """Build the 400 for more tags than a resource can have."""
    return ServiceError(
        400, "TooManyTags", f"The number of tags '{count}' exceeds the maximum number of tags allowed, '{most}'."
    )


@said(public_output(_TAGS))
def reserved_characters(names: Sequence[str]) -> ServiceError:
    """Build the 400 for names of tags with characters that they cannot have."""
    return ServiceError(
        400,
        "InvalidTagNameCharacters",
        f"The tag names '{', '.join(names)}' have reserved characters '<,>,%,&,\\,?,/' or control characters.",
    )


@said(public_output(_TAGS))
def tag_name_length(names: Sequence[str], longest: int) -> ServiceError:
    """Build the 400 for names of tags that are empty or too long."""
    return ServiceError(
        400,
        "InvalidTagName",
        f"Tag key too large. Following tag name '{', '.join(names)}' exceeded the maximum length. Maximum allowed length "
        f"for tag name - '{longest}' characters.",
    )


@said(public_output(_TAGS))
def tag_value_too_long(values: Sequence[str], longest: int) -> ServiceError:
    """Build the 400 for values of tags that are too long."""
    return ServiceError(
        400,
        "InvalidTagValueLength",
        f"Tag value too large. Following tag value '{', '.join(values)}' exceeded the maximum length. Maximum allowed "
        f"length for tag value - '{longest}' characters.",
    )


@said(MEMORY)
def referenced_resource_elsewhere(holder: ResourceId, target: str) -> ServiceError:
    """Build the 400 for a reference to a resource of another subscription."""
    return ServiceError(
        400,
        "ReferencedResourceMustBeInTheSameSubscription",
        f"Resource {target} referenced by resource {holder} must be in the same subscription.",
    )


@said(MEMORY)
def referenced_resource_missing(holder: ResourceId, target: str) -> ServiceError:
    """Build the 400 for a reference to a resource that does not exist, or is in another region."""
    return ServiceError(
        400,
        "InvalidResourceReference",
        f"Resource {target} referenced by resource {holder} was not found. Please make sure that the referenced resource "
        "exists, and that both resources are in the same region.",
    )


@said(MEMORY)
def linked_id_malformed(path: str, target: str) -> ServiceError:
    """Build the 400 for a reference, to something that the caller must be allowed to join, which is no full id."""
    return ServiceError(
        400,
        "LinkedInvalidPropertyId",
        f"Property id '{target}' at path '{path}' is invalid. Expect fully qualified resource Id that start with "
        "'/subscriptions/{subscriptionId}' or '/providers/{resourceProviderNamespace}/'.",
    )


@said(MEMORY)
def reference_of_another_type(path: str, target: str, wanted: str) -> ServiceError:
    """Build the 400 for a reference that is not the id of a resource of the wanted type.

    Args:
        path: JSON path of the reference.
        target: the id in the body.
        wanted: the last segment of the wanted type.
    """
    message = (
        f"Reference Id {target} is not formatted correctly. The Id is expected to reference resources of type {wanted}. "
        f"Path {path}."
    )
    return ServiceError(
        400,
        "InvalidRequestFormat",
        "Cannot parse the request.",
        details=[{"code": "InvalidJsonReferenceFormat", "message": message}],
    )


@said(OWN)
def reference_not_emulated(path: str, resource_type: str) -> ServiceError:
    """Build the 400 for a reference to a type that Azure has and the local Azure lacks.

    Args:
        path: JSON path of the reference.
        resource_type: full type, such as `Microsoft.Network/publicIPPrefixes`.
    """
    return ServiceError(
        400,
        "NotSupportedByLocalAzure",
        f"The local Azure has no resources of type {resource_type}, to which '{path}' refers.",
    )


@said(MEMORY)
def invalid_resource_group(name: str, longest: int) -> ServiceError:
    """Build the 400 for a name that no resource group can have."""
    return ServiceError(
        400,
        "InvalidResourceGroup",
        f"The provided resource group name '{name}' has these invalid characters or exceeds {longest} characters. "
        "The name can only be a letter, digit, '-', '.', '(', ')' or '_' and cannot end with a period.",
    )


@said(MEMORY)
def invalid_resource_group_location(wanted: str, current: str) -> ServiceError:
    """Build the 409 for a PUT of a group that exists in another location."""
    return ServiceError(
        409,
        "InvalidResourceGroupLocation",
        f"Invalid resource group location '{wanted}'. The Resource group already exists in location '{current}'.",
    )


@said(MEMORY)
def managed_by_mismatch(name: str, current: str, wanted: str) -> ServiceError:
    """Build the 409 for a PUT that would change who manages a group."""
    return ServiceError(
        409,
        "ResourceGroupManagedByMismatch",
        f"The resource group '{name}' is managed by '{current}'; managedBy cannot be changed to '{wanted}'.",
    )


@said(MEMORY)
def invalid_filter(text: str) -> ServiceError:
    """Build the 400 for a `$filter` that a list does not have."""
    return ServiceError(400, "InvalidFilterInQueryString", f"Invalid $filter '{text}' specified in the query string.")


@said(MEMORY)
def operation_not_found(operation_id: str) -> ServiceError:
    """Build the 404 for an operation that does not exist."""
    return ServiceError(404, "OperationNotFound", f"The operation '{operation_id}' could not be found.")


@said(MEMORY)
def method_not_allowed(method: str, path: str) -> ServiceError:
    """Build the 405 for a method that a path does not have."""
    return ServiceError(405, "MethodNotAllowed", f"{method} is not allowed on {path}.")


@said(MEMORY)
def resources_left(namespace: str, resource_id: str) -> ServiceError:
    """Build the 409 for unregistering a provider of which the subscription still has resources."""
    return ServiceError(
        409,
        "CannotUnregisterProviderWithExistingResources",
        f"The resource provider '{namespace}' cannot be unregistered because the subscription still has resources of "
        f"it, such as {resource_id}.",
    )


@said(
    public_output(
        "a deployment of 2,187 resources, as its author tells it; the text in an article about large templates"
    )
)
def content_too_large(megabytes: int) -> ServiceError:
    """Build the 413 for a body that is too large."""
    return ServiceError(
        413, "RequestContentTooLarge", f"The request content size exceeds the maximum size of {megabytes} MB."
    )


@said(MEMORY)
def invalid_page(token: str, top: str) -> ServiceError:
    """Build the 400 for a `$skiptoken` or a `$top` that is not a number."""
    return ServiceError(400, "InvalidSkipToken", f"The skip token '{token}' or top '{top}' is invalid.")


@said(MEMORY)
def no_tags(resource_type: str) -> ServiceError:
    """Build the 400 for tags of a resource whose type has none."""
    return ServiceError(
        400, "ResourceTypeNotSupported", f"The resource type '{resource_type}' does not support the tags operation."
    )


@said(OWN)
def not_emulated(what: str) -> ServiceError:
    """Build the 400 for a part of Azure Resource Manager that the local Azure lacks."""
    return ServiceError(400, "NotSupportedByLocalAzure", f"The local Azure does not support {what}.")
