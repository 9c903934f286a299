"""Containers of Cosmos DB in memory: ids, ETags, unique keys, and the product's own queries."""

import copy
import itertools
import time
from collections.abc import Callable, Iterator
from typing import Any

from azure.cosmos.exceptions import (
    CosmosAccessConditionFailedError,
    CosmosResourceExistsError,
    CosmosResourceNotFoundError,
)

# The SDK's exceptions have untyped constructors.
MISSING: Any = CosmosResourceNotFoundError
EXISTS: Any = CosmosResourceExistsError
MODIFIED: Any = CosmosAccessConditionFailedError

Document = dict[str, Any]


Hook = Callable[[dict[str, str], Any], None]


class Pages:
    """The results of a query, as items or as pages of a size."""

    def __init__(self, found: list[Document], size: int | None, hook: Hook | None) -> None:
        self._found = found
        self._size = size or 100
        self._hook = hook

    def __iter__(self) -> Iterator[Document]:
        return iter(self._found)

    def by_page(self, continuation: str | None = None) -> "Pager":
        return Pager(self._found, self._size, int(continuation or 0), self._hook)


class Pager:
    """Pages, with the token of the next one in their headers.

    The SDK's own `continuation_token` comes from the headers that *any* thread received last, so here it is wrong.
    """

    continuation_token = "of another request"  # noqa: S105 - no password

    def __init__(self, found: list[Document], size: int, begin: int, hook: Hook | None) -> None:
        self._found, self._size, self._begin, self._hook = found, size, begin, hook
        self._ended = False

    def __next__(self) -> list[Document]:
        if self._ended:
            raise StopIteration
        page = self._found[self._begin : self._begin + self._size]
        end = self._begin = self._begin + self._size
        self._ended = end >= len(self._found)
        if self._hook is not None:
            self._hook({"x-ms-continuation": str(end)} if end < len(self._found) else {}, page)
        return page


class Container:
    """One container. With `before_write` a test can change a document between its read and its write."""

    def __init__(self, partition: str, unique: tuple[str, ...] = ()) -> None:
        self.documents: dict[tuple[str, str], Document] = {}
        self.writes: list[Document] = []
        self.before_write: list[Any] = []
        self.clock: Callable[[], float] = time.time
        self._partition, self._unique = partition, unique
        self._etags = itertools.count(1)

    def read_item(
        self,
        item: str,
        partition_key: str,
        *,
        etag: str | None = None,
        match_condition: Any = None,  # noqa: ARG002 - the container's signature
    ) -> Document:
        if (partition_key, item) not in self.documents:
            raise MISSING(message="not found")
        found = self.documents[partition_key, item]
        # The SDK makes an empty document of the answer 304.
        return copy.deepcopy(found) if etag is None or etag != found["_etag"] else {}

    def create_item(self, body: Document) -> Document:
        key = (body[self._partition], body["id"])
        if key in self.documents or any(self._clashes(other, body) for other in self.documents.values()):
            raise EXISTS(message="exists")
        return self._store(key, body)

    def replace_item(self, item: str, body: Document, *, etag: str, match_condition: Any) -> Document:  # noqa: ARG002 - the container's signature
        if self.before_write:
            self.before_write.pop(0)()
        key = (body[self._partition], item)
        if key not in self.documents:
            raise MISSING(message="not found")
        if self.documents[key]["_etag"] != etag:
            raise MODIFIED(message="etag")
        if any(self._clashes(other, body) for other in self.documents.values() if other["id"] != item):
            raise EXISTS(message="exists")
        return self._store(key, body)

    def upsert_item(self, body: Document) -> Document:
        return self._store((body[self._partition], body["id"]), body)

    def delete_item(
        self,
        item: str,
        partition_key: str,
        *,
        etag: str | None = None,
        match_condition: Any = None,  # noqa: ARG002 - the container's signature
    ) -> None:
        if (partition_key, item) not in self.documents:
            raise MISSING(message="not found")
        if etag not in (None, self.documents[partition_key, item]["_etag"]):
            raise MODIFIED(message="etag")
        del self.documents[partition_key, item]

    def query_items(
        self,
        query: str,
        parameters: list[dict[str, Any]],
        *,
        partition_key: str | None = None,
        max_item_count: int | None = None,
        enable_cross_partition_query: bool = False,
        response_hook: Hook | None = None,
    ) -> Pages:
        assert partition_key or enable_cross_partition_query
        values = {parameter["name"]: parameter["value"] for parameter in parameters}
        everything = [doc for (key, _), doc in self.documents.items() if partition_key in (None, key)]
        found = [copy.deepcopy(document) for document in everything if _matches(query, values, document)]
        return Pages(found, max_item_count, response_hook)

    def _store(self, key: tuple[str, str], body: Document) -> Document:
        stored = copy.deepcopy(body) | {"_etag": f'"{next(self._etags)}"', "_ts": int(self.clock())}
        self.documents[key] = stored
        self.writes.append(copy.deepcopy(stored))
        return copy.deepcopy(stored)

    def _clashes(self, other: Document, body: Document) -> bool:
        same = other[self._partition] == body[self._partition]
        return same and any(other.get(name) == body.get(name) for name in self._unique if name in body)


def plan_of(container: Container, operation_id: str) -> Any:
    """Return the plan of an operation as it is stored, in a document of its own."""
    plan_id = f"{operation_id}-plan"
    return container.documents[plan_id, plan_id]["plan"]


def operations(container: Container) -> list[Document]:
    """Return the operations, without the documents of their plans."""
    return [document for document in container.documents.values() if "planOf" not in document]


def _matches(query: str, values: dict[str, Any], document: Document) -> bool:
    """Answer the queries that the product uses, and refuse any other."""
    condition = query.partition(" WHERE ")[2]
    if condition in CONDITIONS:
        return bool(CONDITIONS[condition](document, values))
    member, value = condition.removeprefix("c.").split(" = ")
    return bool(document.get(member) == values[value])


def _at(document: Any, path: str) -> Any:
    """Return the member at a path; what is on the way may be anything, and is then undefined."""
    for name in path.split("."):
        document = document.get(name) if isinstance(document, dict) else None
    return document


def _is_created_with(document: Document, values: dict[str, Any]) -> bool:
    state = _at(document, "openShiftCluster.properties.provisioningState")
    version = _at(document, "openShiftCluster.properties.clusterProfile.version")
    return bool(state == "Creating" and version == values["@version"])


CONDITIONS: dict[str, Callable[[Document, dict[str, Any]], Any]] = {
    "": lambda _document, _values: True,
    "STARTSWITH(c.key, @prefix)": lambda document, values: str(document.get("key")).startswith(values["@prefix"]),
    "c.key > @after": lambda document, values: str(document.get("key")) > values["@after"],
    "IS_DEFINED(c.openShiftCluster.properties.powerSchedule)": lambda document, _values: (
        "powerSchedule" in document["openShiftCluster"]["properties"]
    ),
    "NOT IS_DEFINED(c.asyncOperationId)": lambda document, _values: "asyncOperationId" not in document,
    "IS_DEFINED(c.asyncOperationId)": lambda document, _values: "asyncOperationId" in document,
    "NOT IS_DEFINED(c.asyncOperation.endTime) AND NOT IS_DEFINED(c.planOf)": lambda document, _values: (
        _at(document, "asyncOperation.endTime") is None and "planOf" not in document
    ),
    "ARRAY_CONTAINS(@keys, c.key)": lambda document, values: document.get("key") in values["@keys"],
    "ARRAY_CONTAINS(@ids, c.id)": lambda document, values: document["id"] in values["@ids"],
    "c.openShiftCluster.properties.provisioningState = 'Creating'"
    " AND c.openShiftCluster.properties.clusterProfile.version = @version": _is_created_with,
    "c.openShiftCluster.properties.provisioningState != 'Deleting'": lambda document, _values: (
        _at(document, "openShiftCluster.properties.provisioningState") not in (None, "Deleting")
    ),
    "c.operationId = @id AND c._ts >= @since": lambda document, values: (
        document.get("operationId") == values["@id"] and document.get("_ts", 0) >= values["@since"]
    ),
    "c.enabled = true": lambda document, _values: document.get("enabled") is True,
    "c.deleting = true": lambda document, _values: document.get("deleting") is True,
}
NAMES = (
    *("OpenShiftClusters", "AsyncOperations", "OperationProgress"),
    *("Subscriptions", "TaskHubs", "Domains", "Billing", "OpenShiftVersions"),
    *("PlatformWorkloadIdentityRoleSets", "AdminCredentials", "Sites", "ClusterConditions"),
)


def containers() -> dict[str, Container]:
    """Make the containers of the database."""
    partitions = {
        "OpenShiftClusters": "partitionKey",
        "ClusterConditions": "partitionKey",
        "OperationProgress": "operationId",
    }
    unique = {"OpenShiftClusters": ("key", "clusterResourceGroupIdKey", "clientIdKey")}
    return {name: Container(partitions.get(name, "id"), unique.get(name, ())) for name in NAMES}
