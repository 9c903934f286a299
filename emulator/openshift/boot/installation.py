"""The facts about a cluster that can be read from its bootstrap machine's config."""

import ipaddress
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Self

import yaml

from emulator.json_object import Json
from emulator.openshift.boot.ignition import File, Unit, parse
from emulator.openshift.kubernetes.go_yaml import FastLoader

ROOT = "/opt/openshift"
MANIFESTS = (f"{ROOT}/manifests/", f"{ROOT}/openshift/")
_RELEASE = re.compile(r"ocp-release:(\d+\.\d+\.\d+[^\s\"'@-]*)")
_VERSION = re.compile(r"v?4\.\d+\.\d+")
_SCRIPTS = "/usr/local/bin/"
_IMAGE = re.compile(r"aro_(\d)(\d+)")
# The last minor version of OpenShift 4 that boots with each flavour; later versions boot with the newest, `C`.
_FLAVOURS = ((3, "A"), (5, "T"), (7, "B"))
DEFAULT_MINOR = 19
SERVICE_NETWORK = "172.30.0.0/16"
# Larger than the number of files on one machine, because its stages read the same files again and again.
_CACHED = 512


class InstallationError(Exception):
    """The bootstrap machine cannot work with its files; the message is what its programs print."""


@dataclass(frozen=True)
class Manifest:
    """One object that the bootstrap machine creates."""

    path: str
    body: Json

    @property
    def identity(self) -> tuple[str, str, str, str]:
        """Kind, name, namespace and API group, which together must be unique among the objects."""
        metadata = self.body["metadata"]
        group = self.body["apiVersion"].rpartition("/")[0]
        return self.body["kind"], metadata["name"], metadata.get("namespace") or "", group


# What bootkube.sh replaces in the list of etcd's hosts, and its line that does so.
_BOOTSTRAP_PLACEHOLDER = "__BOOTSTRAP_IP__"
_BOOTSTRAP_ADDRESS = re.compile(rf"s/{_BOOTSTRAP_PLACEHOLDER}/([0-9.]+)/")


@dataclass(frozen=True)
class Installation:
    """The files and units that the bootstrap machine has been given."""

    files: Mapping[str, File]
    units: Mapping[str, Unit]
    image: str

    @classmethod
    def read(cls, texts: list[str], image: str) -> Self:
        """Merge the configs of a machine; later ones win.

        Raises:
            IgnitionError: if the Ignition of this image refuses one of the configs.
        """
        configs = [parse(text.encode(), image) for text in texts]
        return cls(
            {path: file for config in configs for path, file in config.files.items()},
            {name: unit for config in configs for name, unit in config.units.items()},
            image,
        )

    def text(self, name: str) -> str:
        """Return the text of a file, given by its path below /opt/openshift or in full; "" if it does not exist."""
        found = self.files.get(name if name.startswith("/") else f"{ROOT}/{name}")
        return "" if found is None else found.text

    def missing(self, names: list[str]) -> list[str]:
        """Return which of these files are missing or empty."""
        return [name for name in names if not self.text(name).strip()]

    def document(self, name: str) -> Json:
        """Return the content of a YAML file.

        Raises:
            InstallationError: if the file is missing or is not a mapping.
        """
        text = self.text(name)
        if not text:
            raise InstallationError(f"open {ROOT}/{name}: no such file or directory")
        return _mapping(text, name)

    def manifests(self) -> list[Manifest]:
        """Return all objects in the order in which they are created; callers must not change them.

        Raises:
            InstallationError: if a file is not an object with kind and name.
        """
        return self._manifests

    def find(self, kind: str, name: str, namespace: str = "") -> Manifest | None:
        """Return the object with this kind, name and namespace, or None.

        Raises:
            InstallationError: if a file is not an object with kind and name.
        """
        wanted = (kind, name, namespace)
        return next((manifest for manifest in self._manifests if manifest.identity[:3] == wanted), None)

    @cached_property
    def _manifests(self) -> list[Manifest]:
        paths = sorted(path for path in self.files if path.startswith(MANIFESTS))
        return [_manifest(path, self._completed(self.text(path))) for path in paths]

    def _completed(self, text: str) -> str:
        """Return a manifest as bootkube.sh has completed it: some releases let it put in the machine's address."""
        address = _BOOTSTRAP_ADDRESS.search(self.text("/usr/local/bin/bootkube.sh"))
        return text if address is None else text.replace(_BOOTSTRAP_PLACEHOLDER, address[1])

    @cached_property
    def install_config(self) -> Json:
        """The install-config.

        Raises:
            InstallationError: if it is missing.
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
        """The additional authorities that the customer trusts, as PEM; "" for none."""
        return str(self.install_config.get("additionalTrustBundle") or "").strip()

    @property
    def masters(self) -> int:
        """The number of control plane machines."""
        return int((self.install_config.get("controlPlane") or {}).get("replicas") or 3)

    @property
    def service_network(self) -> str:
        """The network of the cluster's Services; OpenShift's default one if the install-config does not say."""
        try:
            return str(ipaddress.ip_network(self.install_config["networking"]["serviceNetwork"][0]))
        except (InstallationError, LookupError, TypeError, ValueError):
            # The checks of the bootstrap machine say what is wrong.
            return SERVICE_NETWORK

    @property
    def infra_id(self) -> str:
        """The prefix of the names of the cluster's resources."""
        return str(self._infrastructure.get("infrastructureName") or "")

    @property
    def resource_group(self) -> str:
        """The name of the cluster's own resource group."""
        azure = (self._infrastructure.get("platformStatus") or {}).get("azure") or {}
        return str(azure.get("resourceGroupName") or "")

    @property
    def _infrastructure(self) -> Json:
        return self.document("manifests/cluster-infrastructure-02-config.yml").get("status") or {}

    @cached_property
    def version(self) -> str:
        """The release, x.y.z: from the release image, the installer or the machine's image, which names no patch."""
        for path, file in self.files.items():
            found = path.startswith(_SCRIPTS) and _RELEASE.search(file.text)
            if found:
                return found[1]
        installer = _document(self.text("openshift/openshift-install-manifests.yaml"))
        # A malformed file is reported when its object is created.
        data = installer.get("data") if isinstance(installer, dict) else None
        given = str(data.get("version", "")) if isinstance(data, dict) else ""
        if _VERSION.match(given):
            return given.removeprefix("v")
        image = _IMAGE.match(self.image)
        return f"{image[1]}.{image[2]}.0" if image else f"4.{DEFAULT_MINOR}.0"

    @property
    def minor(self) -> int:
        """The minor version of the release: 19 for 4.19.3."""
        return int(self.version.split(".")[1])

    @property
    def flavour(self) -> str:
        """How the release boots: `A`, `T`, `B` or `C`."""
        return next((flavour for last, flavour in _FLAVOURS if self.minor <= last), "C")


# Yields the problems that a program of the machine meets at a given time; may also raise an InstallationError.
Check = Callable[[Installation, datetime], Iterator[str]]


@lru_cache(maxsize=_CACHED)
def _manifest(path: str, text: str) -> Manifest:
    body = _mapping(text, path)
    metadata = body.get("metadata")
    if not body.get("kind") or not body.get("apiVersion") or not isinstance(metadata, dict) or not metadata.get("name"):
        raise InstallationError(f"{path}: object without apiVersion, kind or metadata.name")
    for member in ("data", "spec", "status"):
        if not isinstance(body.get(member) or {}, dict):
            raise InstallationError(f"{path}: {member} is not an object")
    return Manifest(path, body)


def _mapping(text: str, name: str) -> Json:
    document = _document(text)
    if isinstance(document, str):
        raise InstallationError(f"error unmarshaling {name}: {document}")
    return document


@lru_cache(maxsize=_CACHED)
def _document(text: str) -> Json | str:
    """Return a YAML mapping, or why the text is not one, without quoting lines of the text, which may be secret."""
    try:
        document = yaml.load(text, FastLoader)  # noqa: S506 - a safe loader
    except yaml.MarkedYAMLError as error:
        return f"line {error.problem_mark.line + 1 if error.problem_mark else 0}: {error.problem}"
    except yaml.YAMLError:
        return "it is not YAML"
    return document if isinstance(document, dict) else "not an object"
