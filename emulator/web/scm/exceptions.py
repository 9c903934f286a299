"""The errors of the publishing site: a JSON object with the message."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from emulator.core.refusals import Refusal
from emulator.core.service_error import ServiceError
from emulator.core.sources import MEMORY

# fmt: off
UNAUTHORIZED = Refusal(401, "Unauthorized", MEMORY, "{message}", headers={"WWW-Authenticate": 'Basic realm="site"'})
KEYS_OFF = Refusal(401, "Unauthorized", MEMORY, "Publishing credentials are not allowed for this site.",
    headers={"WWW-Authenticate": "Bearer"})
FORBIDDEN = Refusal(403, "Forbidden", MEMORY, "{message}")
NOT_HERE = Refusal(404, "NotFound", MEMORY, "{path} does not exist on sites in {tier} plans.")
NO_SITE = Refusal(404, "NotFound", MEMORY, "There is no site {name}.")
NO_DEPLOYMENT = Refusal(404, "NotFound", MEMORY, "Deployment '{identifier}' not found.")
IN_PROGRESS = Refusal(409, "Conflict", MEMORY,
    "There is a deployment currently in progress. Please try again when it completes.")
BAD_REQUEST = Refusal(400, "BadRequest", MEMORY, "{message}")
# fmt: on


def render(request: Request, error: ServiceError) -> Response:
    """Write an error as the publishing site does."""
    body = None if request.method == "HEAD" else {"Message": error.message}
    return JSONResponse(body, status_code=error.status_code, headers=error.headers)
