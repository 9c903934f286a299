"""What a replica that lags behind would still answer: kept only while a fault of the kind `stale` is in force."""

import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from emulator.core.faults import Faults
from emulator.core.store import Document


@dataclass(frozen=True)
class Past:
    """A container as it was some writes ago.

    Args:
        number: the last write that is seen.
        documents: each document that changed later, as it was before, by its key in the store; None if it did not exist.
    """

    number: int
    documents: Mapping[str, Document | None]


@dataclass(frozen=True)
class _Change:
    time: float
    number: int
    key: str
    former: Document | None


class FormerStates:
    """The changes of the last seconds in all containers."""

    def __init__(self, faults: Faults, now: Callable[[], float] = time.monotonic) -> None:
        self._faults = faults
        self._now = now
        self._changes: deque[_Change] = deque()

    def note(self, number: int, key: str, former: Document | None) -> None:
        """Keep what a write replaces, for as long as a fault lets reads lag behind."""
        now, lags = self._now(), [fault.delay_seconds for fault in self._faults.list() if fault.kind == "stale"]
        while self._changes and self._changes[0].time < now - max(lags, default=0):
            self._changes.popleft()
        if lags:
            self._changes.append(_Change(now, number, key, former))

    def past(self, prefix: str, lag_seconds: float, seen: int) -> Past | None:
        """Return a container as it was, or None if nothing has changed since."""
        since = self._now() - lag_seconds
        unseen = [
            change
            for change in self._changes
            if change.key.startswith(prefix) and change.number > seen and change.time >= since
        ]
        if not unseen:
            return None
        # The first change of a document tells how it was before all of them.
        return Past(unseen[0].number - 1, {change.key: change.former for change in reversed(unseen)})
