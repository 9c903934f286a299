"""Microsoft Graph's errors: one constructor for each, and their wire format."""

from datetime import UTC, datetime
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from emulator.core.errors import ServiceError
from emulator.core.sources import MEMORY, OWN, public_output, said
from emulator.entra.resources import GRAPH

VERSIONS = ("v1.0", "beta")
# The first segments of the paths that the local Azure answers, and of others that Graph has, such as those of the CLI.
EMULATED = frozenset({"organization", "me", "directoryObjects", "applications", "servicePrincipals", "users", "groups"})
NOT_EMULATED = frozenset(
    {
        "$batch",
        "$metadata",
        "administrativeUnits",
        "applicationTemplates",
        "appRoleAssignments",
        "auditLogs",
        "contacts",
        "contracts",
        "deviceManagement",
        "devices",
        "directory",
        "directoryRoleTemplates",
        "directoryRoles",
        "domains",
        "drives",
        "groupSettings",
        "identity",
        "identityGovernance",
        "identityProtection",
        "invitations",
        "oauth2PermissionGrants",
        "policies",
        "reports",
        "roleManagement",
        "security",
        "sites",
        "subscribedSkus",
        "subscriptions",
        "teams",
        "tenantRelationships",
    }
)


@said(MEMORY)
def unauthenticated(message: str) -> ServiceError:
    """Return the 401 for a request without a valid token."""
    challenge = (
        'Bearer realm="", authorization_uri="https://login.microsoftonline.com/common/oauth2/authorize", '
        f'client_id="{GRAPH.app_id}"'
    )
    return ServiceError(401, "InvalidAuthenticationToken", message, headers={"WWW-Authenticate": challenge})


@said(public_output("https://github.com/microsoftgraph/microsoft-graph-docs/issues/16208"))
def wrong_audience() -> ServiceError:
    """Return the 401 for a token for another service, such as Resource Manager."""
    return unauthenticated("Access token validation failure. Invalid audience.")


@said(public_output("https://github.com/microsoftgraph/microsoft-graph-docs/issues/6059"))
def object_not_found(object_id: str) -> ServiceError:
    """Return the 404 for an object that the tenant does not have."""
    return ServiceError(
        404,
        "Request_ResourceNotFound",
        f"Resource '{object_id}' does not exist or one of its queried reference-property objects are not present.",
    )


@said(MEMORY)
def bad_request(message: str) -> ServiceError:
    """Return the 400 for an invalid request."""
    return ServiceError(400, "Request_BadRequest", message)


@said(public_output("https://github.com/OfficeDev/microsoft-teams-apps-requestateam/issues/265"))
def invalid_value(member: str, resource: str) -> ServiceError:
    """Return the 400 for a member with a value that it cannot have.

    Args:
        member: name of the member.
        resource: type of the object, such as `Group`.
    """
    return ServiceError(
        400,
        "Request_BadRequest",
        f"Invalid value specified for property '{member}' of resource '{resource}'.",
        details=[{"target": member, "code": "InvalidValue"}],
    )


@said(MEMORY)
def invalid_credential(code: str, message: str) -> ServiceError:
    """Return the 400 for a credential whose times do not fit its certificate."""
    return ServiceError(400, code, message)


@said(MEMORY)
def not_verified_domain(uri: str) -> ServiceError:
    """Return the 400 for an identifier URI that contains neither an id nor a domain of its own."""
    return ServiceError(
        400,
        "HostNameNotOnVerifiedDomain",
        f"Values of identifierUris property must use a verified domain of the organization or its subdomain: '{uri}'",
    )


@said(MEMORY)
def identifier_in_use() -> ServiceError:
    """Return the 400 for an identifier URI of another application."""
    return ServiceError(
        400, "ObjectConflict", "Another object with the same value for property identifierUris already exists."
    )


@said(MEMORY)
def invalid_filter(reason: str) -> ServiceError:
    """Return the 400 for a filter that breaks off, or that names a property which the type does not have."""
    return ServiceError(400, "BadRequest", f"Invalid filter clause: {reason}")


@said(MEMORY)
def unknown_option(name: str) -> ServiceError:
    """Return the 400 for a query option that OData does not have."""
    return ServiceError(400, "BadRequest", f"The query parameter '{name}' is not supported.")


@said(OWN)
def not_supported(what: str) -> ServiceError:
    """Return the 400 for a part of Graph that the local Azure does not have."""
    return ServiceError(400, "NotSupportedByLocalAzure", f"The local Azure does not have {what}.")


@said(public_output("https://github.com/microsoftgraph/msgraph-beta-sdk-python/issues/764"))
def unknown_segment(segment: str) -> ServiceError:
    """Return the 400 for a path that Graph does not have."""
    return ServiceError(400, "BadRequest", f"Resource not found for the segment '{segment}'.")


@said(MEMORY)
def invalid_version(version: str) -> ServiceError:
    """Return the 400 for a path that begins with no version of Graph."""
    return ServiceError(400, "BadRequest", f"Invalid version: {version}")


@said(MEMORY)
def duplicate_value(member: str, name: str) -> ServiceError:
    """Return the 400 for two roles or scopes with one id or value.

    Args:
        member: `id` or `value`.
        name: the collection.
    """
    return ServiceError(
        400, "DuplicateValue", f"Request contains a property with duplicate values: '{member}' of {name}."
    )


@said(public_output("https://github.com/microsoftgraph/msgraph-sdk-dotnet/issues/1888"))
def enabled_entitlement() -> ServiceError:
    """Return the 400 for the removal or change of a role or scope that is enabled."""
    return ServiceError(
        400,
        "CannotDeleteOrUpdateEnabledEntitlement",
        "Permission (scope or role) cannot be deleted or updated unless disabled first.",
    )


@said(MEMORY)
def denied() -> ServiceError:
    """Return the 403 for a caller who may not do this."""
    return ServiceError(403, "Authorization_RequestDenied", "Insufficient privileges to complete the operation.")


@said(MEMORY)
def name_in_use(app_id: str) -> ServiceError:
    """Return the 409 for a second service principal of one application."""
    return ServiceError(
        409,
        "Request_MultipleObjectsWithSameKeyValue",
        "The service principal cannot be created, updated, or restored because the service principal name "
        f"{app_id} is already in use.",
    )


def not_found(request: Request) -> ServiceError:
    """Return the error for a path or method that no route has."""
    version, *segments = request.url.path.strip("/").split("/")
    first = segments[0].partition("(")[0] if segments else ""
    if version not in VERSIONS:
        return invalid_version(version)
    if version == "v1.0" and first not in EMULATED | NOT_EMULATED:
        return unknown_segment(first)
    return not_supported(f"{request.method} {request.url.path} of Microsoft Graph")


def render(request: Request, error: ServiceError) -> Response:
    """Write an error as Graph does."""
    request_id = str(uuid4())
    client_request_id = request.headers.get("client-request-id", request_id)
    body = {
        "error": {
            "code": error.code,
            "message": error.message,
            **({"details": error.details} if error.details else {}),
            "innerError": {
                "date": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S}",
                "request-id": request_id,
                "client-request-id": client_request_id,
            },
        }
    }
    headers = error.headers | {"request-id": request_id, "client-request-id": client_request_id}
    return JSONResponse(body, status_code=error.status_code, headers=headers)
