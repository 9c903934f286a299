"""Documents that fence an operation: read and updated only while the attempt that asks still drives it."""

import copy
from dataclasses import dataclass
from typing import TypeVar

from shared.documents import FencedDocument
from shared.store.containers import Decide, Items

Owner = TypeVar("Owner", bound=FencedDocument)


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


class Fenced(Items[Owner]):
    """A container whose documents fence operations. Each has at most one operation at a time."""

    def fenced_update(self, fence: Fence, decide: Decide[Owner], read_before: Owner | None = None) -> Owner:
        """Update a document for an activity. Each try checks the fence on the document that it read.

        Args:
            fence: the activity's fence.
            decide: as in `Items.update`.
            read_before: the result of an earlier fenced read, used for the first try and not modified. If its ETag still
                matches, nobody has moved the fence since.

        Raises:
            FenceMoved: if the document is gone or another attempt owns it.
        """
        known = [] if read_before is None else [copy.deepcopy(read_before)]
        return self.update(lambda: known.pop() if known else self.fenced_read(fence), decide)

    def fenced_read(self, fence: Fence) -> Owner:
        """Read a document that the fence still holds.

        Raises:
            FenceMoved: if it is gone or another attempt owns it.
        """
        document = self.of_fence(fence)
        if document is None or not fence.holds(document):
            raise FenceMoved(f"attempt {fence.attempt} of operation {fence.operation_id} was superseded")
        return document

    def of_fence(self, fence: Fence) -> Owner | None:
        """Return the document that a fence is about, whoever owns it now, or None."""
        raise NotImplementedError
