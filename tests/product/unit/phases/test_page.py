"""The page that compares with airshipctl leaves nothing out."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer.main import get_command

from phases.command import app
from shared.phase_documents.schemas import NOT_BUILT, SCHEMAS

PAGE = Path(__file__).resolve().parents[4] / "docs" / "airshipctl.md"


def _commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the full names of all commands."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, (*path, name))
        else:
            yield " ".join((*path, name))


def test_every_document_executor_and_verb_is_in_the_tables() -> None:
    """Each is the same, better, or left out, with the reason."""
    rows = re.findall(r"^\| (.+?) \| (same|better|left out) \|(.*)\|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    compared = {name for first, _, _ in rows for name in re.findall(r"`([^`]+)`", first)}
    assert {*SCHEMAS, *NOT_BUILT, "ManifestMetadata", *_commands(get_command(app))} - compared == set()
    assert [first for first, verdict, reason in rows if verdict != "same" and not reason.strip()] == []
