"""The picture of an operation: one bar per row, what each wait waits for, and the chain that decided the total time.

It is drawn only from the answer of `GET /sre{cluster id}/operations/{operation id}`, or of one on a site, so it can be
made for any operation, even one that failed or still runs:

    python -m demo.timeline OPERATION.json > create.svg
    python -m demo.timeline /subscriptions/.../openShiftClusters/demo/operations/ID --state .local/demo > create.svg

The SVG contains no script and no font, and has colours for light and dark pages.
"""

import argparse
import json
import sys
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from demo.svg import CHARACTER, child, definitions, style, text

Json = dict[str, Any]

# Pixels: the columns of names, bars and durations, and the height of a row without and with a label below its bar.
LEFT, CHART, RIGHT, HEAD = 262, 720, 64, 96
LOW, HIGH, BAR, PHASE = 18, 32, 11, 26
WIDTH, CHART_END = LEFT + CHART + RIGHT, LEFT + CHART
_MOST_TICKS = 10
_NICE = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200)


@dataclass(frozen=True)
class Lane:
    """One row of the picture: its step, its position, and its begin and end in seconds (None if it has no bar)."""

    step: Json
    y: float
    label: str
    begin: float | None
    end: float
    critical: bool

    @property
    def middle(self) -> float:
        """The vertical middle of its bar."""
        return self.y + LOW / 2


def render(operation: Json) -> str:
    """Return the SVG of an operation's report."""
    critical = critical_path(operation)
    span = max([_end(operation, step) for step in operation["steps"]] + [operation.get("durationSeconds", 0.0), 0.1])
    lanes, headings, height = _lanes(operation, critical)
    name = operation.get("site") or operation.get("clusterId", "").rsplit("/", 1)[-1]
    told = f"{operation.get('plan', 'operation')} of {name}: {operation['status']}, {_duration(operation, span)}"
    svg = ET.Element(
        "svg", xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {WIDTH} {height:g}", width=str(WIDTH),
        height=f"{height:g}", role="img",
    )  # fmt: skip
    child(svg, "title", told)
    child(svg, "style", style())
    definitions(svg)
    child(svg, "rect", classes="page", x=0, y=0, width=WIDTH, height=height)
    text(svg, "heading", 12, 22, told)
    _legend(svg)
    _axis(svg, span, height, operation.get("timeScale") or 1)
    for phase, y in headings:
        text(svg, "phase", 12, y + 17, phase)
        child(svg, "line", classes="rule", x1=12, x2=WIDTH - 12, y1=y + 22, y2=y + 22)
    _links(svg, lanes, span)
    for lane in lanes:
        _draw(svg, lane, operation, span)
    _footer(svg, operation, height)
    ET.indent(svg)
    return ET.tostring(svg, encoding="unicode") + "\n"


def critical_path(operation: Json) -> list[str]:
    """Return the names of the steps that decided the end: the last to end, what it waited for last, and so on."""
    steps = {step["name"]: step for step in operation["steps"]}
    last = max((step for step in steps.values() if "startTime" in step), key=lambda s: _end(operation, s), default=None)
    path: list[str] = []
    while last is not None:
        path.append(last["name"])
        last = _waited_on(operation, last, steps)
    return path[::-1]


def _waited_on(operation: Json, step: Json, steps: dict[str, Json]) -> Json | None:
    """Return the step whose end allowed this one to begin."""
    needs = [steps[name] for name in step.get("needs", ()) if "startTime" in steps.get(name, {})]
    return max(needs, key=lambda need: _end(operation, need), default=None)


def is_wait(step: Json) -> bool:
    """Tell whether a step waited: it only polls, or was polled more than once."""
    return bool(step["kind"] != "action" or step.get("polls", 0))


def _lanes(operation: Json, critical: list[str]) -> tuple[list[Lane], list[tuple[str, float]], float]:
    """Lay out the steps, each phase in the order of begin; return lanes, phases and the total height."""
    lanes, headings, y = [], [], float(HEAD)
    for phase in operation["phases"]:
        headings.append((phase["name"], y))
        y += PHASE
        steps = [step for step in operation["steps"] if step["phase"] == phase["name"]]
        for step in sorted(steps, key=lambda step: step.get("startTime", "~")):
            begin = _begin(operation, step) if "startTime" in step else None
            label = _label(step)
            lanes.append(Lane(step, y, label, begin, _end(operation, step), step["name"] in critical))
            y += HIGH if label else LOW
        y += 6
    return lanes, headings, y + 16 * bool(operation.get("skipped")) + 10


def _label(step: Json) -> str:
    again = f"attempt {step['attempt']}: " if step.get("attempt", 1) > 1 else ""
    if step["status"] == "Failed":
        error = step.get("error") or {}
        return f"{again}failed: {error.get('code', '')} {error.get('message') or step.get('message', '')}".strip()
    if step["status"] == "Canceled":
        return f"{again}canceled: {step.get('message', '')}"
    if step["status"] == "NotStarted":
        return "not begun"
    if "startTime" not in step:
        return str(step.get("message", "done by an earlier operation"))
    if is_wait(step):
        return f"{again}waits for {step.get('waitsFor', 'what it began')}"
    return f"{again}run again" if again else ""


def _draw(svg: ET.Element, lane: Lane, operation: Json, span: float) -> None:
    step = lane.step
    group = child(svg, "g", classes="row critical" if lane.critical else "row", id=f"row-{step['name']}")
    child(group, "title", _hover(operation, lane))
    text(group, "name", LEFT - 10, lane.middle + 3.5, step["name"], anchor="end")
    x = _x(lane.begin or 0.0, span)
    if lane.begin is None:
        if step["status"] == "Succeeded":
            diamond = f"M{x:.1f} {lane.middle:.1f} l4 -4 l4 4 l-4 4 z"
            child(group, "path", classes="carried", d=diamond)
    else:
        width = max(_x(lane.end, span) - x, 1.5)
        look = {"Failed": "failed", "Canceled": "canceled"}.get(step["status"], "wait" if is_wait(step) else "work")
        child(group, "rect", classes=f"bar {look}", rx=2, x=x, y=lane.middle - BAR / 2, width=width, height=BAR)
        text(group, "figure", WIDTH - 12, lane.middle + 3.5, _span_text(lane.end - lane.begin), anchor="end")
    if lane.label:
        room = int(CHART / CHARACTER["label"])
        label = lane.label if len(lane.label) <= room else f"{lane.label[: room - 2]} …"
        fits = x + len(label) * CHARACTER["label"] <= CHART_END
        look = "label failed" if step["status"] == "Failed" else "label"
        text(group, look, x if fits else CHART_END, lane.y + LOW + 8, label, anchor="start" if fits else "end")


def _hover(operation: Json, lane: Lane) -> str:
    step = lane.step
    lines = [f"{step['name']}: {step['status']}"]
    if lane.begin is not None:
        scale = operation.get("timeScale") or 1
        azure = f" ({_span_text((lane.end - lane.begin) * scale)} at Azure's pace)" if scale != 1 else ""
        lines.append(f"from {lane.begin:.1f} s, for {_span_text(lane.end - lane.begin)}{azure}")
        lines.append(f"polls: {step.get('polls', 0)}, attempt: {step.get('attempt', 1)}")
    if step.get("needs"):
        lines.append(f"needs: {', '.join(step['needs'])}")
    for member, words in (("waitsFor", "waits for"), ("message", "message")):
        if step.get(member):
            lines.append(f"{words}: {step[member]}")
    if step.get("error"):
        lines.append(f"error: {step['error'].get('code')}: {step['error'].get('message')}")
    return "\n".join(lines)


def _links(svg: ET.Element, lanes: list[Lane], span: float) -> None:
    """Draw an arrow to each bar, from the end of the step that it waited for last."""
    by_name = {lane.step["name"]: lane for lane in lanes if lane.begin is not None}
    for lane in by_name.values():
        needs = [by_name[name] for name in lane.step.get("needs", ()) if name in by_name]
        if not needs or lane.begin is None:
            continue
        need = max(needs, key=lambda need: need.end)
        look = "critical" if lane.critical and need.critical else "plain"
        down = lane.middle > need.middle
        tip = lane.middle - BAR / 2 if down else lane.middle + BAR / 2
        path = f"M{_x(need.end, span):.1f} {need.middle:.1f} H{_x(lane.begin, span) + 1:.1f} V{tip:.1f}"
        child(svg, "path", classes=f"link {look}", d=path, marker_end=f"url(#tip-{look})")


def _axis(svg: ET.Element, span: float, height: float, scale: float) -> None:
    step = next((nice for nice in _NICE if span / nice <= _MOST_TICKS), _NICE[-1])
    text(svg, "figure", LEFT - 10, HEAD - 24, "seconds of this run", anchor="end")
    if scale != 1:
        text(svg, "figure", LEFT - 10, HEAD - 10, f"at Azure's pace, times {scale:g}", anchor="end")
    second = 0
    while second <= span:
        x = _x(second, span)
        child(svg, "line", classes="grid", x1=x, x2=x, y1=HEAD - 6, y2=height - 6)
        text(svg, "figure", x, HEAD - 24, f"{second}", anchor="middle")
        if scale != 1:
            text(svg, "figure", x, HEAD - 10, _span_text(second * scale) if second else "0", anchor="middle")
        second += step


def _legend(svg: ET.Element) -> None:
    x = 12.0
    for look, words in (
        ("bar work", "works"),
        ("bar wait", "waits"),
        ("bar failed", "failed"),
        ("bar canceled", "canceled"),
    ):
        child(svg, "rect", classes=look, rx=2, x=x, y=37, width=18, height=BAR)
        text(svg, "label", x + 23, 46, words)
        x += 23 + (len(words) + 3) * CHARACTER["label"]
    child(svg, "path", classes="carried", d=f"M{x:.1f} 42.5 l4 -4 l4 4 l-4 4 z")
    text(svg, "label", x + 13, 46, "done by an earlier operation")
    x += 13 + 31 * CHARACTER["label"]
    child(svg, "path", classes="link plain", d=f"M{x:.1f} 42.5 h18", marker_end="url(#tip-plain)")
    text(svg, "label", x + 26, 46, "let the next begin")
    x += 26 + 21 * CHARACTER["label"]
    child(svg, "path", classes="link critical", d=f"M{x:.1f} 42.5 h18", marker_end="url(#tip-critical)")
    text(svg, "label", x + 26, 46, "critical path: what decided the end")


def _footer(svg: ET.Element, operation: Json, height: float) -> None:
    skipped = operation.get("skipped") or ()
    if skipped:
        told = "left out: " + "; ".join(f"{row['name']} ({row['reason']})" for row in skipped)
        room = int((WIDTH - 24) / CHARACTER["label"])
        text(svg, "label", 12, height - 10, told if len(told) <= room else f"{told[: room - 2]} …")


def _x(seconds: float, span: float) -> float:
    return LEFT + CHART * seconds / span


def _begin(operation: Json, step: Json) -> float:
    began = datetime.fromisoformat(step["startTime"]) - datetime.fromisoformat(operation["startTime"])
    return max(began.total_seconds(), 0.0)


def _end(operation: Json, step: Json) -> float:
    return _begin(operation, step) + float(step.get("durationSeconds", 0.0)) if "startTime" in step else 0.0


def _duration(operation: Json, span: float) -> str:
    scale = operation.get("timeScale") or 1
    took = f"{_span_text(operation.get('durationSeconds', span))}"
    return f"{took}, {scale:g} times faster than Azure" if scale != 1 else took


def _span_text(seconds: float) -> str:
    minute = 60
    if seconds < minute:
        return f"{seconds:.1f} s"
    return f"{seconds / minute:.1f} min".replace(".0 ", " ")


def main() -> int:
    """Write the picture of one operation to standard output."""
    parser = argparse.ArgumentParser(prog="python -m demo.timeline", description="Draw an operation as SVG.")
    parser.add_argument("operation", help="file with its report, - for standard input, or its path on a local Azure")
    parser.add_argument("--state", type=Path, default=Path(".local"), help="folder of that local Azure (it must run)")
    options = parser.parse_args()
    sys.stdout.write(render(_read(options.operation, options.state)))
    return 0


def _read(source: str, state: Path) -> Json:
    if source.lower().startswith("/subscriptions/"):
        from demo.watch import Operations  # noqa: PLC0415 - only a path on a local Azure needs an HTTP client

        cluster_id, _, operation_id = source.partition("/operations/")
        return Operations(json.loads((state / "endpoints.json").read_text(encoding="utf-8")), cluster_id).get(
            operation_id
        )
    text = sys.stdin.read() if source == "-" else Path(source).read_text(encoding="utf-8")
    operation: Json = json.loads(text)
    return operation


if __name__ == "__main__":
    sys.exit(main())
