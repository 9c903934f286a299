"""The memory of all processes during a measurement."""

import threading
from types import TracebackType
from typing import Any, Self

from demo import platform

EVERY_SECONDS = 2


class Watch:
    """Measures every other second, in a separate thread, and keeps the highest figure."""

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
        while True:
            self.peak = max(self.peak, platform.memory(self._endpoints))
            if self._over.wait(EVERY_SECONDS):
                return
