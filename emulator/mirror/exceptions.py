"""The mirror's one error: a page of its web server."""

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from emulator.core.refusals import Refusal
from emulator.core.service_error import ServiceError
from emulator.core.sources import MEMORY

# fmt: off
NO_FILE = Refusal(404, "NotFound", MEMORY, "The requested URL {path} was not found on this server.")
# fmt: on


def render(_request: Request, error: ServiceError) -> Response:
    """Write an error as a web server does."""
    page = f"<html><head><title>{error.status_code}</title></head><body><p>{error.message}</p></body></html>"
    return HTMLResponse(page, status_code=error.status_code, headers=error.headers)
