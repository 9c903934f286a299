"""docs/client.md says what the command has."""

import re
from pathlib import Path

from aroctl.command import VERBS
from aroctl.problems import Exit

PAGE = (Path(__file__).parents[3] / "docs" / "client.md").read_text(encoding="utf-8")


def _section(title: str) -> str:
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_the_page_has_every_verb() -> None:
    """And no other."""
    rows = re.findall(r"^\| (`[^|]+) \|", _section("Verbs"), re.MULTILINE)
    assert sorted(re.findall(r"`(\w+)`", " ".join(rows))) == sorted(VERBS)


def test_the_page_has_every_exit_code() -> None:
    """Scripts are written by it."""
    assert re.findall(r"^\| (\d+) \|", _section("Exit codes"), re.MULTILINE) == [str(code.value) for code in Exit]


def test_the_figures_of_the_comparison_are_those_of_the_commands_below_it() -> None:
    """Commands are lines; characters are those that somebody types, without the ends of lines."""
    section = _section("Compared with other ways")
    blocks = [block.splitlines() for block in re.findall(r"^```text\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)]
    for name, figures in (("commands", [*map(len, blocks)]), ("characters", [sum(map(len, each)) for each in blocks])):
        (row,) = re.findall(rf"^\| {name} \| (.*) \|$", section, re.MULTILINE)
        assert [int(cell) for cell in row.split("|")] == figures, name
