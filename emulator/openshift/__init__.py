"""The machines: everything that runs inside virtual machines, from the first Ignition download to a working cluster."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from emulator.core.platform import Platform, Service
from emulator.core.service_error import ServiceError
from emulator.openshift.guests import Guests

__all__ = ["Guests", "create"]

# The name of this service in fault rules.
NAME = "machines"


def create(platform: Platform) -> Service:
    """Create the service, which answers no requests but can be named in faults, and resumes its work at start."""
    guests = Guests(platform)
    platform.register(guests)
    return Service(name=NAME, hosts=(), routes=(), render=_render, start=guests.resume)


def _render(_request: Request, error: ServiceError) -> Response:
    return JSONResponse({"error": error.body()}, status_code=error.status_code)
