"""The clock of a process: the time, and Azure's latencies divided by the time scale."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class Clock:
    """Tells the time, and waits as long as Azure would, divided by the time scale.

    Args:
        time_scale: how many times faster than in Azure latencies pass, > 0. The validity of tokens, certificates and
            SAS is never scaled.
        source: returns the current time; tests inject another one.
    """

    time_scale: float = 1.0
    source: Callable[[], datetime] = field(default=_utc_now)

    def now(self) -> datetime:
        """Return the time in UTC, with its time zone."""
        return self.source()

    def scaled(self, seconds: float) -> timedelta:
        """Return how long `seconds` of Azure's time take here."""
        return timedelta(seconds=seconds / self.time_scale)

    def after(self, seconds: float) -> datetime:
        """Return when something that takes `seconds` in Azure will end, if it begins now."""
        return self.now() + self.scaled(seconds)

    async def sleep(self, seconds: float) -> None:
        """Wait for `seconds` of Azure's time."""
        await asyncio.sleep(seconds / self.time_scale)

    def retry_after(self, seconds: float) -> str:
        """Return a Retry-After value: whole seconds, at least 1, because azure-core reads 0 as absent."""
        return str(max(1, round(seconds / self.time_scale)))


def rfc3339(moment: datetime) -> str:
    """Format a time as ARM does: UTC, six decimals, `Z`."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
