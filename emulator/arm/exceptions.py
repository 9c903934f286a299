"""ARM's errors: a constructor for each well-known case, so that codes and wording are written once, and rendering."""

from collections.abc import Sequence
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from emulator.arm.ids import ResourceId
from emulator.core.errors import ServiceError


def render(request: Request, error: ServiceError) -> Response:
    """Write an error as ARM does: `{"error": {...}}`; a HEAD has no body."""
    body = None if request.method == "HEAD" else {"error": error.body()}
    headers = {"Cache-Control": "no-cache"} | error.headers | getattr(request.state, "arm_headers", {})
    if body is None:
        return Response(status_code=error.status_code, headers=headers)
    return JSONResponse(body, status_code=error.status_code, headers=headers)


def missing_api_version() -> ServiceError:
    """The request names no api-version."""
    return ServiceError(
        400,
        "MissingApiVersionParameter",
        "The api-version query parameter (?api-version=) is required for all requests.",
    )


def invalid_api_version(version: str, supported: Sequence[str]) -> ServiceError:
    """One of ARM's own paths does not have this version."""
    return ServiceError(
        400,
        "InvalidApiVersionParameter",
        f"The api-version '{version}' is invalid. The supported versions are '{','.join(supported)}'.",
    )


def no_registered_provider(resource_type: str, location: str, version: str, supported: Sequence[str]) -> ServiceError:
    """A type does not have this version: what a write is told."""
    kind = resource_type.partition("/")[2]
    return ServiceError(
        400,
        "NoRegisteredProviderFound",
        f"No registered resource provider found for location '{location}' and API version '{version}' for type "
        f"'{kind}'. The supported api-versions are '{', '.join(supported)}'.",
    )


def invalid_resource_type(resource_type: str, version: str, supported: Sequence[str] = ()) -> ServiceError:
    """A namespace does not have this type, or the type this version: what a read is told."""
    namespace, _, kind = resource_type.partition("/")
    known = f" The supported api-versions are '{','.join(supported)}'." if supported else ""
    return ServiceError(
        400 if supported else 404,
        "InvalidResourceType",
        f"The resource type '{kind}' could not be found in the namespace '{namespace}' for api version "
        f"'{version}'.{known}",
    )


def invalid_resource_namespace(namespace: str) -> ServiceError:
    """No such provider."""
    return ServiceError(404, "InvalidResourceNamespace", f"The resource namespace '{namespace}' is invalid.")


def invalid_subscription_id(subscription_id: str) -> ServiceError:
    """Not a GUID."""
    return ServiceError(
        400,
        "InvalidSubscriptionId",
        f"The provided subscription identifier '{subscription_id}' is malformed or invalid.",
    )


def subscription_not_found(subscription_id: str) -> ServiceError:
    """No such subscription."""
    return ServiceError(404, "SubscriptionNotFound", f"The subscription '{subscription_id}' could not be found.")


def resource_group_not_found(name: str) -> ServiceError:
    """No such resource group."""
    return ServiceError(404, "ResourceGroupNotFound", f"Resource group '{name}' could not be found.")


def resource_group_being_deleted(name: str) -> ServiceError:
    """The group is on its way out."""
    return ServiceError(
        409,
        "ResourceGroupBeingDeleted",
        f"The resource group '{name}' is in deprovisioning state and cannot perform this operation.",
    )


def resource_not_found(identifier: ResourceId) -> ServiceError:
    """No such resource."""
    where = f" under resource group '{identifier.resource_group}'" if identifier.resource_group else ""
    return ServiceError(
        404,
        "ResourceNotFound",
        f"The Resource '{identifier.type}/{identifier.full_name}'{where} was not found. For more details please go to "
        "https://aka.ms/ARMResourceNotFoundFix",
    )


def parent_resource_not_found(identifier: ResourceId, verb: str) -> ServiceError:
    """A child is written or listed before its parent is there."""
    return ServiceError(
        404,
        "ParentResourceNotFound",
        f"Failed to perform '{verb}' on resource(s) of type '{'/'.join(identifier.types)}', because the parent resource "
        f"'{identifier.parent}' could not be found.",
    )


def resource_being_deleted(identifier: ResourceId) -> ServiceError:
    """A write to what is on its way out."""
    return ServiceError(
        409, "ResourceBeingDeleted", f"The resource '{identifier}' is being deleted and cannot be written."
    )


def operation_preempted() -> ServiceError:
    """What a write was making is being deleted."""
    return ServiceError(
        409, "OperationPreempted", "The operation has been preempted by a more recent operation, a deletion."
    )


def invalid_resource_location(identifier: ResourceId, current: str, wanted: str) -> ServiceError:
    """A resource cannot move."""
    return ServiceError(
        409,
        "InvalidResourceLocation",
        f"The resource '{identifier.name}' already exists in location '{current}' in resource group "
        f"'{identifier.resource_group}'. A resource with the same name cannot be created in location '{wanted}'. Please "
        "select a new resource name.",
    )


def unknown_action(action: str, resource_type: str) -> ServiceError:
    """A POST that the type does not have."""
    return ServiceError(400, "InvalidAction", f"The action '{action}' is not supported for type '{resource_type}'.")


def method_not_supported(method: str) -> ServiceError:
    """The type's objects are written inside their parent."""
    return ServiceError(405, "MethodNotAllowed", f"The requested resource does not support http method '{method}'.")


def duplicate_child(parent_id: str, name: str) -> ServiceError:
    """A body with two children of one name."""
    message = f"Resource {parent_id} has two child resources with the same name ({name})."
    return ServiceError(
        400,
        "InvalidRequestFormat",
        "Cannot parse the request.",
        details=[{"code": "DuplicateResourceName", "message": message}],
    )


def group_deletion_blocked(group: str, errors: Sequence[tuple[str, ServiceError]]) -> ServiceError:
    """A group with resources (id, why) that cannot go."""
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
    """A group with resources of a provider that the local Azure does not delete along with it."""
    return ServiceError(
        409,
        "ResourceGroupDeletionBlocked",
        f"Deletion of resource group '{group}' failed: the local Azure does not delete a resource provider's resources "
        f"with their group. Delete {', '.join(identifiers)} first.",
    )


def not_registered(namespace: str) -> ServiceError:
    """The subscription has not registered the provider."""
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
    """The body cannot be read."""
    return ServiceError(
        400,
        "InvalidRequestContent",
        f"The request content was invalid and could not be deserialized: '{reason}'.",
    )


def location_required() -> ServiceError:
    """A tracked resource without location."""
    return ServiceError(400, "LocationRequired", "The location property is required for this definition.")


def location_not_available(location: str, resource_type: str, available: str) -> ServiceError:
    """A location that the type does not have."""
    return ServiceError(
        400,
        "LocationNotAvailableForResourceType",
        f"The provided location '{location}' is not available for resource type '{resource_type}'. List of available "
        f"regions for the resource type is '{available}'.",
    )


def wrong_tenant(token_tenant: str, subscription_tenant: str) -> ServiceError:
    """The token's tenant is not the subscription's."""
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
    """Nothing is served there."""
    return ServiceError(
        404,
        "NotFound",
        f"No HTTP resource was found that matches the request URI '{request.url.path}' and verb {request.method}.",
    )


def precondition_failed(resource_id: str, header: str, given: str, current: str | None) -> ServiceError:
    """If-Match or If-None-Match does not hold."""
    return ServiceError(
        412,
        "PreconditionFailed",
        f"The condition '{given}' in the {header} header was not satisfied for {resource_id}. The current was "
        f"'{current or ''}'.",
    )


def another_operation(uri: str) -> ServiceError:
    """Microsoft.Network works on the resource, or on one that hangs together with it."""
    return ServiceError(
        409,
        "AnotherOperationInProgress",
        "Another operation on this or dependent resource is in progress. To retrieve status of the operation use uri: "
        f"{uri}.",
    )
