"""Ctrl-C as a call instead of an exception, which would come in the middle of whatever the main thread does."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interrupts(interrupted: Callable[[], None]) -> Iterator[None]:
    """Call a function each time that somebody presses Ctrl-C during the block, which goes on; for the main thread.

    Args:
        interrupted: the function; it may be called between any two instructions of the main thread.
    """

    def handle(_number: int, _frame: FrameType | None) -> None:
        interrupted()

    former = signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, former)
