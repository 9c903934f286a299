"""Documents that fence an operation: read and updated only while the attempt that asks still drives it."""

import copy
import threading
from collections import OrderedDict
from dataclasses import dataclass
from time import monotonic
from typing import Generic, TypeVar

from azure.cosmos import ContainerProxy

from shared.documents import FencedDocument
from shared.store.containers import Decide, Items

Subject = TypeVar("Subject", bound=FencedDocument)

# More than the number of clusters that one process works on at a time; a forgotten one only costs a read.
MOST_SNAPSHOTS = 256


class FenceMoved(Exception):  # noqa: N818 - an event rather than an error: a newer attempt drives this operation
    """Another attempt or another operation owns the document. Code that sees this stops and leaves no trace."""


@dataclass(frozen=True)
class Fence:
    """The right to write a document that fences an operation: one attempt of one operation.

    The key is a cluster's lower-cased resource id, or `/sites/<name>`. With the document's id, a point read checks the
    fence, which costs a third of a query by key.
    """

    key: str
    operation_id: str
    attempt: int
    document_id: str = ""

    def holds(self, document: FencedDocument | None) -> bool:
        """Tell whether the document still names this operation and this attempt."""
        return (
            document is not None
            and document.get("asyncOperationId") == self.operation_id
            and document.get("attempt") == self.attempt
        )


@dataclass(frozen=True)
class _Snapshot(Generic[Subject]):
    """A version of a document, and when its read or write began, so that it is never taken for newer than it is."""

    document: Subject
    began: float


class Fenced(Items[Subject]):
    """A container whose documents fence operations. Each has at most one operation at a time.

    It remembers, for polls, the newest version of each document that this process has read under a fence or written.
    """

    def __init__(self, container: ContainerProxy) -> None:
        """Wrap a container of the SDK."""
        super().__init__(container)
        self._lock = threading.Lock()
        self._snapshots: OrderedDict[str, _Snapshot[Subject]] = OrderedDict()

    def fenced_update(self, fence: Fence, decide: Decide[Subject], read_before: Subject | None = None) -> Subject:
        """Update a document for an activity. Each try checks the fence on the document that it read.

        Args:
            fence: the activity's fence.
            decide: as in `Items.update`.
            read_before: the result of an earlier fenced read, used for the first try and not modified. If its ETag
                still matches, nobody has moved the fence since.

        Raises:
            FenceMoved: if the document is gone or another attempt owns it.
        """
        known = [] if read_before is None else [copy.deepcopy(read_before)]
        return self.update(lambda: known.pop() if known else self.fenced_read(fence), decide)

    def fenced_read(self, fence: Fence) -> Subject:
        """Read a document that the fence still holds.

        Raises:
            FenceMoved: if it is gone or another attempt owns it.
        """
        began = monotonic()
        document = self.of_fence(fence)
        if document is not None:
            self._keep(fence.key, document, began)
        if document is None or not fence.holds(document):
            raise FenceMoved(f"attempt {fence.attempt} of operation {fence.operation_id} was superseded")
        return document

    def recent(self, fence: Fence, seconds: float) -> Subject | None:
        """Return the newest version that this process knows, if it is recent enough and the fence holds in it.

        Another process may have moved the fence since, so nothing may be changed or written because of it.

        Args:
            fence: the activity's fence.
            seconds: how long ago its read may have begun.
        """
        with self._lock:
            snapshot = self._snapshots.get(fence.key)
        if snapshot is None or monotonic() - snapshot.began > seconds or not fence.holds(snapshot.document):
            return None
        return copy.deepcopy(snapshot.document)

    def replace(self, document: Subject) -> Subject:
        """Replace a document; see `Items.replace`."""
        began = monotonic()
        written = super().replace(document)
        self._keep(str(document.get("key")), written, began)
        return written

    def _keep(self, key: str, document: Subject, began: float) -> None:
        """Remember a version, unless a newer one is known."""
        snapshot = _Snapshot(copy.deepcopy(document), began)
        with self._lock:
            known = self._snapshots.get(key)
            if known is None or known.began <= began:
                self._snapshots[key] = snapshot
                self._snapshots.move_to_end(key)
            if len(self._snapshots) > MOST_SNAPSHOTS:
                self._snapshots.popitem(last=False)

    def of_fence(self, fence: Fence) -> Subject | None:
        """Return the document that a fence is about, whoever owns it now, or None."""
        raise NotImplementedError
