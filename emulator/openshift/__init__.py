"""The machines: what runs inside virtual machines, from the first download of ignition to a working cluster."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from emulator.core.errors import ServiceError
from emulator.core.platform import Platform, Service
from emulator.openshift.guests import Guests

__all__ = ["Guests", "create"]

# What faults call it.
NAME = "machines"


def create(platform: Platform) -> Service:
    """Make the service: it answers no requests, but faults name it and its work resumes with the platform."""
    guests = Guests(platform)
    platform.register(guests)
    return Service(name=NAME, hosts=(), routes=(), render=_render, start=guests.resume)


def _render(_request: Request, error: ServiceError) -> Response:
    return JSONResponse({"error": error.body()}, status_code=error.status_code)
