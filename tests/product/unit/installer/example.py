"""A cluster like that of the facts, and its graph; keys are made once per session."""

import copy
import itertools
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from installer import all_assets, graph, pki
from installer.assets import platform, workload_identity
from installer.config import install_config
from installer.config.install_config import Source
from installer.graph import Content, Graph
from shared.release import release_rules

DOMAIN = "cluster.eastus.aroapp.test"
SUBSCRIPTION = "33333333-3333-3333-3333-333333333333"
_NETWORK = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/vnet-rg/providers/Microsoft.Network/virtualNetworks/dev-vnet"
CLUSTER: dict[str, Any] = {
    "name": "cluster",
    "location": "eastus",
    "properties": {
        "zones": ["1", "2", "3"],
        "registryProfiles": [{"name": "arosvc.azurecr.io", "username": "token-1"}],
        "clusterProfile": {"resourceGroupId": f"/subscriptions/{SUBSCRIPTION}/resourceGroups/aro-cluster"},
        "networkProfile": {"podCidr": "10.128.0.0/14", "serviceCidr": "172.30.0.0/16"},
        "masterProfile": {"vmSize": "Standard_D8s_v3", "subnetId": f"{_NETWORK}/subnets/master-subnet"},
        "workerProfiles": [
            {
                "name": "worker",
                "vmSize": "Standard_D4s_v3",
                "diskSizeGB": 128,
                "count": 3,
                "subnetId": f"{_NETWORK}/subnets/worker-subnet",
            }
        ],
        "ingressProfiles": [{"visibility": "Public"}],
    },
}
IMAGE = {"publisher": "azureopenshift", "offer": "aro4", "sku": "aro_43", "version": "43.81.20191122"}
SSH_KEY = "ssh-rsa AAAAB3NzaC1yc2E"
NOW = "2026-03-01T09:00:00Z"
ISSUER = "https://issuers.aroapp.test/11111111-1111-1111-1111-111111111111/doc-1"
# Namespace and name of each operator's Secret, and the client id of its identity.
SECRETS = (
    ("openshift-ingress-operator", "cloud-credentials", "client-ingress"),
    ("openshift-cluster-csi-drivers", "azure-disk-credentials", "client-disk"),
)


def cluster(**properties: Any) -> dict[str, Any]:
    """Return the example's cluster with other properties."""
    changed = copy.deepcopy(CLUSTER)
    changed["properties"] |= properties
    return changed


def source(of: Mapping[str, Any] = CLUSTER, version: str = "4.3.18", **more: Any) -> Source:
    """Return what the install-config of a cluster is made from."""
    known: dict[str, Any] = {
        "name": "cluster",
        "base_domain": "eastus.aroapp.test",
        "ssh_key": SSH_KEY,
        "pull_secret": install_config.pull_secret('{"auths":{"quay.io":{"auth":"eA=="}}}', {}),
        "image": IMAGE,
        "machine_networks": lambda: ["10.0.0.0/23", "10.0.2.0/23"],
    }
    return Source(of, version, **(known | more))


def given(
    of: Mapping[str, Any] = CLUSTER,
    *,
    version: str = "4.3.18",
    spec: str = "2.2.0",
    installer: str = "built-in",
    mode: str = install_config.PASSTHROUGH,
) -> dict[str, Content]:
    """Return the inputs of a cluster's graph."""
    return {
        "install-config": install_config.from_cluster(source(of, version, credentials_mode=mode), installer),
        "platform-credentials": {
            "subscriptionId": SUBSCRIPTION,
            "tenantId": "11111111-1111-1111-1111-111111111111",
            "clientId": "22222222-2222-2222-2222-222222222222",
            "clientSecret": "canary-client-secret",
        },
        "cluster-id": {
            "infraId": "cluster-shf9t",
            "clusterId": "44444444-4444-4444-4444-444444444444",
            "diagnosticsUri": "https://clusterabcde.blob.core.windows.net/",
        },
        "release-image": {
            "version": version,
            "pullspec": "q",
            "ignitionVersion": spec,
            "flavour": release_rules.flavour(version),
            "machineImage": IMAGE,
        },
        "clock": {"now": NOW},
    }


def given_identities(version: str = "4.19.24", installer: str = "built-in") -> dict[str, Content]:
    """Return the inputs of the graph of a cluster with workload identity."""
    spec = "2.2.0" if release_rules.minor(version) < (4, 6) else "3.2.0"
    known = given(version=version, spec=spec, installer=installer, mode=install_config.MANUAL)
    place = {name: known["platform-credentials"][name] for name in ("subscriptionId", "tenantId")}
    identities = workload_identity.of_operators(ISSUER, pki.private_pem(signing_key()), SECRETS)
    return known | {"platform-credentials": place | identities}


@cache
def signing_key() -> rsa.RSAPrivateKey:
    """Return the key with which the API server of such a cluster signs tokens."""
    return rsa.generate_private_key(65537, 2048)


def resolve(known: dict[str, Content]) -> Graph:
    """Resolve all targets."""
    with ThreadPoolExecutor(2) as pool:
        return graph.resolve(all_assets.ASSETS, all_assets.TARGETS, known, pool)


@cache
def made() -> Graph:
    """Return the complete graph of the example."""
    return resolve(given())


def remade(known: dict[str, Content]) -> Graph:
    """Return another cluster's graph, with the certificates of the example."""
    keys = {name: content for name, content in made().contents.items() if name.startswith("tls/") and content}
    return resolve(keys | known)


@cache
def _keys() -> tuple[rsa.RSAPrivateKey, ...]:
    with ThreadPoolExecutor(2) as pool:
        return tuple(pool.map(lambda _: rsa.generate_private_key(65537, 2048), range(40)))


@pytest.fixture
def quick_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hand out ready-made keys and hash the password quickly, so that a whole graph takes a tenth of a second."""
    keys = itertools.cycle(_keys())
    monkeypatch.setattr(pki, "new_key", lambda: next(keys))
    monkeypatch.setattr(platform, "_HASH_ROUNDS", 4)
