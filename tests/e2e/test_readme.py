"""The commands that the README and the pages under docs/ tell people to type work."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
# Without the record of a past run, which keeps the names that were valid then.
PAGES = [
    REPOSITORY / "README.md",
    *sorted({*(REPOSITORY / "docs").glob("*.md")} - {REPOSITORY / "docs/reliability.md"}),
]

# What the pages promise that a terminal has after `emulator env`.
SET_BY_ENV = {
    *("HTTPS_PROXY", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "IDENTITY_ENDPOINT", "IDENTITY_HEADER"),
    "AZURE_CONFIG_DIR",
    "LOCAL_AZURE_IDENTITY_CLIENT_ID",
    *("LOCAL_AZURE_CLIENT_ID", "LOCAL_AZURE_CLIENT_SECRET", "LOCAL_AZURE_TENANT_ID"),
}
# The two ways in which a program in that terminal calls the platform: by Azure's names, and as the app's identity.
PROGRAM = """
import os, requests
print(requests.get("https://management.azure.com/metadata/endpoints?api-version=2022-09-01").status_code)
headers = {"X-IDENTITY-HEADER": os.environ["IDENTITY_HEADER"]}
query = {"api-version": "2019-08-01", "resource": "https://vault.azure.net"}
query["client_id"] = os.environ["LOCAL_AZURE_IDENTITY_CLIENT_ID"]
print(requests.get(os.environ["IDENTITY_ENDPOINT"], params=query, headers=headers).status_code)
"""


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the state folder of the platform of these tests."""
    return tmp_path_factory.mktemp("readme") / "state"


@pytest.fixture(scope="module")
def printed(state: Path) -> Iterator[str]:
    """Run `up` and give what it prints."""
    up = [sys.executable, "-m", "emulator", "up", "--detach", "--state", str(state)]
    done = subprocess.run(up, cwd=REPOSITORY, capture_output=True, text=True, check=True, timeout=300)
    yield done.stdout
    down = [sys.executable, "-m", "emulator", "down", "--state", str(state)]
    subprocess.run(down, cwd=REPOSITORY, check=True, timeout=300)


def _told() -> str:
    """Return the text of all pages."""
    return "\n".join(page.read_text(encoding="utf-8") for page in PAGES)


def _paste(commands: str) -> str:
    """Run lines in one shell until one fails; return what they print."""
    # A proxy or CA of the shell that runs the tests would send the calls elsewhere.
    clean = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    shell = ["bash", "-euo", "pipefail", "-c", commands]
    done = subprocess.run(shell, cwd=REPOSITORY, capture_output=True, text=True, env=clean, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_printed_lines_can_be_pasted(printed: str) -> None:
    """They run in one shell, in this order, and no call is answered with an error."""
    lines = printed.partition("Paste these into a terminal")[2].partition("\n")[2].partition("Everything else")[0]
    commands = "\n".join(line for line in lines.splitlines() if line.startswith("  "))
    said = _paste(commands.replace("curl -s", "curl -sS --fail-with-body"))
    assert '"registrationState"' in said
    assert '"value"' in said


def test_the_pages_line_sets_all_that_they_say(printed: str, state: Path) -> None:
    """Programs in that terminal then reach Azure's names and the app's identity on this machine."""
    assert printed
    pages = _told()
    lines = set(re.findall(r'eval "\$\(\.venv/bin/python -m emulator env\)"', pages))
    (line,) = lines
    line = line.replace(".venv/bin/python", sys.executable).replace("emulator env", f"emulator env --state {state}")
    shown = _paste(f"{line}\nenv")
    assert {each.partition("=")[0] for each in shown.splitlines()} >= SET_BY_ENV
    assert all(name in pages for name in SET_BY_ENV)
    assert _paste(f"{line}\n{sys.executable} -c {shlex.quote(PROGRAM)}").split() == ["200", "200"]


def test_no_log_and_no_printed_line_has_a_secret(printed: str, state: Path) -> None:
    """A detached `up` writes to a log, and people share logs."""
    document = json.loads((state / "endpoints.json").read_text(encoding="utf-8"))
    applications = [*document["extra_principals"], document]
    named = ("client_secret", "cluster_client_secret", "identity_header", "durable_key")
    secrets = {application[name] for application in applications for name in named if name in application}
    logs = {path.name: path.read_text(encoding="utf-8") for path in (state / "logs").iterdir()}
    assert {"up.log", "azure.log", "functions.log", "journal.jsonl"} <= set(logs)
    found = [name for name, text in [*logs.items(), ("printed", printed)] if any(each in text for each in secrets)]
    assert not found


def test_only_its_owner_can_read_the_state(printed: str, state: Path) -> None:
    """Other users of this machine can read no key, no log and no task hub, whichever program wrote it."""
    assert printed
    paths = [state, *(path for path in state.rglob("*") if not path.is_socket())]
    assert not [str(path) for path in paths if path.stat().st_mode & 0o077]


def test_every_make_word_of_the_pages_exists() -> None:
    """Otherwise the first command that a newcomer types could fail."""
    # Only in code spans and at the beginning of lines; elsewhere "make" is a verb.
    words = set(re.findall(r"(?:^|`|^\$ )make ([a-z0-9]+)", _told(), re.MULTILINE))
    listed = subprocess.run(["make", "help"], cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
    assert {"demo", "up", "test", "e2e", "bench", "lint"} <= words
    assert words <= set(re.findall(r"make ([a-z0-9]+)", listed))


def test_every_emulator_command_of_the_pages_is_understood() -> None:
    """The program has the commands and options that the pages name."""
    told = _told().replace("\\\n", "")
    lines = re.findall(r"^\.venv/bin/python (-m emulator .*?)(?:\s+#.*)?$", told, re.MULTILINE)
    assert lines
    for line in lines:
        words = [word for word in shlex.split(line) if not word.isupper()]
        options = [word for word in words if word.startswith("--")]
        depth = 4 if words[2] == "faults" else 3
        shown = subprocess.run(
            [sys.executable, *words[:depth], "--help"], cwd=REPOSITORY, capture_output=True, text=True, check=True
        ).stdout
        assert all(option in shown for option in options), line


def test_every_path_of_the_pages_exists() -> None:
    """Every path in the folder map and in the table of changes exists."""
    paths = re.findall(r"`([a-z_]+(?:/[a-z_A-Z.]+)*/?)`", _told())
    # A path may leave out the folder that its row has already named.
    mentioned = [path for path in paths if "/" in path and (REPOSITORY / path.split("/")[0]).exists()]
    assert len(mentioned) > 10
    missing = [path for path in mentioned if not (REPOSITORY / path).exists()]
    assert not missing
