"""The control service's errors: `{"error": {"code", "message"}}`."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from emulator.core.errors import ServiceError


def invalid(message: str) -> ServiceError:
    """Build the 400 for an invalid request."""
    return ServiceError(400, "InvalidRequest", message)


def unknown_fault(fault_id: str) -> ServiceError:
    """Build the 404 for a fault that is not in force."""
    return ServiceError(404, "FaultNotFound", f"no fault {fault_id} is in force; it may be spent")


def render(_request: Request, error: ServiceError) -> Response:
    """Render an error."""
    return JSONResponse({"error": error.body()}, status_code=error.status_code, headers=error.headers)
