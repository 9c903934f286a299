"""The shell functions of docs/deploy.md, without Azure."""

import re
import shlex
import subprocess
from pathlib import Path

from tests.e2e.page import read

BLOCKS = read(Path(__file__).parents[4] / "docs" / "deploy.md")
SECRETS = {"CLIENT_SECRET", "PULL_SECRET"}
# What a block reads from the user, from the shell, or from a program that it runs.
FROM_ELSEWHERE = {"PULL_SECRET_FILE", "PWD"}


def _function(name: str) -> str:
    """Return the definition of a function on the page."""
    (found,) = (
        match[0]
        for block in BLOCKS
        if (match := re.search(rf"^{name}\(\) \{{\n.*?^\}}$", block.text, re.MULTILINE | re.DOTALL))
    )
    return found


def _run(commands: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-uc", commands], cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )


def _waiting() -> str:
    """Return the lines that wait for an operation that `az rest` has begun."""
    (text,) = (block.text for block in BLOCKS if "while status=" in block.text)
    return "set -e\n" + text[text.index("while status=") :]


def test_following_an_operation_ends_when_a_call_fails(tmp_path: Path) -> None:
    """A sign-in that has expired is an error to see, and no reason to wait on."""
    calls = 'call() { echo asked >> calls; echo "AADSTS50173: sign in again" >&2; return 1; }\nsleep() { exit 9; }\n'
    done = _run(f"set -o pipefail\n{calls}OPERATION=x\n{_waiting()}", tmp_path)
    assert done.returncode == 1
    assert "AADSTS50173" in done.stderr
    assert (tmp_path / "calls").read_text().count("asked") == 2


def test_following_an_operation_waits_for_its_end_and_tells_how_it_ended(tmp_path: Path) -> None:
    """The exit code is that of the operation."""
    calls = (
        'call() { echo >> calls; if [ "$(wc -l < calls)" -lt 3 ]; then s=Creating; else s=$END; fi\n'
        '  if [ "$#" -gt 2 ]; then echo "$s"; else echo "{\\"status\\": \\"$s\\"}"; fi; }\nsleep() { :; }\n'
    )
    for end, want in (("Succeeded", 0), ("Failed", 1)):
        (tmp_path / "calls").write_text("")
        done = _run(f"{calls}OPERATION=x END={end}\n{_waiting()}", tmp_path)
        assert (done.returncode, f'"status": "{end}"' in done.stderr) == (want, True)


def test_another_terminal_has_what_the_rest_of_the_page_uses() -> None:
    """Whatever a block reads that it does not set itself was remembered before, unless it is a secret."""
    remembered = set(re.findall(r"\w+", _function("remember").partition("for name in ")[2].partition("; do")[0]))
    number = next(number for number, block in enumerate(BLOCKS) if "remember() {" in block.text)
    for block in BLOCKS[number + 1 :]:
        own = set(re.findall(r"(?:^|[ (;])([A-Z_]{2,})=|read -r ([A-Z_]+)", block.text, re.MULTILINE))
        names = {name for pair in own for name in pair} | set(re.findall(r"\bexport ([A-Z_]+)", block.text))
        uses = set(re.findall(r"\$\{?([A-Z_]{2,})|environ\['([A-Z_]+)'\]", block.text))
        missing = {name for pair in uses for name in pair} - names - remembered - FROM_ELSEWHERE - {""}
        assert missing <= SECRETS, f"line {block.line}"
    assert not remembered & SECRETS


def test_what_was_remembered_comes_back(tmp_path: Path) -> None:
    """Values with blanks and quotes, and functions; what is not set yet is left out."""
    (tmp_path / ".local/deploy").mkdir(parents=True)
    settings = """{"A": "it's  two"}"""
    first = (
        f"SETTINGS={shlex.quote(settings)}\nGROUP='my group'\nCLIENT_SECRET=hush\noutput() {{ echo \"$GROUP: $1\"; }}\n"
    )
    done = _run(f"set -e\n{first}{_function('remember')}\nremember", tmp_path)
    assert done.returncode == 0, done.stderr
    again = _run('source .local/deploy/terminal.sh; output app; echo "$SETTINGS"; echo "${CLUSTER-none}"', tmp_path)
    assert again.stdout.splitlines() == ["my group: app", settings, "none"]
    assert "hush" not in (tmp_path / ".local/deploy/terminal.sh").read_text()
