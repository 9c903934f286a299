"""The routes of Cosmos DB, and the names of operations in the journal and in faults."""

from collections.abc import Awaitable, Callable, Mapping

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from emulator.core.service_error import ServiceError
from emulator.cosmos.exceptions import NOT_SUPPORTED
from emulator.cosmos.item_responses import ItemResponses
from emulator.cosmos.responses import Responses
from emulator.cosmos.wire import is_true

Endpoint = Callable[[Request], Awaitable[Response]]

_DATABASE = "/dbs/{database}"
_CONTAINER = _DATABASE + "/colls/{container}"
_DOCUMENTS = _CONTAINER + "/docs"
_DOCUMENT = _DOCUMENTS + "/{document}"


# What handles a POST to documents, by the kind that `post_kind` returns.
POSTS: Mapping[str, Callable[[ItemResponses, Request], Awaitable[Response]]] = {
    "query": ItemResponses.query,
    "upsert": ItemResponses.create,
    "create": ItemResponses.create,
}


def post_kind(request: Request) -> str:
    """Return the kind of a POST to documents, which its headers tell, not its path."""
    if is_true(request, "x-ms-documentdb-isquery") or "query+json" in request.headers.get("content-type", ""):
        return "query"
    return "upsert" if is_true(request, "x-ms-documentdb-is-upsert") else "create"


def routes(metadata: Responses, items: ItemResponses) -> list[Route]:
    """Return the routes, each with and without a trailing slash, as clients write both."""

    async def post(request: Request) -> Response:
        return await POSTS[post_kind(request)](items, request)

    table: tuple[tuple[str, str, Endpoint, str], ...] = (
        ("GET", "/", metadata.account, "read account"),
        ("GET", "/dbs", metadata.databases, "list databases"),
        ("GET", _DATABASE, metadata.database, "read database"),
        ("GET", _DATABASE + "/colls", metadata.containers, "list containers"),
        ("GET", _CONTAINER, metadata.container, "read container"),
        ("GET", _CONTAINER + "/pkranges", metadata.ranges, "read ranges"),
        ("POST", _DOCUMENTS, post, ""),
        ("GET", _DOCUMENTS, items.read_feed, "read-feed"),
        ("GET", _DOCUMENT, items.read, "read"),
        ("PUT", _DOCUMENT, items.replace, "replace"),
        ("DELETE", _DOCUMENT, items.delete, "delete"),
        # All other operations on databases and containers belong to the management plane.
        ("POST", "/dbs", metadata.forbidden, "change metadata"),
        ("POST", _DATABASE + "/colls", metadata.forbidden, "change metadata"),
        ("PUT", _CONTAINER, metadata.forbidden, "change metadata"),
        ("DELETE", _DATABASE, metadata.forbidden, "change metadata"),
        ("DELETE", _CONTAINER, metadata.forbidden, "change metadata"),
    )
    return [
        Route(spelling, endpoint, methods=[method], name=name)
        for method, path, endpoint, name in table
        for spelling in dict.fromkeys((path, path.rstrip("/") + "/"))
    ]


def operation(request: Request, route: Route) -> str:
    """Name an operation by what it does and the container (`replace OpenShiftClusters`)."""
    container = request.path_params.get("container")
    name = route.name or post_kind(request)
    return f"{name} {container}" if container and " " not in name else name


def not_found(request: Request) -> ServiceError:
    """Return the error for a path or method that the local Azure does not have."""
    return NOT_SUPPORTED(f"{request.method} {request.url.path}")
