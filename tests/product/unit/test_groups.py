"""Tests of one group run on one worker, because they share a platform that only one test at a time may use."""

import os
import subprocess
import sys
from pathlib import Path

TESTS = """
import os
from pathlib import Path
import pytest

@pytest.mark.xdist_group("one")
@pytest.mark.parametrize("number", range(6), ids=lambda number: f"number: {number}, of six")
def test_it(number):
    Path(os.environ["SEEN"], os.environ["PYTEST_XDIST_WORKER"]).touch()
"""
WORKAROUND = Path(__file__).parents[2] / "xdist_groups.py"


def test_a_group_of_tests_runs_on_one_worker(tmp_path: Path) -> None:
    """This holds whatever pytest and pytest-xdist do to the ids of tests."""
    seen = tmp_path / "seen"
    seen.mkdir()
    (tmp_path / "test_group.py").write_text(TESTS, encoding="utf-8")
    (tmp_path / "conftest.py").write_text(WORKAROUND.read_text(encoding="utf-8"), encoding="utf-8")
    words = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadgroup", "-c", os.devnull, str(tmp_path)]
    done = subprocess.run(
        words, capture_output=True, text=True, check=False, cwd=tmp_path, env=os.environ | {"SEEN": str(seen)}
    )
    assert done.returncode == 0, done.stdout
    assert len(list(seen.iterdir())) == 1
