"""The one route of the service; method, path depth and `comp` together determine the operation."""

from starlette.requests import Request
from starlette.routing import Route

from emulator.blobs.operations import classify, target_of
from emulator.blobs.responses import Responses, decoded
from emulator.core.service_error import ServiceError

METHODS = ["GET", "HEAD", "PUT", "POST", "DELETE", "OPTIONS", "PATCH"]


def routes(responses: Responses) -> list[Route]:
    """Return the route."""
    return [Route("/{path:path}", responses.blob_service, methods=METHODS, name="blob service")]


def operation(request: Request, _route: Route) -> str:
    """Name an operation by what it does and the container (`put blob ignition`)."""
    host = request.headers["host"].partition(":")[0]
    target = target_of(host, request.scope["raw_path"].decode("ascii", "replace").partition("?")[0])
    try:
        copied = {name: value for name, value in request.headers.items() if name == "x-ms-copy-source"}
        name = classify(target, request.method, decoded(request.url.query), copied).name
    except ServiceError:
        name = f"{request.method} unknown"
    return f"{name} {target.container}".strip()
