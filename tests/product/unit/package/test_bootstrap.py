"""How `tools/bootstrap` shows that a long, silent installation goes on."""

import os
import re
import subprocess
from pathlib import Path

BOOTSTRAP = Path(__file__).parents[4] / "tools" / "bootstrap"


def _run(commands: str, path: str = "") -> subprocess.CompletedProcess[str]:
    """Run commands that may call `patiently`, with a folder of programs before those of the system."""
    found = re.search(r"^patiently\(\) \{\n.*?^\}\n", BOOTSTRAP.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert found is not None
    return subprocess.run(
        ["sh", "-euc", found[0] + commands],
        env={"PATH": f"{path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_a_long_command_is_seen_to_go_on(tmp_path: Path) -> None:
    """Minutes without a word look like a hang. Here five seconds pass fast."""
    fast = tmp_path / "sleep"
    fast.write_text("#!/bin/sh\nexec /bin/sleep 0.05\n", encoding="utf-8")
    fast.chmod(0o755)
    done = _run("patiently /bin/sleep 1\necho done\n", str(tmp_path))
    assert done.returncode == 0
    assert done.stdout.startswith("  still at it after 5 s ...\n  still at it after 10 s ...\n")
    assert done.stdout.endswith("done\n")


def test_a_command_that_fails_ends_the_installation() -> None:
    """With its own exit code, and what it printed."""
    done = _run("patiently sh -c 'echo no space >&2; exit 3'\necho never\n")
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "no space\n")


def test_a_short_command_says_nothing() -> None:
    """And nothing is left that could keep a pipe open."""
    assert _run("patiently true\n").stdout == ""
