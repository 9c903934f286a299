"""The inputs of the install graph: the cluster's document, its secrets, and the catalogue's entry of its version."""

from datetime import UTC, datetime
from functools import partial
from typing import Any, assert_never

from cryptography.hazmat.primitives import serialization

from activities.azure import cluster_principal, subnets
from activities.checks import catalogue_entry, linked_resources
from activities.runtime.step import Step
from installer.assets import workload_identity
from installer.config import install_config
from installer.config.install_config import Source
from installer.graph import Content
from installer.ignition import snippets
from shared import settings
from shared.arm.errors import raise_all
from shared.clusters import catalogue, cluster_names
from shared.clusters.identities import cluster_credential, operator_secrets
from shared.clusters.identities.cluster_credential import ServicePrincipal, WorkloadIdentity
from shared.clusters.secrets import Purpose
from shared.documents import RegistryProfile
from shared.vault import Bundle, get_vault

# What the document must contain by now: path below `properties`, and what it is.
_NEEDED = (
    ("infraId", "the infra id"),
    ("storageSuffix", "the name of the storage account"),
    ("zones", "the availability zones"),
    ("networkProfile.podCidr", "the pods' network"),
    ("networkProfile.serviceCidr", "the services' network"),
    ("masterProfile.vmSize", "the masters' size"),
)
_WORKERS_NEEDED = ("name", "vmSize", "diskSizeGB", "count", "subnetId")


def bundle_ids(step: Step) -> dict[str, str]:
    """Return the versioned ids of the cluster's secrets by purpose."""
    ids: dict[str, str] = step.document.get("secrets") or {}
    return ids


def cluster_facts(step: Step, entry: catalogue.Entry, blob_endpoint: str) -> dict[str, Content]:
    """Return all that the graph knows of this cluster, and of its version.

    Args:
        step: the step, for its cluster.
        entry: the catalogue's entry of the version.
        blob_endpoint: address of the blobs in the cluster's storage account.
    """
    properties = step.properties
    mode, platform_credentials = _platform_credentials(step)
    name, base_domain = cluster_names.split_domain(properties["clusterProfile"]["domain"], settings.load().domain)
    source = Source(
        cluster=step.cluster,
        credentials_mode=mode,
        version=entry.version,
        image=properties["rhcosImage"],
        name=name,
        base_domain=base_domain,
        ssh_key=_public_ssh_key(_bundle(step, Purpose.INSTALL)["sshKey"]),
        pull_secret=pull_secret(step),
        machine_networks=partial(_machine_networks, step),
    )
    return {
        "install-config": install_config.from_cluster(source, entry.installer),
        "platform-credentials": platform_credentials,
        "cluster-id": {
            "infraId": properties["infraId"],
            "clusterId": step.document["id"],
            "diagnosticsUri": blob_endpoint,
        },
        "release-image": release(entry) | {"machineImage": properties["rhcosImage"]},
        "clock": {"now": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")},
    }


def _platform_credentials(step: Step) -> tuple[str, Content]:
    """Return how the cluster's operators get their credentials for Azure, and those that all of them share."""
    place: Content = {"subscriptionId": step.subscription_id, "tenantId": step.tenant_id}
    credential = step.credential
    match credential:
        case ServicePrincipal(client_id):
            shared = {"clientId": client_id, "clientSecret": cluster_principal.client_secret(step)}
            return install_config.PASSTHROUGH, place | shared
        case WorkloadIdentity(issuer=issuer):
            key = _bundle(step, Purpose.SIGNING_KEY)["privateKey"]
            secrets = (
                (each.namespace, each.name, each.client_id)
                for each in operator_secrets.wanted(credential, step.operator_roles(credential))
                if each.is_of_release
            )
            return install_config.MANUAL, place | workload_identity.of_operators(issuer, key, secrets)
        case _:
            assert_never(credential)


def _machine_networks(step: Step) -> list[str]:
    """Return the IPv4 ranges of the machines' subnets, the masters' first.

    Raises:
        CloudError: `InvalidLinkedVNet`, for the customer: the network or a subnet was deleted after it was validated.
        TryAgain: nobody may read the network.
    """
    found = linked_resources.subnets(step, linked_resources.read_network(step))
    raise_all(linked_resources.no_subnet(step, target) for target, subnet in found.items() if subnet is None)
    return [str(each) for subnet in found.values() if subnet is not None for each in subnets.ranges(subnet)]


def pull_secret(step: Step) -> str:
    """Return the customer's pull secret with the cluster's token for the service's registry, if it has one, as JSON."""
    credentials = {}
    if registry := _registry(step):
        credentials[registry["name"]] = f"{registry['username']}:{_bundle(step, Purpose.REGISTRY)['password']}"
    return install_config.pull_secret(_bundle(step, Purpose.REQUEST).get("pullSecret", ""), credentials)


def _registry(step: Step) -> RegistryProfile | None:
    """Return the service's registry and the cluster's token for it, or None if the service has no registry."""
    return next(iter(step.properties.get("registryProfiles") or []), None)


def release(entry: catalogue.Entry) -> Content:
    """Return what the catalogue says of a version, as far as the machines read it."""
    content = {
        "version": entry.version,
        "pullspec": entry.pullspec,
        "ignitionVersion": entry.ignition_version,
        "flavour": entry.flavour,
    }
    further = {"installerDigest": entry.installer_digest, "snippets": entry.snippets}
    return content | {name: value for name, value in further.items() if value}


def check_snippets(given: dict[str, Content]) -> None:
    """Check that every snippet of the version can be laid over its role's ignition.

    Raises:
        CloudError: for the operator, with all their problems.
    """
    wrong = []
    for role in snippets.ROLES:
        try:
            snippets.read(given["release-image"].get("snippets"), role, given["install-config"])
        except ValueError as error:
            wrong.append(str(error))
    if wrong:
        raise catalogue_entry.broken("; ".join(wrong))


def _public_ssh_key(pem: str) -> str:
    """Return the public half of the machines' SSH key in the format of `authorized_keys`."""
    # The key is our own; checking its primes would hold the interpreter's lock for 30 ms.
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
    missing += token_problems(step)
    missing += _identity_problems(step)
    missing += [_not_in_vault(each) for each in (Purpose.REQUEST, Purpose.INSTALL) if each not in bundle_ids(step)]
    document = catalogue_entry.document(step)
    missing += catalogue.defects(document)
    missing += [
        f"the catalogue's entry of version {document['version']}: {problem}"
        for problem in snippets.problems(document.get("snippets"))
    ]
    return missing


def _identity_problems(step: Step) -> list[str]:
    """Return what is missing of workload identity, if the cluster has it, one sentence each."""
    credential = step.credential
    match credential:
        case ServicePrincipal():
            return []
        case WorkloadIdentity(issuer=issuer):
            missing = cluster_credential.unknown_ids(credential)
            if not issuer:
                missing.append("properties.clusterProfile.oidcIssuer is not known yet: the issuer of its tokens")
            if Purpose.SIGNING_KEY not in bundle_ids(step):
                missing.append(_not_in_vault(Purpose.SIGNING_KEY))
            return missing
        case _:
            assert_never(credential)


def token_problems(step: Step) -> list[str]:
    """Return what is missing of the token for the service's registry, if it has one, one sentence each."""
    registry, wanted = _registry(step), settings.load().acr_resource_id
    missing = ["properties.registryProfiles is not known yet: the registry's token"] if wanted and not registry else []
    if (wanted or registry) and Purpose.REGISTRY not in bundle_ids(step):
        missing.append(_not_in_vault(Purpose.REGISTRY))
    return missing


def _not_in_vault(purpose: Purpose) -> str:
    return f"the secret '{purpose}' is not in the vault yet"


def _at(step: Step, path: str) -> Any:
    found: Any = step.properties
    for name in path.split("."):
        found = (found or {}).get(name)
    return found


def _bundle(step: Step, purpose: Purpose) -> Bundle:
    return get_vault().get_secret(bundle_ids(step)[purpose])
