"""What the command prints: tables, and the same as YAML or JSON."""

import json
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from shared import kubernetes_yaml
from shared.json_object import Json
from shared.phase_documents import site_views
from shared.phase_documents.entry_points import EntryPoint

# Characters of a line that goes to a file or a pipe.
_WIDEST = 10_000


class Format(StrEnum):
    """How to print."""

    TABLE = "table"
    YAML = "yaml"
    JSON = "json"


def show(rows: Sequence[Mapping[str, Any]], columns: Sequence[str], form: Format) -> None:
    """Print rows.

    Args:
        rows: the rows; their members are those of YAML and JSON.
        columns: the members that the table shows, in order.
        form: how to print.
    """
    if form is Format.TABLE:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for column in columns:
            table.add_column(heading(column), overflow="fold")
        for row in rows:
            table.add_row(*(_cell(row.get(column)) for column in columns))
        _console().print(table)
    else:
        typer.echo(text([dict(row) for row in rows], form), nl=False)


def text(value: Any, form: Format) -> str:
    """Return a value as YAML or JSON."""
    if form is Format.JSON:
        return json.dumps(value, indent=2) + "\n"
    return kubernetes_yaml.dump(value)


def _console() -> Console:
    """Return where tables go. Only a terminal has a right edge: what is piped into `grep` or a file keeps its lines."""
    terminal = Console()
    return terminal if terminal.is_terminal else Console(width=_WIDEST)


def heading(column: str) -> str:
    """Return the heading of a member: `clusterName` is CLUSTER NAME."""
    return "".join(f" {letter}" if letter.isupper() else letter for letter in column).upper()


def documents(documents_: Iterable[Json], form: Format) -> None:
    """Print documents, with their secrets masked."""
    masked = [site_views.mask(one) for one in documents_]
    if form is Format.JSON:
        typer.echo(text(masked, form), nl=False)
    else:
        typer.echo("".join(f"---\n{kubernetes_yaml.dump(one)}" for one in masked), nl=False)


def tree(root: EntryPoint) -> str:
    """Return an entry point and what it is made from as a tree of lines."""
    return "\n".join([root.path, *_branches(root, "")])


def _branches(point: EntryPoint, indent: str) -> Iterable[str]:
    headings = list(point.parts.items())
    for number, (name, parts) in enumerate(headings, 1):
        last = number == len(headings)
        yield f"{indent}{'└── ' if last else '├── '}{name}"
        below = indent + ("    " if last else "│   ")
        for place, part in enumerate(parts, 1):
            end = place == len(parts)
            yield f"{below}{'└── ' if end else '├── '}{part.path}"
            yield from _branches(part, below + ("    " if end else "│   "))


def _cell(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)
