"""The files of the local Azure's own page, and what keeps other pages of a browser away from the control service."""

from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from emulator.control.exceptions import ANOTHER_SITE

Endpoint = Callable[[Request], Awaitable[Response]]

FOLDER = Path(__file__).parent / "page"
INDEX = "index.html"
MEDIA_TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}
# Only these files run, no text becomes HTML, and no other page frames this one: the journal has the words of strangers.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS = {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def routes() -> Iterator[Route]:
    """Yield a route for each file. They hold no data, so any page may lead to them."""
    for path in sorted(FOLDER.iterdir()):
        yield Route("/" if path.name == INDEX else f"/page/{path.name}", _file(path), methods=["GET"], name="GET page")


def _file(path: Path) -> Endpoint:
    content, media_type = path.read_bytes(), MEDIA_TYPES[path.suffix]

    async def endpoint(_request: Request) -> Response:
        return Response(content, headers=HEADERS, media_type=media_type)

    return endpoint


def guarded(endpoint: Endpoint) -> Endpoint:
    """Return an endpoint that refuses what a browser sends for the page of another site; programs send no such headers.

    This service does not answer for the name of another site that leads to this machine, so such a request does not get here.
    """

    async def guard(request: Request) -> Response:
        site, origin = request.headers.get("sec-fetch-site", "none"), request.headers.get("origin")
        if site not in ("none", "same-origin") or origin not in (None, f"http://{request.headers['host']}"):
            raise ANOTHER_SITE()
        return await endpoint(request)

    return guard
