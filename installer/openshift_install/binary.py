"""Finds the program `openshift-install` of a version: at a path, or by a rule if it is not there.

If the cluster's pull secret has credentials for the CI registry, the program comes from there: the release image names
the image `installer`, which contains it. Otherwise the public mirror has it as an archive, with a list of checksums. A
download is used only after its digest has been checked, and appears at its path in one move.

Source: openshift/oc `pkg/cli/admin/release/extract_tools.go`; mirror.openshift.com, `pub/openshift-v4/clients/ocp`.
"""

import json
import logging
import os
import stat
import tempfile
import threading
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import IO

from installer.back_end_errors import InstallerError, may_pass
from installer.graph import Content
from installer.openshift_install.program import PROGRAM
from installer.release import image_registry
from installer.release.downloads import Downloads, session
from installer.release.image_registry import Pullspec
from shared import settings

_log = logging.getLogger("activities")
FIND, FETCH = "find openshift-install", "fetch openshift-install"
_IN_MIRROR, _IN_IMAGE = "openshift-install", "usr/bin/openshift-install"
_REFERENCES = "release-manifests/image-references"
_COMPONENT = "installer"
_RELEASES = "ocp/release"
# For the versions of 2026: archives are near half a gigabyte, programs near one.
_LONGEST_ARCHIVE, _LONGEST_PROGRAM, _LONGEST_REFERENCES = 1 << 30, 2 << 30, 8 << 20
# The host ends a function after ten minutes, and the runs of the program need half of them.
_FETCH_SECONDS = 200
_MODE, _FOLDER_MODE = 0o755, 0o700
# Leftovers of a killed fetch, in the program's own folder.
_PART, _PART_SECONDS = ".part-", 3600


# One fetch at a time in this process; those that waited find the program.
_FETCHING = threading.Lock()


def path(version: str) -> Path:
    """Return the path of a version's program, whether or not it exists yet."""
    return Path(tempfile.gettempdir()) / settings.load().openshift_install.replace("{version}", version)


def ensure(release: Content, pull_secret: str) -> Path:
    """Return the path of the program, and fetch it if it is missing.

    Args:
        release: `version`, `pullspec`.
        pull_secret: the cluster's, JSON.

    Raises:
        InstallerError: if it is missing and cannot be fetched, or cannot be trusted.
    """
    version = release["version"]
    if "/" in version:
        raise InstallerError(FIND, f"version '{version}' cannot be part of a path")
    program = path(version)
    try:
        if not program.exists():
            _fetch_alone(release, pull_secret, program)
        _check(program)
    except OSError as error:
        cause = f"{PROGRAM} cannot be looked at ({error.strerror or type(error).__name__})"
        raise InstallerError(FIND, cause, passing=may_pass(error), place=str(program)) from None
    return program


def _fetch_alone(release: Content, pull_secret: str, program: Path) -> None:
    begun = time.monotonic()
    if not _FETCHING.acquire(timeout=_FETCH_SECONDS):
        raise InstallerError(FETCH, "another fetch of this process took all the time", passing=True)
    try:
        if not program.exists():
            _fetch(release, pull_secret, program, begun)
    finally:
        _FETCHING.release()


def _check(program: Path) -> None:
    """Check that it can be started, and that only we or root could have put it there."""
    if not program.is_file():
        raise InstallerError(FIND, f"{PROGRAM} is not a file", place=str(program))
    if not os.access(program, os.X_OK):
        raise InstallerError(FIND, f"{PROGRAM} is not executable: chmod 755", place=str(program))
    for place in (program, program.parent):
        found = place.stat()
        # In a sticky folder, such as /tmp, nobody can replace another user's file.
        open_to_all = found.st_mode & stat.S_IWOTH and not found.st_mode & stat.S_ISVTX
        if found.st_uid not in {0, os.geteuid()} or open_to_all:
            cause = f"{PROGRAM} or its folder could have been written by others: it is to be ours or root's"
            raise InstallerError(FIND, cause, place=str(place))


def _fetch(release: Content, pull_secret: str, program: Path, begun: float) -> None:
    auths = json.loads(pull_secret or "{}").get("auths") or {}
    registry = settings.load().openshift_ci_registry
    source = f"registry {registry}" if registry in auths else settings.load().openshift_install_mirror
    _log.info("Fetching openshift-install %s from %s", release["version"], source)
    try:
        program.parent.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
        _sweep(program.parent)
        handle, part = tempfile.mkstemp(prefix=_PART, dir=program.parent)
        try:
            with os.fdopen(handle, "wb") as file, closing(session()) as opened:
                downloads = Downloads(FETCH, begun + _FETCH_SECONDS, opened)
                if registry in auths:
                    _from_registry(downloads, release, registry, auths, file)
                else:
                    _from_mirror(downloads, release["version"], file)
                size = file.tell()
                os.fchmod(handle, _MODE)
            # It is closed by now: a file that is open for writing cannot be started, and others look for it without
            # waiting. If another process was faster, its file is the same.
            Path(part).replace(program)
        except BaseException:
            Path(part).unlink(missing_ok=True)
            raise
    except OSError as error:
        cause = f"{PROGRAM} cannot be written ({error.strerror or type(error).__name__})"
        raise InstallerError(FETCH, cause, passing=may_pass(error), place=str(program)) from None
    seconds = time.monotonic() - begun
    _log.info("Fetched openshift-install %s: %d bytes in %.1f s", release["version"], size, seconds)


def _sweep(folder: Path) -> None:
    for left in folder.glob(f"{_PART}*"):
        with suppress(FileNotFoundError):
            if time.time() - left.stat().st_mtime > _PART_SECONDS:
                left.unlink()


def _from_mirror(downloads: Downloads, version: str, part: IO[bytes]) -> None:
    folder = f"{settings.load().openshift_install_mirror}/{version}"
    url = f"{folder}/sha256sum.txt"
    lines = downloads.short(downloads.expect(downloads.get(url), url), url).decode(errors="replace").splitlines()
    # A star means that a file was read as binary.
    digests = {words[1].lstrip("*"): words[0] for line in lines if len(words := line.split()) == 2}  # noqa: PLR2004 - digest and name
    names = (f"openshift-install-linux-{version}.tar.gz", "openshift-install-linux.tar.gz")
    name = next((name for name in names if name in digests), None)
    if not name:
        raise downloads.failed(f"{url} has neither {' nor '.join(names)}")
    with tempfile.TemporaryFile() as archive:
        url = f"{folder}/{name}"
        downloads.save(downloads.expect(downloads.get(url), url), url, archive, digests[name], _LONGEST_ARCHIVE)
        if not downloads.unpack(archive, _IN_MIRROR, part, _LONGEST_PROGRAM):
            raise downloads.failed(f"{url} has no file '{_IN_MIRROR}'")


def _from_registry(downloads: Downloads, release: Content, registry: str, auths: Content, part: IO[bytes]) -> None:
    at = image_registry.parse(release["pullspec"])
    if not at or at.server != registry:
        at = Pullspec(registry, _RELEASES, release["version"])
    with tempfile.TemporaryFile() as references:
        image_registry.with_credential(downloads, at, auths).extract(_REFERENCES, references, _LONGEST_REFERENCES)
        references.seek(0)
        installer = _installer_image(references.read())
    if not installer:
        raise downloads.failed(f"release {at} names no image '{_COMPONENT}'")
    image_registry.with_credential(downloads, installer, auths).extract(_IN_IMAGE, part, _LONGEST_PROGRAM)


def _installer_image(references: bytes) -> Pullspec | None:
    try:
        tags = json.loads(references)["spec"]["tags"]
        return next(image_registry.parse(tag["from"]["name"]) for tag in tags if tag["name"] == _COMPONENT)
    except (ValueError, KeyError, TypeError, StopIteration):
        return None
