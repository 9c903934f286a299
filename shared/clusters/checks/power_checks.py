"""Rules for the schedule by which a cluster stops and starts."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from shared.arm.errors import CloudError
from shared.clusters.checks.facts import Facts, refuse
from shared.clusters.power.power_schedules import DAYS, time_zones

_CLOCK = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]")


def schedule(value: Mapping[str, Any], _facts: Facts, target: str) -> Iterator[CloudError]:
    """Start and stop have different times: at the same one the cluster could do neither."""
    start = value.get("startTime")
    if start and start == value.get("stopTime"):
        yield refuse(f"{target}.startTime", start, "another time than 'stopTime', or nothing would ever happen")


def time_zone(value: str, _facts: Facts, target: str) -> Iterator[CloudError]:
    """The zone is one of the tz database."""
    if value not in time_zones():
        yield refuse(target, value, "the name of a time zone in the tz database, such as Europe/Berlin or UTC")


def days(value: list[str] | None, _facts: Facts, target: str) -> Iterator[CloudError]:
    """There is a day, each is a day of the week, and none is there twice."""
    given = value or []
    if not given or len(set(given)) < len(given) or not set(given) <= set(DAYS):
        wanted = f"one or more of {', '.join(DAYS)}, each once; without a day nothing would ever happen"
        yield refuse(target, ", ".join(given), wanted)


def clock(value: str, _facts: Facts, target: str) -> Iterator[CloudError]:
    """The time is one of the minutes of a day."""
    if not _CLOCK.fullmatch(value):
        yield refuse(target, value, "a time of the day, HH:MM from 00:00 to 23:59")
