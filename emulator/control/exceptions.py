"""The control service's errors: `{"error": {"code", "message"}}`."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from emulator.core.errors import ServiceError
from emulator.core.sources import OWN, said


@said(OWN)
def invalid(message: str) -> ServiceError:
    """Build the 400 for an invalid request."""
    return ServiceError(400, "InvalidRequest", message)


@said(OWN)
def unknown_fault(fault_id: str) -> ServiceError:
    """Build the 404 for a fault that is not in force."""
    return ServiceError(404, "FaultNotFound", f"no fault {fault_id} is in force; it may be spent")


@said(OWN)
def unknown_denial(identifier: str) -> ServiceError:
    """Build the 404 for a deny assignment that does not exist."""
    return ServiceError(404, "DenyAssignmentNotFound", f"there is no deny assignment {identifier!r}")


@said(OWN)
def no_provider() -> ServiceError:
    """Build the 404 for a resource provider that is not registered."""
    return ServiceError(404, "ProviderNotRegistered", "no resource provider is registered; `register` registers one")


def render(_request: Request, error: ServiceError) -> Response:
    """Render an error."""
    return JSONResponse({"error": error.body()}, status_code=error.status_code, headers=error.headers)
