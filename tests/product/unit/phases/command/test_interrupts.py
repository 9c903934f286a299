"""Ctrl-C reaches a plan that runs on somebody's own machine as a call, and nothing of the plan is lost."""

import os
import signal
from collections.abc import Iterator

import pytest

from phases.local.engine import Engine
from phases.local.interrupts import interrupts
from shared.json_object import Json


@pytest.fixture(autouse=True)
def _as_in_a_terminal() -> Iterator[None]:
    """Let Ctrl-C raise, as in a terminal: a process that a shell has put into the background ignores it."""
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, former)


def test_ctrl_c_is_a_call_during_the_block_and_an_exception_after_it() -> None:
    """The block goes on."""
    called: list[str] = []
    with interrupts(lambda: called.append("Ctrl-C")):
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)
    assert called == ["Ctrl-C"] * 2
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)


def test_no_end_of_an_activity_is_lost_to_ctrl_c() -> None:
    """Each activity ends while Ctrl-C comes; an exception would sometimes take its end out of the engine's hands."""
    count = 200

    def perform(_name: str, given: Json) -> Json:
        os.kill(os.getpid(), signal.SIGINT)
        return given

    engine = Engine(perform)
    ended: list[Json] = []
    called: list[str] = []
    with interrupts(lambda: called.append("Ctrl-C")):
        tasks = [engine.activity("run_phase", {"number": number}) for number in range(count)]
        for task in tasks:
            task.then(lambda one: ended.append(one.result))
        while len(ended) < count:
            engine._step()
    assert sorted(one["number"] for one in ended) == list(range(count))
    assert called
