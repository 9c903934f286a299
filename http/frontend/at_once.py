"""Calls to several dependencies at the same time, each in a thread of its own."""

import contextvars
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def at_once(calls: Sequence[Callable[[], T]]) -> list[T]:
    """Return what each function returns. If several raise, the exception is that of the first of them in this order."""
    with ThreadPoolExecutor(max(1, len(calls))) as threads:
        asked = [threads.submit(contextvars.copy_context().run, each) for each in calls]
        return [each.result() for each in asked]
