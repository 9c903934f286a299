"""Documents over HTTP: create, read, replace, delete, feeds, queries."""

from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from emulator.core.clock import Clock
from emulator.core.faults import Fault
from emulator.core.store import Document
from emulator.cosmos import exceptions, sql, wire
from emulator.cosmos.authorization import Authorization, account_of
from emulator.cosmos.former_states import Past
from emulator.cosmos.items import Items
from emulator.cosmos.models import CosmosModel
from emulator.cosmos.roles import EXECUTE_QUERY, ITEM_ACTIONS

_READ_FEED = "SELECT * FROM c"


class ItemResponses:
    """The endpoints of documents."""

    def __init__(self, model: CosmosModel, authorization: Authorization, clock: Clock) -> None:
        """Keep what the endpoints answer from."""
        self._model = model
        self._authorization = authorization
        self._clock = clock

    async def create(self, request: Request) -> Response:
        """POST a document; with `x-ms-documentdb-is-upsert` it replaces an existing one."""
        upsert = wire.is_true(request, "x-ms-documentdb-is-upsert")
        needed = ("upsert",) if upsert else ("create",)
        items = self._items(request, *(ITEM_ACTIONS[name] for name in needed))
        document = await wire.json_body(request)
        partition = wire.partition_of(request)
        if not upsert:
            return self._written(request, items, items.create(document, partition), "create", 201)
        stored, created = items.upsert(document, partition, request.headers.get("if-match"))
        return self._written(request, items, stored, "upsert", 201 if created else 200)

    async def read(self, request: Request) -> Response:
        """GET a document, or 304 if the client already has this version."""
        items = self._items(request, ITEM_ACTIONS["read"])
        past = _past(request, items)
        document = items.read(request.path_params["document"], wire.partition_of(request), past)
        headers = wire.document_headers(document, past.number if past else items.sequence_number, _path(request))
        if request.headers.get("if-none-match") in ("*", document["_etag"]):
            return wire.reply(request, self._clock, status=304, headers=headers)
        return wire.reply(request, self._clock, wire.dumps(document), headers=headers)

    async def replace(self, request: Request) -> Response:
        """PUT a document."""
        items = self._items(request, ITEM_ACTIONS["replace"])
        document = await wire.json_body(request)
        partition = wire.partition_of(request)
        name = request.path_params["document"]
        stored = items.replace(name, document, partition, request.headers.get("if-match"))
        return self._written(request, items, stored, "replace", 200)

    async def delete(self, request: Request) -> Response:
        """DELETE a document."""
        items = self._items(request, ITEM_ACTIONS["delete"])
        items.delete(request.path_params["document"], wire.partition_of(request), request.headers.get("if-match"))
        headers = wire.document_headers({}, items.sequence_number, _path(request))
        return wire.reply(request, self._clock, status=204, operation="delete", headers=headers)

    async def read_feed(self, request: Request) -> Response:
        """GET all documents of one partition, or of the container."""
        items = self._items(request, ITEM_ACTIONS["read"])
        return self._page(request, items, sql.parse(_READ_FEED), {})

    async def query(self, request: Request) -> Response:
        """POST a query."""
        items = self._items(request, EXECUTE_QUERY)
        text, parameters = _query_of(await wire.json_body(request))
        statement = sql.parse(text)
        self._check_partitions(request)
        return self._page(request, items, statement, parameters)

    def _items(self, request: Request, *actions: str) -> Items:
        self._authorization.authorize(request, *actions)
        request.state.level = wire.consistency(request, self._model.consistency(account_of(request)))
        names = request.path_params
        intended = request.headers.get("x-ms-cosmos-intended-collection-rid")
        return self._model.items(account_of(request), names["database"], names["container"], intended)

    def _written(self, request: Request, items: Items, stored: Document, operation: str, status: int) -> Response:
        headers = wire.document_headers(stored, items.sequence_number, _path(request, stored["id"]))
        minimal = request.headers.get("prefer") == "return=minimal"
        body = b"" if minimal else wire.dumps(stored)
        return wire.reply(request, self._clock, body, status=status, operation=operation, headers=headers)

    def _check_partitions(self, request: Request) -> None:
        """Check that a query is on one partition, or may be on all of them; the gateway joins their results.

        Raises:
            ServiceError: 400 if the client did not enable cross-partition queries; 410 for a range that does not exist.
        """
        only_range = request.headers.get("x-ms-documentdb-partitionkeyrangeid")
        if only_range not in (None, wire.ONLY_RANGE):
            raise exceptions.RANGE_GONE(only_range)
        is_one = only_range or "x-ms-documentdb-partitionkey" in request.headers
        if not is_one and not wire.is_true(request, "x-ms-documentdb-query-enablecrosspartition"):
            raise exceptions.CROSSES_PARTITIONS()

    def _page(self, request: Request, items: Items, statement: sql.Statement, parameters: dict[str, Any]) -> Response:
        one = "x-ms-documentdb-partitionkey" in request.headers
        partition = wire.partition_of(request) if one else None
        past = _past(request, items)
        page = sql.execute(
            statement,
            parameters,
            lambda after: items.scan(after, partition, one_partition=one, past=past),
            wire.page_size(request),
            request.headers.get("x-ms-continuation"),
        )
        headers = wire.document_headers({}, past.number if past else items.sequence_number, _path(request)) | {
            "x-ms-continuation": page.continuation,
            "x-ms-item-count": str(len(page.items)),
        }
        body = wire.feed(items.container["_rid"], "Documents", page.items, len(page.items))
        return wire.reply(request, self._clock, body, operation="query", headers=headers)


def _past(request: Request, items: Items) -> Past | None:
    """Return the state from which a read is answered if a fault makes it stale and its level allows that."""
    fault = request.state.fault
    if not isinstance(fault, Fault) or fault.kind != "stale" or request.state.level in wire.FRESH_LEVELS:
        return None
    return items.past(fault.delay_seconds, wire.seen_by_session(request))


def _path(request: Request, document: str = "") -> str:
    names = request.path_params
    name = document or names.get("document", "")
    path = f"dbs/{names['database']}/colls/{names['container']}" + (f"/docs/{name}" if name else "")
    # Ids may contain characters that headers may not.
    return quote(path, safe="/", errors="replace")


def _query_of(body: Any) -> tuple[str, dict[str, Any]]:
    """Return the text and the parameters of `{"query": "...", "parameters": [{"name": "@x", "value": ...}]}`."""
    return str(body["query"]), {one["name"]: one["value"] for one in body.get("parameters") or ()}
