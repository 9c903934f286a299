"""What `python -m phases --help` says, command by command: `help.txt` is what people see.

After a change: python -m tests.product.unit.phases.command.test_help
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer.main import get_command
from typer.testing import CliRunner

from phases.command import app

GOLDEN = Path(__file__).with_name("help.txt")


def words(command: Any, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the words of a command and of all commands below it."""
    yield above
    for name, below in getattr(command, "commands", {}).items():
        yield from words(below, (*above, name))


def told() -> str:
    """Return the help of every command."""
    runner = CliRunner(env={"COLUMNS": "80"})
    pages = []
    for path in words(get_command(app)):
        done = runner.invoke(app, [*path, "--help"], prog_name="phases", catch_exceptions=False)
        assert done.exit_code == 0, done.output
        pages.append(f"$ {' '.join(('phases', *path))} --help\n{done.output.strip()}\n")
    return "\n".join(pages)


def test_every_command_says_what_it_does() -> None:
    """A word that changes here changes for everybody who types the command."""
    assert told() == GOLDEN.read_text(encoding="utf-8")


if __name__ == "__main__":
    GOLDEN.write_text(told(), encoding="utf-8")
