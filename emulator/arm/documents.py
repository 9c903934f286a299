"""The stored resources: JSON documents under their lower-case ids. Reading one completes an operation that is due.

In addition to the members that GET shows, a document has `etag`, `created`, `changed`, `references` (lower-case ids),
`private` (secrets that no GET shows), `position` (among its parent's children), `effectiveAt` (role assignments),
`pending` (`kind`, `readyAt`, `operationId`, `waits`) and `failure` (the error with which the last write failed).
"""

from collections.abc import Iterator
from uuid import uuid4

from emulator.arm.operations import Operations
from emulator.arm.references import References
from emulator.core.clock import rfc3339
from emulator.core.platform import Platform
from emulator.json_object import Json

HIDDEN = ("created", "changed", "pending", "failure", "references", "effectiveAt", "position", "private")


class Documents:
    """The documents, and the references between them."""

    def __init__(self, platform: Platform, operations: Operations) -> None:
        self._clock = platform.clock
        self._operations = operations
        self._table = platform.store.table("arm_resources")
        # Keys are `<type>|<id>`, so that a search for the resources of one type reads no others.
        self._types = platform.store.table("arm_types")
        if next(self._types.scan(), None) is None:
            for key, document in self._table.scan():
                self._types.put(f"{document['type'].lower()}|{key}", {})
        self.references = References(platform)

    def load(self, resource_id: str) -> Json | None:
        """Return a document, or None. Removes the document if its deletion is due."""
        key = resource_id.lower()
        found = self._table.get(key)
        return None if found is None else self._settled(key, found)

    def as_written(self, resource_id: str) -> Json | None:
        """Return a document as it was last written, or None, even if its pending operation has ended since."""
        return self._table.get(resource_id.lower())

    def scan(self, prefix: str, type_name: str = "") -> Iterator[Json]:
        """Yield the documents whose ids begin with a prefix; with a type name, only those of that type."""
        for key, document in (
            self._of_type(prefix.lower(), type_name) if type_name else self._table.scan(prefix.lower())
        ):
            settled = self._settled(key, document)
            if settled is not None:
                yield settled

    def _of_type(self, prefix: str, type_name: str) -> Iterator[tuple[str, Json]]:
        for known, _ in self._types.scan(f"{type_name.lower()}|{prefix}"):
            key = known.partition("|")[2]
            document = self._table.get(key)
            if document is not None:
                yield key, document

    def put(self, document: Json) -> None:
        """Write a document; add `etag`, `created`, `changed` and `references` if it lacks them."""
        now = rfc3339(self._clock.now())
        stored: Json = {"etag": str(uuid4()), "created": now, "changed": now, "references": []} | document
        key = stored["id"].lower()
        before = self._table.get(key)
        self.references.replace(stored["id"], before["references"] if before else (), stored["references"])
        self._table.put(key, stored)
        if before is None:
            self._types.put(f"{stored['type'].lower()}|{key}", {})

    def mark(self, document: Json, operation: Json, ready_at: str = "") -> Json:
        """Mark a document as pending until its operation ends; return the marked document.

        Args:
            document: the stored document.
            operation: the operation, as `Operations.begin` returned it.
            ready_at: RFC 3339 time at which the document is ready, if it differs from the operation's.
        """
        pending = {
            "kind": operation["kind"],
            "readyAt": ready_at or operation["readyAt"],
            "operationId": operation["id"],
            "waits": operation["waits"],
        }
        marked = document | {"pending": pending}
        self._table.put(document["id"].lower(), marked)
        return marked

    def drop(self, document: Json) -> None:
        """Remove a document and everything below it."""
        key = document["id"].lower()
        for _, found in [(key, document), *self._table.scan(f"{key}/")]:
            self.references.replace(found["id"], found["references"], ())
            self._table.delete(found["id"].lower())
            self._types.delete(f"{found['type'].lower()}|{found['id'].lower()}")

    def _settled(self, key: str, document: Json) -> Json | None:
        pending = document.get("pending")
        if pending is None or pending["readyAt"] > rfc3339(self._clock.now()):
            return document
        if pending.get("waits"):
            return self._settled_by(document, self._operations.get(pending["operationId"]))
        if pending["kind"] == "delete":
            if self._table.get(key) is not None:
                self.drop(document)
            return None
        return _without_pending(document)

    def _settled_by(self, document: Json, operation: Json | None) -> Json:
        """Return a document whose operation waits for a condition; if it has ended, store the result first."""
        if operation is not None and not self._operations.is_over(operation):
            return document
        settled = _without_pending(document)
        if operation is not None and operation["error"] is not None:
            settled["failure"] = operation["error"]["body"]
        self._table.put(document["id"].lower(), settled)
        return settled


def _without_pending(document: Json) -> Json:
    return {name: value for name, value in document.items() if name != "pending"}
