"""The path of docs/phases.md from a checkout to a first plan, as a reader types it."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.page import Page

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = REPOSITORY / "docs" / "phases.md"
MOST_COMMANDS = 10


@pytest.fixture
def checkout(tmp_path: Path) -> Iterator[Path]:
    """Give a folder that looks like this checkout, and in which the page's commands leave what they make."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    listed = subprocess.run(["git", "ls-files"], cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
    for name in sorted({path.partition("/")[0] for path in listed.splitlines()} | {".venv"}):
        (folder / name).symlink_to(REPOSITORY / name)
    yield folder
    down = [".venv/bin/python", "-m", "emulator", "down", "--state", ".local/demo"]
    subprocess.run(down, cwd=folder, capture_output=True, check=False, timeout=300)


def test_the_page_leads_from_a_checkout_to_a_plan_that_has_run(checkout: Path) -> None:
    """Its first block has at most ten commands; the second run prunes what the site no longer has."""
    clean = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    with Page(PAGE, clean, checkout) as page:
        first, again, _ = page.run_rest()
    assert len(first.block.text.splitlines()) <= MOST_COMMANDS
    assert "Succeeded: first" in first.output
    assert "ConfigMap team/notice: created" in first.output
    assert "ConfigMap team/notice: pruned" in again.output
    assert "The phase 'settings' is done" in again.output
    assert not (checkout / "my-site").exists()
