"""`pytest --azure`, with the local Azure instead of the true one: what it prints, and that it leaves nothing."""

import os
import re
import signal
import subprocess
import sys

import pytest
from azure.mgmt.resource.resources import ResourceManagementClient

from emulator.run.exports import network_environment
from tests.local_azure import LocalAzure, wait_for
from tests.signals import listens

COMMAND = [
    sys.executable,
    "-m",
    "pytest",
    "-n",
    "0",
    "-p",
    "no:cacheprovider",
    "tests/emulator/unit/rules/test_rules.py",
]
ROUTES = ["-k", "route"]
GROUP = re.compile(r"resource group: (rules-[0-9a-f]{8}) in eastus")


@pytest.fixture
def environment(azure: LocalAzure) -> dict[str, str]:
    """Give the environment of a person who is signed in to the local Azure."""
    found = azure.endpoints
    # What this run of pytest was told is not for the one that it starts.
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return (
        plain
        | network_environment(found["proxy"], found["ca_bundle"])
        | {
            "AZURE_TENANT_ID": found["tenant_id"],
            "AZURE_CLIENT_ID": found["client_id"],
            "AZURE_CLIENT_SECRET": found["client_secret"],
        }
    )


def _groups(azure: LocalAzure) -> set[str]:
    client = azure.customer("nobody").client(ResourceManagementClient)
    return {group.name or "" for group in client.resource_groups.list()}


def _options(azure: LocalAzure) -> list[str]:
    return ["--azure", "--subscription", azure.endpoints["subscription_id"]]


@pytest.mark.slow(60)
def test_a_run_says_what_it_makes_compares_and_removes_its_group(
    azure: LocalAzure, environment: dict[str, str]
) -> None:
    """The local Azure behind its own front door gives the answers that the rows promise."""
    done = subprocess.run(
        [*COMMAND, *ROUTES, *_options(azure)], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = GROUP.search(done.stdout)
    assert found, done.stdout
    assert "  route table (Microsoft.Network/routeTables)" in done.stdout
    assert "\nnothing\n" in done.stdout.partition("what Azure answered otherwise")[2]
    assert found[1] not in _groups(azure)


@pytest.mark.slow(60)
def test_ctrl_c_removes_the_group(azure: LocalAzure, environment: dict[str, str]) -> None:
    """Whoever stops the tests pays for nothing afterwards."""
    with subprocess.Popen(
        [*COMMAND, *_options(azure)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=listens,  # noqa: PLW1509 - sets a signal and touches no lock
    ) as running:
        assert running.stdout is not None
        header = iter(running.stdout.readline, "")
        name = next(found[1] for line in header if (found := GROUP.search(line)))
        wait_for(lambda: name in _groups(azure), "the group")
        running.send_signal(signal.SIGINT)
        printed = running.stdout.read()
    assert f"Removing the resource group {name} ..." in printed, printed
    assert name not in _groups(azure)
