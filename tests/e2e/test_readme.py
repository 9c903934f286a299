"""What the README tells people to type works."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run `up` and give what it prints."""
    state = str(tmp_path_factory.mktemp("readme") / "state")
    up = [sys.executable, "-m", "emulator", "up", "--detach", "--state", state]
    done = subprocess.run(up, cwd=REPOSITORY, capture_output=True, text=True, check=True, timeout=120)
    yield done.stdout
    subprocess.run([sys.executable, "-m", "emulator", "down", "--state", state], cwd=REPOSITORY, check=True, timeout=60)


def test_the_printed_curl_lines_can_be_pasted(printed: str) -> None:
    """Into one shell, in their order, each with an answer that is no error."""
    lines = printed.partition("Paste these into a terminal:")[2].partition("Everything else")[0]
    # A shell's own proxy or CA would lead them elsewhere.
    clean = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    commands = lines.replace("curl -s", "curl -sS --fail-with-body")
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands],
        capture_output=True,
        text=True,
        env=clean,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert '"registrationState"' in done.stdout
    assert '"value"' in done.stdout


def test_every_make_word_of_the_readme_exists() -> None:
    """A word that make does not know would be the first thing a newcomer meets."""
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    words = set(re.findall(r"make ([a-z0-9]+)", readme))
    listed = subprocess.run(["make", "help"], cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
    assert {"demo", "up", "test", "e2e", "bench", "lint"} <= words
    assert words <= set(re.findall(r"make ([a-z0-9]+)", listed))


def test_every_emulator_command_of_the_readme_is_understood() -> None:
    """Their names and options are those of the program."""
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\.venv/bin/python (-m emulator .*?)(?:\s+#.*)?$", readme, re.MULTILINE)
    assert lines
    for line in lines:
        words = [word for word in shlex.split(line) if not word.isupper()]
        options = [word for word in words if word.startswith("--")]
        depth = 4 if words[2] == "faults" else 3
        shown = subprocess.run(
            [sys.executable, *words[:depth], "--help"], cwd=REPOSITORY, capture_output=True, text=True, check=True
        ).stdout
        assert all(option in shown for option in options), line


def test_every_path_of_the_readme_exists() -> None:
    """The folder map and the table of changes lead somewhere."""
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    paths = re.findall(r"`([a-z_]+(?:/[a-z_A-Z.]+)*/?)`", readme)
    # Paths below a folder that the row has named already stand without it.
    mentioned = [path for path in paths if "/" in path and (REPOSITORY / path.split("/")[0]).exists()]
    assert len(mentioned) > 10
    missing = [path for path in mentioned if not (REPOSITORY / path).exists()]
    assert not missing
