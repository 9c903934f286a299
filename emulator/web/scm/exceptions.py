"""The errors of the publishing site: a JSON object with the message."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from emulator.core.errors import ServiceError
from emulator.core.sources import MEMORY, said


@said(MEMORY)
def unauthorized(message: str, *, basic: bool) -> ServiceError:
    """Build the 401 for a caller without a usable credential.

    Args:
        message: why.
        basic: whether publishing credentials would be accepted.
    """
    challenge = 'Basic realm="site"' if basic else "Bearer"
    return ServiceError(401, "Unauthorized", message, headers={"WWW-Authenticate": challenge})


@said(MEMORY)
def forbidden(message: str) -> ServiceError:
    """Build the 403 for a caller without the right to publish."""
    return ServiceError(403, "Forbidden", message)


@said(MEMORY)
def not_here(path: str, tier: str) -> ServiceError:
    """Build the 404 for an address that the sites of a plan do not have."""
    return ServiceError(404, "NotFound", f"{path} does not exist on sites in {tier} plans.")


@said(MEMORY)
def no_site(name: str) -> ServiceError:
    """Build the 404 for the address of a site that does not exist."""
    return ServiceError(404, "NotFound", f"There is no site {name}.")


@said(MEMORY)
def no_deployment(identifier: str) -> ServiceError:
    """Build the 404 for a deployment that does not exist."""
    return ServiceError(404, "NotFound", f"Deployment '{identifier}' not found.")


@said(MEMORY)
def in_progress() -> ServiceError:
    """Build the 409 for a deployment while another one is in progress."""
    return ServiceError(
        409, "Conflict", "There is a deployment currently in progress. Please try again when it completes."
    )


@said(MEMORY)
def bad_request(message: str) -> ServiceError:
    """Build the 400 for a request with a wrong parameter."""
    return ServiceError(400, "BadRequest", message)


def render(request: Request, error: ServiceError) -> Response:
    """Write an error as the publishing site does."""
    body = None if request.method == "HEAD" else {"Message": error.message}
    return JSONResponse(body, status_code=error.status_code, headers=error.headers)
