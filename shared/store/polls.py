"""Operations that clients poll: what this process has read of each, so that the next poll reads only what is new.

A poll reads the operation on condition that it has changed, and only those progress items that were written since the
last one. What it returns is as new as a read of everything: no part of it is used for a time without asking.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from shared import durations
from shared.arm.async_operations import ENDED
from shared.documents import OperationDocument
from shared.steps import ProgressItem
from shared.store.limited_cache import LimitedCache
from shared.store.operations import Operations
from shared.store.records import Progress, in_order

# More than the number of operations that clients poll at a time; a forgotten one only costs a longer read.
_MOST_OPERATIONS, _MOST_BYTES = 256, 16 << 20
# Times of writes are whole seconds of the replica that took them.
_SKEW_SECONDS = int(durations.REPLICA_SKEW.total_seconds())


@dataclass(frozen=True)
class _PolledOperation:
    """A running operation, and its progress items with their sizes."""

    document: OperationDocument
    items: Mapping[str, tuple[ProgressItem, int]]

    @property
    def size(self) -> int:
        return _size(self.document) + sum(size for _, size in self.items.values())

    @property
    def newest(self) -> int:
        return max((item.get("_ts", 0) for item, _ in self.items.values()), default=0)


class Polls:
    """The operations that are polled. An operation that has ended is not kept: it is read a few more times at most."""

    def __init__(self, operations: Operations, progress: Progress) -> None:
        """Begin without any.

        Args:
            operations: the container of operations.
            progress: the container of their progress items.
        """
        self._operations, self._progress = operations, progress
        self._cache: LimitedCache[_PolledOperation] = LimitedCache(_MOST_OPERATIONS, _MOST_BYTES)

    def operation(self, operation_id: str) -> OperationDocument | None:
        """Return an operation on a cluster as it is now, or None."""
        known = self._cache.get(operation_id)
        if known is None:
            document = self._operations.of_cluster(operation_id)
        else:
            document = self._operations.read_again(known.document)
        if document is None or document["asyncOperation"]["status"] in ENDED:
            self._cache.drop(operation_id)
        elif known is None or document is not known.document:
            self._keep(_PolledOperation(document, known.items if known else {}))
        return document

    def remember(self, document: OperationDocument) -> None:
        """Keep an operation that somebody else has read, if it runs and clients may poll it."""
        if "openShiftClusterKey" in document and document["asyncOperation"]["status"] not in ENDED:
            known = self._cache.get(document["id"])
            self._keep(_PolledOperation(document, known.items if known else {}))

    def last_known(self, operation_id: str) -> OperationDocument | None:
        """Return an operation as this process has read it last, if it ran then. It may have ended since."""
        known = self._cache.get(operation_id)
        return known.document if known else None

    def cluster_key(self, operation_id: str) -> str | None:
        """Return the key of an operation's cluster, which never changes, or None if there is no such operation."""
        document = self.last_known(operation_id) or self.operation(operation_id)
        return document["openShiftClusterKey"] if document else None

    def progress(self, operation_id: str) -> list[ProgressItem]:
        """Return every progress item of an operation as it is now, oldest first."""
        known = self._cache.get(operation_id)
        if known is None:
            return self._progress.list(operation_id)
        # What is written after this read is found by the next one, also if another poll ends in between: each keeps all
        # that it has seen, and the time up to which it has.
        since = known.newest - _SKEW_SECONDS
        items = {
            **known.items,
            **{item["id"]: (item, _size(item)) for item in self._progress.list(operation_id, since)},
        }
        self._keep(replace(known, items=items))
        return in_order(item for item, _ in items.values())

    def _keep(self, polled: _PolledOperation) -> None:
        self._cache.put(polled.document["id"], polled, polled.size)


def _size(document: Mapping[str, Any]) -> int:
    return len(json.dumps(document))
