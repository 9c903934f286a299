"""What the machine's own bootkube.sh says and asks for, stage by stage: its lines, its files, images that are gone.

A stage is told by what the script does in it: the marker that it leaves, or a word of its program's call. A script
without any says nothing, and the timeline alone goes on.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from emulator.openshift.boot import timeline
from emulator.openshift.boot.installation import ROOT, Installation

SCRIPT = "/usr/local/bin/bootkube.sh"
DOWNLOAD = "/usr/local/bin/release-image-download.sh"
_MARKER = re.compile(r"^\s*touch ([a-z-]+)\.done$", re.MULTILINE)
_ECHO = re.compile(r'^ *echo "(.*)"$', re.MULTILINE)
# What is said again and again while something is waited for; by a run that finds everything done; and where flavour T
# has no operator of etcd, which its releases have.
_ASIDE = re.compile(
    r"^do\n.*?^done$|^if \[\[ -f \.bootkube\.done.*?^fi$|^if \[\[ \"\$\{ETCD_MANAGED\}\" == no .*?^fi$",
    re.MULTILINE | re.DOTALL,
)
# By which a stage is known that leaves no marker, or another one than its name.
_SIGNS = {
    "etcd-signer": "--name=etcd-signer",
    "etcd": "endpoint health",
    "temporary-api": "--required-pods=",
    "bootstrap-complete": "touch .bootkube.done",
}
_ROWS = {row.name for row in timeline.BOOTSTRAP}
# A file of the ignition, as the script or a container sees it.
_NAMED = re.compile(r"(?:^|[\s=\"]|/assets/|\$\{PWD\}/)((?:tls|auth|manifests)/\w[\w.-]*|\w+\.patch)", re.MULTILINE)
_ASKED = re.compile(r"-[ef] ((?:tls|auth|manifests)/\S+)")
_IMAGE = re.compile(r"\$\(image_for ([a-z-]+)( \|\|)?")
_VARIABLE = re.compile(r"\$\{?(\w+)\}?")
# The last minor release of 4 that has it.
_GONE = {"kube-client-agent": 5, "kube-etcd-signer-server": 5, "mdns-publisher": 7}


class Step(NamedTuple):
    """What a stage of the script reads without asking whether it is there, and says from the end of the last one on."""

    files: tuple[str, ...]
    lines: tuple[str, ...]


def check_images(installation: Installation, _now: datetime) -> Iterator[str]:
    """Look up the images of the release, before the first stage."""
    for name, spare in _IMAGE.findall(installation.text(SCRIPT)):
        if not spare and installation.minor > _GONE.get(name, installation.minor):
            yield f'error: no image tag "{name}" exists in the release image {installation.version}'


def check_stage(installation: Installation, name: str) -> Iterator[str]:
    """Yield which files are missing that a stage of the script names without asking whether they are there."""
    step = _steps(installation.text(SCRIPT)).get(name)
    if step is None:
        return
    for file in step.files:
        if installation.missing([file]):
            yield f"{name}: open {ROOT}/{file}: no such file or directory"


def says(installation: Installation, name: str) -> tuple[str, ...]:
    """Return what the machine's own scripts print before or in a stage."""
    if name == "release-image":
        return _download_lines(installation)[:1]
    step = _steps(installation.text(SCRIPT)).get(name)
    return step.lines if step else ()


def pulls_again(installation: Installation) -> str:
    """Return what is said when the release image could not be pulled, "" for nothing."""
    return next(iter(_download_lines(installation)[1:2]), "")


def stages(installation: Installation) -> list[str]:
    """Return the stages that the script marks, in its order."""
    return _MARKER.findall(installation.text(SCRIPT))


def _download_lines(installation: Installation) -> tuple[str, ...]:
    text = installation.text(DOWNLOAD)
    values = dict(re.findall(r"^(?:readonly )?(\w+)=(\S+)$", text, re.MULTILINE))
    return tuple(_VARIABLE.sub(lambda found: values.get(found[1], found[0]), line) for line in _ECHO.findall(text))


@lru_cache(maxsize=16)
def _steps(script: str) -> dict[str, Step]:
    """Return the stages of a script by the names of the timeline's rows, in order.

    What is said and read between two of them belongs to the later one.
    """
    steps: dict[str, Step] = {}
    lines: list[str] = []
    files: list[str] = []
    _, *pieces = re.split(r'^(?= *echo ")', _ASIDE.sub("", script), flags=re.MULTILINE)
    for piece in pieces:
        lines += _ECHO.findall(piece)
        optional = set(_ASKED.findall(piece))
        files += [file for file in _NAMED.findall(piece) if file not in optional]
        marker = _MARKER.search(piece)
        names = [*(name for name, sign in _SIGNS.items() if sign in piece), marker[1] if marker else ""]
        if names[0] in _ROWS:
            steps[names[0]] = Step(tuple(dict.fromkeys(files)), tuple(lines))
            lines, files = [], []
    return steps
