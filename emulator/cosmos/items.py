"""The documents of one container: partitions, ids, ETags, unique keys, time to live.

A document's key in the store consists of container, partition key and id, so a partition is a range of keys.
"""

import json
from collections.abc import Iterator
from typing import Any

from emulator.core.clock import Clock
from emulator.core.store import Document, Store
from emulator.cosmos import exceptions, partition_keys, resource_ids
from emulator.cosmos.former_states import FormerStates, Past
from emulator.cosmos.sql.values import UNDEFINED

SYSTEM_MEMBERS = ("_rid", "_self", "_etag", "_attachments", "_ts")
_SEPARATOR = "\x1f"
_FOR_EVER = -1
# https://learn.microsoft.com/azure/cosmos-db/nosql/time-to-live
_MAX_TTL = 2**31 - 1


class Items:
    """One container's documents. Every write is one transaction."""

    def __init__(self, store: Store, clock: Clock, container: Document, former: FormerStates) -> None:
        """Open a container."""
        self.container = container
        self._store = store
        self._clock = clock
        self._former = former
        self._documents = store.table("cosmos_items")
        self._unique = store.table("cosmos_unique_keys")
        self._numbers = store.table("cosmos_sequence_numbers")
        self._prefix = str(container["_rid"]) + _SEPARATOR
        self._path = str(container["partitionKey"]["paths"][0])

    @property
    def sequence_number(self) -> int:
        """The number of writes to the container, which is the LSN in session tokens."""
        return int((self._numbers.get(self._prefix) or {"value": 0})["value"])

    def create(self, document: Document, partition: Any) -> Document:
        """Create a document.

        Raises:
            ServiceError: 409 if the id or a unique key is taken; 400 for an invalid document; 413 for one too large.
        """
        key = self._key_of(document, partition)
        if self._live(key) is not None:
            raise exceptions.ID_TAKEN()
        return self._write(key, document, None)

    def upsert(self, document: Document, partition: Any, if_match: str | None = None) -> tuple[Document, bool]:
        """Create or replace a document; return it, and whether it is new.

        Raises:
            ServiceError: 412; 409 if a unique key is taken; 400 for an invalid document; 413 for one too large.
        """
        key = self._key_of(document, partition)
        current = self._live(key)
        if current is not None:
            _check(if_match, current)
        return self._write(key, document, current), current is None

    def past(self, lag_seconds: float, seen: int) -> Past | None:
        """Return the container as it was `lag_seconds` ago, with the write `seen`; None if nothing has changed since."""
        return self._former.past(self._prefix, lag_seconds, seen)

    def read(self, document_id: str, partition: Any, past: Past | None = None) -> Document:
        """Return a document by its id or `_rid`; in the past, only by its id.

        Raises:
            ServiceError: 404.
        """
        key = self._key(partition, document_id)
        if past is None or key not in past.documents:
            return self._find(document_id, partition)[1]
        former = past.documents[key]
        if former is None or self._expired(former, self._now()):
            raise exceptions.ITEM_NOT_FOUND()
        return former

    def replace(self, document_id: str, document: Document, partition: Any, if_match: str | None = None) -> Document:
        """Replace a document.

        Raises:
            ServiceError: 404; 412; 409 if a unique key is taken; 400 if the body has another id or partition key; 413.
        """
        key, current = self._find(document_id, partition)
        if self._key_of(document, partition) != key:
            raise exceptions.BAD_REQUEST(f"The id in the body is not '{current['id']}': an id cannot be changed.")
        _check(if_match, current)
        return self._write(key, document, current)

    def delete(self, document_id: str, partition: Any, if_match: str | None = None) -> None:
        """Delete a document.

        Raises:
            ServiceError: 404, 412.
        """
        key, current = self._find(document_id, partition)
        _check(if_match, current)
        with self._store.transaction():
            self._remove(key, current)
            self._former.note(self._next_number(), key, current)

    def scan(
        self, after: str = "", partition: Any = None, *, one_partition: bool = False, past: Past | None = None
    ) -> Iterator[tuple[str, Document]]:
        """Yield (key, document) in key order.

        Args:
            after: key after which to resume.
            partition: the partition key; used with `one_partition` only.
            one_partition: whether to read one partition, or else all of them.
            past: the state to read, instead of the newest.
        """
        prefix = self._key(partition, "") if one_partition else self._prefix
        now = self._now()
        former = {} if past is None else past.documents
        found = dict(self._documents.scan(prefix, after))
        for key in sorted({*found, *(key for key in former if key.startswith(prefix) and key > after)}):
            document = former[key] if key in former else found[key]
            if document is not None and not self._expired(document, now):
                yield key, document
            elif key not in former:
                self._remove(key, found[key])

    def clear(self) -> None:
        """Remove all documents."""
        for table in (self._documents, self._unique):
            for key, _ in list(table.scan(self._prefix)):
                table.delete(key)
        self._numbers.delete(self._prefix)

    def purge_expired(self) -> int:
        """Remove the expired documents; return how many."""
        now = self._now()
        expired = [
            (key, document) for key, document in self._documents.scan(self._prefix) if self._expired(document, now)
        ]
        for key, document in expired:
            self._remove(key, document)
        return len(expired)

    def _now(self) -> int:
        return int(self._clock.now().timestamp())

    def _expired(self, document: Document, now: int) -> bool:
        """Tell whether a document has expired: by its own `ttl`, else the container's, counted from the last write."""
        default = self.container.get("defaultTtl")
        if default is None:
            return False
        ttl = document.get("ttl", default)
        return bool(ttl != _FOR_EVER and now - document["_ts"] >= ttl)

    def _key(self, partition: Any, document_id: str) -> str:
        return f"{self._prefix}{partition_keys.storage_text(partition)}{_SEPARATOR}{document_id}"

    def _key_of(self, document: Document, partition: Any) -> str:
        """Return a new document's key, after checking id, partition key and `ttl`."""
        checked_id = _checked_id(document)
        _check_ttl(document)
        return self._key(partition_keys.of_document(document, self._path, partition), checked_id)

    def _live(self, key: str) -> Document | None:
        document = self._documents.get(key)
        if document is not None and self._expired(document, self._now()):
            self._remove(key, document)
            return None
        return document

    def _find(self, document_id: str, partition: Any) -> tuple[str, Document]:
        key = self._key(partition, document_id)
        found = self._live(key)
        if found is not None:
            return key, found
        if resource_ids.belongs_to(document_id, self.container["_rid"]):
            for key, document in self.scan(partition=partition, one_partition=True):
                if document["_rid"] == document_id:
                    return key, document
        raise exceptions.ITEM_NOT_FOUND()

    def _write(self, key: str, document: Document, current: Document | None) -> Document:
        body = {name: value for name, value in document.items() if name not in SYSTEM_MEMBERS}
        size = len(json.dumps(body, ensure_ascii=False).encode(errors="surrogatepass"))
        if size > exceptions.MAX_DOCUMENT_BYTES:
            raise exceptions.TOO_LARGE()
        with self._store.transaction():
            self._claim(key, body, current)
            number, moment = self._next_number(), self._now()
            rid = current["_rid"] if current else resource_ids.document_rid(self.container["_rid"], number)
            stored = body | {
                "_rid": rid,
                "_self": f"{self.container['_self']}docs/{rid}/",
                "_etag": f'"{number:08x}-0000-0100-0000-{moment:08x}0000"',
                "_attachments": "attachments/",
                "_ts": moment,
            }
            self._documents.put(key, stored)
            self._former.note(number, key, current)
        return stored

    def _remove(self, key: str, document: Document) -> None:
        with self._store.transaction():
            for entry in self._unique_entries(key, document):
                self._unique.delete(entry)
            self._documents.delete(key)

    def _next_number(self) -> int:
        number = self.sequence_number + 1
        self._numbers.put(self._prefix, {"value": number})
        return number

    def _unique_entries(self, key: str, document: Document) -> Iterator[str]:
        """Yield, for each unique key, the entry for the document's values in its partition."""
        partition = key.split(_SEPARATOR, 2)[1]
        for number, policy in enumerate(self.container["uniqueKeyPolicy"]["uniqueKeys"]):
            values = [partition_keys.value_at(document, path) for path in policy["paths"]]
            text = json.dumps([[] if value is UNDEFINED else [value] for value in values], sort_keys=True)
            yield _SEPARATOR.join((self._prefix.rstrip(_SEPARATOR), partition, str(number), text))

    def _claim(self, key: str, document: Document, current: Document | None) -> None:
        """Claim the unique keys of a document, and release those of its current version."""
        for entry in self._unique_entries(key, current) if current else ():
            self._unique.delete(entry)
        for entry in self._unique_entries(key, document):
            holder = self._unique.get(entry)
            if holder is not None and self._live(holder["key"]) is not None:
                raise exceptions.UNIQUE_KEY_TAKEN()
            self._unique.put(entry, {"key": key})


def _check(if_match: str | None, current: Document) -> None:
    if if_match is not None and if_match not in ("*", current["_etag"]):
        raise exceptions.PRECONDITION_FAILED()


def _checked_id(document: Any) -> str:
    if not isinstance(document, dict):
        raise exceptions.BAD_REQUEST("The input content is invalid: a document is a JSON object.")
    document_id = document.get("id")
    if document_id is None:
        raise exceptions.ID_MISSING()
    if not isinstance(document_id, str) or not document_id:
        raise exceptions.BAD_REQUEST(f"The input name {document_id!r} is invalid: an id is a string that is not empty.")
    return document_id


def _check_ttl(document: Document) -> None:
    ttl = document.get("ttl", _FOR_EVER)
    if not isinstance(ttl, int) or isinstance(ttl, bool) or not (ttl == _FOR_EVER or 0 < ttl <= _MAX_TTL):
        raise exceptions.BAD_REQUEST(
            f"The input ttl '{ttl}' is invalid. Ensure to provide a nonzero positive integer, or -1 for items that never expire."
        )
