"""Stored documents that could not be read: skipped where many are read, logged with their ids, and shown to operators.

Each process keeps those that it met, so an operator's request shows what one instance knows. The log has all.
"""

import logging
import threading
from collections import OrderedDict
from datetime import UTC, datetime
from typing import TypedDict

# What a document of another shape raises where code uses it.
ERRORS = (AttributeError, LookupError, TypeError, ValueError)
# A process remembers no more than these, the latest.
_MOST = 100

_log = logging.getLogger(__name__)
_lock = threading.Lock()


class Unreadable(TypedDict):
    """A document that was skipped: where it is, why, how often, and when last."""

    container: str
    id: str
    problem: str
    count: int
    lastSeen: str


_met: OrderedDict[tuple[str, str], Unreadable] = OrderedDict()


def note(container: str, document_id: object, problem: str | Exception) -> None:
    """Record that a stored document was skipped because it cannot be read.

    Args:
        container: the container.
        document_id: the document's id.
        problem: what is wrong with it, or the error that it caused; of an error only the type is told, because its text
            may quote the document.
    """
    reason = f"it caused {type(problem).__name__}" if isinstance(problem, Exception) else problem
    key = (container, str(document_id))
    with _lock:
        count = _met[key]["count"] if key in _met else 0
        _met[key] = {
            "container": container,
            "id": key[1],
            "problem": reason,
            "count": count + 1,
            "lastSeen": datetime.now(UTC).isoformat(),
        }
        _met.move_to_end(key)
        if len(_met) > _MOST:
            _met.popitem(last=False)
    _log.error("document %s of container %s cannot be read and is skipped: %s", key[1], container, reason)


def skipped_documents() -> list[Unreadable]:
    """Return the documents that this process has skipped, the latest last."""
    with _lock:
        return [one.copy() for one in _met.values()]


def forget() -> None:
    """Forget all skipped documents."""
    with _lock:
        _met.clear()
