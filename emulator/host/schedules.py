"""Schedules of timer functions: NCRONTAB with six or five fields, or a time span. Times are UTC."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from croniter import CroniterBadCronError, CroniterBadDateError, croniter

from emulator.host.host_config import HostConfigurationError, parse_time_span

_MINUTE_SECONDS = 60
_FIELD_COUNT = 6
_DAY_OF_WEEK = 5
_LAST_DAY = 6
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_NUMBERS = {name: position for names in (_MONTHS, _DAYS) for position, name in enumerate(names)}
# croniter also accepts L, ?, #, 7 for Sunday and ranges that wrap around; NCRONTAB does not.
_END = "|".join((r"\d+", *_NUMBERS))
_ITEM = re.compile(rf"(?:\*|({_END})(?:-({_END}))?)(?:/\d+)?")


@dataclass(frozen=True)
class Schedule:
    """When a timer function runs: either by the fields of an expression, or at a fixed interval in seconds."""

    text: str
    fields: tuple[str, ...] = ()
    every_seconds: float = 0

    @property
    def is_monitored(self) -> bool:
        """Whether the host keeps the schedule's status: not if the function runs more often than once a minute."""
        if self.every_seconds:
            return self.every_seconds >= _MINUTE_SECONDS
        return self.fields[0].isdigit()

    def next_after(self, moment: datetime) -> datetime:
        """Return the first run strictly after a moment.

        Raises:
            ValueError: the schedule never fires.
        """
        if self.every_seconds:
            return moment + timedelta(seconds=self.every_seconds)
        try:
            return _runs(self.fields, moment.astimezone(UTC)).get_next(datetime)
        except CroniterBadDateError as error:
            raise ValueError(f"The schedule '{self.text}' never fires.") from error


def parse_schedule(text: str) -> Schedule:
    """Parse NCRONTAB (seconds first; five fields begin with minutes) or a time span.

    Raises:
        ValueError: the text is neither.
    """
    stripped = text.strip()
    if ":" in stripped:
        try:
            seconds = parse_time_span(stripped)
        except HostConfigurationError as error:
            raise ValueError(f"The schedule expression '{text}' was not recognized.") from error
        if seconds <= 0:
            raise ValueError(f"The schedule expression '{text}' was not recognized.")
        return Schedule(stripped, every_seconds=seconds)
    # Only the first three letters of a name count.
    fields = re.sub(r"([a-z]{3})[a-z]*", r"\1", stripped.lower()).split()
    if len(fields) == _FIELD_COUNT - 1:
        fields.insert(0, "0")
    if len(fields) != _FIELD_COUNT:
        raise ValueError(f"The schedule expression '{text}' was not recognized as a valid cron expression or timespan.")
    for position, field in enumerate(fields):
        for item in field.split(","):
            _check(item, position)
    try:
        _runs(tuple(fields), datetime.now(UTC))
    except CroniterBadCronError as error:
        raise ValueError(f"'{text}' is not a valid cron expression: {error}") from error
    return Schedule(stripped, tuple(fields))


def _runs(fields: tuple[str, ...], after: datetime) -> croniter:
    # NCRONTAB requires the day of the month and the day of the week to match; cron requires only one of them.
    return croniter(" ".join(fields), after, second_at_beginning=True, day_or=False)


def _check(item: str, position: int) -> None:
    match = _ITEM.fullmatch(item)
    ends = [int(_NUMBERS.get(end, end)) for end in match.groups() if end] if match else []
    if match is None or ends != sorted(ends) or (position == _DAY_OF_WEEK and max(ends, default=0) > _LAST_DAY):
        raise ValueError(f"'{item}' is not a valid part of a cron expression.")
