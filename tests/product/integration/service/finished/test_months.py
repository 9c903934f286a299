"""A cluster that is left alone: nothing in it expires, and nobody has to do anything."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.years import faked_time


@pytest.mark.slow(90)
def test_nothing_expires_in_the_first_months(finished: Path, tmp_path: Path) -> None:
    """All processes live in a faked time, so every handshake is verified by it. `make years` runs the years.

    After six weeks, and after twelve: by then certificates of thirty days and of three months have been renewed.
    """
    if reason := faked_time.why_not():
        pytest.skip(reason)
    words = ["--finished", str(finished), "--folder", str(tmp_path / "run"), "--days", "84", "--step", "42"]

    done = subprocess.run(
        [sys.executable, "-m", "tests.years", *words], capture_output=True, text=True, check=False, timeout=900
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "renewed by Service: api-certificate: 1" in done.stdout, done.stdout
