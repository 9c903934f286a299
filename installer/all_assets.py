"""All assets by name, and the ones that an install needs."""

from contextlib import suppress
from fnmatch import fnmatch

from installer import graph, manifest_yaml
from installer.assets import (
    cluster_version,
    install_certificates,
    kubeconfigs,
    machines,
    manifests,
    platform,
    workload_identity,
)
from installer.bootstrap import bootstrap, host_files, units
from installer.bootstrap.stage import ROOT
from installer.config import install_config
from installer.graph import Asset, Content, Inputs
from installer.ignition import ignition


def _metadata(inputs: Inputs) -> Content:
    """Enough to find the cluster in Azure for somebody who has only this file."""
    config, ids = inputs["install-config"], inputs["cluster-id"]
    document = {
        "clusterName": config["metadata"]["name"],
        "clusterID": ids["clusterId"],
        "infraID": ids["infraId"],
        "azure": {"resourceGroupName": install_config.azure(config)["resourceGroupName"]},
    }
    return {"metadata.json": manifest_yaml.to_json(document)}


GIVEN = tuple(Asset(name) for name in graph.GIVEN)

ASSETS: dict[str, Asset] = {
    asset.name: asset
    for asset in (
        *GIVEN,
        *install_certificates.ASSETS,
        *kubeconfigs.ASSETS,
        *manifests.ASSETS,
        *platform.ASSETS,
        *workload_identity.ASSETS,
        *cluster_version.ASSETS,
        *machines.ASSETS,
        *host_files.ASSETS,
        *units.ASSETS,
        *bootstrap.ASSETS,
        Asset("metadata.json", ("metadata.json",), ("install-config", "cluster-id"), _metadata),
    )
}

TARGETS = (
    "bootstrap.ign",
    "master.ign",
    "worker.ign",
    "metadata.json",
    "auth/kubeadmin-password",
    *(row.path for row in kubeconfigs.KUBECONFIGS),
)

# The files that `openshift-install create ignition-configs` leaves: the path in its folder, and ours in the graph.
# People reach a cluster by its external name.
IGNITION_CONFIGS = {
    "bootstrap.ign": "bootstrap.ign",
    "master.ign": "master.ign",
    "worker.ign": "worker.ign",
    "metadata.json": "metadata.json",
    "auth/kubeconfig": "auth/external/kubeconfig",
    "auth/kubeadmin-password": "auth/kubeadmin-password",
}


def asset_of(path: str) -> Asset:
    """Return the asset that makes a file.

    Raises:
        KeyError: if none does.
    """
    for asset in ASSETS.values():
        if any(fnmatch(path, pattern) for pattern in asset.files):
            return asset
    raise KeyError(path)


def find(name: str) -> Asset | None:
    """Return the asset for what people type: its name, a file in the graph or on the bootstrap machine, or a unit.

    None if no asset makes such a file, even where people may add one of their own.
    """
    for path in (name, name.removeprefix(f"{ROOT}/"), f"{ignition.UNITS}/{name}"):
        with suppress(KeyError):
            asset = ASSETS.get(path) or asset_of(path)
            if asset is not manifests.FURTHER or path == asset.name:
                return asset
    return None
