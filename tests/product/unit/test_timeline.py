"""The picture of an operation."""

import json
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from demo import timeline, watch
from demo.svg import CHARACTER
from orchestrators.plans import PLANS
from shared.json_object import Json

SVG = "{http://www.w3.org/2000/svg}"


def step(name: str, begin: float | None = None, lasted: float = 0.0, **more: Any) -> Json:
    """Return a step of a report; one without a begin has not begun."""
    plain: Json = {
        "name": name,
        "phase": "bootstrap",
        "kind": "action",
        "needs": [],
        "waitsFor": f"what {name} waits for",
        "status": "NotStarted" if begin is None else "Succeeded",
    }
    if begin is not None:
        minute, second = divmod(begin, 60)
        plain |= {"startTime": f"2026-03-01T12:{int(minute):02}:{second:06.3f}+00:00", "durationSeconds": lasted}
    return plain | more


def operation(*steps: Json, **more: Any) -> Json:
    """Return a report with the steps, and their phases."""
    phases = list(dict.fromkeys(each["phase"] for each in steps))
    return {
        "name": "0b1d",
        "clusterId": "/subscriptions/s/resourceGroups/g/providers/p/openShiftClusters/c1",
        "plan": "create",
        "status": "Succeeded",
        "startTime": "2026-03-01T12:00:00+00:00",
        "durationSeconds": 60.0,
        "timeScale": 40,
        "phases": [{"name": name, "status": "Succeeded"} for name in phases],
        "steps": list(steps),
        "skipped": [],
    } | more


def whole(plan: str = "create") -> Json:
    """Return a report of every row of a plan, each a second after what it needs."""
    ends: dict[str, float] = {}
    steps = []
    for number, row in enumerate(PLANS[plan]):
        begin = max((ends.get(need, 0.0) for need in row.needs), default=0.0)
        ends[row.name] = begin + 0.3 + 7 * (number % 5)
        own = {"phase": row.section, "kind": row.kind, "needs": list(row.needs), "waitsFor": row.waits_for}
        steps.append(step(row.name, begin, ends[row.name] - begin, polls=number % 3, message=row.message, **own))
    return operation(*steps, durationSeconds=max(ends.values()), skipped=[{"name": "x", "reason": "because"}])


def parsed(report: Json) -> ET.Element:
    """Return the picture as a browser parses it."""
    return ET.fromstring(timeline.render(report))  # noqa: S314 - we have just made it


def row(picture: ET.Element, name: str) -> ET.Element:
    """Return the elements of one row."""
    return next(group for group in picture.iter(f"{SVG}g") if group.get("id") == f"row-{name}")


def words(element: ET.Element) -> list[str]:
    """Return the texts in an element."""
    return [text.text or "" for text in written(element)]


def written(element: ET.Element) -> list[ET.Element]:
    """Return the texts in an element without their halos."""
    return [text for text in element.iter(f"{SVG}text") if "halo" not in (text.get("class") or "").split()]


def bar(picture: ET.Element, name: str) -> ET.Element:
    """Return the bar of a row."""
    return next(row(picture, name).iter(f"{SVG}rect"))


def box(text: ET.Element) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of a text, from the estimated width of a character."""
    look = (text.get("class") or "").split(maxsplit=1)[0]
    width, x, y = len(text.text or "") * CHARACTER[look], float(text.get("x", 0)), float(text.get("y", 0))
    left = x - {"start": 0.0, "middle": width / 2, "end": width}[text.get("text-anchor", "start")]
    return left, y - 8, left + width, y + 2


def test_the_picture_of_an_operation_on_a_site_is_named_after_the_site() -> None:
    """Its report has no cluster."""
    report = operation(step("team", 0, 1), site="edge-1", plan="first")
    report.pop("clusterId")
    assert (parsed(report).findtext(f"{SVG}title") or "").startswith("first of edge-1: ")


@pytest.mark.parametrize("plan", list(PLANS))
def test_every_row_of_a_plan_is_there(plan: str) -> None:
    """Each has a bar, a name, and a tooltip."""
    picture = parsed(whole(plan))
    for each in PLANS[plan]:
        drawn = row(picture, each.name)
        assert each.name in words(drawn)
        assert (drawn.findtext(f"{SVG}title") or "").startswith(f"{each.name}: Succeeded\nfrom ")
        assert float(bar(picture, each.name).get("width", 0)) >= 1.5


@pytest.mark.parametrize("plan", list(PLANS))
def test_no_words_lie_on_others_and_none_leave_the_picture(plan: str) -> None:
    """This holds however long the text of a row's wait is."""
    report = whole(plan)
    report["steps"][-1] |= {"waitsFor": "very long " * 60, "polls": 3}
    report["skipped"] = [{"name": f"row_{number}", "reason": "left out for a reason"} for number in range(20)]
    picture = parsed(report)
    boxes = [(box(text), text.text) for text in written(picture)]
    height = float(picture.get("height", 0))
    for (left, top, right, bottom), text in boxes:
        assert 0 <= left < right <= timeline.WIDTH, text
        assert 0 <= top < bottom <= height, text
    for (one, text), (other, other_text) in combinations(boxes, 2):
        apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
        assert apart, f"'{text}' lies on '{other_text}'"


def test_the_same_operation_gives_the_same_picture() -> None:
    """It is the same byte for byte, so that a diff shows what changed."""
    assert timeline.render(whole()) == timeline.render(json.loads(json.dumps(whole())))


def test_it_needs_nothing_from_elsewhere_and_runs_nothing() -> None:
    """No script, no font, no link; colours for a dark page beside those for a light one."""
    text = timeline.render(whole())
    for never in ("<script", "href", "@import", "@font-face", "http://", "https://"):
        assert never not in text.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert "prefers-color-scheme:dark" in text


def test_what_others_wrote_stays_text() -> None:
    """Markup, quotes and characters that XML cannot represent."""
    hostile = '</title><script>alert("1")</script>&amp;\x00\x1b\ud800'
    report = operation(step("a", 0, 1, kind="condition", waitsFor=hostile, message=hostile), clusterId=f"/x/{hostile}")
    picture = parsed(report)
    assert not list(picture.iter(f"{SVG}script"))
    assert any("<script>" in text for text in words(row(picture, "a")))


def test_waits_look_different_from_work_and_say_what_they_wait_for() -> None:
    """A row that only polls waits; an action waits if it was called again."""
    picture = parsed(operation(step("works", 0, 1), step("asks", 0, 1, kind="condition"), step("begun", 0, 1, polls=2)))
    looks = {name: bar(picture, name).get("class") for name in ("works", "asks", "begun")}
    assert looks == {"works": "bar work", "asks": "bar wait", "begun": "bar wait"}
    assert "waits for what asks waits for" in words(row(picture, "asks"))
    assert not any("waits for" in text for text in words(row(picture, "works")))


def test_the_critical_path_is_the_chain_that_decided_the_end() -> None:
    """From the last step to end, back along the step that each waited for last."""
    report = operation(
        step("short", 0, 1),
        step("long", 0, 5),
        step("aside", 1, 6, needs=["short"]),
        step("after", 5, 3, needs=["short", "long"]),
    )
    assert timeline.critical_path(report) == ["long", "after"]
    picture = parsed(report)
    marked = {
        name for name in ("short", "long", "aside", "after") if "critical" in (row(picture, name).get("class") or "")
    }
    assert marked == {"long", "after"}
    links = [path.get("class") for path in picture.iter(f"{SVG}path") if "link" in (path.get("class") or "")]
    legend = ["link plain", "link critical"]
    assert sorted(filter(None, links)) == sorted([*legend, "link plain", "link critical"])


def test_bars_stand_where_their_times_are() -> None:
    """Half-way in time is half-way across the picture."""
    picture = parsed(operation(step("a", 0, 30), step("b", 30, 30, needs=["a"])))
    first, second = bar(picture, "a"), bar(picture, "b")
    assert float(second.get("x", 0)) == timeline.LEFT + timeline.CHART / 2
    assert float(first.get("width", 0)) == float(second.get("width", 0)) == timeline.CHART / 2


def test_failed_canceled_and_unbegun_rows_are_marked() -> None:
    """With the reason, as far as it is known."""
    error = {"code": "QuotaExceeded", "message": "8 cores are missing"}
    picture = parsed(
        operation(
            step("failed", 0, 2, status="Failed", error=error),
            step("canceled", 0, 3, status="Canceled", message="another step failed"),
            step("never"),
            status="Failed",
        )
    )
    assert bar(picture, "failed").get("class") == "bar failed"
    assert "failed: QuotaExceeded 8 cores are missing" in words(row(picture, "failed"))
    assert bar(picture, "canceled").get("class") == "bar canceled"
    assert "canceled: another step failed" in words(row(picture, "canceled"))
    assert "not begun" in words(row(picture, "never"))
    assert not list(row(picture, "never").iter(f"{SVG}rect"))


def test_resumed_rows_are_marked() -> None:
    """Both rows that an earlier operation did, and rows that ran again, are marked."""
    picture = parsed(
        operation(
            step("before", status="Succeeded", message="done by an earlier operation"),
            step("again", 0, 3, attempt=2, needs=["before"]),
        )
    )
    assert "done by an earlier operation" in words(row(picture, "before"))
    assert [path.get("class") for path in row(picture, "before").iter(f"{SVG}path")] == ["carried"]
    assert any("attempt 2" in text for text in words(row(picture, "again")))


def test_the_axis_tells_azures_time_too_where_it_is_another() -> None:
    """At scale 1 there is only one time."""
    scaled, plain = words(parsed(whole())), words(parsed(whole() | {"timeScale": 1}))
    assert "at Azure's pace, times 40" in scaled
    assert not any("Azure's pace" in text for text in plain)
    assert {"0", "seconds of this run"} <= set(plain)


def test_an_operation_that_has_begun_nothing_is_drawn() -> None:
    """A picture can be requested at any time."""
    assert "not begun" in words(parsed(operation(step("a"), status="Creating", durationSeconds=0.0)))


def test_a_file_becomes_a_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command works as it is typed in the documentation."""
    path = tmp_path / "operation.json"
    path.write_text(json.dumps(whole()), encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["timeline", str(path)])
    assert timeline.main() == 0
    assert capsys.readouterr().out == timeline.render(whole())


def test_an_operation_of_a_running_platform_becomes_a_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is read by its path, as an operator reads it."""
    (tmp_path / "endpoints.json").write_text('{"rp": "https://here"}', encoding="utf-8")
    asked: list[Any] = []

    class Operations:
        def __init__(self, endpoints: Json, cluster_id: str) -> None:
            asked.append((endpoints["rp"], cluster_id))

        def get(self, operation_id: str) -> Json:
            asked.append(operation_id)
            return whole()

    monkeypatch.setattr(watch, "Operations", Operations)
    cluster = "/subscriptions/s/resourceGroups/g/providers/p/openShiftClusters/c1"
    monkeypatch.setattr("sys.argv", ["timeline", f"{cluster}/operations/0b1d", "--state", str(tmp_path)])
    assert timeline.main() == 0
    assert asked == [("https://here", cluster), "0b1d"]
    assert capsys.readouterr().out == timeline.render(whole())
