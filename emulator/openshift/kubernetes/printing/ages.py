"""Ages and durations, as `kubectl` writes them."""

from datetime import datetime

MINUTE, HOUR, DAY, YEAR = 60, 3600, 24 * 3600, 365 * 24 * 3600
# Each row: the age below which it applies, the unit, and the finer unit of a second figure, which is left out if zero.
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
    # Kubernetes writes no timestamps without a zone.
    return INVALID if then.tzinfo is None else duration((now - then).total_seconds())


def duration(length: float) -> str:
    """Return a number of seconds as text; -1 counts as 0, because clocks may differ by a second."""
    seconds = int(length)
    if seconds < -1:
        return INVALID
    seconds = max(0, seconds)
    (size, unit), finer = next((coarse, finer) for most, coarse, finer in SCALE if seconds < most)
    text = f"{seconds // size}{unit}"
    if finer is not None and (rest := seconds % size // finer[0]):
        text += f"{rest}{finer[1]}"
    return text
