"""The Markdown that the pages need."""

from collections.abc import Iterable, Sequence
from datetime import timedelta


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; bars and line ends in cells are escaped."""
    return "\n".join(line(cells) for cells in [head, ["---"] * len(head), *rows])


def line(cells: Sequence[str]) -> str:
    """Return one line of a table."""
    return f"| {' | '.join(_cell(cell) for cell in cells)} |"


def code(names: Iterable[str], *, between: str = ", ") -> str:
    """Return names as code spans."""
    return between.join(f"`{name}`" for name in names)


def duration(time: timedelta) -> str:
    """Return a time in the largest unit that gives a whole number."""
    seconds = int(time.total_seconds())
    for unit, size in (("h", 3600), ("min", 60)):
        if seconds and seconds % size == 0:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
