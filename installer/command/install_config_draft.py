"""A first install-config, made from a cluster's document or from an example."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519

from installer.command import command_inputs
from installer.command.command_inputs import DEFAULT_VERSION, Wrong
from installer.config import install_config
from installer.config.install_config import Source
from installer.config.install_config_members import Problem
from installer.graph import Content
from shared.release import machine_image, release_rules

KEY_FILES = ("ssh-key", "ssh-key.pub")
_SUBSCRIPTION = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups"
_SUBNETS = f"{_SUBSCRIPTION}/network/providers/Microsoft.Network/virtualNetworks/vnet/subnets"
EXAMPLE: Content = {
    "name": "example",
    "location": "eastus",
    "properties": {
        "zones": ["1", "2", "3"],
        "registryProfiles": [{"name": "registry.example.com"}],
        "clusterProfile": {
            "domain": "example.eastus.example.com",
            "resourceGroupId": f"{_SUBSCRIPTION}/example",
            "pullSecret": '{"auths":{"registry.example.com":{"auth":"dXNlcjpwYXNzd29yZA=="}}}',
        },
        "networkProfile": {"podCidr": "10.128.0.0/14", "serviceCidr": "172.30.0.0/16"},
        "masterProfile": {"vmSize": "Standard_D8s_v3", "subnetId": f"{_SUBNETS}/masters"},
        "workerProfiles": [
            {
                "name": "worker",
                "vmSize": "Standard_D4s_v3",
                "diskSizeGB": 128,
                "count": 3,
                "subnetId": f"{_SUBNETS}/workers",
            }
        ],
        "ingressProfiles": [{"visibility": "Public"}],
    },
}
# By minor version of OpenShift; the marketplace has more of them.
_IMAGES = {(4, 3): "azureopenshift:aro4:aro_43:43.81.20191122"}
# Azure takes the newest image of a SKU. That is enough for an example, but not for a cluster whose machines must be
# alike.
_NEWEST = "latest"
_SKU = f"{machine_image.PUBLISHER}:{machine_image.OFFER}:aro_"
_VERSION = "properties.clusterProfile.version"
# Members that a document must have; the service decides some of them during a create.
_NEEDED = (
    "location",
    "properties.clusterProfile.domain",
    "properties.clusterProfile.resourceGroupId",
    "properties.networkProfile.podCidr",
    "properties.networkProfile.serviceCidr",
    "properties.masterProfile.vmSize",
    "properties.masterProfile.subnetId",
    *(f"properties.workerProfiles.0.{name}" for name in ("name", "vmSize", "diskSizeGB", "count", "subnetId")),
    "properties.ingressProfiles.0.visibility",
)


@dataclass(frozen=True)
class Draft:
    """A first install-config.

    Args:
        config: the install-config.
        version: the OpenShift version for which it was made.
        keys: texts of a new key pair by file; empty if a key was given.
    """

    config: Content
    version: str
    keys: dict[str, str]


def draft(
    cluster_file: Path | None = None,
    version: str = "",
    *,
    base_domain: str = "",
    image: str = "",
    release_metadata: Path | None = None,
    ssh_key: Path | None = None,
    pull_secret: Path | None = None,
    found: Iterable[Problem] = (),
) -> Draft:
    """Return a first install-config.

    Args:
        cluster_file: JSON; None for the example.
        version: OpenShift version; empty for the document's.
        base_domain: base domain of a cluster whose domain is one label.
        image: the machines' image, four parts separated by colons; empty for the document's or the release's.
        release_metadata: file that names the image.
        ssh_key: file of the public key.
        pull_secret: file of the pull secret.
        found: problems found so far.

    Raises:
        Wrong: with every problem.
    """
    found = list(found)
    cluster = EXAMPLE if cluster_file is None else _read(cluster_file, found)
    cluster = cluster.get("openShiftCluster", cluster)
    if cluster:
        found += [(f"{cluster_file}: {path}", "It is missing.") for path in _NEEDED if not _at(cluster, path)]
    version = version or str(_at(cluster, _VERSION) or DEFAULT_VERSION)
    if not command_inputs.is_version(version):
        raise Wrong([*found, (f"{cluster_file}: {_VERSION}", f"'{version}' is not a version of OpenShift 4.")])
    domain = str(_at(cluster, "properties.clusterProfile.domain") or "")
    name, dot, rest = domain.partition(".")
    if domain and not (dot or base_domain):
        found.append(("--base-domain", f"The cluster's domain '{domain}' is one label: say what follows it."))
    public, keys = (_text(ssh_key, found).strip(), {}) if ssh_key else _new_keys()
    secret = (
        _text(pull_secret, found) if pull_secret else str(_at(cluster, "properties.clusterProfile.pullSecret") or "")
    )
    try:
        secret = install_config.pull_secret(secret, {})
    except (ValueError, AttributeError, TypeError, RecursionError):
        found.append((str(pull_secret or cluster_file), 'The pull secret is not of the form {"auths": {...}}.'))
    coordinates = _coordinates(cluster, version, image, release_metadata, found)
    if found:
        raise Wrong(found)
    try:
        source = Source(cluster, version, coordinates, name, rest or base_domain, public, secret)
        config = install_config.from_cluster(source, "built-in")
    except (AttributeError, KeyError, TypeError, ValueError):
        # All required members exist, so one has a value that the service would not write.
        raise Wrong([(str(cluster_file), "It is not a cluster as the service's documents have it.")]) from None
    return Draft(config, version, keys)


def _coordinates(
    cluster: Content, version: str, image: str, release_metadata: Path | None, found: list[Problem]
) -> dict[str, str]:
    """Return the coordinates of the machines' image: requested, decided or known; empty if there are none."""
    if image:
        if coordinates := _split(image):
            return coordinates
        found.append(("--image", f"'{image}' is not PUBLISHER:OFFER:SKU:VERSION."))
        return {}
    if release_metadata:
        try:
            named = machine_image.release_images(command_inputs.read_json(release_metadata), version).newest()
        except Wrong as wrong:
            found += wrong.problems
            return {}
        except ValueError as error:
            found.append((str(release_metadata), f"No image follows from it: {error}."))
            return {}
        if named is None:
            found.append((str(release_metadata), "It names a disk and no marketplace image: give --image."))
        return named or {}
    decided = _at(cluster, "properties.rhcosImage")
    minor = release_rules.minor(version)
    known = _IMAGES.get(minor, f"{_SKU}{minor[0]}{minor[1]}:{_NEWEST}" if cluster is EXAMPLE else "")
    if not (decided or known):
        sentence = (
            f"Which image the machines of OpenShift {version} boot is not known here. Give it, or --release-metadata."
        )
        found.append(("--image", sentence))
    return dict(decided) if isinstance(decided, dict) else _split(known)


def _split(image: str) -> dict[str, str]:
    parts = image.split(":")
    members = machine_image.MEMBERS
    return dict(zip(members, parts, strict=True)) if len(parts) == len(members) and all(parts) else {}


def _at(document: Any, path: str) -> Any:
    for name in path.split("."):
        if isinstance(document, list):
            document = document[int(name)] if name.isdigit() and int(name) < len(document) else None
        else:
            document = document.get(name) if isinstance(document, dict) else None
    return document


def _read(file: Path, found: list[Problem]) -> Content:
    try:
        return command_inputs.read_json(file)
    except Wrong as wrong:
        found += wrong.problems
        return {}


def _text(file: Path, found: list[Problem]) -> str:
    try:
        return command_inputs.read_text(file)
    except Wrong as wrong:
        found += wrong.problems
        return ""


def _new_keys() -> tuple[str, dict[str, str]]:
    key = ed25519.Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH).decode()
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH, serialization.NoEncryption()
    ).decode()
    return public, dict(zip(KEY_FILES, (private, f"{public}\n"), strict=True))
