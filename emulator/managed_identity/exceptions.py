"""The identity endpoint's errors: `{statusCode, message, correlationId}`."""

from uuid import uuid4

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from emulator.core.refusals import Refusal
from emulator.core.service_error import ServiceError
from emulator.core.sources import MEMORY, documentation

# fmt: off
WRONG_HEADER = Refusal(401, "Unauthorized", MEMORY, "The X-IDENTITY-HEADER header is missing or does not match.")
NO_IDENTITY = Refusal(400, "BadRequest", MEMORY,
    "No User Assigned or Delegated Managed Identity found for specified ClientId/ResourceId/PrincipalId.")
AMBIGUOUS = Refusal(400, "BadRequest", MEMORY, "Unable to load the proper Managed Identity.")
BAD_PARAMETER = Refusal(400, "BadRequest", MEMORY,
    "The parameter '{name}' has the value '{value}'; it must be {allowed}.")
# The data plane
_CHALLENGE = {"WWW-Authenticate": 'Bearer authorization="https://login.microsoftonline.com/{tenant_id}"'}
CHALLENGE = Refusal(401, "Unauthorized", documentation("https://github.com/Azure/msi-dataplane"),
    "The request has no token.", headers=_CHALLENGE)
NOT_THE_PROVIDER = Refusal(403, "Forbidden", MEMORY, "The application '{client_id}' is not the resource provider.")
NOT_ATTACHED = Refusal(404, "NotFound", MEMORY,
    "The address is not that of '{resource}', or these identities are not its: {names:, }.")
# fmt: on


def render(_request: Request, error: ServiceError) -> Response:
    """Write an error as App Service does."""
    body = {"statusCode": error.status_code, "message": error.message, "correlationId": str(uuid4())}
    return JSONResponse(body, status_code=error.status_code, headers=error.headers)
