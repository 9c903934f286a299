"""Races for a document: who loses one reads the document again, and decides again."""

from collections.abc import Callable

from frontend.messages import Reply
from shared.arm.errors import conflict
from shared.store import UPDATE_TRIES, Conflict, NotFound, PreconditionFailed

LOST = (Conflict, NotFound, PreconditionFailed)


def repeat_until_written(what: str, decide: Callable[[], Reply]) -> Reply:
    """Read, decide and write, and begin again if another request was faster.

    Args:
        what: the document, as the error calls it.
        decide: reads the document, decides, and writes it under the ETag that it has read; it may run several times.

    Raises:
        CloudError: 409 `Conflict` if every race was lost.
    """
    for _ in range(UPDATE_TRIES):
        try:
            return decide()
        except LOST:
            continue
    raise conflict(f"{what} was changed by other requests at the same time. Try again.")
