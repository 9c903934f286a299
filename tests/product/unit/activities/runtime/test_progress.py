"""The content of a step's progress item, and how rarely it is written."""

from datetime import timedelta
from typing import Any

import pytest

from activities.runtime import executor, progress
from activities.runtime.step import Step
from orchestrators.plans import PLANS
from shared import durations
from shared.steps import Wait
from tests.product.unit.activities.runtime.test_wrapper import item, perform
from tests.product.unit.product_world import World


def poll(monkeypatch: pytest.MonkeyPatch, polls: int, message: str = "half done", verb: str = "status") -> None:
    """Poll once more for work in progress.

    Args:
        monkeypatch: pytest's.
        polls: number of polls so far.
        message: the message of the outcome.
        verb: what is called.
    """
    asked: executor.Executor[Step] = executor.Executor(
        run=lambda _step: executor.wait(message), status=lambda _step: executor.wait(message)
    )
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


@pytest.mark.parametrize("polls", [2, 0], ids=["another process asked", "again"])
def test_a_poll_writes_what_may_be_new_to_readers(accepted: World, monkeypatch: pytest.MonkeyPatch, polls: int) -> None:
    """What another process may have overwritten since."""
    poll(monkeypatch, 0)
    before = writes(accepted)
    poll(monkeypatch, polls)
    assert writes(accepted) == before + 1


@pytest.mark.parametrize("changes", [True, False], ids=["it changes something", "it only looks"])
def test_a_second_delivery_that_ends_later_leaves_the_step_done(
    accepted: World, monkeypatch: pytest.MonkeyPatch, *, changes: bool
) -> None:
    """Nobody would poll again, so a step that seemed to run would be taken for dead, and done again by a resume."""

    def run(step: Step) -> Wait:
        perform(monkeypatch, executor.Executor(run=lambda _step: None))
        if changes:
            step.check_fence()
            assert item(accepted)["status"] == "Running", "a delete waits for it"
        return executor.wait("another call is at it")

    perform(monkeypatch, executor.Executor(run=run))
    assert item(accepted)["status"] == "Succeeded"
    assert "changing" not in item(accepted)


def test_what_only_looks_and_decides_is_written_once(accepted: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """At its end: a write of the document that comes too late fails by itself, so nobody need wait for it."""

    def change(document: Any) -> bool:
        document["decided"] = True
        return True

    def run(step: Step) -> None:
        assert not writes(accepted)
        step.decide(change)

    perform(monkeypatch, executor.Executor(run=run))
    assert writes(accepted) == 1
    assert item(accepted)["status"] == "Succeeded"


@pytest.mark.parametrize("polls", [0, 1], ids=["the first call", "a later one"])
def test_a_step_is_seen_running_before_it_changes_anything(
    accepted: World, monkeypatch: pytest.MonkeyPatch, polls: int
) -> None:
    """A delete waits for it: the item has to be there before the fence is read, in each call that changes something."""
    if polls:
        poll(monkeypatch, 0)
    before = writes(accepted)
    seen: list[int] = []
    read = accepted.cosmos["OpenShiftClusters"].read_item

    def counting(*arguments: Any, **options: Any) -> Any:
        seen.append(writes(accepted) - before)
        return read(*arguments, **options)

    monkeypatch.setattr(accepted.cosmos["OpenShiftClusters"], "read_item", counting)

    def run(step: Step) -> Wait:
        for _ in range(2):
            step.check_fence()
            assert (item(accepted)["status"], item(accepted)["polls"]) == ("Running", polls)
            assert item(accepted)["changing"]
        return executor.wait("half done")

    perform(monkeypatch, executor.Executor(run=run), polls=polls)
    assert seen == [0, 1, 1], "once, between the fence of the beginning and that of the first change"
    assert writes(accepted) == before + 2
    assert "changing" not in item(accepted)


def test_a_long_call_is_seen_running_before_each_late_change(accepted: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its successor would take it for dead, and go on while its request is on the way."""
    monkeypatch.setattr(progress, "SIGN_OF_LIFE", timedelta(0))
    counts: list[int] = []

    def run(step: Step) -> None:
        for _ in range(2):
            step.check_fence()
            counts.append(writes(accepted))

    perform(monkeypatch, executor.Executor(run=run))
    assert counts == [1, 2]


def test_what_was_found_is_seen_until_something_else_is(accepted: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that changes something says first that it runs, and what the one before has found stays."""
    poll(monkeypatch, 0)

    def run(step: Step) -> None:
        step.check_fence()
        assert item(accepted)["message"] == "half done"

    perform(monkeypatch, executor.Executor(run=run), polls=1)


def test_a_wait_gives_a_sign_of_life(accepted: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Long before another task hub would take over, even if the next poll is as far away as possible."""
    longest = max(row.poll for plan in PLANS.values() for row in plan)
    assert progress.SIGN_OF_LIFE + longest < durations.HUB_SILENCE / 5
    poll(monkeypatch, 0)
    monkeypatch.setattr(progress, "SIGN_OF_LIFE", timedelta(0))
    before = writes(accepted)
    poll(monkeypatch, 1)
    assert writes(accepted) == before + 1
