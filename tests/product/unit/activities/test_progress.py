"""What the progress item of a step says, and how rarely it is written."""

from datetime import timedelta

import pytest

from activities.operation import superseded
from activities.runtime import executor, progress
from orchestrators.plans import PLANS
from tests.product.unit.activities.test_wrapper import item, perform
from tests.product.unit.product_world import World


def poll(monkeypatch: pytest.MonkeyPatch, polls: int, message: str = "half done", verb: str = "status") -> None:
    """Ask once more about something that goes on."""
    asked = executor.Executor(run=lambda _step: executor.wait(message), status=lambda _step: executor.wait(message))
    perform(monkeypatch, asked, verb, polls=polls)


def writes(world: World) -> int:
    """Return how often progress was written."""
    return len(world.cosmos["OperationProgress"].writes)


def test_a_poll_that_finds_nothing_new_writes_nothing(accepted: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most of the calls of a create were such writes. What is new stands there at once."""
    poll(monkeypatch, 0)
    before = writes(accepted)
    poll(monkeypatch, 1)
    poll(monkeypatch, 2)
    assert writes(accepted) == before
    poll(monkeypatch, 3, "nearly done")
    assert (item(accepted)["message"], item(accepted)["polls"]) == ("nearly done", 3)
    perform(monkeypatch, executor.Executor(status=lambda _step: None), "status", polls=4)
    assert (item(accepted)["status"], item(accepted)["polls"]) == ("Succeeded", 4)


@pytest.mark.parametrize(
    ("polls", "verb"), [(1, "run"), (2, "status"), (0, "status")], ids=["works", "another process asked", "again"]
)
def test_a_poll_writes_what_may_be_new_to_readers(
    accepted: World, monkeypatch: pytest.MonkeyPatch, polls: int, verb: str
) -> None:
    """When work was done, and what another process may have overwritten since."""
    poll(monkeypatch, 0)
    before = writes(accepted)
    poll(monkeypatch, polls, verb=verb)
    assert writes(accepted) > before


def test_a_wait_gives_a_sign_of_life(accepted: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Long before a successor takes the step for dead, even if the next poll is the longest away."""
    longest = max(row.poll for plan in PLANS.values() for row in plan)
    assert progress.SIGN_OF_LIFE + longest < superseded._IN_FLIGHT
    poll(monkeypatch, 0)
    monkeypatch.setattr(progress, "SIGN_OF_LIFE", timedelta(0))
    before = writes(accepted)
    poll(monkeypatch, 1)
    assert writes(accepted) == before + 1
