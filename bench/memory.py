"""The memory of all processes during a measurement."""

import threading
from types import TracebackType
from typing import Any, Self

from demo import platform

# The system counts the pages of every process for one figure, so a look costs what the measured processes would use. A
# look every two seconds took 5 to 11 % of the local Azure's CPU.
EVERY_SECONDS = 20


class Watch:
    """Measures at the beginning, every twenty seconds and at the end, in a thread, and keeps the highest figure."""

    def __init__(self, endpoints: dict[str, Any]) -> None:
        self._endpoints = endpoints
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self.peak = 0.0

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        over = False
        while not over:
            self._measure()
            over = self._over.wait(EVERY_SECONDS)
        self._measure()

    def _measure(self) -> None:
        self.peak = max(self.peak, platform.memory(self._endpoints))
