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
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from demo import report
from demo.svg import CHARACTER, child, definitions, style, text
from shared.json_object import Json

# Pixels: the columns of names, bars and durations; the heights of a line of the title, of what is below it, of a row
# without and with a label below its bar, and so on.
LEFT, CHART, COLUMN = 250, 680, 62
TITLE, HEAD, LOW, HIGH, BAR, PHASE, LINE = 20, 92, 18, 32, 11, 26, 14
CHART_END = LEFT + CHART
WIDTH = CHART_END + 2 * COLUMN
_MOST_TICKS = 10
_NICE = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 18000, 36000, 86400)
# Ticks are counted in the largest unit that their distance is a multiple of, so that they stay round.
_UNITS = ((3600, "hours"), (60, "minutes"), (1, "seconds"))


@dataclass(frozen=True)
class Lane:
    """One row of the picture: its step, its position, and its begin and end in seconds."""

    step: Json
    y: float
    label: str
    begin: float
    end: float
    critical: bool

    @property
    def middle(self) -> float:
        """The vertical middle of its bar."""
        return self.y + LOW / 2


def render(operation: Json) -> str:
    """Return the SVG of an operation's report."""
    span = max(report.span(operation), 0.1)
    told = report.headline(operation)
    titles, cause = _lines([told], "heading"), _lines(report.cause(operation))
    before = _Fold("carried", "done before, by an earlier operation", operation, report.is_carried)
    never = _Fold("unbegun", "not begun", operation, lambda step: step["status"] == "NotStarted")
    skipped = _lines(_skipped(operation))
    top = TITLE * len(titles)
    head = top + HEAD + LINE * len(cause) + 4 * bool(cause)
    lanes, headings, foot = _lanes(operation, head + LOW * bool(before.steps))
    height = foot + LOW * bool(never.steps) + LINE * len(skipped) + 10
    svg = ET.Element(
        "svg", xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {WIDTH} {height:g}", width=str(WIDTH),
        height=f"{height:g}", role="img",
    )  # fmt: skip
    child(svg, "title", told)
    child(svg, "style", style())
    definitions(svg)
    child(svg, "rect", classes="page", x=0, y=0, width=WIDTH, height=height)
    _write(svg, "heading", TITLE + 2, titles, TITLE)
    _write(svg, "label", top + 20, _lines([_pace(operation)]))
    _write(svg, "label cause", top + 40, cause)
    _legend(svg, head - 52)
    _axis(svg, span, head, foot, scaled=_scale(operation) != 1)
    before.draw(svg, head)
    for phase, y in headings:
        text(svg, "phase", 12, y + 17, report.spoken(operation, phase))
        child(svg, "line", classes="rule", x1=12, x2=WIDTH - 12, y1=y + 22, y2=y + 22)
    _links(svg, lanes, span)
    for lane in lanes:
        _draw(svg, lane, operation, span)
    never.draw(svg, foot)
    _write(svg, "label", height - 6 - LINE * len(skipped) + 10, skipped)
    ET.indent(svg)
    return ET.tostring(svg, encoding="unicode") + "\n"


class _Fold:
    """Steps that are told in one line, because nothing of them happened in this operation."""

    def __init__(self, look: str, words: str, operation: Json, belongs: Callable[[Json], bool]) -> None:
        self.look, self._words, self._operation = look, words, operation
        self.steps = [step for step in operation["steps"] if belongs(step)]

    def draw(self, svg: ET.Element, y: float) -> None:
        """Draw the line, if there are any; its tooltip names them."""
        if not self.steps:
            return
        phases = Counter(report.spoken(self._operation, step["phase"]) for step in self.steps)
        where = ", ".join(f"{phase} {number}" for phase, number in phases.items())
        group = child(svg, "g", classes="fold", id=f"fold-{self.look}")
        child(group, "title", "\n".join(step["name"] for step in self.steps))
        if self.look == "carried":
            child(group, "path", classes="carried", d=f"M12 {y + 9:.1f} l4 -4 l4 4 l-4 4 z")
        plural = "s" if len(self.steps) > 1 else ""
        text(
            group,
            "label",
            24 if self.look == "carried" else 12,
            y + 12.5,
            f"{len(self.steps)} step{plural} {self._words} ({where})",
        )


def _lines(paragraphs: Iterable[str], look: str = "label") -> list[str]:
    """Return paragraphs as lines that fit into the picture."""
    room = int((WIDTH - 24) / CHARACTER[look])
    return [line for paragraph in paragraphs for line in textwrap.wrap(paragraph, room)]


def _write(svg: ET.Element, look: str, y: float, lines: list[str], distance: int = LINE) -> None:
    for number, line in enumerate(lines):
        text(svg, look, 12, y + distance * number, line)


def _skipped(operation: Json) -> Iterator[str]:
    rows = operation.get("skipped") or ()
    if rows:
        yield "left out: " + "; ".join(f"{report.spoken(operation, row['name'])} ({row['reason']})" for row in rows)


def _scale(operation: Json) -> float:
    return float(operation.get("timeScale") or 1)


def _pace(operation: Json) -> str:
    """Return how this run compares with Azure."""
    scale = _scale(operation)
    if scale == 1:
        return ""
    took = report.duration(report.span_at_azures_pace(operation))
    return f"At Azure's pace about {took}: waits take {scale:g} times as long there, own work as long as here."


def _lanes(operation: Json, y: float) -> tuple[list[Lane], list[tuple[str, float]], float]:
    """Lay out the steps that have begun, each phase in the order of begin; return lanes, phases, and where they end."""
    lanes, headings, critical = [], [], report.critical_path(operation)
    for phase in operation["phases"]:
        begun = [step for step in operation["steps"] if step["phase"] == phase["name"] and "startTime" in step]
        if not begun:
            continue
        headings.append((phase["name"], y))
        y += PHASE
        for step in sorted(begun, key=lambda step: step["startTime"]):
            label, times = _label(operation, step), (report.begin(operation, step), report.end(operation, step))
            lanes.append(Lane(step, y, label, *times, step["name"] in critical))
            y += HIGH if label else LOW
        y += 6
    return lanes, headings, y


def _label(operation: Json, step: Json) -> str:
    again = f"attempt {step['attempt']}: " if step.get("attempt", 1) > 1 else ""
    if step["status"] == "Failed":
        error = step.get("error") or {}
        code, message = error.get("code", ""), error.get("message") or step.get("message", "")
        # The picture begins with the operation's error, whole.
        above = code == (operation.get("error") or {}).get("code")
        return f"{again}failed: {code} (see above)" if above else f"{again}failed: {code} {message}".strip()
    if step["status"] == "Canceled":
        return f"{again}canceled: {step.get('message', '')}"
    if report.is_wait(step):
        return f"{again}waits for {step.get('waitsFor', 'what it began')}"
    return f"{again}run again" if again else ""


def _draw(svg: ET.Element, lane: Lane, operation: Json, span: float) -> None:
    step = lane.step
    group = child(svg, "g", classes="row critical" if lane.critical else "row", id=f"row-{step['name']}")
    child(group, "title", _hover(operation, lane))
    text(group, "name", LEFT - 10, lane.middle + 3.5, report.spoken(operation, step["name"]), anchor="end")
    x = _x(lane.begin, span)
    width = max(_x(lane.end, span) - x, 1.5)
    look = {"Failed": "failed", "Canceled": "canceled"}.get(step["status"], "wait" if report.is_wait(step) else "work")
    child(group, "rect", classes=f"bar {look}", rx=2, x=x, y=lane.middle - BAR / 2, width=width, height=BAR)
    text(group, "figure", CHART_END + COLUMN, lane.middle + 3.5, report.duration(lane.end - lane.begin), anchor="end")
    if _scale(operation) != 1:
        paced = report.duration(report.pace(operation, step))
        text(group, "figure", WIDTH - 8, lane.middle + 3.5, paced, anchor="end")
    if lane.label:
        room = int(CHART / CHARACTER["label"])
        label = lane.label if len(lane.label) <= room else f"{lane.label[: room - 2]} …"
        fits = x + len(label) * CHARACTER["label"] <= CHART_END
        look = "label failed" if step["status"] == "Failed" else "label"
        text(group, look, x if fits else CHART_END, lane.y + LOW + 8, label, anchor="start" if fits else "end")


def _hover(operation: Json, lane: Lane) -> str:
    step = lane.step
    paced = f" ({report.duration(report.pace(operation, step))} at Azure's pace)" if _scale(operation) != 1 else ""
    lines = [
        f"{step['name']}: {step['status']}",
        f"from {lane.begin:.1f} s, for {report.duration(lane.end - lane.begin)}{paced}",
        f"polls: {step.get('polls', 0)}, attempt: {step.get('attempt', 1)}",
    ]
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
    by_name = {lane.step["name"]: lane for lane in lanes}
    for lane in lanes:
        needs = [by_name[name] for name in lane.step.get("needs", ()) if name in by_name]
        if not needs:
            continue
        need = max(needs, key=lambda need: need.end)
        look = "critical" if lane.critical and need.critical else "plain"
        down = lane.middle > need.middle
        tip = lane.middle - BAR / 2 if down else lane.middle + BAR / 2
        path = f"M{_x(need.end, span):.1f} {need.middle:.1f} H{_x(lane.begin, span) + 1:.1f} V{tip:.1f}"
        child(svg, "path", classes=f"link {look}", d=path, marker_end=f"url(#tip-{look})")


def _axis(svg: ET.Element, span: float, head: float, foot: float, *, scaled: bool) -> None:
    step = next((nice for nice in _NICE if span / nice <= _MOST_TICKS), _NICE[-1])
    size, unit = next((size, unit) for size, unit in _UNITS if step % size == 0)
    y = head - 12
    text(svg, "figure", LEFT - 10, y, f"{unit} of this run", anchor="end")
    for second in range(0, int(span) + 1, step):
        x = _x(second, span)
        child(svg, "line", classes="grid", x1=x, x2=x, y1=head - 6, y2=foot)
        text(svg, "figure", x, y, f"{second // size}", anchor="middle")
    text(svg, "figure", CHART_END + COLUMN, y, "took", anchor="end")
    if scaled:
        text(svg, "figure", WIDTH - 8, y, "in Azure", anchor="end")


def _legend(svg: ET.Element, y: float) -> None:
    x, middle = 12.0, y + BAR / 2
    for look, words in (
        ("bar work", "own work"),
        ("bar wait", "waits"),
        ("bar failed", "failed"),
        ("bar canceled", "canceled"),
    ):
        child(svg, "rect", classes=look, rx=2, x=x, y=y, width=18, height=BAR)
        text(svg, "label", x + 23, y + 9, words)
        x += 23 + (len(words) + 3) * CHARACTER["label"]
    for look, words in (("plain", "let the next begin"), ("critical", "critical path: what decided the end")):
        path = f"M{x:.1f} {middle:.1f} h18"
        child(svg, "path", classes=f"link {look}", d=path, marker_end=f"url(#tip-{look})")
        text(svg, "label", x + 26, y + 9, words)
        x += 26 + (len(words) + 3) * CHARACTER["label"]


def _x(seconds: float, span: float) -> float:
    return LEFT + CHART * seconds / span


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
