"""What the machine's own bootkube.sh asks for, stage by stage: its files, and images that a release no longer has.

Stages are told by the markers that they leave. A script without any says nothing, and the timeline alone goes on.
"""

import re
from typing import TYPE_CHECKING

from emulator.openshift.installation import ROOT, Installation, InstallationError

if TYPE_CHECKING:
    from emulator.openshift.cluster import Cluster

_SCRIPT = "/usr/local/bin/bootkube.sh"
_MARKER = re.compile(r"^\s*touch ([a-z-]+)\.done$", re.MULTILINE)
# A file of the ignition, as the script or a container sees it.
_NAMED = re.compile(r"(?:^|[\s=\"]|/assets/)((?:tls|auth|manifests)/\w[\w.-]*)", re.MULTILINE)
_ASKED = re.compile(r"-[ef] ((?:tls|auth|manifests)/\S+)")
_IMAGE = re.compile(r"\$\(image_for ([a-z-]+)\)")
# The last minor release of 4 that has it.
_GONE = {"kube-client-agent": 5, "kube-etcd-signer-server": 5, "mdns-publisher": 7}


async def image_names(cluster: "Cluster") -> None:
    """Look up the images of the release, before the first stage."""
    check_images(cluster.installation)


def check_images(installation: Installation) -> None:
    """Look up the images of the release.

    Raises:
        InstallationError: the release has one no more.
    """
    for name in _IMAGE.findall(installation.text(_SCRIPT)):
        if installation.minor > _GONE.get(name, installation.minor):
            raise InstallationError(f'error: no image tag "{name}" exists in the release image {installation.version}')


def check_stage(installation: Installation, name: str) -> None:
    """Run a stage of the script as far as its files go.

    Raises:
        InstallationError: one is missing that the stage names without asking whether it is there.
    """
    text = installation.text(_SCRIPT)
    ends = {match[1]: match for match in _MARKER.finditer(text)}
    if name not in ends:
        return
    begin = max((match.end() for match in ends.values() if match.end() < ends[name].start()), default=0)
    stage = text[begin : ends[name].start()]
    optional = set(_ASKED.findall(stage))
    for file in dict.fromkeys(_NAMED.findall(stage)):
        if file not in optional and installation.missing([file]):
            raise InstallationError(f"{name}: open {ROOT}/{file}: no such file or directory")


def stages(installation: Installation) -> list[str]:
    """Return the stages that the script marks, in its order."""
    return [match[1] for match in _MARKER.finditer(installation.text(_SCRIPT))]
