"""The facts measured from the graph of 2020, if they are available beside this repository."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

FILE = Path(__file__).parents[6] / "shared" / "reference" / "install-graph-facts.json"
present = pytest.mark.skipif(not FILE.exists(), reason=f"the facts are not at {FILE}")


@cache
def facts() -> dict[str, Any]:
    """Return the facts; empty if they are not available, so that tests can be collected."""
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    return found


def section(name: str) -> list[Any]:
    """Return the rows of one section."""
    rows: list[Any] = facts().get(name, [])
    return rows
