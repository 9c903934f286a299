"""What another service publishes and this one needs for every request: certificates, keys.

The first request after an hour reads it again. While the publisher cannot be reached, what was read last is used for a
day.
"""

import logging
import threading
import time
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from shared import deadline, durations
from shared.azure import dependencies

T = TypeVar("T")

_log = logging.getLogger(__name__)


class LastGood(Generic[T]):
    """The last good answer of a publisher, and the time when it was read."""

    def __init__(
        self,
        publisher: str,
        fetch: Callable[[], dict[str, Any]],
        parse: Callable[[dict[str, Any]], T],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin with nothing; the first call fetches it.

        Args:
            publisher: the service that is asked, for messages.
            fetch: asks it.
            parse: makes what is kept of its answer; raises if the answer is not good.
            clock: seconds.
        """
        self._publisher = publisher
        self._fetch = fetch
        self._parse = parse
        self._clock = clock
        self._lock = threading.Lock()
        self._read_at = self._asked_at = self._asks_at = self._failed_at = float("-inf")
        self._found: T | None = None

    def get(self) -> T:
        """Return what is published.

        One thread refreshes it. The others use the last good answer, or wait for that thread if there is none.

        Raises:
            CloudError: 503 if there was no good answer within a day.
        """
        return self._get(lambda: self._asks_at, 0)

    def get_newer(self) -> T:
        """Return what is published now, for a caller that misses something in it. The publisher is asked once a minute.

        Raises:
            CloudError: as above.
        """
        return self._get(
            lambda: self._asked_at + durations.PUBLISHED_AGAIN.total_seconds(), durations.PUBLISHED_WAIT.total_seconds()
        )

    def _get(self, fresh_until: Callable[[], float], patience: float) -> T:
        if not (self._serves() and self._clock() <= fresh_until()):
            with deadline.within(deadline.CALL_SECONDS):
                self._refresh_alone(fresh_until, patience, self._clock())
        if self._found is None or not self._serves():
            raise dependencies.away(self._publisher)
        return self._found

    def _refresh_alone(self, fresh_until: Callable[[], float], patience: float, began: float) -> None:
        seconds = min(patience, deadline.seconds_left()) if self._serves() else deadline.seconds_left()
        if not self._lock.acquire(timeout=max(0, seconds)):
            return
        try:
            # Threads that waited use the result, good or bad, instead of queueing for attempts of their own.
            if self._clock() > fresh_until() or not (self._serves() or self._failed_at > began):
                self._refresh()
        finally:
            self._lock.release()

    def _serves(self) -> bool:
        return self._clock() - self._read_at <= durations.PUBLISHED_KEPT.total_seconds()

    def _refresh(self) -> None:
        try:
            self._found = self._parse(self._fetch())
            self._read_at = self._clock()
            self._asks_at = self._read_at + durations.PUBLISHED_FRESH.total_seconds()
        except Exception:  # noqa: BLE001 - see below
            # Whatever went wrong, the last good answer is better than none. Readiness reports the problem.
            _log.exception("what %s publishes could not be read", self._publisher)
            self._failed_at = self._clock()
            self._asks_at = self._failed_at + durations.PUBLISHED_AGAIN.total_seconds()
        self._asked_at = self._clock()
