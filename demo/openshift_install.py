"""A real `openshift-install` for a local Azure: which release it is of, where the service finds it, and its entry."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import requests

from shared import settings
from shared.json_object import Json

_VERSIONS = "/sre/providers/Microsoft.RedHatOpenShift/openShiftVersions"
_VERSION = re.compile(r"^\S+ v?(4\.\d+\.\d+\S*)$", re.MULTILINE)
_PULLSPEC = re.compile(r"^release image (\S+@sha256:[0-9a-f]{64})$", re.MULTILINE)
_PROGRAM_SECONDS, _REQUEST_SECONDS = 60, 30


class InstallerError(Exception):
    """The program cannot be used; the message says why."""


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


def read(file: Path) -> Installer:
    """Ask the program for its version and its release.

    Raises:
        InstallerError: if it cannot be started, or is of no release.
    """
    try:
        done = subprocess.run(
            [str(file.resolve()), "version"], capture_output=True, text=True, check=False, timeout=_PROGRAM_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InstallerError(f"'{file}' cannot be started: {error}") from None
    version, pullspec = _VERSION.search(done.stdout), _PULLSPEC.search(done.stdout)
    if not version or not pullspec:
        raise InstallerError(
            f"'{file} version' says neither which version of OpenShift 4 it has nor a release image by digest, as a "
            f"released program does: {(done.stdout + done.stderr).strip()!r}"
        )
    return Installer(file.resolve(), version[1], pullspec[1])


@contextmanager
def placed(installer: Installer | None) -> Iterator[None]:
    """Put the program, if any, where the service of a local Azure that starts now keeps a fetched one."""
    if installer is None:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="installer-") as folder:
        place = Path(folder) / installer.place
        place.parent.mkdir(mode=0o700, parents=True)
        shutil.copyfile(installer.file, place)
        place.chmod(0o755)
        # The local Azure hands its environment to the service.
        os.environ["TMPDIR"] = folder
        yield


def offer(endpoints: Json, installer: Installer) -> None:
    """Put the version into the catalogue, as an operator does, and wait until it is offered.

    Raises:
        InstallerError: if the catalogue refuses the version.
    """
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
            raise InstallerError(
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
            raise InstallerError(f"the catalogue refuses {installer.version}: {answer.text}")
