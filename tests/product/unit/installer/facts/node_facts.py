"""The facts about the graph itself: its nodes, their files, and their dependencies."""

from fnmatch import fnmatch
from functools import cache
from typing import Any

from installer import all_assets, graph
from installer.assets.install_certificates import BUNDLES
from installer.config import cluster_id
from installer.graph import Asset
from tests.product.unit.installer.facts import facts
from tests.product.unit.installer.facts.comparisons import ROOT, Fact, Section, all_paths, asset_path, boot_files
from tests.product.unit.installer.facts.facts import section

_GIVEN = {
    "*installconfig.InstallConfig": "install-config",
    "*installconfig.PlatformCreds": "platform-credentials",
    "*installconfig.ClusterID": "cluster-id",
    "*releaseimage.Image": "release-image",
}
# Answers of people: they are not nodes here, but part of the given install-config.
_ASKED = {f"*installconfig.{name}" for name in ("sshPublicKey", "baseDomain", "clusterName", "pullSecret", "platform")}
# Nothing is made from these.
_LAST = {"*cluster.Metadata", "*cluster.TerraformVariables", "*kubeconfig.AdminClient"}
# Nodes without a counterpart here, and why.
_TERRAFORM = "Azure is told what to make by templates of its own, not by Terraform"
_PATHS_WITHOUT = {
    "templates/private-cluster-outbound-service.yaml": "workers reach the internet through a balancer of every cluster",
    "templates/*": "manifests are functions here: there are no templates to make first",
    "terraform*": _TERRAFORM,
}
_WITHOUT = {
    "*openshift.PrivateClusterOutbound": _PATHS_WITHOUT["templates/private-cluster-outbound-service.yaml"],
    "*installconfig.PlatformCredsCheck": "the service has checked the principal before",
    "*rhcos.Image": "the image stands in the install-config",
    "*rhcos.BootstrapImage": "the image stands in the install-config",
    "*manifests.AdditionalTrustBundleConfig": "the measured cluster has no bundle, so the node has no file",
    "*cluster.TerraformVariables": _TERRAFORM,
}
# Assets without a node there, and why.
_OURS = {
    "/*": "files of the bootstrap machine's own are made within its ignition there",
    "auth/bootstrap-ssh": "it comes with 4.5",
    "original_cvo_overrides.patch": "it comes with 4.8",
    "manifests/99_feature-gate.yaml": "it comes with 4.8",
    "manifests/cluster-ingress-default-ingresscontroller.yaml": "the ingress of the measured cluster is public",
    "manifests/user-ca-bundle-config.yaml": "the measured cluster has no bundle, and its node no file",
    "manifests/azure-ad-pod-identity-webhook-config.yaml": "the measured cluster has a principal",
    "manifests/cluster-authentication-02-config.yaml": "the measured cluster has a principal",
    "manifests/credentials": "the measured cluster has a principal",
    "tls/bound-service-account-signing-key": "the measured cluster has a principal",
    "openshift/99_openshift-machineconfig_99-*-fips.yaml": "the measured cluster does not ask for it",
    "openshift/99_openshift-machineconfig_99-*-disable-hyperthreading.yaml": "the measured cluster does not ask for it",
    "tls/aro-service": "the service's own client is made after the graph there",
    "auth/aro/kubeconfig": "the service's own client is made after the graph there",
    "tls/user-admin": "customers get the admin's own there",
    "auth/user-admin/kubeconfig": "customers get the admin's own there",
    "further-manifests": "people lay files into a folder there",
    "clock": "it is asked for wherever it is needed there",
}
_BUNDLES = {f"tls/{name}": signers for name, signers in BUNDLES.items()}
# Dependencies that do not change the result.
_NOT_NEEDED = {
    ("*machines.Master", "*installconfig.PlatformCreds"): "the zones are given: Azure is not asked for them",
    ("*machines.Worker", "*installconfig.PlatformCreds"): "the zones are given: Azure is not asked for them",
    ("*manifests.DNS", "*installconfig.ClusterID"): "it finds the zones by the cluster's domain",
    ("*manifests.Proxy", "*installconfig.InstallConfig"): "without a proxy it is always the same",
    ("*manifests.Proxy", "*manifests.Networking"): "without a proxy it is always the same",
    ("*manifests.Scheduler", "*installconfig.InstallConfig"): "there are always workers, so it is always the same",
    ("*manifests.Infrastructure", "*manifests.CloudProviderConfig"): "it names the object, and does not read it",
}


def nodes() -> Section:
    """Every file of every node has its asset here, and every dependency leads from one asset to the other."""
    by_type = {node["type"]: node for node in section("asset_nodes")}
    needed = {wanted for node in by_type.values() for wanted in node["dependencies"]} - _ASKED
    yield Fact("nodes are those from which others are made, and the last", needed | _LAST, set(by_type))
    with_node = {asset.name for node in by_type.values() for asset in _assets(node)} | set(_GIVEN.values())
    yield Fact("every asset has a node", {name for name in all_assets.ASSETS if not _fits(name, _OURS)}, with_node)
    for kind, node in by_type.items():
        if kind in _GIVEN or kind in _WITHOUT or _is_template(node):
            continue
        files = [path for path in node["files"] if not _fits(path, _PATHS_WITHOUT)]
        yield Fact(f"{kind}: files", files, _made_by(kind, node))
        ours = _assets(node)
        reached = _reached(tuple(asset.name for asset in ours))
        for wanted in node["dependencies"]:
            if wanted in _WITHOUT or (kind, wanted) in _NOT_NEEDED or _is_template(by_type.get(wanted)):
                continue
            names = {_GIVEN[wanted]} if wanted in _GIVEN else {asset.name for asset in _assets(by_type.get(wanted))}
            if all(asset.name in _BUNDLES for asset in ours):
                # Here a bundle is made from signers, there from bundles of one signer.
                names = {f"tls/{_BUNDLES[name][0]}" if name in _BUNDLES else name for name in names}
            yield Fact(f"{kind} is made from {wanted}", names or {"an asset"}, names & reached)


def _fits(path: str, patterns: dict[str, str]) -> bool:
    return any(fnmatch(path, pattern) for pattern in patterns)


def _is_template(node: dict[str, Any] | None) -> bool:
    files = node["files"] if node else []
    return bool(files) and all(_fits(path, _PATHS_WITHOUT) for path in files)


@cache
def _reached(names: tuple[str, ...]) -> set[str]:
    return set(graph.needed(all_assets.ASSETS, names))


def _assets(node: dict[str, Any] | None) -> list[Asset]:
    if node is None:
        return []
    paths = [asset_path(node["type"].removeprefix("*"), path) for path in node["files"]]
    return [_asset_of(path) for path in paths if path in all_paths()]


_asset_of = cache(all_assets.asset_of)


def _made_by(kind: str, node: dict[str, Any]) -> list[str]:
    return [path for path in node["files"] if asset_path(kind.removeprefix("*"), path) in all_paths()]


def outside_the_bootstrap() -> Section:
    """Files that the graph makes but the bootstrap machine does not get."""
    kept_back = {path.removeprefix(ROOT) for path in boot_files()}
    for fact in section("asset_files_not_in_bootstrap"):
        if _fits(fact["file"], _PATHS_WITHOUT):
            continue
        path = fact["file"]
        yield Fact(path, (True, False), (path in all_paths(), path in kept_back))


def infra_id() -> Section:
    """The form of the name with which everything in Azure begins."""
    yield Fact("infraID_form", facts.facts()["infraID_form"], f"cluster-<5 of {cluster_id.ALPHABET}>")
