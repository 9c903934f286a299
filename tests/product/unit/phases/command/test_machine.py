"""`machine`: whom it asks for the key, and what it gives to ssh."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from phases.command import app
from phases.local.service import Service
from shared.bundles.problems import BundleError
from shared.openshift.client import NotDone

CLUSTER = "/subscriptions/s/resourceGroups/g/providers/Microsoft.RedHatOpenShift/openShiftClusters/c1"
MACHINES = [
    {"name": "c1-x-bootstrap", "privateIpAddress": "10.0.0.6"},
    {"name": "c1-x-master-0", "privateIpAddress": "10.0.0.7"},
]
SERVICE = ("--service", "https://rp.example", "--scope", "api://x/.default")
AGENT = """#!/bin/sh
touch "$3"
exec sleep 60
"""
ADD = """#!/bin/sh
cat > "$FOLDER/key"
"""
SSH = """#!/bin/sh
printf '%s\\n' "$@" > "$FOLDER/words"
exit 3
"""


@pytest.fixture
def answer() -> dict[str, Any]:
    """Return what the service answers; a test may change it."""
    return {"username": "core", "privateKey": "the key", "machines": MACHINES}


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch, answer: dict[str, Any]) -> list[tuple[str, Any]]:
    """Record what the service is asked."""
    found: list[tuple[str, Any]] = []

    def post(service: Service, path: str, content: Any) -> Any:
        found.append((path, content))
        assert service.url == "https://rp.example"
        return answer

    monkeypatch.setattr(Service, "post", post)
    return found


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put programs instead of OpenSSH's that write down what they get."""
    for name, text in (("ssh-agent", AGENT), ("ssh-add", ADD), ("ssh", SSH)):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("FOLDER", str(tmp_path))
    return tmp_path


def run(*words: str) -> Any:
    """Run the command."""
    return CliRunner().invoke(app, ["machine", *words], catch_exceptions=False)


def test_the_machines_are_listed_without_the_key(asked: list[tuple[str, Any]]) -> None:
    """Names and addresses, as the service tells them."""
    done = run("list", CLUSTER, *SERVICE, "--output", "json")
    assert json.loads(done.stdout) == MACHINES
    assert asked == [(f"{CLUSTER}/getSshKey", {})]


def test_ssh_gets_the_address_the_user_and_the_jump_host(programs: Path) -> None:
    """The key goes to an agent, through no file and no argument; ssh's exit code is the command's."""
    done = run("ssh", CLUSTER, "c1-x-bootstrap", *SERVICE, "--jump", "me@host:22", "--", "journalctl", "-f")
    words = (programs / "words").read_text().splitlines()
    assert done.exit_code == 3
    assert words[:2] == ["-J", "me@host:22"]
    assert words[-4:] == ["--", "10.0.0.6", "journalctl", "-f"]
    assert "User=core" in words
    assert (programs / "key").read_text() == "the key"
    assert not any("the key" in word for word in words)


def test_an_option_of_the_caller_comes_first(programs: Path) -> None:
    """Ssh takes the first value of each option."""
    run("ssh", CLUSTER, "c1-x-master-0", *SERVICE, "--option", "User=me")
    options = [word for word in (programs / "words").read_text().splitlines() if word.startswith("User=")]
    assert options == ["User=me", "User=core"]


def test_a_login_to_the_bootstrap_machine_says_how_to_follow_it(programs: Path) -> None:
    """That is what people come for."""
    done = run("ssh", CLUSTER, "c1-x-bootstrap", *SERVICE)
    assert programs.exists()
    assert "journalctl -b -f -u release-image.service -u bootkube.service" in done.stderr


def test_a_machine_that_is_not_there_is_told_with_those_that_are() -> None:
    """A typing error costs no look into Azure."""
    with pytest.raises(BundleError, match=r"no machine 'c1'.*It has: c1-x-bootstrap, c1-x-master-0"):
        run("ssh", CLUSTER, "c1", *SERVICE)


def test_a_cluster_without_machines_says_why(answer: dict[str, Any]) -> None:
    """The service knows: its create has not come that far, say. The list itself stays a list."""
    answer.update(machines=[], reason="They are made later.")
    done = run("list", CLUSTER, *SERVICE, "--output", "json")
    assert (json.loads(done.stdout), done.stderr) == ([], "They are made later.\n")
    with pytest.raises(BundleError, match=r"no machine 'c1'.*It has: none\. They are made later\."):
        run("ssh", CLUSTER, "c1", *SERVICE)


def test_machines_that_azure_does_not_show_are_told_in_the_words_of_the_service(answer: dict[str, Any]) -> None:
    """Whoever lacks a role must not wait for an outage to end."""
    answer.update(machines=None, reason="Azure refuses the read.")
    with pytest.raises(NotDone, match=r"^Azure refuses the read\.$"):
        run("list", CLUSTER, *SERVICE)


@pytest.mark.parametrize(
    ("words", "problem"),
    [((CLUSTER,), "Name the address of the service"), (("c1", *SERVICE), "'c1' is not the resource id of a cluster")],
)
def test_a_command_without_address_or_id_is_refused(words: tuple[str, ...], problem: str) -> None:
    """With what is missing."""
    with pytest.raises(BundleError, match=problem):
        run("list", *words)
