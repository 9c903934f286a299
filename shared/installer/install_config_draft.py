"""An install-config to begin with: of a cluster's document, or of an example."""

from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519

from shared.installer import command_inputs, install_config
from shared.installer.command_inputs import Wrong
from shared.installer.graph import Content
from shared.installer.install_config_members import Problem

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
_IMAGE_MEMBERS = ("publisher", "offer", "sku", "version")
# What a document has to have: the service decides some of it while it creates.
_NEEDED = (
    "location",
    "properties.registryProfiles.0.name",
    "properties.clusterProfile.domain",
    "properties.clusterProfile.resourceGroupId",
    "properties.networkProfile.podCidr",
    "properties.networkProfile.serviceCidr",
    "properties.masterProfile.vmSize",
    "properties.masterProfile.subnetId",
    *(f"properties.workerProfiles.0.{name}" for name in ("name", "vmSize", "diskSizeGB", "count", "subnetId")),
    "properties.ingressProfiles.0.visibility",
)


def draft(
    cluster_file: Path | None,
    version: str,
    *,
    base_domain: str,
    image: str,
    ssh_key: Path | None,
    pull_secret: Path | None,
    found: list[Problem],
) -> tuple[Content, dict[str, str]]:
    """Return an install-config, and the texts of a new pair of keys by file where no key is given.

    Args:
        cluster_file: JSON; None for the example.
        version: of OpenShift.
        base_domain: of a cluster whose domain is one label.
        image: of the machines, four parts with colons between; empty for the document's or the release's.
        ssh_key: file of the public key.
        pull_secret: file of the pull secret.
        found: what is wrong by now.

    Raises:
        Wrong: with every problem.
    """
    cluster = EXAMPLE if cluster_file is None else command_inputs.read_json(cluster_file)
    cluster = cluster.get("openShiftCluster", cluster)
    found += [(f"{cluster_file}: {path}", "It is missing.") for path in _NEEDED if not _at(cluster, path)]
    domain = str(_at(cluster, "properties.clusterProfile.domain") or "")
    name, dot, rest = domain.partition(".")
    if domain and not (dot or base_domain):
        found.append(("--base-domain", f"The cluster's domain '{domain}' is one label: say what follows it."))
    public, keys = _given_key(ssh_key, found) if ssh_key else _new_keys()
    secret = (
        _text(pull_secret, found) if pull_secret else str(_at(cluster, "properties.clusterProfile.pullSecret") or "")
    )
    try:
        secret = install_config.pull_secret(secret, {})
    except (ValueError, AttributeError, TypeError):
        found.append((str(pull_secret or cluster_file), 'The pull secret is not of the form {"auths": {...}}.'))
    coordinates = (
        _coordinates(image, version) if image else _at(cluster, "properties.rhcosImage") or _coordinates("", version)
    )
    if not coordinates:
        found.append(("--image", f"Give PUBLISHER:OFFER:SKU:VERSION of the machines' image for OpenShift {version}."))
    if found:
        raise Wrong(found)
    config = install_config.from_cluster(
        cluster,
        {"version": version, "rhcosImage": coordinates},
        name=name,
        base_domain=rest or base_domain,
        ssh_key=public,
        pull_secret=secret,
    )
    return config, keys


def _coordinates(image: str, version: str) -> dict[str, str]:
    """Return the members of an image's coordinates; none when they are not known."""
    parts = (image or _IMAGES.get(install_config.minor(version), "")).split(":")
    return dict(zip(_IMAGE_MEMBERS, parts, strict=True)) if len(parts) == len(_IMAGE_MEMBERS) and all(parts) else {}


def _at(document: Any, path: str) -> Any:
    for name in path.split("."):
        if isinstance(document, list):
            document = document[int(name)] if int(name) < len(document) else None
        else:
            document = document.get(name) if isinstance(document, dict) else None
    return document


def _given_key(file: Path, found: list[Problem]) -> tuple[str, dict[str, str]]:
    return _text(file, found).strip(), {}


def _text(file: Path, found: list[Problem]) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        found.append((str(file), f"It cannot be read: {getattr(error, 'strerror', None) or 'it is no text'}."))
        return ""


def _new_keys() -> tuple[str, dict[str, str]]:
    key = ed25519.Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH).decode()
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH, serialization.NoEncryption()
    ).decode()
    return public, dict(zip(KEY_FILES, (private, f"{public}\n"), strict=True))
