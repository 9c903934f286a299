"""Read the machine's own bootkube.sh, stage by stage: the lines that it prints, and what goes wrong in it.

A stage is recognized by what the script does in it: the marker file that it leaves, or a word in the call of its
program. A script without these signs prints nothing, and only the timeline goes on.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from emulator.openshift.boot import timeline
from emulator.openshift.boot.installation import Installation
from emulator.openshift.boot.script_walk import walk
from emulator.openshift.boot.shell import ShellError

SCRIPT = "/usr/local/bin/bootkube.sh"
DOWNLOAD = "/usr/local/bin/release-image-download.sh"
_ECHO = re.compile(r'^ *echo "(.*)"$', re.MULTILINE)
# The signs of stages that leave no marker, or a marker with another name.
_SIGNS = {
    "etcd-signer": re.compile("--name[= ]etcd-signer "),
    "etcd": re.compile("endpoint health"),
    "temporary-api": re.compile("--required-pods="),
}
_LAST_MARKER, _LAST_STAGE = ".bootkube", "bootstrap-complete"
_ROWS = {row.name for row in timeline.BOOTSTRAP}
_IMAGE = re.compile(r"\$\(image_for ([a-z-]+)( \|\|)?")
_VARIABLE = re.compile(r"\$\{?(\w+)\}?")
# Images that were dropped, and the last minor version of OpenShift 4 that has each.
_GONE = {"kube-client-agent": 5, "kube-etcd-signer-server": 5, "mdns-publisher": 7}


class Step(NamedTuple):
    """What goes wrong in a stage, and the lines printed since the last stage."""

    problems: tuple[str, ...]
    lines: tuple[str, ...]


def check_images(installation: Installation, _now: datetime) -> Iterator[str]:
    """Read the script, and look up the images of the release, as it does before its first stage."""
    text = installation.text(SCRIPT)
    try:
        walk(text, frozenset(), installation.minor)
    except ShellError as error:
        yield f"{SCRIPT}: {error}"
    for name, spare in _IMAGE.findall(text):
        if not spare and installation.minor > _GONE.get(name, installation.minor):
            yield f'error: no image tag "{name}" exists in the release image {installation.version}'


def check_stage(installation: Installation, name: str) -> Iterator[str]:
    """Yield what goes wrong when the script does a stage: a file that is missing, a program that refuses to run."""
    step = steps(installation).get(name)
    for problem in step.problems if step else ():
        yield f"{name}: {problem}"


def says(installation: Installation, name: str) -> tuple[str, ...]:
    """Return the lines that the machine's own scripts print before or in a stage."""
    if name == "release-image":
        return _download_lines(installation)[:1]
    step = steps(installation).get(name)
    return step.lines if step else ()


def pulls_again(installation: Installation) -> str:
    """Return the line that the download script prints when it cannot pull the release image, "" for none."""
    return next(iter(_download_lines(installation)[1:2]), "")


def _download_lines(installation: Installation) -> tuple[str, ...]:
    text = installation.text(DOWNLOAD)
    values = dict(re.findall(r"^(?:readonly )?(\w+)=(\S+)$", text, re.MULTILINE))
    return tuple(_VARIABLE.sub(lambda found: values.get(found[1], found[0]), line) for line in _ECHO.findall(text))


def steps(installation: Installation) -> dict[str, Step]:
    """Return the stages of the machine's script in order, by the names of the timeline's rows."""
    return _steps(installation.text(SCRIPT), frozenset(installation.files), installation.minor)


@lru_cache(maxsize=16)
def _steps(script: str, files: frozenset[str], minor: int) -> dict[str, Step]:
    # What is printed and goes wrong between two stages belongs to the later one.
    found: dict[str, Step] = {}
    lines: list[str] = []
    problems: list[str] = []
    try:
        events = walk(script, files, minor)
    except ShellError:
        # The check of the script itself says so.
        return found
    for event in events:
        if event.kind == "line":
            lines.append(event.text)
        elif event.kind == "problem":
            problems.append(event.text)
        if (name := _stage_of(event.kind, event.text)) in _ROWS:
            found[name] = Step(tuple(dict.fromkeys(problems)), tuple(lines))
            lines, problems = [], []
    return found


def _stage_of(kind: str, text: str) -> str:
    if kind == "mark":
        name = text.removesuffix(".done")
        return _LAST_STAGE if name == _LAST_MARKER else name
    if kind == "command":
        return next((name for name, sign in _SIGNS.items() if sign.search(text)), "")
    return ""
