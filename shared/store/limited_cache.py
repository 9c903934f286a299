"""What a process keeps of documents that it has read, limited by number and size."""

import threading
from collections import OrderedDict
from typing import Generic, TypeVar

Value = TypeVar("Value")


class LimitedCache(Generic[Value]):
    """The values that were used last, by the id of what they belong to."""

    def __init__(self, most: int, most_bytes: int) -> None:
        """Begin with none.

        Args:
            most: how many to keep.
            most_bytes: how large they may be together, as JSON.
        """
        self._most, self._most_bytes = most, most_bytes
        self._lock = threading.Lock()
        self._values: OrderedDict[str, tuple[Value, int]] = OrderedDict()
        self._bytes = 0

    def get(self, name: str) -> Value | None:
        """Return a value, or None if it is not kept."""
        with self._lock:
            entry = self._values.get(name)
            if entry is None:
                return None
            self._values.move_to_end(name)
            return entry[0]

    def put(self, name: str, value: Value, size: int) -> None:
        """Keep a value in place of any former one, and forget those that were not used for longest.

        Args:
            name: the id of what it belongs to.
            value: the value, which nobody changes any more.
            size: its length as JSON.
        """
        with self._lock:
            self._drop(name)
            self._values[name] = (value, size)
            self._bytes += size
            while len(self._values) > self._most or self._bytes > self._most_bytes:
                self._drop(next(iter(self._values)))

    def drop(self, name: str) -> None:
        """Forget a value."""
        with self._lock:
            self._drop(name)

    def _drop(self, name: str) -> None:
        if name in self._values:
            self._bytes -= self._values.pop(name)[1]
