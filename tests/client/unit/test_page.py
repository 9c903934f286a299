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
