"""A call with a fence: what every executor gets, whether it works on a cluster or on a site."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from activities.runtime import progress
from activities.runtime.call import Call, fence_of
from shared.documents import FencedDocument
from shared.store import Fence, get_store

Subject = TypeVar("Subject", bound=FencedDocument)


class Stopping(Exception):  # noqa: N818 - an event rather than an error
    """The operation has been told to stop, and this call may change nothing more."""


@dataclass
class FencedCall(Generic[Subject]):
    """One call of an executor. The document is from the beginning of the call, or from the last `decide`.

    Args:
        call: the activity's input.
        document: the document that fences the operation: that of a cluster or of a site.
        has_read: whether this call has read the document itself. A poll may begin with the version that its process has
            read a moment ago.
    """

    call: Call
    document: Subject = field(repr=False)
    has_read: bool = True
    # The newest version that this call has read.
    _newest: Subject = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Begin with the document that the call began with."""
        self._newest = self.document

    @property
    def fence(self) -> Fence:
        """The right to write this document, and to change things in Azure and in clusters for its operation."""
        return fence_of(self.call)

    @property
    def newest(self) -> Subject:
        """The newest version of the document that this call has read, such as in its last check of the fence."""
        return self._newest

    def decide(self, change: Callable[[Subject], bool]) -> None:
        """Write a decision into the document, under the fence, and read the document back.

        Args:
            change: changes the document, and returns whether it did. It may run several times: first on the newest
                version that this call has read, then on fresh reads, so a decision made meanwhile by others stays.

        Raises:
            FenceMoved: if this attempt was superseded and there is something to write.
        """
        self.document = self._newest = (
            get_store()
            .fenced(self.fence.key)
            .fenced_update(self.fence, lambda document: document if change(document) else None, self._newest)
        )

    def ensure_read(self) -> None:
        """Read the document, unless this call has read it. Without that, it may not write a progress item.

        Raises:
            FenceMoved: if this attempt was superseded.
        """
        if not self.has_read:
            self._read()

    def check_fence(self) -> None:
        """Check the fence right before a change outside the documents of the operation and its owner.

        Clients call this from their pipelines; writes without such a pipeline call it themselves. The progress item is
        written first, so whoever moves the fence after this read finds the step `Running` and waits for it.

        Raises:
            FenceMoved: if this attempt was superseded.
        """
        self.ensure_read()
        progress.begin(self.call)
        self._read()

    def _read(self) -> None:
        self._newest = get_store().fenced(self.fence.key).fenced_read(self.fence)
        self.has_read = True
