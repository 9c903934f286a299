"""Follows an operation step by step, as an operator of the service sees it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from textwrap import shorten
from typing import TYPE_CHECKING, Any

import requests
from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.table import Table

from demo import report
from shared.json_object import Json

if TYPE_CHECKING:
    from azure.core.polling import LROPoller

LOOK_SECONDS = 0.3
LONGEST_SHOWN = 120
MARKS = {
    "Succeeded": "[green]done[/]",
    "Failed": "[red]failed[/]",
    "Canceled": "[red]canceled[/]",
    "Running": "[yellow]running[/]",
    "NotStarted": "[dim]-[/]",
}


class Operations:
    """The service's own view of its operations, which requires an operator's certificate."""

    def __init__(self, endpoints: Json, cluster_id: str) -> None:
        self._session = requests.Session()
        # The service is on this machine, so a proxy or a CA from the shell must not apply.
        self._session.trust_env = False
        self._session.cert = (endpoints["admin_client_cert"], endpoints["admin_client_key"])
        self._session.verify = endpoints["rp_ca_bundle"]
        self._address = f"{endpoints['rp']}/sre{cluster_id}/operations"

    def get(self, operation_id: str) -> Json:
        """Return an operation with its steps."""
        answer = self._session.get(f"{self._address}/{operation_id}", timeout=30)
        answer.raise_for_status()
        document: Json = answer.json()
        return document


def follow(operations: Operations, operation_id: str, poller: "LROPoller[Any]", console: Console) -> Json:
    """Show the steps of an operation until it ends; return its last state.

    Args:
        operations: the service's operations.
        operation_id: the operation.
        poller: the SDK's poller of it.
        console: where to show them.
    """
    with _display(console) as show:
        while True:
            over = poller.done()
            operation = operations.get(operation_id)
            show(operation)
            if over:
                return operation
            time.sleep(LOOK_SECONDS)


@contextmanager
def _display(console: Console) -> Iterator[Any]:
    """Yield a function that shows one state: on a terminal in a table that updates in place, else line by line."""
    if not console.is_terminal:
        yield _Lines(console)
        return
    with Live(console=console, refresh_per_second=8) as live:
        yield lambda operation: live.update(table(operation, folded="endTime" not in operation))


class _Lines:
    """Prints a line when a step ends, or when its waiting message changes."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._ended: set[str] = set()
        self._said: dict[str, str] = {}
        self._began = time.monotonic()

    def __call__(self, operation: Json) -> None:
        for step in operation["steps"]:
            name, status = step["name"], step["status"]
            if "endTime" in step and name not in self._ended:
                self._ended.add(name)
                self._print(step, f"{MARKS[status]} in {step['durationSeconds']:.1f} s")
            said = step.get("message", "")
            if status == "Running" and said not in ("", self._said.get(name)):
                self._said[name] = said
                self._print(step, escape(_short(said)))

    def _print(self, step: Json, text: str) -> None:
        since = time.monotonic() - self._began
        self._console.print(f"{since:6.1f} s  {step['phase']:16} {step['name']:38} {text}")


def table(operation: Json, *, folded: bool = False) -> Table:
    """Return the table of an operation's steps: phase, step, state, start, duration.

    Args:
        operation: as `Operations.get` returns it.
        folded: whether phases in which nothing runs are shortened to one line, so that everything fits on a terminal.
    """
    shown = Table(box=None, header_style="bold", pad_edge=False)
    headings = ("phase", "step", "state", "start", "duration") + (() if "endTime" in operation else ("waits for",))
    for heading in headings:
        shown.add_column(heading, justify="right" if heading in ("start", "duration") else "left", no_wrap=True)
    for phase in operation["phases"]:
        steps = [step for step in operation["steps"] if step["phase"] == phase["name"]]
        if folded and phase["status"] in ("Succeeded", "NotStarted"):
            steps = [{**phase, "name": f"{len(steps)} step{'s' if len(steps) > 1 else ''}"}]
        for number, step in enumerate(steps):
            cells = (
                "" if number else phase["name"],
                step["name"],
                MARKS[step["status"]],
                _start(operation, step),
                f"{step['durationSeconds']:.1f} s" if "durationSeconds" in step else "",
                escape(_short(step.get("message") or step["waitsFor"])) if step["status"] == "Running" else "",
            )
            shown.add_row(*cells[: len(headings)])
    return shown


def _start(operation: Json, step: Json) -> str:
    if report.is_carried(step):
        return "before"
    return f"{_seconds(operation['startTime'], step['startTime']):.1f} s" if "startTime" in step else ""


def _short(text: str) -> str:
    """Return a text on one line, shortened, because a wait's message may be long."""
    return shorten(text, LONGEST_SHOWN, placeholder=" ...")


def _seconds(start: str, end: str) -> float:
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
