"""A customer's terminal with the unmodified Azure CLI, in front of a local Azure."""

import json
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from demo.customer import Customer
from emulator.run.exports import network_environment
from tests.e2e.deployer import CLI
from tests.local_azure import LocalAzure


@dataclass(frozen=True)
class Terminal:
    """A terminal of a customer who has signed in to the Azure CLI.

    Args:
        customer: the customer. What a command has in braces are facts about it.
        environment: variables of the terminal.
        home: its folder.
        used: all commands with their options, as typed; it grows with each command.
    """

    customer: Customer
    environment: dict[str, str]
    home: Path
    used: set[tuple[str, str]]

    def az(self, *lines: str) -> Any:
        """Run a command in one or more lines; return what it answers.

        Raises:
            AssertionError: it has failed.
        """
        done = self._run(*lines)
        assert done.returncode == 0, f"{lines}: {done.stderr}"
        return json.loads(done.stdout) if done.stdout.strip() else None

    def refused(self, *lines: str) -> str:
        """Run a command that fails; return its message.

        Raises:
            AssertionError: it has succeeded.
        """
        done = self._run(*lines)
        assert done.returncode != 0, f"{lines}: {done.stdout}"
        return done.stderr

    def told(self, *lines: str) -> str:
        """Run a command that succeeds; return what it says to its reader.

        Raises:
            AssertionError: it has failed.
        """
        done = self._run(*lines)
        assert done.returncode == 0, f"{lines}: {done.stderr}"
        return done.stdout + done.stderr

    def _run(self, *lines: str) -> subprocess.CompletedProcess[str]:
        customer = self.customer
        facts = {
            "group": customer.group,
            "name": customer.cluster,
            "vnet": customer.vnet_id,
            "group_id": customer.group_id,
            "location": customer.endpoints["location"],
            "home": str(self.home),
            **customer.principal,
        }
        words = [word.format(**facts) for word in shlex.split(" ".join(lines))]
        options = [word for word in words if word.startswith("-")]
        command = " ".join(words[: words.index(options[0])] if options else words)
        self.used.update((command, option) for option in options)
        return subprocess.run(
            [CLI / "az", *words],
            env=self.environment,
            cwd=self.home,
            capture_output=True,
            text=True,
            check=False,
            timeout=900,
        )


def sign_in(azure: LocalAzure, folder: Path) -> Path:
    """Sign in to the CLI as the owner of the customer's subscription; return the folder in which the CLI keeps that."""
    owner = azure.endpoints
    words = ["login", "--service-principal", "--username", owner["client_id"], "--password", owner["client_secret"]]
    subprocess.run(
        [CLI / "az", *words, "--tenant", owner["tenant_id"]],
        env=_environment(owner, folder),
        check=True,
        capture_output=True,
        timeout=120,
    )
    return folder


def open_terminal(
    customer: Customer, signed_in: Path, home: Path, used: set[tuple[str, str]] | None = None
) -> Terminal:
    """Return a terminal of a customer.

    Args:
        customer: the customer.
        signed_in: the folder of a CLI that has signed in. The terminal gets a copy, because two commands that write to
            one folder at the same time disturb each other.
        home: the terminal's folder.
        used: collects the terminal's commands.
    """
    folder = shutil.copytree(signed_in, home / "az")
    return Terminal(customer, _environment(customer.endpoints, folder), home, set() if used is None else used)


def _environment(endpoints: dict[str, Any], folder: Path) -> dict[str, str]:
    return network_environment(endpoints["proxy"], endpoints["ca_bundle"]) | {
        "PATH": f"{CLI}:/usr/bin:/bin",
        "HOME": str(folder),
        "AZURE_CONFIG_DIR": str(folder),
        "AZURE_CORE_COLLECT_TELEMETRY": "false",
    }
