"""The picture of an operation."""

import json
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from demo import report, timeline, watch
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


ERROR: Json = {
    "code": "InvalidServicePrincipalPermissions",
    "message": "The service principal lacks these permissions on the virtual network: " + "a/b/c/action, " * 40 + "d.",
    "details": [
        {"code": "Step", "message": "validate_service_principal_permissions"},
        {"code": "Remedy", "message": "Assign the roles. Then repeat the request."},
        {"code": "CorrelationId", "message": "abf2a188"},
    ],
}


def failed() -> Json:
    """Return a report of a create that has failed while it validated."""
    reported = whole()
    for number, each in enumerate(reported["steps"]):
        if each["name"] == "validate_service_principal_permissions":
            each |= {"status": "Failed", "error": ERROR}
        elif each["phase"] not in ("validation", "preparation"):
            named = {name: each[name] for name in ("name", "phase", "kind", "needs", "waitsFor")}
            reported["steps"][number] = named | {"status": "NotStarted"}
    ends = max(report.end(reported, each) for each in reported["steps"])
    return reported | {"status": "Failed", "error": ERROR, "durationSeconds": ends}


def resumed() -> Json:
    """Return a report of the create that continues it."""
    reported = whole()
    for number, each in enumerate(reported["steps"]):
        if each["phase"] == "validation":
            named = {name: each[name] for name in ("name", "phase", "kind", "needs", "waitsFor")}
            carried = {"status": "Succeeded", "message": "done by an earlier operation"}
            reported["steps"][number] = named | carried
    return reported


CHARTS: dict[str, Callable[[], Json]] = {"succeeded": whole, "failed": failed, "resumed": resumed}


def parsed(reported: Json) -> ET.Element:
    """Return the picture as a browser parses it."""
    return ET.fromstring(timeline.render(reported))  # noqa: S314 - we have just made it


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
    reported = operation(step("team", 0, 1), site="edge-1", plan="first")
    reported.pop("clusterId")
    assert (parsed(reported).findtext(f"{SVG}title") or "").startswith("first of edge-1: ")


@pytest.mark.parametrize("plan", list(PLANS))
def test_every_row_of_a_plan_is_there(plan: str) -> None:
    """Each has a bar, a name for people, and a tooltip with the name that logs have."""
    reported = whole(plan)
    picture = parsed(reported)
    for each in PLANS[plan]:
        drawn = row(picture, each.name)
        assert report.spoken(reported, each.name) in words(drawn)
        assert (drawn.findtext(f"{SVG}title") or "").startswith(f"{each.name}: Succeeded\nfrom ")
        assert float(bar(picture, each.name).get("width", 0)) >= 1.5


def assert_apart(picture: ET.Element) -> None:
    """Check that no words lie on others, and that none leave the picture."""
    boxes = [(box(text), text.text) for text in written(picture)]
    height = float(picture.get("height", 0))
    for (left, top, right, bottom), text in boxes:
        assert 0 <= left < right <= timeline.WIDTH, text
        assert 0 <= top < bottom <= height, text
    for (one, text), (other, other_text) in combinations(boxes, 2):
        apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
        assert apart, f"'{text}' lies on '{other_text}'"


@pytest.mark.parametrize("plan", list(PLANS))
def test_no_words_lie_on_others_and_none_leave_the_picture(plan: str) -> None:
    """This holds however long the text of a row's wait is, and the name of the cluster."""
    reported = whole(plan) | {"clusterId": "/x/" + "very-long-name-" * 20}
    reported["steps"][-1] |= {"waitsFor": "very long " * 60, "polls": 3}
    reported["skipped"] = [{"name": f"row_{number}", "reason": "left out for a reason"} for number in range(20)]
    assert_apart(parsed(reported))


@pytest.mark.parametrize("kind", list(CHARTS))
def test_the_three_charts_of_a_create_can_be_read(kind: str, tmp_path: Path) -> None:
    """One that succeeded, one that failed, one that was resumed. Each is left in a file, for people to look at."""
    picture = parsed(CHARTS[kind]())
    (tmp_path / f"{kind}.svg").write_text(timeline.render(CHARTS[kind]()), encoding="utf-8")
    assert_apart(picture)
    lines, folds = " ".join(words(picture)), [group.get("id") for group in picture.iter(f"{SVG}g")]
    assert ("fold-carried" in folds, "fold-unbegun" in folds) == (kind == "resumed", kind == "failed")
    assert (ERROR["message"] in lines) == (kind == "failed")
    assert ("Remedy: Assign the roles. Then repeat the request." in lines) == (kind == "failed")
    assert "CorrelationId" not in lines


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
    reported = operation(
        step("a", 0, 1, kind="condition", waitsFor=hostile, message=hostile), clusterId=f"/x/{hostile}"
    )
    picture = parsed(reported)
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
    reported = operation(
        step("short", 0, 1),
        step("long", 0, 5),
        step("aside", 1, 6, needs=["short"]),
        step("after", 5, 3, needs=["short", "long"]),
    )
    assert report.critical_path(reported) == ["long", "after"]
    picture = parsed(reported)
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


def test_failed_and_canceled_rows_are_marked_and_unbegun_ones_folded() -> None:
    """With the reason, as far as it is known. What has not begun has nothing to show: one line counts it."""
    error = {"code": "QuotaExceeded", "message": "8 cores are missing"}
    picture = parsed(
        operation(
            step("failed", 0, 2, status="Failed", error=error),
            step("canceled", 0, 3, status="Canceled", message="another step failed"),
            step("never"),
            step("not_this"),
            step("neither", phase="finish"),
            status="Failed",
        )
    )
    assert bar(picture, "failed").get("class") == "bar failed"
    assert "failed: QuotaExceeded 8 cores are missing" in words(row(picture, "failed"))
    assert bar(picture, "canceled").get("class") == "bar canceled"
    assert "canceled: another step failed" in words(row(picture, "canceled"))
    assert "3 steps not begun (Bootstrap 2, Finish 1)" in words(picture)
    assert "Finish" not in words(picture)


def test_what_a_resumed_operation_did_not_repeat_is_folded() -> None:
    """The tooltip of its line names the rows. Rows that ran again are marked."""
    picture = parsed(
        operation(
            step("before", status="Succeeded", message="done by an earlier operation"),
            step("again", 0, 3, attempt=2, needs=["before"]),
        )
    )
    (fold,) = (group for group in picture.iter(f"{SVG}g") if group.get("id") == "fold-carried")
    assert words(fold) == ["1 step done before, by an earlier operation (Bootstrap 1)"]
    assert fold.findtext(f"{SVG}title") == "before"
    assert [path.get("class") for path in fold.iter(f"{SVG}path")] == ["carried"]
    assert any("attempt 2" in text for text in words(row(picture, "again")))


def test_only_waits_take_longer_in_azure() -> None:
    """The product's own work takes there what it takes here; so each row has two times, and the axis one."""
    reported = operation(
        step("deploy_machines_template", 0, 20, kind="begin-and-poll"),
        step("ensure_graph", 21, 6, needs=["deploy_machines_template"]),
        step("aside", 0, 26),
        durationSeconds=28.0,
    )
    picture = parsed(reported)
    assert words(row(picture, "deploy_machines_template"))[1:3] == ["20.0 s", "13.3 min"]
    assert words(row(picture, "ensure_graph"))[1:] == ["6.0 s", "6.0 s"]
    assert report.span_at_azures_pace(reported) == pytest.approx(20 * 40 + 1 + 6 + 1)
    assert any(text.startswith("At Azure's pace about 13.5 min: ") for text in words(picture))
    plain = parsed(reported | {"timeScale": 1})
    assert words(row(plain, "ensure_graph"))[1:] == ["6.0 s"]
    assert not any("Azure's pace" in text for text in words(plain))


def test_the_headline_says_what_the_time_went_into() -> None:
    """Waits and own work of the critical path add up to the whole; the longest step has a name for people."""
    reported = operation(
        step("create_dns", 0, 5.4),
        step("deploy_machines_template", 5.6, 33.9, kind="begin-and-poll", needs=["create_dns"]),
        durationSeconds=40.4,
    )
    told = "create of c1: Succeeded, 40 s: 34 s waiting for Azure and OpenShift, 6 s own work; longest: machines"
    assert report.headline(reported) == parsed(reported).findtext(f"{SVG}title") == told
    assert told in words(parsed(reported))


@pytest.mark.parametrize(
    ("name", "want"),
    [("deploy_dns_template", "DNS"), ("look_up_identities", "identities"), ("masters_ready", "Masters"), ("go", "Go")],
)
def test_the_longest_step_is_named_by_what_it_is_about(name: str, want: str) -> None:
    """Without its verb, which may be of two words."""
    assert report.headline(operation(step(name, 0, 5.4))).endswith(f"longest: {want}")


@pytest.mark.parametrize(
    ("name", "want"),
    [
        ("deploy_network_template", "Deploy network"),
        ("api_servers_ready", "API servers ready"),
        ("attach_nsgs", "Attach NSGs"),
        ("remove-bootstrap", "Remove bootstrap"),
    ],
)
def test_rows_have_names_for_people(name: str, want: str) -> None:
    """The author of a site has named its phases, and those names stay."""
    assert report.spoken(operation(), name) == want
    assert report.spoken(operation(site="edge-1"), name) == name


@pytest.mark.parametrize(
    ("seconds", "want"),
    [
        (47.1, ["0", "5", "10", "15", "20", "25", "30", "35", "40", "45"]),
        (1490.0, ["0", "5", "10", "15", "20"]),
        (7 * 3600.0, ["0", "1", "2", "3", "4", "5", "6", "7"]),
    ],
    ids=["seconds", "minutes", "hours"],
)
def test_ticks_are_round(request: pytest.FixtureRequest, seconds: float, want: list[str]) -> None:
    """In the unit that fits the whole."""
    texts = words(parsed(operation(step("a", 0, 1), durationSeconds=seconds)))
    unit = request.node.callspec.id
    first = texts.index(f"{unit} of this run") + 1
    assert texts[first : texts.index("took")] == want


def test_an_operation_that_has_begun_nothing_is_drawn() -> None:
    """A picture can be requested at any time."""
    unbegun = operation(step("a"), status="Creating", durationSeconds=0.0)
    assert "1 step not begun (Bootstrap 1)" in words(parsed(unbegun))


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
