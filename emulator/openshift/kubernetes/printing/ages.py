"""Times as people read them: how long ago."""

from datetime import datetime

MINUTE, HOUR, DAY, YEAR = 60, 3600, 24 * 3600, 365 * 24 * 3600
# Up to which age, in which unit, and how much finer the second figure is: none, or left out when it is zero.
SCALE = (
    (2 * MINUTE, (1, "s"), None),
    (10 * MINUTE, (MINUTE, "m"), (1, "s")),
    (3 * HOUR, (MINUTE, "m"), None),
    (8 * HOUR, (HOUR, "h"), (MINUTE, "m")),
    (2 * DAY, (HOUR, "h"), None),
    (8 * DAY, (DAY, "d"), (HOUR, "h")),
    (2 * YEAR, (DAY, "d"), None),
    (8 * YEAR, (YEAR, "y"), (DAY, "d")),
    (float("inf"), (YEAR, "y"), None),
)
UNKNOWN, INVALID = "<unknown>", "<invalid>"


def age(timestamp: str | None, now: datetime) -> str:
    """Return how long ago a timestamp was, as `kubectl` writes it: `5s`, `3m20s`, `2d4h`."""
    if not timestamp:
        return UNKNOWN
    try:
        then = datetime.fromisoformat(timestamp)
    except ValueError:
        return INVALID
    # A timestamp without a zone is none of Kubernetes'.
    return INVALID if then.tzinfo is None else duration((now - then).total_seconds())


def duration(length: float) -> str:
    """Write a number of seconds; clocks that differ by a second are forgiven."""
    seconds = int(length)
    if seconds < -1:
        return INVALID
    seconds = max(0, seconds)
    (size, unit), finer = next((coarse, finer) for most, coarse, finer in SCALE if seconds < most)
    text = f"{seconds // size}{unit}"
    if finer is not None and (rest := seconds % size // finer[0]):
        text += f"{rest}{finer[1]}"
    return text
