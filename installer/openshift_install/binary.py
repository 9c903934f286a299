"""Finds the program `openshift-install` of a version: at a path, or by a digest if it is not there.

The catalogue's entry has the digest of an archive on the mirror. Or else its release image is named by digest, and
leads to the program: it names the image `installer`, which contains it, by digest as well. Nothing else is believed, no
list of checksums and no tag. A download is used only after its digest has been checked, and appears at its path in one
move.

Source: openshift/oc `pkg/cli/admin/release/extract_tools.go`; mirror.openshift.com, `pub/openshift-v4/clients/ocp`.
"""

import json
import logging
import os
import stat
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import IO

from installer.back_end_errors import InstallerError, may_pass
from installer.graph import Content
from installer.openshift_install import markers
from installer.openshift_install.program import PROGRAM
from installer.release import image_registry
from installer.release.archives import Archive, Limits
from installer.release.downloads import Downloads, session
from installer.release.image_registry import Pullspec
from shared import settings
from shared.release import installer_program

_log = logging.getLogger("activities")
FIND, FETCH = "find openshift-install", "fetch openshift-install"
_IN_MIRROR, _IN_IMAGE = "openshift-install", "usr/bin/openshift-install"
_REFERENCES = "release-manifests/image-references"
_COMPONENT = "installer"
# What `image_registry` takes from an index.
_ARCHITECTURE = "amd64"
# For the versions of 2026: archives are near half a gigabyte, programs near one.
_LONGEST_ARCHIVE, _LONGEST_PROGRAM, _LONGEST_REFERENCES = 1 << 30, 2 << 30, 8 << 20
# The host ends a function after ten minutes, and the runs of the program need half of them (`back_end.py`).
_FETCH_SECONDS = 200
_MODE, _FOLDER_MODE = 0o755, 0o700
# Leftovers of a killed fetch, in the program's own folder.
_PART, _PART_SECONDS = ".part-", 3600


# One fetch at a time in this process; those that waited find the program.
_FETCHING = threading.Lock()


def path(release: Content) -> Path:
    """Return the path of the program, which may be missing."""
    return installer_program.path(settings.load().openshift_install, release)


def is_kept(release: Content) -> bool:
    """Tell whether this instance has the program already, so that nobody is asked for it."""
    return path(release).exists()


def ensure(release: Content, pull_secret: Callable[[], str]) -> Path:
    """Return the path of the program, and fetch it if it is missing.

    Args:
        release: `version`, `pullspec`, and `installerDigest` if the entry has one.
        pull_secret: returns the cluster's, JSON. It is needed only for a release image that is named by digest.

    Raises:
        InstallerError: if it is missing and cannot be fetched, or cannot be trusted.
    """
    version = release["version"]
    if "/" in version:
        raise InstallerError(FIND, f"version '{version}' cannot be part of a path")
    program = path(release)
    try:
        if not program.exists():
            _fetch_alone(release, pull_secret, program)
        _check(program)
    except OSError as error:
        cause = f"{PROGRAM} cannot be looked at ({error.strerror or type(error).__name__})"
        raise InstallerError(FIND, cause, passing=may_pass(error), place=str(program)) from None
    return program


def _fetch_alone(release: Content, pull_secret: Callable[[], str], program: Path) -> None:
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
        status = place.stat()
        # In a sticky folder, such as /tmp, nobody can replace another user's file.
        open_to_all = status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX
        if status.st_uid not in {0, os.geteuid()} or open_to_all:
            cause = f"{PROGRAM} or its folder could have been written by others: it is to be ours or root's"
            raise InstallerError(FIND, cause, place=str(place))


def _fetch(release: Content, pull_secret: Callable[[], str], program: Path, begun: float) -> None:
    digest = installer_program.digest(release)
    if not digest:
        raise InstallerError(
            FIND,
            f"there is no digest to fetch {PROGRAM} by: put the catalogue's entry again with 'installerDigest', or "
            "with an 'openShiftPullspec' that ends with '@sha256:...'",
            place=str(program),
        )
    of_mirror = is_on_mirror(release)
    source = settings.load().openshift_install_mirror if of_mirror else release["pullspec"]
    _log.info("Fetching openshift-install %s by %s from %s", release["version"], digest, source)
    try:
        program.parent.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
        _sweep(program.parent)
        handle, part = tempfile.mkstemp(prefix=_PART, dir=program.parent)
        try:
            with os.fdopen(handle, "w+b") as file, closing(session()) as opened:
                downloads = Downloads(FETCH, begun + _FETCH_SECONDS, opened)
                if of_mirror:
                    _from_mirror(downloads, release, file)
                else:
                    _from_image(downloads, release, pull_secret(), file)
                size = file.seek(0, os.SEEK_END)
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


def is_on_mirror(release: Content) -> bool:
    """Tell whether the program comes from the mirror, and not from the release image."""
    return "installerDigest" in release


def _sweep(folder: Path) -> None:
    for left in folder.glob(f"{_PART}*"):
        with suppress(FileNotFoundError):
            if time.time() - left.stat().st_mtime > _PART_SECONDS:
                left.unlink()


def _from_mirror(downloads: Downloads, release: Content, part: IO[bytes]) -> None:
    version = release["version"]
    url = f"{settings.load().openshift_install_mirror}/{version}/openshift-install-linux-{version}.tar.gz"
    digest = release["installerDigest"].removeprefix("sha256:")
    archive = Archive(downloads, downloads.expect(downloads.get(url), url), url, digest)
    if not archive.unpack(_IN_MIRROR, part, Limits(_LONGEST_ARCHIVE, _LONGEST_PROGRAM)):
        raise downloads.failed(f"{url} has no file '{_IN_MIRROR}'")
    if empty := markers.empty(part):
        raise downloads.failed(
            f"the {PROGRAM} in {url} belongs to no release: its {empty[0]} is not filled in. Give the digest of a "
            "released archive, or none and a release image by digest"
        )


def _from_image(downloads: Downloads, release: Content, pull_secret: str, part: IO[bytes]) -> None:
    auths = json.loads(pull_secret or "{}").get("auths") or {}
    at = image_registry.parse(release["pullspec"])
    if not at:
        raise downloads.failed(f"'{release['pullspec']}' names no registry")
    with tempfile.TemporaryFile() as references:
        image_registry.with_credential(downloads, at, auths).extract(_REFERENCES, references, _LONGEST_REFERENCES)
        references.seek(0)
        installer = _installer_image(references.read())
    if not installer:
        raise downloads.failed(f"release {at} names no image '{_COMPONENT}' by digest")
    image_registry.with_credential(downloads, installer, auths).extract(_IN_IMAGE, part, _LONGEST_PROGRAM)
    values = {
        markers.IMAGE: release["pullspec"],
        markers.VERSION: release["version"],
        markers.ARCHITECTURE: f"linux/{_ARCHITECTURE}",
    }
    try:
        markers.fill(part, values)
    except ValueError as error:
        raise downloads.failed(f"{PROGRAM} in {installer} cannot be told its release: {error}") from None


def _installer_image(references: bytes) -> Pullspec | None:
    """Return the image of the program; None if the release names none by digest."""
    try:
        tags = json.loads(references)["spec"]["tags"]
        pullspec = next(image_registry.parse(tag["from"]["name"]) for tag in tags if tag["name"] == _COMPONENT)
    except (ValueError, KeyError, TypeError, StopIteration):
        return None
    return pullspec if pullspec and pullspec.reference.startswith("sha256:") else None
