"""Children of a local Azure: how long one may take to come up, and when it is given up."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from emulator.run import children
from emulator.run.children import Child, Program
from emulator.run.command_error import RunError
from emulator.run.commands import cli

SLEEPS = "import time; time.sleep(600)"


def _child(folder: Path, program: str, ready: Callable[[], Awaitable[bool]]) -> Child:
    return Child(Program("host", (sys.executable, "-c", program), {}, ready), folder, lambda _name, _process: None)


async def _started(child: Child) -> None:
    await child.start()
    try:
        await child.wait_ready()
    finally:
        await child.stop()


def test_a_child_that_works_on_a_busy_machine_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seven local Azures that start on two cores take minutes together, and none of them is wrong."""
    seconds = count(0, 20)
    monkeypatch.setattr(children, "time", SimpleNamespace(monotonic=lambda: next(seconds)))
    answers = iter([False] * 8 + [True])

    async def ready() -> bool:
        return next(answers)

    asyncio.run(_started(_child(tmp_path, SLEEPS, ready)))


def test_a_child_that_never_answers_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error has the end of its log."""
    monkeypatch.setattr(children, "READY_SECONDS", 0.0)

    async def ready() -> bool:
        return False

    child = _child(tmp_path, SLEEPS, ready)
    child.log.write_text("Waiting for a lock.\n", encoding="utf-8")
    with pytest.raises(RunError, match=r"The process host does not come up\.(.|\n)*Waiting for a lock"):
        asyncio.run(_started(child))


def test_a_child_that_ends_is_given_up_at_once(tmp_path: Path) -> None:
    """Whoever waits learns within a second that its port is taken."""

    async def ready() -> bool:
        return False

    with pytest.raises(RunError, match="does not come up"):
        asyncio.run(asyncio.wait_for(_started(_child(tmp_path, "", ready)), children.READY_SECONDS / 4))


def test_a_terminal_waits_for_as_long_as_all_children_may_take() -> None:
    """Otherwise `up --detach` would end a local Azure that is about to come up."""
    assert cli.DETACHED_SECONDS > 2 * children.READY_SECONDS
