"""Read the machine's own bootkube.sh, stage by stage: the lines that it prints, and the files and images that it needs.

A stage is recognized by what the script does in it: the marker file that it leaves, or a word in the call of its
program. A script without these signs prints nothing, and only the timeline goes on.
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
# Parts of the script that are left out: loops that wait for something and repeat their lines; the branch for a run that
# finds everything done; and the branch for releases without etcd's operator, because those of flavour T have it.
_ASIDE = re.compile(
    r"^do\n.*?^done$|^if \[\[ -f \.bootkube\.done.*?^fi$|^if \[\[ \"\$\{ETCD_MANAGED\}\" == no .*?^fi$",
    re.MULTILINE | re.DOTALL,
)
# The signs of stages that leave no marker, or a marker with another name.
_SIGNS = {
    "etcd-signer": "--name=etcd-signer",
    "etcd": "endpoint health",
    "temporary-api": "--required-pods=",
    "bootstrap-complete": "touch .bootkube.done",
}
_ROWS = {row.name for row in timeline.BOOTSTRAP}
# A file of the Ignition config, under the path that the script or a container uses.
_NAMED = re.compile(r"(?:^|[\s=\"]|/assets/|\$\{PWD\}/)((?:tls|auth|manifests)/\w[\w.-]*|\w+\.patch)", re.MULTILINE)
_ASKED = re.compile(r"-[ef] ((?:tls|auth|manifests)/\S+)")
_IMAGE = re.compile(r"\$\(image_for ([a-z-]+)( \|\|)?")
_VARIABLE = re.compile(r"\$\{?(\w+)\}?")
# Images that were dropped, and the last minor version of OpenShift 4 that has each.
_GONE = {"kube-client-agent": 5, "kube-etcd-signer-server": 5, "mdns-publisher": 7}


class Step(NamedTuple):
    """The files that a stage reads without testing whether they exist, and the lines printed since the last stage."""

    files: tuple[str, ...]
    lines: tuple[str, ...]


def check_images(installation: Installation, _now: datetime) -> Iterator[str]:
    """Look up the images of the release, as the script does before its first stage."""
    for name, spare in _IMAGE.findall(installation.text(SCRIPT)):
        if not spare and installation.minor > _GONE.get(name, installation.minor):
            yield f'error: no image tag "{name}" exists in the release image {installation.version}'


def check_stage(installation: Installation, name: str) -> Iterator[str]:
    """Yield an error for each missing file that a stage of the script reads without testing whether it exists."""
    step = _steps(installation.text(SCRIPT)).get(name)
    if step is None:
        return
    for file in step.files:
        if installation.missing([file]):
            yield f"{name}: open {ROOT}/{file}: no such file or directory"


def says(installation: Installation, name: str) -> tuple[str, ...]:
    """Return the lines that the machine's own scripts print before or in a stage."""
    if name == "release-image":
        return _download_lines(installation)[:1]
    step = _steps(installation.text(SCRIPT)).get(name)
    return step.lines if step else ()


def pulls_again(installation: Installation) -> str:
    """Return the line that the download script prints when it cannot pull the release image, "" for none."""
    return next(iter(_download_lines(installation)[1:2]), "")


def stages(installation: Installation) -> list[str]:
    """Return the stages that leave a marker, in the order of the script."""
    return _MARKER.findall(installation.text(SCRIPT))


def _download_lines(installation: Installation) -> tuple[str, ...]:
    text = installation.text(DOWNLOAD)
    values = dict(re.findall(r"^(?:readonly )?(\w+)=(\S+)$", text, re.MULTILINE))
    return tuple(_VARIABLE.sub(lambda found: values.get(found[1], found[0]), line) for line in _ECHO.findall(text))


@lru_cache(maxsize=16)
def _steps(script: str) -> dict[str, Step]:
    """Return the stages of a script in order, by the names of the timeline's rows.

    Lines printed and files read between two stages belong to the later one.
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
