"""The events of a schedule: by the clock of its time zone, on its days, also when clocks change."""

from datetime import UTC, datetime

import pytest

from shared.arm.errors import CloudError
from shared.clusters.power.power_schedules import last, next_start, require_start_before
from shared.clusters.states import Event
from shared.documents import PowerSchedule

WORKING_HOURS: PowerSchedule = {
    "timeZone": "Europe/Berlin",
    "days": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"],
    "startTime": "07:00",
    "stopTime": "19:00",
}


def utc(text: str) -> datetime:
    """Return a time in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("now", "at", "event"),
    [
        ("2026-11-24 05:59", "2026-11-23 18:00", Event.STOP),
        ("2026-11-24 06:00", "2026-11-24 06:00", Event.START),
        ("2026-11-24 17:59", "2026-11-24 06:00", Event.START),
        ("2026-11-29 12:00", "2026-11-27 18:00", Event.STOP),
        ("2026-07-01 05:00", "2026-07-01 05:00", Event.START),
    ],
    ids=["at night", "in the morning", "during the day", "at the weekend", "in summer, when clocks are an hour ahead"],
)
def test_the_last_event_is_the_one_that_counts(now: str, at: str, event: Event) -> None:
    """Whatever came before it."""
    found = last(WORKING_HOURS, utc(now))
    assert (found.at, found.event) == (utc(at), event)


def test_the_next_start_may_be_days_away() -> None:
    """After the stop of a Friday it is that of Monday."""
    assert next_start(WORKING_HOURS, utc("2026-11-27 18:00")) == utc("2026-11-30 06:00")


def test_a_time_that_a_day_does_not_have_comes_an_hour_later() -> None:
    """Clocks went from two to three that night."""
    night: PowerSchedule = {**WORKING_HOURS, "days": ["Sunday"], "stopTime": "02:30"}
    assert last(night, utc("2026-03-29 02:00")).at == utc("2026-03-29 01:30")


def test_a_time_that_a_day_has_twice_comes_once() -> None:
    """Clocks went from three back to two that night."""
    night: PowerSchedule = {**WORKING_HOURS, "days": ["Sunday"], "stopTime": "02:30"}
    assert last(night, utc("2026-10-25 01:45")).at == utc("2026-10-25 00:30")


def test_a_schedule_that_starts_too_late_says_so() -> None:
    """With both times."""
    now = utc("2026-11-27 20:00")
    require_start_before(WORKING_HOURS, now, utc("2026-11-30 06:00"))
    with pytest.raises(CloudError, match=r"started at 2026-11-30T06:00:00Z.*before 2026-11-30T05:00:00Z"):
        require_start_before(WORKING_HOURS, now, utc("2026-11-30 05:00"))
