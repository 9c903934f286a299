"""docs/times.md: the times of the service, from their table."""

from datetime import timedelta

from shared.durations import TABLE, Duration

_HEAD = """# Times

How long the service waits, keeps and tries, for those who run it or change it. `shared/durations.py` has the table. The
deadlines and polls of rows are in [plans.md](plans.md), and `orchestrators/retry.py` says for how long rows try again.

If a time is scaled, the setting `TIME_SCALE` divides it; in Azure it is 1. Networks, Azure's own clocks, processes that
start and people have the same pace at every scale.

| time | in Azure | scaled | why |
|---|---|---|---|
"""
# Unit, its length, and from when on it is used.
_UNITS = (
    ("days", timedelta(days=1), timedelta(days=2)),
    ("h", timedelta(hours=1), timedelta(hours=1)),
    ("min", timedelta(minutes=1), timedelta(minutes=1)),
)


def page() -> str:
    """Return the page."""
    return _HEAD + "".join(map(_row, TABLE))


def _row(duration: Duration) -> str:
    return f"| `{duration.name}` | {_shown(duration.value)} | {'yes' if duration.scaled else ''} | {duration.why} |\n"


def _shown(value: timedelta) -> str:
    """Return a time in the largest unit of which it is a whole number; a single day is 24 h."""
    for unit, length, least in _UNITS:
        if value >= least and value % length == timedelta():
            return f"{value // length} {unit}"
    return f"{value.total_seconds():g} s"
