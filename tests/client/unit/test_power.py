"""`stop`, `start`, `renew` and `revoke`: actions that begin an operation."""

import pytest

from aroctl.problems import Exit
from tests.client.unit.conftest import Run
from tests.client.unit.fake_service import (
    BEGUN,
    CLUSTER,
    OPERATION,
    STATUS,
    FakeService,
    Json,
    Reply,
    cluster,
    operation,
    status,
)

DETAILS = f"{CLUSTER}/operations/{OPERATION}"
ACTIONS = [
    pytest.param("stop", "stop", "stop", id="stop"),
    pytest.param("start", "start", "start", id="start"),
    pytest.param("renew", "renew", "renew", id="renew"),
    pytest.param("revoke", "revokeCredentials", "revoke_credentials", id="revoke"),
]
YES = {"stop": ["--yes"], "start": [], "renew": [], "revoke": ["--yes"]}


def begins(service: FakeService, action: str, plan: str, end: str = "Succeeded") -> None:
    """Let an action begin an operation that ends in a state."""
    service.on("POST", f"{CLUSTER}/{action}", Reply(202, None, BEGUN))
    service.on("GET", STATUS, status(end))
    service.on("GET", DETAILS, operation(end, plan=plan))


@pytest.mark.parametrize(("verb", "action", "plan"), ACTIONS)
def test_an_action_is_followed_to_its_end(run: Run, service: FakeService, verb: str, action: str, plan: str) -> None:
    """As a create is."""
    begins(service, action, plan)
    done = run(verb, "c1", *YES[verb])
    assert done.code == 0, done.err
    assert f"{plan} of c1: Succeeded" in done.err


@pytest.mark.parametrize(("verb", "action", "plan"), ACTIONS)
def test_an_action_that_failed_names_the_verb_that_repeats_it(
    run: Run, service: FakeService, verb: str, action: str, plan: str
) -> None:
    """A resume would send a PUT, which does something else."""
    begins(service, action, plan, "Failed")
    done = run(verb, "c1", *YES[verb])
    assert done.code == Exit.FAILED
    assert f"To repeat the request: aroctl {verb} c1" in done.err


@pytest.mark.parametrize("verb", ["stop", "revoke"])
def test_what_interrupts_others_asks_first(run: Run, service: FakeService, verb: str) -> None:
    """In a pipe nobody can be asked, and nothing is sent."""
    done = run(verb, "c1")
    assert (done.code, service.sent) == (Exit.WRONG, [])
    assert "Add --yes." in done.err


@pytest.mark.parametrize(("verb", "action", "plan"), ACTIONS)
def test_nobody_has_to_wait(run: Run, service: FakeService, verb: str, action: str, plan: str) -> None:
    """It says how to follow the operation."""
    begins(service, action, plan)
    done = run(verb, "c1", "--no-wait", *YES[verb])
    assert done.code == 0
    assert "aroctl watch c1" in done.err


NIGHTS = {"timeZone": "UTC", "days": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]}
TIMES = {"stopTime": "19:00", "startTime": "07:00"}


def scheduled(service: FakeService, before: Json | None, after: Json | None) -> None:
    """Let a cluster have a schedule before and after an update."""
    found = [cluster(powerSchedule=each) if each else cluster() for each in (before, after)]
    service.on("GET", CLUSTER, *(Reply(200, each) for each in found))
    service.on("PATCH", CLUSTER, Reply(200, found[1], BEGUN))
    service.on("GET", STATUS, status("Succeeded"))
    service.on("GET", DETAILS, operation("Succeeded", plan="update"))


def test_a_schedule_needs_only_its_times(run: Run, service: FakeService) -> None:
    """Workdays and UTC are what it begins with."""
    scheduled(service, None, NIGHTS | TIMES)
    done = run("schedule", "c1", "--stop", "19:00", "--start", "07:00")
    assert done.code == 0, done.err
    assert service.bodies("PATCH") == [{"properties": {"powerSchedule": NIGHTS | TIMES}}]
    assert "stops   19:00" in done.out


def test_a_schedule_keeps_what_nobody_names(run: Run, service: FakeService) -> None:
    """The service gets it whole, because it may have been changed by nobody else in between."""
    known = {**NIGHTS, **TIMES, "timeZone": "Europe/Berlin", "days": ["Sunday"]}
    scheduled(service, known, known | {"stopTime": "20:30"})
    assert run("schedule", "c1", "--stop", "20:30").code == 0
    assert service.bodies("PATCH") == [{"properties": {"powerSchedule": known | {"stopTime": "20:30"}}}]


def test_a_schedule_is_removed_and_shown(run: Run, service: FakeService) -> None:
    """Without a change nothing is sent."""
    scheduled(service, NIGHTS | TIMES, None)
    assert run("schedule", "c1", "--remove").code == 0
    assert service.bodies("PATCH") == [{"properties": {"powerSchedule": None}}]
    done = run("schedule", "c1")
    assert (done.code, len(service.bodies("PATCH"))) == (0, 1)
    assert "has no schedule" in done.err
