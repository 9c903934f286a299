"""Task hubs on one database: which are silent, and which may decide that."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from shared.documents import TaskHubDocument
from shared.settings import parse
from tests.product.unit.product_world import ENVIRONMENT
from timers.task_hubs import GAP, SILENCE, is_recent, last_heard, next_sign

NOW = datetime(2026, 3, 1, 10, tzinfo=UTC)
BLUE = parse(ENVIRONMENT | {"TASK_HUB": "blue", "TIME_SCALE": "1"})


def ago(minutes: float) -> str:
    """Return the time this many minutes ago."""
    return (NOW - timedelta(minutes=minutes)).isoformat()


def sign(seen: float, since: float = 60) -> Any:
    """Make a sign of life."""
    return {"id": "any", "lastSeen": ago(seen), "listeningSince": ago(since)}


@pytest.mark.parametrize(
    ("last", "want_since"),
    [(None, 0), (sign(1), 60), (sign(GAP / timedelta(minutes=1)), 60), (sign(5.1), 0)],
    ids=["the first", "a minute ago", "just in time", "after a gap"],
)
def test_a_hub_listens_as_long_as_it_can_say_that_it_lives(last: TaskHubDocument | None, want_since: float) -> None:
    """The problem that keeps it from writing may keep the others from writing too."""
    made = next_sign(last, NOW, BLUE)
    assert made == {"id": "blue", "lastSeen": NOW.isoformat(), "listeningSince": ago(want_since)}


@pytest.mark.parametrize(
    ("seen", "want"),
    [(0, True), (2.4, True), (2.5, False), (60, False), (-0.1, False)],
    ids=["now", "recent", "half a gap ago", "old", "before the clock was set back"],
)
def test_a_sign_is_written_before_it_is_old(seen: float, *, want: bool) -> None:
    """A run that writes none comes again while the sign is without a gap, if it comes often enough to skip one."""
    assert is_recent(sign(seen), NOW, BLUE) is want


def operation(hub: str, started: float = 60) -> Any:
    """Make an operation of a hub."""
    return {"taskHub": hub, "asyncOperation": {"startTime": ago(started)}}


@pytest.mark.parametrize(
    ("owner", "started", "progress", "listening", "want"),
    [
        (sign(20), 60, 40, 60, 20),
        (sign(20), 60, 40, 4, 4),
        (sign(20), 10, 40, 60, 10),
        (sign(20), 60, 3, 60, 3),
        (None, 60, 40, 50, 40),
    ],
    ids=[
        "its sign is the last that was heard",
        "after an outage its silence begins again",
        "an operation is young",
        "the operation makes progress without its watchdog",
        "no sign of it was ever seen",
    ],
)
def test_another_hub_is_heard_by_its_sign_or_by_what_it_does(
    owner: TaskHubDocument | None, started: float, progress: float, listening: float, want: float
) -> None:
    """Its silence is never longer than the time for which we have listened."""
    signs = {"blue": sign(0, listening)} | ({"green": owner} if owner else {})
    items: Any = [{"lastProgressTime": ago(progress)}]
    heard = last_heard(operation("green", started), items, signs, BLUE)
    assert heard == datetime.fromisoformat(ago(want))


def test_our_own_operations_need_no_sign() -> None:
    """A hub of the same name acts at once."""
    assert last_heard(operation("blue"), [], {}, BLUE) is None


def test_after_an_outage_of_the_database_every_hub_gets_its_turn() -> None:
    """Both were silent for twenty minutes; the one that is back first takes nothing from the other."""
    mine = next_sign(sign(20), NOW, BLUE)
    heard = last_heard(operation("green"), [], {"blue": mine, "green": sign(20)}, BLUE)
    assert heard == NOW
    assert NOW - heard < SILENCE
