"""What the report of an operation says: times, waits, the chain that decided the end, the error, and names for people.

The report is the answer of `GET /sre{cluster id}/operations/{operation id}`, or of an operation on a site.
"""

import re
from collections.abc import Iterator
from datetime import datetime

from shared.json_object import Json

_ACRONYMS = {"acr": "ACR", "api": "API", "dns": "DNS", "nsgs": "NSGs", "vm": "VM"}
# Members of an error's details that the picture has elsewhere, or that only programs and logs need.
_TECHNICAL = ("Step", "CorrelationId", "Owner")
_MINUTE, _HOUR = 60, 3600


def spoken(operation: Json, name: str) -> str:
    """Return the name of a step or phase as people say it: "Deploy network" for `deploy_network_template`.

    The names in a site are its author's own words, and stay.
    """
    if operation.get("site"):
        return name
    words = re.split("[_-]", name.removesuffix("_template"))
    said = " ".join(_ACRONYMS.get(word, word) for word in words)
    return said[:1].upper() + said[1:]


def _subject(operation: Json, name: str) -> str:
    """Return what a step is about: "network" for `deploy_network_template`, "console" for `console_ready`."""
    condition = re.sub("_(ready|exists)$", "", name)
    said = spoken(operation, condition)
    if operation.get("site") or condition != name:
        return said
    return re.sub(r"^(Look up|\w+) (?=.)", "", said)


def begin(operation: Json, step: Json) -> float:
    """Return when a step began, in seconds of the operation."""
    began = datetime.fromisoformat(step["startTime"]) - datetime.fromisoformat(operation["startTime"])
    return max(began.total_seconds(), 0.0)


def end(operation: Json, step: Json) -> float:
    """Return when a step ended, in seconds of the operation; 0 for one that has not begun."""
    return begin(operation, step) + float(step.get("durationSeconds", 0.0)) if "startTime" in step else 0.0


def span(operation: Json) -> float:
    """Return how many seconds the operation has taken."""
    ends = [end(operation, step) for step in operation["steps"]]
    return float(max([*ends, operation.get("durationSeconds", 0.0)]))


def is_wait(step: Json) -> bool:
    """Tell whether a step waited: it only polls, or was polled more than once."""
    return bool(step["kind"] != "action" or step.get("polls", 0))


def is_carried(step: Json) -> bool:
    """Tell whether an earlier operation did the step, so that this one, which continues that, does not repeat it."""
    return bool(step["status"] == "Succeeded" and "startTime" not in step)


def critical_path(operation: Json) -> list[str]:
    """Return the names of the steps that decided the end: the last to end, what it waited for last, and so on."""
    steps = {step["name"]: step for step in operation["steps"]}
    begun = (step for step in steps.values() if "startTime" in step)
    last = max(begun, key=lambda step: end(operation, step), default=None)
    path: list[str] = []
    while last is not None:
        path.append(last["name"])
        last = max(_needs(last, steps), key=lambda need: end(operation, need), default=None)
    return path[::-1]


def _needs(step: Json, steps: dict[str, Json]) -> list[Json]:
    return [steps[name] for name in step.get("needs", ()) if "startTime" in steps.get(name, {})]


def pace(operation: Json, step: Json) -> float:
    """Return how many seconds a step would take at Azure's pace: a wait is scaled, the product's own work is not."""
    scale = operation.get("timeScale") or 1
    return float(step.get("durationSeconds", 0.0)) * (scale if is_wait(step) else 1)


def span_at_azures_pace(operation: Json) -> float:
    """Return how many seconds the operation would take at Azure's pace, its steps as far apart as they were."""
    steps = {step["name"]: step for step in operation["steps"]}
    ends: dict[str, float] = {}
    begun = [step for step in steps.values() if "startTime" in step]
    for step in sorted(begun, key=lambda step: begin(operation, step)):
        needs = _needs(step, steps)
        gap = begin(operation, step) - max((end(operation, need) for need in needs), default=0.0)
        before = max((ends.get(need["name"], 0.0) for need in needs), default=0.0)
        ends[step["name"]] = before + max(gap, 0.0) + pace(operation, step)
    rest = span(operation) - max((end(operation, step) for step in begun), default=0.0)
    return max(ends.values(), default=0.0) + rest


def headline(operation: Json) -> str:
    """Return the operation in a sentence: what came out, how long it took, and what the time went into.

    The waits are those of the critical path; the rest of the time is the product's own work, which includes its calls.
    """
    name = operation.get("site") or operation.get("clusterId", "").rsplit("/", 1)[-1]
    told = f"{operation.get('plan', 'operation')} of {name}: {operation['status']}, {_figure(span(operation))}"
    steps = {step["name"]: step for step in operation["steps"]}
    path = [steps[name] for name in critical_path(operation)]
    if not path:
        return told
    waits = sum(float(step.get("durationSeconds", 0.0)) for step in path if is_wait(step))
    longest = max(path, key=lambda step: float(step.get("durationSeconds", 0.0)))
    whom = "" if operation.get("site") else " for Azure and OpenShift"
    # The two rounded figures add up to the whole.
    own = max(round(span(operation)) - round(waits), 0)
    return (
        f"{told}: {_figure(waits)} waiting{whom}, {_figure(own)} own work; "
        f"longest: {_subject(operation, longest['name'])}"
    )


def _figure(seconds: float) -> str:
    """Return a duration without what is too small to matter in a sum."""
    return f"{seconds:.0f} s" if seconds < 2 * _MINUTE else duration(seconds)


def cause(operation: Json) -> Iterator[str]:
    """Yield the error of the operation whole, then what to do: a paragraph each."""
    error = operation.get("error")
    if not error:
        return
    yield f"{error['code']}: {error['message']}"
    for detail in error.get("details") or ():
        if detail["code"] not in _TECHNICAL and detail["message"] not in error["message"]:
            yield f"{detail['code']}: {detail['message']}"


def duration(seconds: float) -> str:
    """Return a duration for people."""
    if seconds < _MINUTE:
        return f"{seconds:.1f} s"
    if seconds < _HOUR:
        return f"{seconds / _MINUTE:.1f} min".replace(".0 ", " ")
    return f"{seconds / _HOUR:.1f} h".replace(".0 ", " ")
