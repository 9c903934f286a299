"""The content of a step's progress item, and how rarely it is written."""

from datetime import timedelta

import pytest

from activities.operation import superseded
from activities.runtime import executor, progress
from orchestrators.plans import PLANS
from tests.product.unit.activities.test_wrapper import item, perform
from tests.product.unit.product_world import World


def poll(monkeypatch: pytest.MonkeyPatch, polls: int, message: str = "half done", verb: str = "status") -> None:
    """Poll once more for work in progress.

    Args:
        monkeypatch: pytest's.
        polls: number of polls so far.
        message: the message of the outcome.
        verb: what is called.
    """
    asked = executor.Executor(run=lambda _step: executor.wait(message), status=lambda _step: executor.wait(message))
    perform(monkeypatch, asked, verb, polls=polls)


def writes(world: World) -> int:
    """Return how often progress was written."""
    return len(world.cosmos["OperationProgress"].writes)


def test_a_poll_that_finds_nothing_new_writes_nothing(accepted: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most calls of a create used to be such writes. News is written at once."""
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
    """After work was done, and if another process may have written since."""
    poll(monkeypatch, 0)
    before = writes(accepted)
    poll(monkeypatch, polls, verb=verb)
    assert writes(accepted) > before


def test_a_wait_gives_a_sign_of_life(accepted: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Long before a successor considers the step dead, even if the next poll is as far away as possible."""
    longest = max(row.poll for plan in PLANS.values() for row in plan)
    assert progress.SIGN_OF_LIFE + longest < superseded._IN_FLIGHT
    poll(monkeypatch, 0)
    monkeypatch.setattr(progress, "SIGN_OF_LIFE", timedelta(0))
    before = writes(accepted)
    poll(monkeypatch, 1)
    assert writes(accepted) == before + 1
