"""What the bootstrap machine's config says about the cluster that it is going to be."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any, Self

import yaml

from emulator.openshift.boot.ignition import File, Unit, parse

Json = dict[str, Any]

ROOT = "/opt/openshift"
MANIFESTS = (f"{ROOT}/manifests/", f"{ROOT}/openshift/")
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_RELEASE = re.compile(r"ocp-release:(\d+\.\d+\.\d+[^\s\"'@-]*)")
_VERSION = re.compile(r"v?4\.\d+\.\d+")
_SCRIPTS = "/usr/local/bin/"
_IMAGE = re.compile(r"aro_(\d)(\d+)")
# The last minor version of release 4 that each flavour of the bootstrap holds for; later ones boot as the newest.
_FLAVOURS = ((3, "A"), (5, "T"), (7, "B"))
DEFAULT_MINOR = 19
# More than one machine has: its stages read the same files again and again.
_CACHED = 512


class InstallationError(Exception):
    """Files that the bootstrap machine cannot work with; the message is what its programs print."""


@dataclass(frozen=True)
class Manifest:
    """One object that the bootstrap machine creates."""

    path: str
    body: Json

    @property
    def identity(self) -> tuple[str, str, str, str]:
        """Kind, name, namespace and API group, by which no two objects may be the same."""
        metadata = self.body["metadata"]
        group = self.body["apiVersion"].rpartition("/")[0]
        return self.body["kind"], metadata["name"], metadata.get("namespace") or "", group


@dataclass(frozen=True)
class Installation:
    """What the bootstrap machine has been given.

    Args:
        files: by path.
        units: of systemd, by name.
        image: sku of the machine's image, which tells the release when no file does.
    """

    files: Mapping[str, File]
    units: Mapping[str, Unit]
    image: str

    @classmethod
    def read(cls, texts: list[str], image: str) -> Self:
        """Return what these configs say together.

        Raises:
            IgnitionError: one of them is none that its Ignition reads.
        """
        configs = [parse(text.encode(), image) for text in texts]
        return cls(
            {path: file for config in configs for path, file in config.files.items()},
            {name: unit for config in configs for name, unit in config.units.items()},
            image,
        )

    def text(self, name: str) -> str:
        """Return a file below /opt/openshift, "" when there is none."""
        found = self.files.get(name if name.startswith("/") else f"{ROOT}/{name}")
        return "" if found is None else found.text

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
        """Return all objects, in the order in which they are created; nobody may change them.

        Raises:
            InstallationError: a file is no object with kind and name.
        """
        return self._manifests

    def find(self, kind: str, name: str, namespace: str = "") -> Manifest | None:
        """Return the object that is called so, or None.

        Raises:
            InstallationError: a file is no object with kind and name.
        """
        wanted = (kind, name, namespace)
        return next((manifest for manifest in self._manifests if manifest.identity[:3] == wanted), None)

    @cached_property
    def _manifests(self) -> list[Manifest]:
        paths = sorted(path for path in self.files if path.startswith(MANIFESTS))
        return [_manifest(path, self.text(path)) for path in paths]

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
    def trust_bundle(self) -> str:
        """Further authorities that the customer trusts, as PEM, "" for none."""
        return str(self.install_config.get("additionalTrustBundle") or "").strip()

    @property
    def masters(self) -> int:
        """How many machines the control plane has."""
        return int((self.install_config.get("controlPlane") or {}).get("replicas") or 3)

    @property
    def infra_id(self) -> str:
        """With what the names of the cluster's resources begin."""
        infrastructure = self.document("manifests/cluster-infrastructure-02-config.yml")
        return str((infrastructure.get("status") or {}).get("infrastructureName") or "")

    @cached_property
    def version(self) -> str:
        """The release, x.y.z: what the release image, the installer or, without its patch, the machine's image says."""
        for path, file in self.files.items():
            found = path.startswith(_SCRIPTS) and _RELEASE.search(file.text)
            if found:
                return found[1]
        installer = _document(self.text("openshift/openshift-install-manifests.yaml"))
        # A broken one is for those to name who create it.
        data = installer.get("data") if isinstance(installer, dict) else None
        given = str(data.get("version", "")) if isinstance(data, dict) else ""
        if _VERSION.match(given):
            return given.removeprefix("v")
        image = _IMAGE.match(self.image)
        return f"{image[1]}.{image[2]}.0" if image else f"4.{DEFAULT_MINOR}.0"

    @property
    def minor(self) -> int:
        """The release without its patch: 19 of 4.19.3."""
        return int(self.version.split(".")[1])

    @property
    def flavour(self) -> str:
        """How the release boots: `A`, `T`, `B` or `C`."""
        return next((flavour for last, flavour in _FLAVOURS if self.minor <= last), "C")


# Yields on what a program of the machine stumbles at a time; may also raise an InstallationError.
Check = Callable[[Installation, datetime], Iterator[str]]


@lru_cache(maxsize=_CACHED)
def _manifest(path: str, text: str) -> Manifest:
    body = _mapping(text, path)
    metadata = body.get("metadata")
    if not body.get("kind") or not body.get("apiVersion") or not isinstance(metadata, dict) or not metadata.get("name"):
        raise InstallationError(f"{path}: object without apiVersion, kind or metadata.name")
    for member in ("data", "spec", "status"):
        if not isinstance(body.get(member) or {}, dict):
            raise InstallationError(f"{path}: {member} is no object")
    return Manifest(path, body)


def _mapping(text: str, name: str) -> Json:
    document = _document(text)
    if isinstance(document, str):
        raise InstallationError(f"error unmarshaling {name}: {document}")
    return document


@lru_cache(maxsize=_CACHED)
def _document(text: str) -> Json | str:
    """Return a YAML mapping, or why it is none; without any of the text, which may be secret."""
    try:
        document = yaml.load(text, LOADER)  # noqa: S506 - a safe loader, in C where there is one
    except yaml.MarkedYAMLError as error:
        return f"line {error.problem_mark.line + 1 if error.problem_mark else 0}: {error.problem}"
    except yaml.YAMLError:
        return "it is no YAML"
    return document if isinstance(document, dict) else "not an object"
