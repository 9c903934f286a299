"""`stop`, `start` and `revoke`: actions that begin an operation."""

import pytest

from aroctl.problems import Exit
from tests.client.unit.conftest import Run
from tests.client.unit.fake_service import BEGUN, CLUSTER, OPERATION, STATUS, FakeService, Reply, operation, status

DETAILS = f"{CLUSTER}/operations/{OPERATION}"
ACTIONS = [
    pytest.param("stop", "stop", "stop", id="stop"),
    pytest.param("start", "start", "start", id="start"),
    pytest.param("revoke", "revokeCredentials", "revoke_credentials", id="revoke"),
]
YES = {"stop": ["--yes"], "start": [], "revoke": ["--yes"]}


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
