"""What the bootstrap machine's config says about the cluster that it is going to be."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import yaml

from emulator.openshift.ignition import File, Unit, parse

Json = dict[str, Any]

ROOT = "/opt/openshift"
MANIFESTS = (f"{ROOT}/manifests/", f"{ROOT}/openshift/")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_RELEASE = re.compile(r"ocp-release:(\d+\.\d+\.\d+[^\s\"'@-]*)")
_VERSION = re.compile(r"v?4\.\d+\.\d+")
_SCRIPTS = "/usr/local/bin/"
_IMAGE = re.compile(r"aro_(\d)(\d+)")
# By minor version of release 4: bootkube-stages.
_FLAVOURS = ((3, "A"), (5, "T"), (7, "B"))
DEFAULT_MINOR = 19


class InstallationError(Exception):
    """Files that the bootstrap machine cannot work with; the message is what its programs print."""


@dataclass(frozen=True)
class Manifest:
    """One object that the bootstrap machine creates."""

    path: str
    body: Json


class Installation:
    """The files of the bootstrap machine.

    Args:
        texts: the configs that it has fetched.
        image: sku of the machine's image, which tells the release when no file does.
    """

    def __init__(self, texts: list[str], image: str) -> None:
        self._image = image
        self.files: dict[str, File] = {}
        self.units: dict[str, Unit] = {}
        for text in texts:
            config = parse(text.encode())
            self.files |= config.files
            self.units |= config.units

    def text(self, name: str) -> str:
        """Return a file below /opt/openshift, "" when there is none."""
        found = self.files.get(name if name.startswith("/") else f"{ROOT}/{name}")
        return "" if found is None else found.content.decode("utf-8", "replace")

    def missing(self, names: list[str]) -> list[str]:
        """Return which of these files are missing or empty."""
        return [name for name in names if not self.text(name).strip()]

    def document(self, name: str) -> Json:
        """Return a YAML file.

        Raises:
            InstallationError: there is none, or it is no mapping.
        """
        text = self.text(name)
        if not text:
            raise InstallationError(f"open {ROOT}/{name}: no such file or directory")
        return _mapping(text, name)

    def manifests(self) -> list[Manifest]:
        """Return all objects, in the order in which they are created.

        Raises:
            InstallationError: a file is no object with kind and name.
        """
        return list(self._manifests())

    def _manifests(self) -> Iterator[Manifest]:
        for path in sorted(path for path in self.files if path.startswith(MANIFESTS)):
            body = _mapping(self.text(path), path)
            if not body.get("kind") or not body.get("apiVersion") or not (body.get("metadata") or {}).get("name"):
                raise InstallationError(f"{path}: object without apiVersion, kind or metadata.name")
            yield Manifest(path, body)

    @cached_property
    def install_config(self) -> Json:
        """The install-config.

        Raises:
            InstallationError: it is not there.
        """
        data = self.document("manifests/cluster-config.yaml").get("data") or {}
        if not data.get("install-config"):
            raise InstallationError("cluster-config.yaml: key install-config is missing")
        return _mapping(data["install-config"], "install-config")

    @property
    def domain(self) -> str:
        """The cluster's domain, such as `c1.eastus.aroapp.io`."""
        return f"{self.install_config['metadata']['name']}.{self.install_config['baseDomain']}"

    @property
    def masters(self) -> int:
        """How many machines the control plane has."""
        return int((self.install_config.get("controlPlane") or {}).get("replicas") or 3)

    @property
    def infra_id(self) -> str:
        """With what the names of the cluster's resources begin."""
        infrastructure = self.document("manifests/cluster-infrastructure-02-config.yml")
        return str((infrastructure.get("status") or {}).get("infrastructureName") or "")

    @property
    def internal_ingress(self) -> bool:
        """Whether the router gets an address of the virtual network only."""
        return self.install_config.get("publish") == "Internal"

    @cached_property
    def version(self) -> str:
        """The release, x.y.z: what the release image, the installer or, without its patch, the machine's image says."""
        for path, file in self.files.items():
            found = path.startswith(_SCRIPTS) and _RELEASE.search(file.content.decode("utf-8", "replace"))
            if found:
                return found[1]
        installer = self.text("openshift/openshift-install-manifests.yaml")
        given = str((_mapping(installer, "version").get("data") or {}).get("version", "")) if installer else ""
        if _VERSION.match(given):
            return given.removeprefix("v")
        image = _IMAGE.match(self._image)
        return f"{image[1]}.{image[2]}.0" if image else f"4.{DEFAULT_MINOR}.0"

    @property
    def minor(self) -> int:
        """The release without its patch: 19 of 4.19.3."""
        return int(self.version.split(".")[1])

    @property
    def flavour(self) -> str:
        """How the release boots: `A`, `T`, `B` or `C`."""
        return next((flavour for last, flavour in _FLAVOURS if self.minor <= last), "C")


def _mapping(text: str, name: str) -> Json:
    try:
        document = yaml.load(text, _LOADER)  # noqa: S506 - a safe loader, in C where there is one
    except yaml.YAMLError as error:
        reason = " ".join(str(error).split())[:200]
        raise InstallationError(f"error unmarshaling {name}: {reason}") from error
    if not isinstance(document, dict):
        raise InstallationError(f"{name}: not an object")
    return document
