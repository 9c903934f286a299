"""What the command prints on standard output: tables for people, JSON and YAML for programs."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

import typer
import yaml
from rich.console import Console
from rich.table import Table

# Characters of a line that goes to a file or a pipe.
_WIDEST = 10_000
# Below this, tenths of a second tell something.
_TENTHS, _MINUTE, _HOUR = 9.95, 60, 3600


class Format(StrEnum):
    """How to print."""

    TABLE = "table"
    JSON = "json"
    YAML = "yaml"


def document(value: Any, form: Format) -> None:
    """Print a value as JSON or YAML."""
    if form is Format.JSON:
        typer.echo(json.dumps(value, indent=2))
    else:
        typer.echo(yaml.safe_dump(value, sort_keys=False, allow_unicode=True), nl=False)


def rows(found: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> None:
    """Print a table; its headings are the names of the members."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(heading(column), overflow="fold")
    for each in found:
        table.add_row(*(cell(each.get(column)) for column in columns))
    _print(table)


def facts(found: Mapping[str, Any]) -> None:
    """Print names and values, a line each; what is empty is left out. Lines stay whole, so ids can be copied.

    A list takes one line, a tuple one for each item.
    """
    width = max(map(len, found))
    for name, value in found.items():
        lines = value if isinstance(value, tuple) else [value] if value not in (None, "", [], {}) else []
        for begin, line in zip([name, *[""] * len(lines)], lines, strict=False):
            typer.echo(f"{begin:{width}}  {cell(line)}")


def _print(table: Table) -> None:
    """Print a table. Only a terminal has a right edge: what goes into a pipe or a file is neither folded nor padded."""
    terminal = Console()
    if terminal.is_terminal:
        terminal.print(table)
        return
    plain = Console(width=_WIDEST, no_color=True, force_terminal=False)
    with plain.capture() as captured:
        plain.print(table)
    for line in captured.get().splitlines():
        typer.echo(line.rstrip())


def heading(column: str) -> str:
    """Return the heading of a member: `startTime` is START TIME."""
    return re.sub("([A-Z])", r" \1", column).upper()


def cell(value: Any) -> str:
    """Return a value as text."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


def duration(seconds: float) -> str:
    """Return a duration for people: 9.4 s, 12 min 31 s, 1 h 4 min."""
    if seconds < _TENTHS:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE} s"
    return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"


def moment(text: str) -> str:
    """Return a time for people, in the zone of this machine."""
    return f"{datetime.fromisoformat(text).astimezone():%Y-%m-%d %H:%M:%S}" if text else ""
