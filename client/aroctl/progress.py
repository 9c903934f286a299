"""What is shown on standard error while something takes its time; standard output has results alone."""

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from rich.console import Console

# Nothing that takes longer is silent.
SILENCE_SECONDS = 2.0


class Progress(Protocol):
    """Shows that something goes on."""

    def note(self, text: str) -> None:
        """Show why it takes longer: what was met, and what is done about it."""

    def busy(self, what: str, /) -> AbstractContextManager[None]:
        """Show what is being done during the block."""


def console() -> Console:
    """Return standard error. Only a terminal has a right edge: nothing is folded in a pipe or a file."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


class Spinner:
    """The progress of a single request: nothing for two seconds, then what is asked."""

    def __init__(self) -> None:
        self._console = console()

    def note(self, text: str) -> None:
        """Print a line."""
        self._console.print(text, markup=False)

    @contextmanager
    def busy(self, what: str) -> Iterator[None]:
        """Show what is being done, once it takes longer than a moment."""
        over = threading.Event()
        shows = threading.Thread(target=self._show, args=(what, over), daemon=True)
        shows.start()
        try:
            yield
        finally:
            over.set()
            shows.join()

    def _show(self, what: str, over: threading.Event) -> None:
        if over.wait(SILENCE_SECONDS):
            return
        if not self._console.is_terminal:
            self.note(f"{what} ...")
            return
        with self._console.status(what):
            over.wait()
