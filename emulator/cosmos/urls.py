"""The routes of Cosmos DB, and the names of operations in the journal and in faults."""

from collections.abc import Awaitable, Callable, Mapping

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from emulator.core.errors import ServiceError
from emulator.cosmos.exceptions import NOT_SUPPORTED, NOTHING_THERE
from emulator.cosmos.item_responses import ItemResponses
from emulator.cosmos.responses import Responses
from emulator.cosmos.wire import is_true

Endpoint = Callable[[Request], Awaitable[Response]]

_DATABASE = "/dbs/{database}"
_CONTAINER = _DATABASE + "/colls/{container}"
_DOCUMENTS = _CONTAINER + "/docs"
_DOCUMENT = _DOCUMENTS + "/{document}"


# The name of operations that Azure has and that are refused here.
NOT_EMULATED = "not emulated"
# What Azure has below a container, and by which headers it tells a POST to documents.
_KIND_PART = 4
_NOT_EMULATED_PATHS = {"sprocs": "stored procedures", "conflicts": "feeds of conflicts"}
_NOT_EMULATED_POSTS = {
    "x-ms-cosmos-is-batch-request": "batches",
    "x-ms-cosmos-is-query-plan-request": "query plans",
}

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
        for header, what in _NOT_EMULATED_POSTS.items():
            if is_true(request, header):
                raise NOT_SUPPORTED(what)
        return await POSTS[post_kind(request)](items, request)

    async def refuse(request: Request) -> Response:
        raise not_found(request)

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
        *(("*", f"{_CONTAINER}/{kind}{{rest:path}}", refuse, NOT_EMULATED) for kind in _NOT_EMULATED_PATHS),
        ("PATCH", _DOCUMENT, refuse, NOT_EMULATED),
        # All other operations on databases and containers belong to the management plane.
        ("*", "/dbs{rest:path}", metadata.forbidden, "change metadata"),
        ("*", "/offers{rest:path}", metadata.forbidden, "change metadata"),
    )
    return [
        Route(spelling, endpoint, methods=_methods(method), name=name)
        for method, path, endpoint, name in table
        for spelling in dict.fromkeys((path, path.rstrip("/") + "/"))
    ]


def _methods(method: str) -> list[str]:
    return ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] if method == "*" else [method]


def operation(request: Request, route: Route) -> str:
    """Name an operation by what it does and the container (`replace OpenShiftClusters`)."""
    container = request.path_params.get("container")
    name = route.name or post_kind(request)
    return f"{name} {container}" if container and " " not in name else name


def not_found(request: Request) -> ServiceError:
    """Return the error for a path or method that the local Azure does not have."""
    parts = request.url.path.strip("/").split("/")
    what = _NOT_EMULATED_PATHS.get(parts[_KIND_PART]) if len(parts) > _KIND_PART else None
    if what is None and request.method == "PATCH":
        what = "partial updates of documents (PATCH)"
    return NOTHING_THERE() if what is None else NOT_SUPPORTED(what)
