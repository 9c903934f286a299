"""Schedules of timer functions: NCRONTAB with six or five fields, or a time span. Times are UTC."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from emulator.host.host_config import HostConfigurationError, parse_time_span

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")

# Field name, lowest and highest value, names of values.
_FIELDS: tuple[tuple[str, int, int, tuple[str, ...]], ...] = (
    ("second", 0, 59, ()),
    ("minute", 0, 59, ()),
    ("hour", 0, 23, ()),
    ("day", 1, 31, ()),
    ("month", 1, 12, _MONTHS),
    ("day of week", 0, 6, _DAYS),
)
_MINUTE_SECONDS = 60
_HORIZON = timedelta(days=366 * 8)  # 29 February on a given day of the week comes within this time or never.


@dataclass(frozen=True)
class Schedule:
    """When a timer function runs next: either by cron fields or every so many seconds."""

    text: str
    fields: tuple[frozenset[int], ...] = ()
    every_seconds: float = 0

    @property
    def is_monitored(self) -> bool:
        """Whether the host keeps the schedule's status: not for those that run more often than once a minute."""
        if self.every_seconds:
            return self.every_seconds >= _MINUTE_SECONDS
        return len(self.fields[0]) == 1

    def next_after(self, moment: datetime) -> datetime:
        """Return the first run strictly after a moment.

        Raises:
            ValueError: the schedule never fires.
        """
        if self.every_seconds:
            return moment + timedelta(seconds=self.every_seconds)
        seconds, minutes, hours, days, months, weekdays = self.fields
        candidate = moment.astimezone(UTC).replace(microsecond=0) + timedelta(seconds=1)
        limit = candidate + _HORIZON
        while candidate < limit:
            if candidate.month not in months:
                candidate = (candidate.replace(day=1) + timedelta(days=32)).replace(day=1, hour=0, minute=0, second=0)
            elif candidate.day not in days or candidate.isoweekday() % 7 not in weekdays:
                candidate = (candidate + timedelta(days=1)).replace(hour=0, minute=0, second=0)
            elif candidate.hour not in hours:
                candidate = (candidate + timedelta(hours=1)).replace(minute=0, second=0)
            elif candidate.minute not in minutes:
                candidate = (candidate + timedelta(minutes=1)).replace(second=0)
            elif candidate.second not in seconds:
                candidate += timedelta(seconds=1)
            else:
                return candidate
        raise ValueError(f"The schedule '{self.text}' never fires.")


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
    parts = stripped.split()
    if len(parts) == len(_FIELDS) - 1:
        parts.insert(0, "0")
    if len(parts) != len(_FIELDS):
        raise ValueError(f"The schedule expression '{text}' was not recognized as a valid cron expression or timespan.")
    return Schedule(
        stripped, fields=tuple(_parse_field(part, *field) for part, field in zip(parts, _FIELDS, strict=True))
    )


def _parse_field(text: str, name: str, low: int, high: int, names: tuple[str, ...]) -> frozenset[int]:
    values: set[int] = set()
    for item in text.split(","):
        match = re.fullmatch(r"(\*|\w+)(?:-(\w+))?(?:/(\d+))?", item)
        if match is None:
            raise ValueError(f"'{item}' is not a valid {name} of a cron expression.")
        first, last, step = match.groups()
        if first == "*":
            start, end = low, high
        else:
            start = _parse_value(first, name, low, names)
            end = _parse_value(last, name, low, names) if last else (high if step else start)
        if not low <= start <= end <= high or step == "0":
            raise ValueError(f"'{item}' is not a valid {name} of a cron expression ({low} to {high}).")
        values.update(range(start, end + 1, int(step or 1)))
    return frozenset(values)


def _parse_value(text: str, name: str, low: int, names: tuple[str, ...]) -> int:
    if text.isdigit():
        return int(text)
    for offset, known in enumerate(names):
        if text.lower().startswith(known):
            return low + offset
    raise ValueError(f"'{text}' is not a valid {name} of a cron expression.")
