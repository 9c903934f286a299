"""A create on a local Azure, whose graph the rehearsed `openshift-install` makes as it would in Azure."""

import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests
from azure.core.exceptions import HttpResponseError
from rich.console import Console

from demo import customer, nodes, platform, watch
from demo.customer import Customer
from emulator.core.clock import Clock
from emulator.core.platform import Platform
from emulator.core.world import World
from emulator.openshift.cluster.records import Records
from shared import settings

Json = dict[str, Any]
NAME = "rehearsal"
_VERSIONS = "/sre/providers/Microsoft.RedHatOpenShift/openShiftVersions"
_VERSION = re.compile(r"^\S+ v?(4\.\d+\.\d+\S*)$", re.MULTILINE)
_PULLSPEC = re.compile(r"^release image (\S+@sha256:[0-9a-f]{64})$", re.MULTILINE)
_PROGRAM_SECONDS, _REQUEST_SECONDS, _OFFER_SECONDS = 60, 30, 120


class CreateError(Exception):
    """The create cannot begin, or has failed; the message says why."""


@dataclass(frozen=True)
class Installer:
    """A program `openshift-install`.

    Args:
        file: its path.
        version: its version, x.y.z.
        pullspec: the release image that it installs, by digest.
    """

    file: Path
    version: str
    pullspec: str

    @property
    def place(self) -> Path:
        """Where the service looks for it, below the folder for temporary files."""
        template = settings.table()["OPENSHIFT_INSTALL"].default or ""
        digest = self.pullspec.rpartition(":")[2]
        return Path(template.replace("{version}", self.version).replace("{digest}", digest))


def read_installer(file: Path) -> Installer:
    """Ask the program for its version and its release.

    Raises:
        CreateError: if it cannot be started, or is of no release.
    """
    try:
        done = subprocess.run(
            [str(file.resolve()), "version"], capture_output=True, text=True, check=False, timeout=_PROGRAM_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CreateError(f"'{file}' cannot be started: {error}") from None
    version, pullspec = _VERSION.search(done.stdout), _PULLSPEC.search(done.stdout)
    if not version or not pullspec:
        raise CreateError(
            f"'{file} version' says neither which version of OpenShift 4 it has nor a release image by digest, as a "
            f"released program does: {(done.stdout + done.stderr).strip()!r}"
        )
    return Installer(file.resolve(), version[1], pullspec[1])


@contextmanager
def local_azure(state: Path, time_scale: float, installer: Installer) -> Iterator[Customer]:
    """Run a local Azure that offers the installer's version, with a customer whose network is ready.

    Args:
        state: folder of the local Azure.
        time_scale: how many times faster it is than Azure.
        installer: the program; the service finds it in the folder for temporary files, where it keeps a fetched one.

    Raises:
        CreateError: if the catalogue refuses the version.
        PlatformError: if the local Azure does not start.
    """
    with tempfile.TemporaryDirectory(prefix="rehearsal-") as folder:
        place = Path(folder) / installer.place
        place.parent.mkdir(mode=0o700, parents=True)
        shutil.copyfile(installer.file, place)
        place.chmod(0o755)
        # The local Azure hands its environment to the service.
        os.environ["TMPDIR"] = folder
        try:
            endpoints = platform.start(state, time_scale)
            platform.lead_there(endpoints)
            _offer(endpoints, installer)
            person = Customer(endpoints, group=NAME, cluster=NAME)
            customer.register_provider(person, lambda: time.sleep(0.2))
            customer.create_network(person)
            customer.assign_roles(person, [endpoints["rp_object_id"], person.principal["object_id"]])
            yield person
        finally:
            platform.stop(state)


def _offer(endpoints: Json, installer: Installer) -> None:
    """Put the version into the catalogue, as an operator does, and wait until it is offered."""
    with requests.Session() as session:
        # The service is on this machine, so a proxy or a CA from the shell must not apply.
        session.trust_env = False
        session.cert = (endpoints["admin_client_cert"], endpoints["admin_client_key"])
        session.verify = endpoints["rp_ca_bundle"]
        address = endpoints["rp"] + _VERSIONS
        entries = session.get(address, timeout=_REQUEST_SECONDS).json()["value"]
        minor = installer.version.rpartition(".")[0]
        like = next((each for each in entries if each["properties"]["version"].startswith(f"{minor}.")), None)
        if like is None:
            raise CreateError(
                f"the local Azure offers no OpenShift {minor}, whose machine image this version could boot"
            )
        members = ("rhcosImage", "releaseMetadata", "flavour", "ignitionVersion")
        entry = {name: like["properties"][name] for name in members if name in like["properties"]} | {
            "version": installer.version,
            "enabled": True,
            "openShiftPullspec": installer.pullspec,
            "installer": "openshift-install",
        }
        answer = session.put(f"{address}/{installer.version}", json={"properties": entry}, timeout=_REQUEST_SECONDS)
        if not answer.ok:
            raise CreateError(f"the catalogue refuses {installer.version}: {answer.text}")


def begin(person: Customer, installer: Installer) -> tuple[str, Any]:
    """PUT a cluster of the installer's version; return the operation's id and the SDK's poller.

    Raises:
        CreateError: if the version is not offered in time, or the request is refused.
    """
    body: Any = customer.cluster_body(person)
    body.properties.cluster_profile.version = installer.version
    until = time.monotonic() + _OFFER_SECONDS
    while True:
        try:
            return customer.begin_create(person, body)
        except HttpResponseError as error:
            # The service reads its catalogue once in a while.
            if "version" not in str(error.message) or time.monotonic() > until:
                raise CreateError(f"the create is refused: {error.message}") from None
        time.sleep(1)


def ignition(state: Path) -> list[str]:
    """Return the configs that the bootstrap machine has fetched; none if none has booted."""
    local = Platform(state, clock=Clock(), world=World())
    try:
        records = Records(local)
        return next((records.texts(record.id) for record in records.all()), [])
    finally:
        local.journal.close()
        local.store.close()


def follow(person: Customer, operation_id: str, poller: Any, console: Console) -> None:
    """Show an operation until it ends.

    Raises:
        CreateError: if it fails.
    """
    operation = watch.follow(watch.Operations(person.endpoints, person.cluster_id), operation_id, poller, console)
    try:
        poller.result()
    except HttpResponseError as error:
        said = operation.get("error") or {"code": "Unknown", "message": str(error)}
        details = [f"{each['code']}: {each['message']}" for each in said.get("details") or ()]
        raise CreateError("\n  ".join([said["message"], *details])) from None


def read_nodes(person: Customer, path: Path) -> list[Any]:
    """Return the cluster's nodes, read with the kubeconfig that the service hands out, which is written to a path."""
    nodes.write(customer.admin_kubeconfig(person), path)
    return nodes.read(path)
