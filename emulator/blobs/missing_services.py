"""The other services of storage accounts, which the local Azure does not have: queues, files, tables, data lakes.

Each refuses every request in its own wire format, so that its clients show the reason.
"""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from emulator.blobs.exceptions import NOT_SUPPORTED, Renderer
from emulator.core.platform import Platform, Service
from emulator.core.service_error import ServiceError

_DOMAIN = ".core.windows.net"
# By the second label of the host name.
_KINDS = {"queue": "queues", "file": "files", "table": "tables", "dfs": "data lakes"}


def create(platform: Platform) -> Service:
    """Create the services that answer in XML."""
    hosts = tuple(f"*.{kind}{_DOMAIN}" for kind in ("queue", "file", "dfs"))
    return Service(name="storage", hosts=hosts, routes=(), render=Renderer(platform.clock), not_found=_refusal)


def create_tables(_platform: Platform) -> Service:
    """Create the service of tables, which answers in JSON."""
    return Service(name="tables", hosts=(f"*.table{_DOMAIN}",), routes=(), render=_render_odata, not_found=_refusal)


def _refusal(request: Request) -> ServiceError:
    host = request.headers["host"].partition(":")[0].lower()
    kind = host.removesuffix(_DOMAIN).rpartition(".")[2]
    return NOT_SUPPORTED(f"{_KINDS[kind]} of storage accounts ({host})")


def _render_odata(_request: Request, error: ServiceError) -> Response:
    body = {"odata.error": {"code": error.code, "message": {"lang": "en-US", "value": error.message}}}
    headers = error.headers | {"x-ms-error-code": error.code}
    return JSONResponse(body, error.status_code, headers)
