"""Microsoft Graph's errors: one constructor for each, and their wire format."""

from datetime import UTC, datetime
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from emulator.core.errors import ServiceError
from emulator.entra.resources import GRAPH


def unauthenticated(message: str) -> ServiceError:
    """Return the 401 for a request without a valid token."""
    challenge = (
        'Bearer realm="", authorization_uri="https://login.microsoftonline.com/common/oauth2/authorize", '
        f'client_id="{GRAPH.app_id}"'
    )
    return ServiceError(401, "InvalidAuthenticationToken", message, headers={"WWW-Authenticate": challenge})


def not_found(object_id: str) -> ServiceError:
    """Return the 404 for an object that the tenant does not have."""
    return ServiceError(
        404,
        "Request_ResourceNotFound",
        f"Resource '{object_id}' does not exist or one of its queried reference-property objects are not present.",
    )


def bad_request(message: str) -> ServiceError:
    """Return the 400 for an invalid request."""
    return ServiceError(400, "Request_BadRequest", message)


def invalid_credential(code: str, message: str) -> ServiceError:
    """Return the 400 for a credential whose times do not fit its certificate."""
    return ServiceError(400, code, message)


def not_verified_domain(uri: str) -> ServiceError:
    """Return the 400 for an identifier URI that contains neither an id nor a domain of its own."""
    return ServiceError(
        400,
        "HostNameNotOnVerifiedDomain",
        f"Values of identifierUris property must use a verified domain of the organization or its subdomain: '{uri}'",
    )


def identifier_in_use() -> ServiceError:
    """Return the 400 for an identifier URI of another application."""
    return ServiceError(
        400, "ObjectConflict", "Another object with the same value for property identifierUris already exists."
    )


def unsupported_query(message: str) -> ServiceError:
    """Return the 400 for a query that Graph does not have or that is not emulated."""
    return ServiceError(400, "Request_UnsupportedQuery", message)


def denied() -> ServiceError:
    """Return the 403 for a caller who may not do this."""
    return ServiceError(403, "Authorization_RequestDenied", "Insufficient privileges to complete the operation.")


def name_in_use(app_id: str) -> ServiceError:
    """Return the 409 for a second service principal of one application."""
    return ServiceError(
        409,
        "Request_MultipleObjectsWithSameKeyValue",
        "The service principal cannot be created, updated, or restored because the service principal name "
        f"{app_id} is already in use.",
    )


def not_emulated(request: Request) -> ServiceError:
    """Return the 400 for a path that is not emulated."""
    return ServiceError(
        400, "BadRequest", f"The local Microsoft Graph does not have {request.method} {request.url.path}."
    )


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
