"""Microsoft Graph's errors: one constructor for each, and their wire format."""

from datetime import UTC, datetime
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from emulator.core.refusals import Refusal
from emulator.core.service_error import ServiceError
from emulator.core.sources import MEMORY, OWN, public_output
from emulator.entra.resources import GRAPH

# fmt: off
_CHALLENGE = {
    "WWW-Authenticate": 'Bearer realm="", authorization_uri="https://login.microsoftonline.com/common/oauth2/authorize", '
    f'client_id="{GRAPH.app_id}"'}
UNAUTHENTICATED = Refusal(401, "InvalidAuthenticationToken", MEMORY, "{message}", headers=_CHALLENGE)
WRONG_AUDIENCE = Refusal(401, "InvalidAuthenticationToken",
    public_output("https://github.com/microsoftgraph/microsoft-graph-docs/issues/16208"),
    "Access token validation failure. Invalid audience.", headers=_CHALLENGE)
OBJECT_NOT_FOUND = Refusal(404, "Request_ResourceNotFound",
    public_output("https://github.com/microsoftgraph/microsoft-graph-docs/issues/6059"),
    "Resource '{object_id}' does not exist or one of its queried reference-property objects are not present.")
BAD_REQUEST = Refusal(400, "Request_BadRequest", MEMORY, "{message}")
NOT_VERIFIED_DOMAIN = Refusal(400, "HostNameNotOnVerifiedDomain", MEMORY,
    "Values of identifierUris property must use a verified domain of the organization or its subdomain: '{uri}'")
IDENTIFIER_IN_USE = Refusal(400, "ObjectConflict", MEMORY,
    "Another object with the same value for property identifierUris already exists.")
NOT_SUPPORTED = Refusal(400, "NotSupportedByLocalAzure", OWN, "The local Azure does not have {what}.")
ENABLED_ENTITLEMENT = Refusal(400, "CannotDeleteOrUpdateEnabledEntitlement",
    public_output("https://github.com/microsoftgraph/msgraph-sdk-dotnet/issues/1888"),
    "Permission (scope or role) cannot be deleted or updated unless disabled first.")
DENIED = Refusal(403, "Authorization_RequestDenied", MEMORY, "Insufficient privileges to complete the operation.")
NAME_IN_USE = Refusal(409, "Request_MultipleObjectsWithSameKeyValue", MEMORY,
    "The service principal cannot be created, updated, or restored because the service principal name {app_id} is "
    "already in use.")
# fmt: on


def not_found(request: Request) -> ServiceError:
    """Return the error for a path or method that no route has."""
    return NOT_SUPPORTED(f"{request.method} {request.url.path} of Microsoft Graph")


def render(request: Request, error: ServiceError) -> Response:
    """Write an error as Graph does."""
    request_id = str(uuid4())
    client_request_id = request.headers.get("client-request-id", request_id)
    body = {
        "error": {
            "code": error.code,
            "message": error.message,
            "innerError": {
                "date": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S}",
                "request-id": request_id,
                "client-request-id": client_request_id,
            },
        }
    }
    headers = error.headers | {"request-id": request_id, "client-request-id": client_request_id}
    return JSONResponse(body, status_code=error.status_code, headers=headers)
