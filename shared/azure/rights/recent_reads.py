"""Reads that threads share: what was read within the last minute, or is being read, is not read again."""

import contextvars
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, NamedTuple, TypeVar

from shared import deadline, durations
from shared.azure import dependencies

SERVES_SECONDS = durations.RIGHTS_KEPT.total_seconds()
MOST_READS = 1000
# For all requests of the process. A thread only waits for ARM, and for at most two seconds.
_THREADS = ThreadPoolExecutor(16, thread_name_prefix="arm-read")

Value = TypeVar("Value")


class _Read(NamedTuple, Generic[Value]):
    began: float
    future: Future[Value]


class RecentReads(Generic[Value]):
    """Reads by key, the least recently used out first. Failures are not kept."""

    def __init__(self, clock: Callable[[], float], most: int = MOST_READS) -> None:
        """Begin with none."""
        self._clock = clock
        self._most = most
        self._lock = threading.Lock()
        self._reads: OrderedDict[Hashable, _Read[Value]] = OrderedDict()

    def get(
        self, key: Hashable, read: Callable[[], Value], *, fresh: bool = False, seconds: float = SERVES_SECONDS
    ) -> Future[Value]:
        """Return a read that may still be running; see `wait`.

        It runs in a thread, with the deadline and the correlation of the request that began it.

        Args:
            key: says what is read.
            read: reads it.
            fresh: whether it must begin now, even if there is a recent one.
            seconds: how old a recent one may be.
        """
        with self._lock:
            latest = self._reads.get(key)
            if latest is None or fresh or not self._serves(latest, seconds):
                latest = _Read(self._clock(), _THREADS.submit(contextvars.copy_context().run, read))
                self._reads[key] = latest
            self._reads.move_to_end(key)
            while len(self._reads) > self._most:
                self._reads.popitem(last=False)
        return latest.future

    def _serves(self, read: _Read[Value], seconds: float) -> bool:
        failed = read.future.done() and read.future.exception() is not None
        return not failed and self._clock() - read.began <= seconds


def wait(read: Future[Value]) -> Value:
    """Wait for a shared read and return its value; to be called within a deadline.

    Raises:
        CloudError: 503 `ServiceUnavailable` if ARM is away, or the deadline passes first.
    """
    try:
        return read.result(max(0.0, deadline.seconds_left()))
    except TimeoutError:
        raise dependencies.away(dependencies.ARM) from None
