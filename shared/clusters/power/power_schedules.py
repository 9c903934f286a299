"""When a cluster stops and starts by itself: the events of a `powerSchedule`, in UTC. Pure.

On each of its days a schedule has a start and a stop, at the clock of its time zone. If a time does not exist on a day,
because clocks are put forward, the event comes as much later; if it exists twice, the first one counts.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from shared.arm import times
from shared.arm.errors import invalid_parameter
from shared.clusters.states import Event
from shared.documents import PowerSchedule

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
PATH = "properties.powerSchedule"
# Every event comes again within a week, in any time zone.
_NEAR_DAYS = range(-8, 9)


@dataclass(frozen=True, order=True)
class Occasion:
    """One event of a schedule: when it is due, and what it is."""

    at: datetime
    event: Event


@cache
def time_zones() -> frozenset[str]:
    """Return the names of the time zones that a schedule may have. They come with the package and do not change."""
    return frozenset(available_timezones())


def last(schedule: PowerSchedule, now: datetime) -> Occasion:
    """Return the latest event of a schedule that is due."""
    return max(each for each in _near(schedule, now) if each.at <= now)


def next_start(schedule: PowerSchedule, now: datetime) -> datetime:
    """Return when a schedule starts the cluster next."""
    return min(each.at for each in _near(schedule, now) if each.at > now and each.event is Event.START)


def require_start_before(schedule: PowerSchedule, now: datetime, latest: datetime) -> None:
    """Refuse a schedule of a stopped cluster whose next start would come too late.

    Args:
        schedule: the schedule.
        now: the time.
        latest: until when the cluster must be started.

    Raises:
        CloudError: 400 `InvalidParameter`.
    """
    start = next_start(schedule, now)
    if start > latest:
        raise invalid_parameter(
            PATH,
            f"With this '{PATH}' the stopped cluster would be started at {times.arm_time(start.isoformat())}, and it "
            f"must be started before {times.arm_time(latest.isoformat())}, because its certificates end. Add a day "
            "before that, or start the cluster now.",
        )


def _near(schedule: PowerSchedule, now: datetime) -> Iterator[Occasion]:
    zone = ZoneInfo(schedule["timeZone"])
    today = now.astimezone(zone).date()
    for day in (today + timedelta(days=number) for number in _NEAR_DAYS):
        if DAYS[day.weekday()] in schedule["days"]:
            for event, clock in ((Event.START, schedule["startTime"]), (Event.STOP, schedule["stopTime"])):
                yield Occasion(datetime.combine(day, time.fromisoformat(clock), zone).astimezone(UTC), event)
