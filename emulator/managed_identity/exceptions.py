"""The identity endpoint's errors: `{statusCode, message, correlationId}`."""

from uuid import uuid4

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from emulator.core.errors import ServiceError
from emulator.core.sources import MEMORY, said


@said(MEMORY)
def wrong_header() -> ServiceError:
    """Return the error for a missing or wrong `X-IDENTITY-HEADER`."""
    return ServiceError(401, "Unauthorized", "The X-IDENTITY-HEADER header is missing or does not match.")


@said(MEMORY)
def no_identity() -> ServiceError:
    """Return the error for an identity that the app does not have."""
    return ServiceError(
        400,
        "BadRequest",
        "No User Assigned or Delegated Managed Identity found for specified ClientId/ResourceId/PrincipalId.",
    )


@said(MEMORY)
def ambiguous() -> ServiceError:
    """Return the error for a call that names no identity although the app has several."""
    return ServiceError(400, "BadRequest", "Unable to load the proper Managed Identity.")


@said(MEMORY)
def bad_parameter(name: str, value: str, allowed: str) -> ServiceError:
    """Return the error for an invalid query parameter.

    Args:
        name: the parameter's name.
        value: the value that came.
        allowed: what the value must be.
    """
    return ServiceError(
        400, "BadRequest", f"The query parameter '{name}' has the value '{value}'; it must be {allowed}."
    )


def render(_request: Request, error: ServiceError) -> Response:
    """Write an error as App Service does."""
    body = {"statusCode": error.status_code, "message": error.message, "correlationId": str(uuid4())}
    return JSONResponse(body, status_code=error.status_code, headers=error.headers)
