"""Typed access to one Cosmos container: conditional writes, a loop that retries a decision, and named conflicts.

Documents are dictionaries that are written back as they were read, so members that a newer build wrote survive. Every
replace is conditional on the ETag that was read; a writer that loses the race reads and decides again.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, Generic, TypeVar

from azure.core import MatchConditions
from azure.cosmos import ContainerProxy
from azure.cosmos.exceptions import (
    CosmosAccessConditionFailedError,
    CosmosResourceExistsError,
    CosmosResourceNotFoundError,
)

from shared import deadline, fence
from shared.documents import Document
from shared.store import document_shapes, unreadable_documents

# The type of a container's documents; see `shared/documents.py`.
Item = TypeVar("Item", bound=Mapping[str, Any])
Decide = Callable[[Item], Item | None]

UPDATE_TRIES = 5


class Conflict(Exception):  # noqa: N818 - named as HTTP names it
    """A document with this id, or with a value that has to be unique, exists already."""


class PreconditionFailed(Exception):  # noqa: N818 - named as HTTP names it
    """Another writer has written the document since it was read."""


class NotFound(Exception):  # noqa: N818 - named as HTTP names it
    """The document to update does not exist."""


def next_page(pages: Iterator[Iterator[Any]]) -> Iterator[Any] | None:
    """Return the next page of a query, or None after the last.

    The SDK keeps the headers of its last answer in the client, where every call of any thread adds to them. Since 4.16
    a query copies them, which fails if another thread adds to them just then. The pager is still where it was, so the
    page is asked for again.

    Args:
        pages: the SDK's pager.
    """
    for _ in range(UPDATE_TRIES - 1):
        try:
            return next(pages, None)
        except RuntimeError as error:
            if "mutated during iteration" not in str(error):
                raise
    return next(pages, None)


class Items(Generic[Item]):
    """Documents of one container, by id and partition.

    Attributes:
        name: the container's name.
        shape: the type of its documents.
        required: the members without which nobody can read one.
    """

    name: ClassVar[str] = ""
    shape: ClassVar[type] = Document
    required: ClassVar[tuple[str, ...]] = ("id",)

    def __init__(self, container: ContainerProxy) -> None:
        """Wrap a container of the SDK."""
        self._container = container

    def read(self, document_id: str, partition: str | None = None) -> Item | None:
        """Return a document by its id, or None. The id is the partition key unless another is given."""
        try:
            with deadline.call():
                return self._typed(self._container.read_item(document_id, partition_key=partition or document_id))
        except CosmosResourceNotFoundError:
            return None

    def read_again(self, known: Item, partition: str | None = None) -> Item | None:
        """Return a document as it is now, or None if it is gone. If it has not changed, that is the one that was given.

        Args:
            known: the document, as it was read.
            partition: as in `read`.
        """
        condition = {"etag": known["_etag"], "match_condition": MatchConditions.IfModified}
        try:
            with deadline.call():
                answer = self._container.read_item(known["id"], partition_key=partition or known["id"], **condition)
        except CosmosResourceNotFoundError:
            return None
        # The SDK makes an empty document of the answer 304.
        return self._typed(answer) if answer else known

    def create(self, document: Item) -> Item:
        """Create a document.

        Raises:
            Conflict: if its id or one of its unique keys is taken.
            WouldChange: if a dry run is at work, as in every other write.
        """
        fence.refuse_in_dry_run("create a document")
        try:
            with deadline.call():
                return self._typed(self._container.create_item(dict(document)))
        except CosmosResourceExistsError as error:
            raise Conflict(document["id"]) from error

    def replace(self, document: Item) -> Item:
        """Replace a document if nobody has written it since it was read.

        Raises:
            PreconditionFailed: if somebody has.
            NotFound: if it is gone.
            Conflict: if another document has one of its unique keys.
        """
        fence.refuse_in_dry_run("replace a document")
        try:
            with deadline.call():
                return self._typed(
                    self._container.replace_item(
                        document["id"],
                        dict(document),
                        etag=document["_etag"],
                        match_condition=MatchConditions.IfNotModified,
                    )
                )
        except CosmosAccessConditionFailedError as error:
            raise PreconditionFailed(document["id"]) from error
        except CosmosResourceNotFoundError as error:
            raise NotFound(document["id"]) from error
        except CosmosResourceExistsError as error:
            raise Conflict(document["id"]) from error

    def upsert(self, document: Item) -> Item:
        """Write a document, replacing any former one. For records with a single writer."""
        fence.refuse_in_dry_run("write a document")
        with deadline.call():
            return self._typed(self._container.upsert_item(dict(document)))

    def delete(self, document: Item, partition: str | None = None) -> None:
        """Delete a document as it was read. If it is gone already, do nothing.

        Raises:
            PreconditionFailed: if somebody has written it since.
        """
        fence.refuse_in_dry_run("delete a document")
        condition = {"etag": document["_etag"], "match_condition": MatchConditions.IfNotModified}
        try:
            with deadline.call():
                self._container.delete_item(document["id"], partition_key=partition or document["id"], **condition)
        except CosmosResourceNotFoundError:
            return
        except CosmosAccessConditionFailedError as error:
            raise PreconditionFailed(document["id"]) from error

    def discard(self, document_id: str) -> None:
        """Delete a document that nobody else knows of, whatever its content. If it is gone already, do nothing."""
        fence.refuse_in_dry_run("delete a document")
        try:
            with deadline.call():
                self._container.delete_item(document_id, partition_key=document_id)
        except CosmosResourceNotFoundError:
            return

    def query(
        self, query: str, partition: str | None = None, *, page_size: int | None = None, **parameters: Any
    ) -> Iterator[Item]:
        """Yield the results of a query, in one partition or across all of them.

        Args:
            query: the query.
            partition: the partition, or None for all of them.
            page_size: how many results an answer of the store has at most; its own default if None.
            parameters: the values of the query's parameters, without their `@`.
        """
        scope: dict[str, Any] = {"partition_key": partition} if partition else {"enable_cross_partition_query": True}
        names = [{"name": f"@{name}", "value": value} for name, value in parameters.items()]
        pages = self._container.query_items(query, parameters=names, max_item_count=page_size, **scope).by_page()
        while True:
            with deadline.call():
                page = next_page(pages)
                documents = None if page is None else list(page)
            if documents is None:
                return
            yield from (self._typed(document) for document in documents)

    def readable(self, documents: Iterable[Item]) -> Iterator[Item]:
        """Yield those documents that have the shape of this container's, and note the others."""
        for document in documents:
            if wrong := document_shapes.problem(document, self.shape, self.required):
                unreadable_documents.note(self.name, document.get("id"), wrong)
            else:
                yield document

    def update(self, read: Callable[[], Item | None], decide: Decide[Item], tries: int = UPDATE_TRIES) -> Item:
        """Read, decide, replace; start over if another writer was faster.

        Args:
            read: fetches the document each time.
            decide: returns the document to write, or None to leave it unchanged. It may run several times.
            tries: how many races may be lost.

        Raises:
            NotFound: if there is nothing to update.
            PreconditionFailed: if every race was lost.
        """
        for _ in range(tries - 1):
            try:
                return self._update_once(read, decide)
            except PreconditionFailed:
                continue
        return self._update_once(read, decide)

    def _update_once(self, read: Callable[[], Item | None], decide: Decide[Item]) -> Item:
        document = read()
        if document is None:
            raise NotFound
        decided = decide(document)
        return document if decided is None else self.replace(decided)

    def _typed(self, answer: Mapping[str, Any]) -> Item:
        """Return an answer of Cosmos DB as a plain dictionary, with the type of this container's documents."""
        document: Any = dict(answer)
        item: Item = document
        return item
