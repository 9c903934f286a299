"""A running local Azure with the resource provider in it, as tests use it: through its public addresses only."""

import fcntl
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from http import HTTPStatus
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import requests

from demo.customer import Customer, assign_roles, create_network, make_principal, register_provider
from demo.watch import Operations
from emulator.run.commands.cli import DETACHED_SECONDS
from shared.json_object import Json
from tests.patience import PATIENCE_SECONDS

Value = TypeVar("Value")
# A create takes 35 minutes of the local Azure's time, so 21 seconds here; the rest is this machine's own work.
# Scaled deadlines have to leave two busy cores the time for work that no scale makes faster.
TIME_SCALE = 100
# Only a command that hangs takes longer. `up` has limits of its own.
COMMAND_SECONDS = DETACHED_SECONDS + 60


@dataclass(frozen=True)
class LocalAzure:
    """One platform, identified by its state folder."""

    state: Path

    def command(self, *words: str, check: bool = True) -> str:
        """Run `python -m emulator ...` on this platform; return its output."""
        done = subprocess.run(
            [sys.executable, "-m", "emulator", *words, "--state", str(self.state)],
            capture_output=True,
            text=True,
            check=False,
            timeout=COMMAND_SECONDS,
        )
        if check and done.returncode != 0:
            raise AssertionError(f"emulator {' '.join(words)} failed:\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    @cached_property
    def endpoints(self) -> Json:
        """The content of `endpoints.json`."""
        document: Json = json.loads((self.state / "endpoints.json").read_text(encoding="utf-8"))
        return document

    @property
    def client_options(self) -> Json:
        """Options that connect a client of the SDKs to this platform; the test process keeps its environment."""
        return {"proxies": {"https": self.endpoints["proxy"]}, "connection_verify": self.endpoints["ca_bundle"]}

    def options_in(self, subnet_id: str) -> Json:
        """Return options with which a client of the SDKs is in a subnet; otherwise it is on the internet."""
        proxy = self.endpoints["proxy"].replace("//", f"//{quote(subnet_id, safe='')}:@")
        return self.client_options | {"proxies": {"https": proxy}}

    def customer(self, name: str) -> Customer:
        """Return a customer with a unique group, network, cluster and principal."""
        nobody = Customer(self.endpoints, group=f"group-{name}", cluster=name, options=self.client_options)
        return replace(nobody, own_principal=make_principal(nobody, name))

    def prepared_customer(self, name: str, *, with_role: bool = True) -> Customer:
        """Return a customer who has done everything that comes before the PUT of a cluster."""
        customer = self.customer(name)
        register_provider(customer, lambda: time.sleep(0.1))
        create_network(customer)
        principals = [self.endpoints["rp_object_id"]]
        if with_role:
            principals.append(customer.principal["object_id"])
        assign_roles(customer, principals)
        return customer

    def operations(self, customer: Customer) -> Operations:
        """Return the operator's view of a cluster's operations."""
        return Operations(self.endpoints, customer.cluster_id)

    def control(self, method: str, path: str, body: Any = None) -> Any:
        """Call the control service; return its answer.

        Args:
            method: HTTP method.
            path: path at the control service, with its query.
            body: the body, sent as JSON.
        """
        with requests.Session() as session:
            session.trust_env = False
            answer = session.request(method, self.endpoints["control"] + path, json=body, timeout=60)
        return answer.json()

    def journal(self, correlation_id: str = "", service: str = "") -> list[Json]:
        """Return the calls that the emulated services have answered."""
        entries: list[Json] = self.control("GET", f"/journal?correlation_id={correlation_id}&service={service}")[
            "value"
        ]
        return entries

    def pid(self, name: str) -> int | None:
        """Return a process's id: `azure`, `azurite`, `functions` or `functions: worker`."""
        processes = self.control("GET", "/health")["processes"]
        return next((entry["pid"] for entry in processes if entry["name"] == name), None)

    def kill(self, name: str) -> None:
        """Kill a process with SIGKILL, like the kernel when memory runs out, and wait for its replacement."""
        before = self.pid(name)
        if before is None:
            raise AssertionError(f"there is no process {name} to kill")
        os.kill(before, signal.SIGKILL)
        wait_for(lambda: self.pid(name) not in (None, before), f"another process {name}")

    def serves(self) -> bool:
        """Tell whether the resource provider answers."""
        with requests.Session() as session:
            session.trust_env = False
            try:
                answer = session.get(self.endpoints["functions"] + "/healthz", timeout=30)
            except requests.RequestException:
                return False
        return answer.status_code == HTTPStatus.OK


def wait_for(condition: Callable[[], Value | None], what: str, seconds: float = PATIENCE_SECONDS) -> Value:
    """Wait until a condition holds; return its value.

    Args:
        condition: the condition; it holds once its value is true.
        what: what the caller waits for, to complete the error's sentence.
        seconds: how long to wait.

    Raises:
        AssertionError: if it does not hold in time.
    """
    until = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > until:
            raise AssertionError(f"waited {seconds:.0f} s without success for {what}")
        time.sleep(0.1)
    return value


@contextmanager
def running(state: Path, time_scale: float = TIME_SCALE) -> Iterator[LocalAzure]:
    """Run a separate platform for the duration of the block."""
    azure = LocalAzure(state)
    start(azure, time_scale)
    try:
        yield azure
    finally:
        azure.command("down")


@contextmanager
def shared(state: Path, *options: str) -> Iterator[LocalAzure]:
    """Use the platform that all workers of a test session share: the first starts it, the last stops it.

    Args:
        state: its state folder.
        options: options of `up`.
    """
    azure, users = LocalAzure(state), state.with_suffix(".users")
    with _counted(users, +1) as count:
        if count == 1:
            start(azure, TIME_SCALE, *options)
    try:
        yield azure
    finally:
        with _counted(users, -1) as count:
            if count == 0:
                azure.command("down")


def start(azure: LocalAzure, time_scale: float, *options: str) -> None:
    """Start a platform once no other worker is starting one.

    Each takes all of a small machine. If seven start at once, requests to the first miss their deadlines.
    """
    with (Path(tempfile.gettempdir()) / f"local-azure-starts-{os.getuid()}").open("w", encoding="utf-8") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        azure.command("up", "--detach", "--time-scale", str(time_scale), *options)


@contextmanager
def _counted(path: Path, change: int) -> Iterator[int]:
    """Change and yield the count of the shared platform's users, under a lock held until the caller is done.

    A caller that fails changes nothing: if the platform does not start for the first user, it is not there for others.
    """
    with path.open("a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        count = int(file.read() or 0) + change
        yield count
        file.truncate(0)
        file.write(str(count))
        file.flush()


def unique(rng: random.Random, prefix: str = "c") -> str:
    """Return a cluster name that no other test uses."""
    return prefix + "".join(rng.choice("bcdfghjklmnpqrstvwxz") for _ in range(7))


def keep(state: Path, target: Path) -> Path:
    """Copy a state folder to the place where CI keeps it."""
    shutil.copytree(state, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.sock"))
    return target
