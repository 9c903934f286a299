"""The programs of a release that the bootstrap machine runs: which image each comes from, and what it reads there.

A folder of programs has one file for each, named after its image. Beside it, `NAME.files` holds what the program reads
in its image, at the same paths. `release-manifests` is that folder of the release image itself: its list of images, its
metadata, and the manifests of all operators.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from shared.json_object import Json

OF_RELEASE, METADATA, IMAGE_LIST = "release-manifests", "release-metadata", "image-references"
_VERSIONS, _KUBERNETES = "io.openshift.build.versions", "kubernetes"


@dataclass(frozen=True)
class Program:
    """A program of the bootstrap machine.

    Args:
        name: name of its image in the release, and of its file in the folder.
        path: path in that image.
        reads: folders that it reads in that image.
    """

    name: str
    path: str
    reads: tuple[str, ...] = ()


_BOOTKUBE = ("/usr/share/bootkube",)
# In the order of the stages.
PROGRAMS = (
    Program("cluster-config-api", "/usr/bin/render", _BOOTKUBE),
    Program("cluster-authentication-operator", "/usr/bin/authentication-operator"),
    Program("cluster-config-operator", "/usr/bin/cluster-config-operator", _BOOTKUBE),
    Program("cluster-version-operator", "/usr/bin/cluster-version-operator", ("/manifests", "/bootstrap")),
    Program("cluster-etcd-operator", "/usr/bin/cluster-etcd-operator", _BOOTKUBE),
    Program("cluster-kube-apiserver-operator", "/usr/bin/cluster-kube-apiserver-operator", _BOOTKUBE),
    Program("cluster-kube-controller-manager-operator", "/usr/bin/cluster-kube-controller-manager-operator", _BOOTKUBE),
    Program("cluster-kube-scheduler-operator", "/usr/bin/cluster-kube-scheduler-operator", _BOOTKUBE),
    Program("cluster-ingress-operator", "/usr/bin/ingress-operator"),
    Program("cluster-node-tuning-operator", "/usr/bin/cluster-node-tuning-operator"),
    Program("machine-config-operator", "/usr/bin/machine-config-operator"),
    # Of the image machine-config-operator, too: a static pod runs it.
    Program("machine-config-controller", "/usr/bin/machine-config-controller", ("/etc/mcc/templates",)),
    Program("cloud-credential-operator", "/usr/bin/cloud-credential-operator"),
)
# What the machine config operator looks up in the release's list of images, and the script does not.
# Source: openshift/machine-config-operator 1a6905d98, `cmd/machine-config-operator/bootstrap.go`; 4.21 adds the last.
_LOOKED_UP = (
    *("machine-config-operator", "keepalived-ipfailover", "coredns", "baremetal-runtimecfg", "oauth-proxy"),
    *("kube-rbac-proxy", "pod", "haproxy-router", "rhel-coreos", "rhel-coreos-extensions", "docker-registry"),
)


class ProgramsError(Exception):
    """The folder of programs cannot be used; the message says why."""


def missing(folder: Path) -> Iterator[Program]:
    """Yield the programs that a folder does not have."""
    return (program for program in PROGRAMS if not (folder / program.name).exists())


def check(folder: Path) -> None:
    """Check that a folder has programs that can be started.

    Raises:
        ProgramsError: if it has none, or one that is not executable.
    """
    found = [program.name for program in PROGRAMS if (folder / program.name).exists()]
    if not found:
        raise ProgramsError(f"'{folder}' has none of the programs {', '.join(each.name for each in PROGRAMS)}")
    if closed := [name for name in found if not os.access(folder / name, os.X_OK)]:
        raise ProgramsError(f"not executable, chmod 755: {', '.join(str(folder / name) for name in closed)}")


def image_list(folder: Path, release: str, version: str, asked: list[str]) -> Json:
    """Return the release's list of images: its own if the folder has it, otherwise one with invented digests.

    Args:
        folder: folder of programs.
        release: pull specification of the release.
        version: version of the release, x.y.z.
        asked: names of the images that the bootstrap machine's script asks for.

    Raises:
        ProgramsError: if the release's own list is not readable.
    """
    own = folder / OF_RELEASE / IMAGE_LIST
    if own.exists():
        return _read(own)
    repository = release.partition("@")[0].rpartition(":")[0] or release
    names = sorted({*asked, *_LOOKED_UP})
    # Each minor version of OpenShift has one of Kubernetes.
    versions = {_VERSIONS: f"{_KUBERNETES}=1.{int(version.split('.')[1]) + 13}.0"}
    return {
        "kind": "ImageStream",
        "apiVersion": "image.openshift.io/v1",
        "metadata": {"name": version},
        "spec": {
            "tags": [
                {
                    "name": name,
                    "annotations": versions,
                    "from": {"kind": "DockerImage", "name": f"{repository}@sha256:{number:064x}"},
                }
                for number, name in enumerate(names, 1)
            ]
        },
    }


def version_of_kubernetes(images: Json) -> str:
    """Return the version of Kubernetes that a release's list of images names; "" if it names none."""
    for tag in images["spec"]["tags"]:
        versions = (tag.get("annotations") or {}).get(_VERSIONS) or ""
        for name, _, value in (each.partition("=") for each in versions.split(",")):
            if name == _KUBERNETES:
                return str(value)
    return ""


def metadata(folder: Path, version: str) -> Json:
    """Return the release's metadata: its own if the folder has it.

    Raises:
        ProgramsError: if the release's own metadata is not readable.
    """
    own = folder / OF_RELEASE / METADATA
    return _read(own) if own.exists() else {"kind": "cincinnati-metadata-v0", "version": version}


def _read(file: Path) -> Json:
    try:
        document: Json = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ProgramsError(f"'{file}' is not JSON: {error}") from None
    return document
