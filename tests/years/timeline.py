"""What happens on which day: events, and what is renewed without anybody's doing, as GET expirations shows it."""

import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime

from shared.cluster_conditions.calendar import Renewer
from shared.json_object import Json
from tests.years.faked_time import FakedTime


@dataclass
class Timeline:
    """The timeline of a run, and what its summary counts.

    Args:
        time: the time of the run.
    """

    time: FakedTime
    _by_hand: Counter[str] = field(default_factory=Counter)
    _renewed: dict[str, Counter[str]] = field(default_factory=dict)
    _ends: dict[str, datetime] = field(default_factory=dict)
    _longest: float = 0.0
    _looks: int = 0
    _begun: tuple[datetime, float] = field(default_factory=lambda: (datetime.now(UTC), time.monotonic()))

    def tell(self, what: str) -> None:
        """Write a line."""
        sys.stdout.write(f"day {self.time.passed.days:4}, {datetime.now(UTC):%Y-%m-%d %H:%M}: {what}\n")
        sys.stdout.flush()

    def did(self, what: str, seconds: float) -> None:
        """Note what somebody has done by hand, and how long it took."""
        self._by_hand[what] += 1
        self.tell(f"by hand: {what}, after {seconds:.0f} s")

    def well(self, seconds: float, listed: list[Json], *, stopped: bool) -> None:
        """Note that all is well, and what has been renewed since the last time.

        Args:
            seconds: how long that took.
            listed: what GET expirations answers.
            stopped: whether the cluster was stopped meanwhile, when nobody renews.

        Raises:
            AssertionError: if something has ended, or had ended before the service renewed it.
        """
        now, ends = datetime.now(UTC), {one["name"]: datetime.fromisoformat(one["end"]) for one in listed}
        renewed: dict[str, list[str]] = {}
        for one in listed:
            name, renewer = one["name"], one["renewedBy"]
            before = self._ends.get(name, ends[name])
            assert ends[name] > now, f"{name} has ended: {one}"
            assert stopped or renewer == Renewer.CLUSTER or before > now, f"{name} had ended on {before}"
            if ends[name] > before:
                renewed.setdefault(renewer, []).append(name)
                self._renewed.setdefault(renewer, Counter())[name] += 1
        self._ends, self._longest, self._looks = ends, max(self._longest, seconds), self._looks + 1
        found = [f"{renewer} has renewed {', '.join(names)}" for renewer, names in sorted(renewed.items())]
        self.tell("; ".join([f"all is well, after {seconds:.0f} s", *found]))

    def summarize(self) -> None:
        """Write what the run has shown."""
        begun, monotonic = self._begun
        wall = time.monotonic() - monotonic - self.time.passed.total_seconds()
        lines = [
            f"{self.time.passed.days} days, {begun:%Y-%m-%d} to {datetime.now(UTC):%Y-%m-%d}; nothing has ended",
            *(f"by hand: {what}: {count}" for what, count in self._by_hand.items()),
            *(
                f"renewed by {renewer}: {name}: {count}"
                for renewer, found in sorted(self._renewed.items())
                for name, count in found.items()
            ),
            f"{self._looks} looks; the longest time until all was well: {self._longest:.0f} s",
            f"wall time: {wall:.0f} s",
        ]
        sys.stdout.write("\n".join(["", *lines, ""]))
        sys.stdout.flush()
