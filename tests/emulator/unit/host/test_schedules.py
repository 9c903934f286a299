"""Schedules of timer functions."""

from datetime import UTC, datetime

import pytest

from emulator.host.schedules import parse_schedule


@pytest.mark.parametrize(
    ("schedule", "after", "want"),
    [
        pytest.param("0 */5 * * * *", "2026-03-01T09:01:00", "2026-03-01T09:05:00", id="every five minutes"),
        pytest.param("*/5 * * * *", "2026-03-01T09:01:00", "2026-03-01T09:05:00", id="five fields begin with minutes"),
        pytest.param("*/10 * * * * *", "2026-03-01T09:00:51", "2026-03-01T09:01:00", id="seconds"),
        pytest.param("0 0 0 29 2 *", "2026-03-01T00:00:00", "2028-02-29T00:00:00", id="a leap day"),
        pytest.param("0 30 9 * * Mon-Fri", "2026-03-06T10:00:00", "2026-03-09T09:30:00", id="names of days"),
        pytest.param("0 0 12 1 JAN,jul *", "2026-03-01T00:00:00", "2026-07-01T12:00:00", id="names of months"),
        pytest.param("0 0 5/6 * * *", "2026-03-01T06:00:00", "2026-03-01T11:00:00", id="a step from a value"),
        pytest.param("0 0 0 13 * Friday", "2026-03-14T00:00:00", "2026-11-13T00:00:00", id="both days have to fit"),
        pytest.param("0 0 0 * * 0", "2026-03-02T00:00:00", "2026-03-08T00:00:00", id="Sunday is 0"),
        pytest.param("0 0 0 * * *", "2026-03-01T00:00:00.5", "2026-03-02T00:00:00", id="a part of a second later"),
        pytest.param("00:00:30", "2026-03-01T00:00:00", "2026-03-01T00:00:30", id="a time span"),
        pytest.param("1.00:00:00", "2026-03-01T00:00:00", "2026-03-02T00:00:00", id="a time span of days"),
    ],
)
def test_next_run_follows_the_expression(schedule: str, after: str, want: str) -> None:
    moment = datetime.fromisoformat(after).replace(tzinfo=UTC)

    assert parse_schedule(schedule).next_after(moment) == datetime.fromisoformat(want).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    "schedule",
    [
        *("", "* * *", "60 * * * * *", "a * * * * *", "*/0 * * * * *", "0:0:0", "5-1 * * * * *", "0 0 0 1 1 * 2030"),
        # Other versions of cron accept these.
        *("0 0 0 L * *", "0 0 0 ? * *", "0 0 0 * * 7", "0 0 0 * * 1-7", "0 0 0 * * Fri-Mon", "0 0 0 * * Mon#1"),
        *("R * * * * *", "@hourly", "0 0 0 15W * *", "0 0 0 * Mon *", "0 0 0 0 * *", "0 0 24 * * *", "abc * * * * *"),
    ],
)
def test_malformed_schedules_are_refused(schedule: str) -> None:
    with pytest.raises(ValueError, match=r"schedule|not a valid"):
        parse_schedule(schedule)


def test_a_schedule_that_never_fires_says_so() -> None:
    with pytest.raises(ValueError, match="never fires"):
        parse_schedule("0 0 0 31 2 *").next_after(datetime(2026, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("schedule", "monitored"),
    [("0 * * * * *", True), ("*/30 * * * * *", False), ("00:00:59", False), ("00:01:00", True)],
)
def test_schedules_under_a_minute_are_not_monitored(schedule: str, *, monitored: bool) -> None:
    assert parse_schedule(schedule).is_monitored is monitored
