"""`explain`, `operations`, the timeline, and the help: what people read."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from aroctl import display, timeline
from aroctl.command import VERBS
from aroctl.output import duration
from aroctl.problems import Exit
from tests.client.unit.conftest import Run
from tests.client.unit.fake_service import CLUSTER, OPERATION, FakeService, Json, Reply, operation, step

CLIENT = Path(__file__).parents[3] / "client"
WIDTH = 80
PHASES: list[Json] = [
    {"name": "validation", "status": "Succeeded", "startTime": "2026-03-01T12:00:00Z", "durationSeconds": 4.0},
    {"name": "machines", "status": "Running", "startTime": "2026-03-01T12:00:04Z", "durationSeconds": 8.0},
    {"name": "bootstrap", "status": "NotStarted"},
]
STEPS = [
    step("validate_quota", "Succeeded", 0, 4.0, phase="validation"),
    step("deploy_machines_template", "Running", 4, 8.0, attempt=2, waitsFor="the deployment " + "of machines " * 9),
    step("ensure_bootstrap", "NotStarted", phase="bootstrap"),
]
ERROR: Json = {
    "code": "QuotaExceeded",
    "message": "Too few cores.",
    "details": [{"code": "Step", "message": "validate_quota"}, {"code": "Remedy", "message": "Ask for more."}],
}


def running() -> Json:
    """Return an operation in its second phase."""
    found: Json = operation("Running", *STEPS, phases=PHASES).body["properties"]
    return found


def test_the_timeline_has_a_bar_for_each_phase() -> None:
    """Where it begins and how long it is, and what runs; no line is longer than the terminal."""
    lines = [line.plain for line in timeline.lines(running(), WIDTH)]
    assert max(map(len, lines)) <= WIDTH
    validation, machines, works, bootstrap = lines
    assert validation.startswith("✓ Validation")
    assert validation.endswith("4.0 s")
    assert machines.endswith("8.0 s")
    assert validation.index("━") < machines.index("━")
    assert validation.count("━") * 2 == pytest.approx(machines.count("━"), abs=2)
    assert works.startswith("    Deploy machines (8.0 s, attempt 2): waits for the deployment")
    assert works.endswith("…")
    assert bootstrap.split() == ["·", "Bootstrap"]


def test_between_two_answers_the_figures_go_on() -> None:
    """The service is asked every quarter of a minute, and nobody thinks that all has stopped."""
    told = running()
    assert "40 %, 12 s" in timeline.headline("c1", told)
    assert "40 %, 15 s" in timeline.headline("c1", told, since=3.0)
    assert [line.plain for line in timeline.lines(told, WIDTH, 3.0)][1].endswith("11 s")


def test_what_an_earlier_operation_did_is_told_apart() -> None:
    """It has no time of its own."""
    told = operation("Running", step("a", "NotStarted"), phases=[{"name": "machines", "status": "Succeeded"}])
    (line,) = timeline.lines(told.body["properties"], WIDTH)
    assert line.plain.split() == ["✓", "Machines", "done", "before"]


def test_in_a_terminal_the_timeline_moves_and_stays_at_the_end() -> None:
    """What was met on the way is shown below it, until the next answer."""
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, width=WIDTH, color_system=None)
    moving = display._Moving(console, "c1")
    moving.show(running())
    moving.note("The service is throttling (429); asking again in 21 s.")
    console.print(moving.render())
    assert "is throttling (429)" in shown.getvalue()
    shown.seek(0)
    shown.truncate()
    moving.leave()
    assert "create of c1: Running" in shown.getvalue()
    assert "throttling" not in shown.getvalue()
    assert all(len(line) <= WIDTH for line in shown.getvalue().splitlines())


def test_an_operation_is_explained(run: Run, service: FakeService) -> None:
    """What it did, who began it, why it failed, and what to do."""
    failed = [step("validate_quota", "Failed", 0, 4.0, phase="validation", error=ERROR), *STEPS[2:]]
    phases = [{**PHASES[0], "status": "Failed"}, PHASES[2]]
    told = operation("Failed", *failed, phases=phases, error=ERROR)
    service.on("GET", f"{CLUSTER}/operations/{OPERATION}", told)
    done = run("explain", "c1", OPERATION)
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0] == "create of c1: Failed after 12 s; longest: Validate quota, 4.0 s"
    assert "    Validate quota (4.0 s): QuotaExceeded" in lines
    assert "begun by        User 0c" in lines
    assert lines[-4:] == [
        "QuotaExceeded: Too few cores.",
        "step: validate_quota",
        "Ask for more.",
        "To repeat the request: aroctl resume c1",
    ]
    assert max(map(len, lines)) <= WIDTH
    assert "\x1b" not in done.out
    assert json.loads(run("explain", "c1", OPERATION, "-o", "json").out) == told.body


def test_operations_are_listed_the_newest_first(run: Run, service: FakeService) -> None:
    """A line fits into a terminal with the whole id, which `explain` and `watch` take."""
    found = [operation("Running").body, operation("Succeeded", plan="update", durationSeconds=3725.4).body]
    service.on("GET", f"{CLUSTER}/operations", Reply(200, {"value": found}))
    heading, *lines = run("operations", "c1").out.splitlines()
    assert heading.split() == ["BEGUN", "PLAN", "STATUS", "TOOK", "OPERATION"]
    assert [line.split()[2:] for line in lines] == [
        ["create", "Running", "0:00:12", OPERATION],
        ["update", "Succeeded", "1:02:05", OPERATION],
    ]
    assert max(map(len, [heading, *lines])) <= WIDTH


def test_a_cluster_without_operations_says_so(run: Run, service: FakeService) -> None:
    """Operations expire."""
    service.on("GET", f"{CLUSTER}/operations", Reply(200, {"value": []}))
    done = run("explain", "c1")
    assert done.code == Exit.NOT_FOUND
    assert "There is no operation on 'c1' any more." in done.err


def test_the_help_has_every_exit_code_and_names_the_azure_cli(unconfigured: Run) -> None:
    """Scripts can rely on them."""
    told = " ".join(unconfigured("--help").out.split())
    for code in Exit:
        assert f"{code.value} " in told.partition("Exit codes:")[2]
    assert "use `az aro`" in told


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself(unconfigured: Run, verb: str) -> None:
    """Each option has a help text, and no sentence is cut."""
    done = unconfigured(verb, "--help")
    assert done.code == 0
    assert "Options:" in done.out


def test_a_shell_completes_verbs() -> None:
    """As `--install-completion` sets it up."""
    environment = {**os.environ, "PYTHONPATH": str(CLIENT)}
    environment |= {"_AROCTL_COMPLETE": "complete_bash", "COMP_WORDS": "aroctl cre", "COMP_CWORD": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "aroctl"], env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert set(done.stdout.split()) == {"create", "credentials"}


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.04, "0.0 s"), (9.4, "9.4 s"), (9.96, "10 s"), (751, "12 min 31 s"), (3840, "1 h 4 min")]
)
def test_durations_are_for_people(seconds: float, text: str) -> None:
    """No more figures than tell something."""
    assert duration(seconds) == text
