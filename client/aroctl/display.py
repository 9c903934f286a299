"""Shows an operation while it runs: in a terminal as a timeline that moves, in a pipe as a line for each event."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Protocol

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from aroctl import timeline
from aroctl.api import Json
from aroctl.output import duration
from aroctl.progress import Progress, console

_REFRESH = 4
_ENDINGS = {"Succeeded": "done", "Failed": "failed", "Canceled": "canceled"}


class Display(Progress, Protocol):
    """Shows an operation, and what happens to the requests about it."""

    def show(self, operation: Json) -> None:
        """Show the operation as the service has just told it."""


@contextmanager
def operation_display(name: str) -> Iterator[Display]:
    """Give the display of an operation on a cluster."""
    err = console()
    if not err.is_terminal:
        yield _Lines(err, name)
        return
    moving = _Moving(err, name)
    with Live(get_renderable=moving.render, console=err, refresh_per_second=_REFRESH, transient=True):
        yield moving
    moving.leave()


class _Moving:
    """The timeline of a terminal. Between two answers of the service its figures go on."""

    def __init__(self, err: Console, name: str) -> None:
        self._console, self._name = err, name
        self._operation: Json = {}
        self._seen = time.monotonic()
        self._note = ""

    def show(self, operation: Json) -> None:
        self._operation, self._seen, self._note = operation, time.monotonic(), ""

    def note(self, text: str) -> None:
        self._note = text

    def busy(self, _what: str) -> nullcontext[None]:
        return nullcontext()

    def render(self) -> Group:
        if not self._operation:
            return Group(Text(self._note or "Asking the service ...", style="dim"))
        since = time.monotonic() - self._seen
        lines = [Text(timeline.headline(self._name, self._operation, since), style="bold")]
        lines += timeline.lines(self._operation, self._console.width, since)
        return Group(*lines, *([Text(self._note, style="yellow")] if self._note else []))

    def leave(self) -> None:
        """Leave the last state behind, without what was only met on the way."""
        self._note = ""
        if self._operation:
            self._seen = time.monotonic()
            self._console.print(self.render(), soft_wrap=False)


class _Lines:
    """Lines for a pipe or a file: when a step ends, when one waits, and what was met on the way."""

    def __init__(self, err: Console, name: str) -> None:
        self._console, self._name = err, name
        self._told: set[tuple[str, str]] = set()
        self._ended = False

    def show(self, operation: Json) -> None:
        for step in operation.get("steps", []):
            status, waits = step["status"], step.get("waitsFor", "")
            if timeline.is_carried(step) or status == "NotStarted":
                continue
            if status in _ENDINGS:
                self._once(operation, step, f"{_ENDINGS[status]} in {duration(step.get('durationSeconds', 0.0))}")
            elif waits:
                self._once(operation, step, f"waits for {waits}")
        if operation["status"] in timeline.ENDED and not self._ended:
            self._ended = True
            self.note(timeline.headline(self._name, operation))

    def note(self, text: str) -> None:
        self._console.print(text, markup=False)

    def busy(self, _what: str) -> nullcontext[None]:
        return nullcontext()

    def _once(self, operation: Json, step: Json, text: str) -> None:
        what = text.partition(" in ")[0] if step["status"] in _ENDINGS else text
        if (step["name"], what) not in self._told:
            self._told.add((step["name"], what))
            since = duration(operation.get("durationSeconds", 0.0))
            self.note(f"{since:>12}  {step['name']}: {text}")
