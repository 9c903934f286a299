"""An operation as lines of text: one bar for each phase, and below those that run, what they wait for.

It is made from the answer of `GET {cluster}/operations/{operation}` alone, so anybody who may read the cluster sees it,
whoever began the operation.
"""

import re
from collections.abc import Iterator
from datetime import datetime

from rich.cells import cell_len
from rich.text import Text

from aroctl.api import Json
from aroctl.output import duration

MARKS = {
    "Succeeded": ("✓", "green"),
    "Failed": ("✗", "red"),
    "Canceled": ("✗", "red"),
    "Running": ("●", "yellow"),
    "NotStarted": ("·", "dim"),
}
ENDED = ("Succeeded", "Failed", "Canceled")
_NAME, _DURATION, _LEAST_BAR = 20, 12, 10
_ACRONYMS = {"acr": "ACR", "api": "API", "dns": "DNS", "nsgs": "NSGs", "vm": "VM"}


def spoken(name: str) -> str:
    """Return the name of a step or phase as people say it: "Deploy network" for `deploy_network_template`."""
    words = " ".join(_ACRONYMS.get(word, word) for word in re.split("[_-]", name.removesuffix("_template")))
    return words[:1].upper() + words[1:]


def headline(name: str, operation: Json, since: float = 0.0) -> str:
    """Return an operation in a sentence.

    Args:
        name: the cluster.
        operation: the operation.
        since: seconds since the service told this.
    """
    status = operation["status"]
    sentence = f"{operation.get('plan', 'operation')} of {name}: {status}"
    took = duration(operation.get("durationSeconds", 0.0) + (0.0 if status in ENDED else since))
    if status not in ENDED:
        return f"{sentence}, {operation.get('percentComplete', 0)} %, {took}"
    longest = max(_begun(operation), key=lambda step: step.get("durationSeconds", 0.0), default=None)
    if longest is None:
        return f"{sentence} after {took}"
    return (
        f"{sentence} after {took}; longest: {spoken(longest['name'])}, {duration(longest.get('durationSeconds', 0.0))}"
    )


def lines(operation: Json, width: int, since: float = 0.0) -> Iterator[Text]:
    """Yield the lines of an operation: its phases, and what runs or has failed in them.

    Args:
        operation: the operation.
        width: of a line, in characters.
        since: seconds since the service told this.
    """
    whole = max(operation.get("durationSeconds", 0.0) + _grown(operation, since), 0.1)
    for phase in operation.get("phases", []):
        yield _line(operation, phase, whole, width, since)
        for step in operation["steps"]:
            if step["phase"] == phase["name"] and step["status"] in ("Running", "Failed", "Canceled"):
                yield _detail(step, width, since)


def is_carried(step: Json) -> bool:
    """Tell whether an earlier operation did the step, and this one does not repeat it."""
    return bool(step["status"] == "Succeeded" and "startTime" not in step)


def _begun(operation: Json) -> list[Json]:
    return [step for step in operation.get("steps", []) if "startTime" in step]


def _grown(what: Json, since: float) -> float:
    return 0.0 if what["status"] in ENDED else since


def _line(operation: Json, phase: Json, whole: float, width: int, since: float) -> Text:
    mark, look = MARKS.get(phase["status"], ("?", ""))
    room = max(width - _NAME - _DURATION - 3, _LEAST_BAR)
    line = Text(no_wrap=True, overflow="ellipsis")
    line.append(f"{mark} ", style=look)
    line.append(_padded(spoken(phase["name"]), _NAME), style="dim" if phase["status"] == "NotStarted" else "")
    if "startTime" not in phase:
        before = phase["status"] == "Succeeded"
        line.append(f" {'done before' if before else ''}", style="dim")
        return line
    lasted = phase.get("durationSeconds", 0.0) + _grown(phase, since)
    begin = int(room * min(_offset(operation, phase) / whole, 1.0))
    length = max(min(round(room * lasted / whole), room - begin), 1)
    line.append(" " + " " * min(begin, room - 1))
    line.append("━" * length, style=look)
    line.append(" " * (room - min(begin, room - 1) - length))
    line.append(duration(lasted).rjust(_DURATION))
    return line


def _detail(step: Json, width: int, since: float) -> Text:
    lasted = duration(step.get("durationSeconds", 0.0) + _grown(step, since))
    again = f", attempt {step['attempt']}" if step.get("attempt", 1) > 1 else ""
    if step["status"] == "Failed":
        what = (step.get("error") or {}).get("code", "failed")
    elif step["status"] == "Canceled":
        what = "canceled"
    else:
        what = f"waits for {step['waitsFor']}" if step.get("waitsFor") else "works"
    line = Text(no_wrap=True, overflow="ellipsis")
    line.append(f"    {spoken(step['name'])} ({lasted}{again}): {what}", style=MARKS[step["status"]][1])
    line.truncate(width, overflow="ellipsis")
    return line


def _offset(operation: Json, phase: Json) -> float:
    begun = datetime.fromisoformat(phase["startTime"]) - datetime.fromisoformat(operation["startTime"])
    return max(begun.total_seconds(), 0.0)


def _padded(text: str, width: int) -> str:
    return text[:width] + " " * max(width - cell_len(text), 0)
