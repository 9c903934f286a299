"""What the install graph is made from: the cluster's document, its secrets, and the catalogue's entry of its version."""

from datetime import UTC, datetime
from typing import Any

from cryptography.hazmat.primitives import serialization

from activities.step import Step
from shared import settings
from shared.clusters import catalogue, naming
from shared.clusters.secrets import Purpose
from shared.installer import install_config
from shared.installer.graph import Content
from shared.store import get_store
from shared.vault import Bundle, get_vault

# Versions that say nothing of it are of the time before Ignition 3, which came with OpenShift 4.6.
_FIRST_IGNITION = "2.2.0"
_OLDEST_FLAVOUR = "A"
# What has to stand on the document by now: path below `properties`, and what it is.
_NEEDED = (
    ("infraId", "the infra id"),
    ("storageSuffix", "the name of the storage account"),
    ("zones", "the availability zones"),
    ("registryProfiles", "the registry's token"),
    ("networkProfile.podCidr", "the pods' network"),
    ("networkProfile.serviceCidr", "the services' network"),
    ("masterProfile.vmSize", "the masters' size"),
    ("servicePrincipalProfile.clientId", "the service principal"),
)
_WORKERS_NEEDED = ("name", "vmSize", "diskSizeGB", "count", "subnetId")


def bundle_ids(step: Step) -> dict[str, str]:
    """Return the versioned ids of the cluster's secrets, by purpose."""
    ids: dict[str, str] = step.document.get("secrets") or {}
    return ids


def given(step: Step) -> dict[str, Content]:
    """Return all that the graph knows of this cluster."""
    cluster, properties = step.cluster, step.properties
    registry = properties["registryProfiles"][0]
    credential = f"{registry['username']}:{_bundle(step, Purpose.REGISTRY)['password']}"
    request = _bundle(step, Purpose.REQUEST)
    name, base_domain = naming.split_domain(properties["clusterProfile"]["domain"], settings.load().domain)
    return {
        "install-config": install_config.from_cluster(
            cluster,
            _entry(step),
            name=name,
            base_domain=base_domain,
            ssh_key=_public_ssh_key(_bundle(step, Purpose.INSTALL)["sshKey"]),
            pull_secret=install_config.pull_secret(request.get("pullSecret", ""), {registry["name"]: credential}),
        ),
        "platform-credentials": {
            "subscriptionId": step.subscription_id,
            "tenantId": step.tenant_id,
            "clientId": properties["servicePrincipalProfile"]["clientId"],
            "clientSecret": request["clientSecret"],
        },
        "cluster-id": {"infraId": properties["infraId"], "clusterId": step.document["id"]},
        "release-image": release(step),
        "clock": {"now": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")},
    }


def release(step: Step) -> Content:
    """Return what the catalogue says of the cluster's version, as far as the machines read it."""
    entry = _entry(step)
    return {
        "version": entry["version"],
        "pullspec": entry["openShiftPullspec"],
        "ignitionVersion": entry.get("ignitionVersion", _FIRST_IGNITION),
        "flavour": entry.get("flavour", _OLDEST_FLAVOUR),
    }


def _entry(step: Step) -> dict[str, Any]:
    return catalogue.entry(get_store().versions(), step.properties["clusterProfile"].get("version", ""))


def _public_ssh_key(pem: str) -> str:
    """Return the public half of the machines' SSH key as `authorized_keys` has it."""
    # Our own: judging its primes would hold the interpreter's lock for 30 ms.
    key = serialization.load_pem_private_key(pem.encode(), password=None, unsafe_skip_rsa_key_validation=True)
    return (
        key.public_key()
        .public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
        .decode("ascii")
    )


def problems(step: Step) -> list[str]:
    """Return what is missing before a graph can be made, one sentence each."""
    missing = [f"properties.{path} is not known yet: {what}" for path, what in _NEEDED if _at(step, path) is None]
    workers = (step.properties.get("workerProfiles") or [{}])[0]
    missing += [f"properties.workerProfiles[0].{name} is missing" for name in _WORKERS_NEEDED if not workers.get(name)]
    if not step.properties.get("ingressProfiles"):
        missing.append("properties.ingressProfiles is empty")
    bundles = (Purpose.REQUEST, Purpose.INSTALL, Purpose.REGISTRY)
    missing += [
        f"the secret '{purpose}' is not in the vault yet" for purpose in bundles if purpose not in bundle_ids(step)
    ]
    version = _entry(step)
    missing += [
        f"the catalogue's entry of version {version['version']} has no '{name}'"
        for name in ("openShiftPullspec", "rhcosImage")
        if not version.get(name)
    ]
    return missing


def _at(step: Step, path: str) -> Any:
    found: Any = step.properties
    for name in path.split("."):
        found = (found or {}).get(name)
    return found


def _bundle(step: Step, purpose: Purpose) -> Bundle:
    return get_vault().get_secret(bundle_ids(step)[purpose])
