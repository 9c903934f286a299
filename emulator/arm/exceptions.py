"""ARM's errors: a constructor for each well-known case, so that codes and texts occur once, and the rendering."""

from collections.abc import Sequence
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from emulator.arm.ids import ResourceId
from emulator.core.errors import ServiceError


def render(request: Request, error: ServiceError) -> Response:
    """Render an error as ARM does: `{"error": {...}}`; the answer to a HEAD has no body."""
    body = None if request.method == "HEAD" else {"error": error.body()}
    headers = {"Cache-Control": "no-cache"} | error.headers | getattr(request.state, "arm_headers", {})
    if body is None:
        return Response(status_code=error.status_code, headers=headers)
    return JSONResponse(body, status_code=error.status_code, headers=headers)


def missing_api_version() -> ServiceError:
    """Build the 400 for a request without an api-version."""
    return ServiceError(
        400,
        "MissingApiVersionParameter",
        "The api-version query parameter (?api-version=) is required for all requests.",
    )


def invalid_api_version(version: str, supported: Sequence[str]) -> ServiceError:
    """Build the 400 for a version that one of ARM's own paths does not support."""
    return ServiceError(
        400,
        "InvalidApiVersionParameter",
        f"The api-version '{version}' is invalid. The supported versions are '{','.join(supported)}'.",
    )


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


def invalid_resource_namespace(namespace: str) -> ServiceError:
    """Build the 404 for a resource provider that does not exist."""
    return ServiceError(404, "InvalidResourceNamespace", f"The resource namespace '{namespace}' is invalid.")


def invalid_subscription_id(subscription_id: str) -> ServiceError:
    """Build the 400 for a subscription id that is not a GUID."""
    return ServiceError(
        400,
        "InvalidSubscriptionId",
        f"The provided subscription identifier '{subscription_id}' is malformed or invalid.",
    )


def subscription_not_found(subscription_id: str) -> ServiceError:
    """Build the 404 for a subscription that does not exist."""
    return ServiceError(404, "SubscriptionNotFound", f"The subscription '{subscription_id}' could not be found.")


def resource_group_not_found(name: str) -> ServiceError:
    """Build the 404 for a resource group that does not exist."""
    return ServiceError(404, "ResourceGroupNotFound", f"Resource group '{name}' could not be found.")


def resource_group_being_deleted(name: str) -> ServiceError:
    """Build the 409 for a write to a group that is being deleted."""
    return ServiceError(
        409,
        "ResourceGroupBeingDeleted",
        f"The resource group '{name}' is in deprovisioning state and cannot perform this operation.",
    )


def resource_not_found(identifier: ResourceId) -> ServiceError:
    """Build the 404 for a resource that does not exist."""
    where = f" under resource group '{identifier.resource_group}'" if identifier.resource_group else ""
    return ServiceError(
        404,
        "ResourceNotFound",
        f"The Resource '{identifier.type}/{identifier.full_name}'{where} was not found. For more details please go to "
        "https://aka.ms/ARMResourceNotFoundFix",
    )


def parent_resource_not_found(identifier: ResourceId, verb: str) -> ServiceError:
    """Build the 404 for a child that is written or listed although its parent does not exist."""
    return ServiceError(
        404,
        "ParentResourceNotFound",
        f"Failed to perform '{verb}' on resource(s) of type '{'/'.join(identifier.types)}', because the parent resource "
        f"'{identifier.parent}' could not be found.",
    )


def resource_being_deleted(identifier: ResourceId) -> ServiceError:
    """Build the 409 for a write to a resource that is being deleted."""
    return ServiceError(
        409, "ResourceBeingDeleted", f"The resource '{identifier}' is being deleted and cannot be written."
    )


def operation_preempted() -> ServiceError:
    """Build the 409 for a write in progress if its resource is being deleted or already gone."""
    return ServiceError(
        409, "OperationPreempted", "The operation has been preempted by a more recent operation, a deletion."
    )


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


def unknown_action(action: str, resource_type: str) -> ServiceError:
    """Build the 400 for an action that the type does not have."""
    return ServiceError(400, "InvalidAction", f"The action '{action}' is not supported for type '{resource_type}'.")


def method_not_supported(method: str) -> ServiceError:
    """Build the 405 for a write to a child that can be written only in the body of its parent."""
    return ServiceError(405, "MethodNotAllowed", f"The requested resource does not support http method '{method}'.")


def duplicate_child(parent_id: str, name: str) -> ServiceError:
    """Build the 400 for a body with two children of the same name."""
    message = f"Resource {parent_id} has two child resources with the same name ({name})."
    return ServiceError(
        400,
        "InvalidRequestFormat",
        "Cannot parse the request.",
        details=[{"code": "DuplicateResourceName", "message": message}],
    )


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


def clusters_left(group: str, identifiers: Sequence[str]) -> ServiceError:
    """Build the 409 for a group that still has clusters, which the local Azure does not delete with their group."""
    return ServiceError(
        409,
        "ResourceGroupDeletionBlocked",
        f"Deletion of resource group '{group}' failed: the local Azure does not delete a resource provider's resources "
        f"with their group. Delete {', '.join(identifiers)} first.",
    )


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


def invalid_request_content(reason: str) -> ServiceError:
    """Build the 400 for a body that cannot be read."""
    return ServiceError(
        400,
        "InvalidRequestContent",
        f"The request content was invalid and could not be deserialized: '{reason}'.",
    )


def location_required() -> ServiceError:
    """Build the 400 for a tracked resource without a location."""
    return ServiceError(400, "LocationRequired", "The location property is required for this definition.")


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


def unknown_path(request: Request) -> ServiceError:
    """Build the 404 for a path or method that nothing serves."""
    return ServiceError(
        404,
        "NotFound",
        f"No HTTP resource was found that matches the request URI '{request.url.path}' and verb {request.method}.",
    )


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


def another_operation(uri: str) -> ServiceError:
    """Build the 409 for a write while another operation on the resource, or on a dependent one, is in progress."""
    return ServiceError(
        409,
        "AnotherOperationInProgress",
        "Another operation on this or dependent resource is in progress. To retrieve status of the operation use uri: "
        f"{uri}.",
    )
