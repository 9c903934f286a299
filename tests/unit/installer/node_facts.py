"""What the facts say of the graph itself: its nodes, their files, and what each is made from."""

from typing import Any

from shared.installer import assets, cluster_id, graph
from shared.installer.certificates import BUNDLES
from shared.installer.graph import Asset
from tests.unit.installer import facts
from tests.unit.installer.comparisons import ROOT, Fact, Section, all_paths, asset_path, boot_files
from tests.unit.installer.facts import section

_GIVEN = {
    "*installconfig.InstallConfig": "install-config",
    "*installconfig.PlatformCreds": "platform-credentials",
    "*installconfig.ClusterID": "cluster-id",
    "*releaseimage.Image": "release-image",
}
# What has no counterpart here, and why.
_TEMPLATES = "manifests are functions here: there are no templates to make first"
_TERRAFORM = "Azure is told what to make by templates of its own, not by Terraform"
_WITHOUT = {
    "*installconfig.PlatformCredsCheck": "the service has checked the principal before",
    "*rhcos.Image": "the image stands in the install-config",
    "*rhcos.BootstrapImage": "the image stands in the install-config",
    "*manifests.AdditionalTrustBundleConfig": "no proxy, so no bundle",
    "*cluster.TerraformVariables": _TERRAFORM,
}
_BUNDLES = {f"tls/{name}": signers for name, signers in BUNDLES.items()}
# Dependencies that change nothing in what is made.
_NOT_NEEDED = {
    ("*machines.Master", "*installconfig.PlatformCreds"): "the zones are given: Azure is not asked for them",
    ("*machines.Worker", "*installconfig.PlatformCreds"): "the zones are given: Azure is not asked for them",
    ("*manifests.DNS", "*installconfig.ClusterID"): "it finds the zones by the cluster's domain",
    ("*manifests.Proxy", "*installconfig.InstallConfig"): "without a proxy it is always the same",
    ("*manifests.Proxy", "*manifests.Networking"): "without a proxy it is always the same",
    ("*manifests.Scheduler", "*installconfig.InstallConfig"): "there are always workers, so it is always the same",
    ("*manifests.Infrastructure", "*manifests.CloudProviderConfig"): "it names the object, and does not read it",
}


def _is_without(path: str) -> bool:
    return path.startswith(("templates/", "terraform"))


def nodes() -> Section:
    """Every file of every node has its asset here, and every dependency leads from one asset to the other."""
    by_type = {node["type"]: node for node in section("asset_nodes")}
    for kind, node in by_type.items():
        ours = _assets(node)
        if kind in _GIVEN or kind in _WITHOUT or (not ours and all(_is_without(path) for path in node["files"])):
            continue
        yield Fact(f"{kind}: files", [path for path in node["files"] if not _is_without(path)], _made_by(kind, node))
        reached = set(graph.needed(assets.ASSETS, [asset.name for asset in ours]))
        for wanted in node["dependencies"]:
            if wanted in _WITHOUT or (kind, wanted) in _NOT_NEEDED:
                continue
            names = {_GIVEN[wanted]} if wanted in _GIVEN else {asset.name for asset in _assets(by_type.get(wanted))}
            if all(asset.name in _BUNDLES for asset in ours):
                # A bundle is made from signers here, and from bundles of one there.
                names = {f"tls/{_BUNDLES[name][0]}" if name in _BUNDLES else name for name in names}
            yield Fact(f"{kind} is made from {wanted}", set(), names - reached)


def _assets(node: dict[str, Any] | None) -> list[Asset]:
    if node is None:
        return []
    paths = [asset_path(node["type"].removeprefix("*"), path) for path in node["files"] if not _is_without(path)]
    return [assets.asset_of(path) for path in paths if path in all_paths()]


def _made_by(kind: str, node: dict[str, Any]) -> list[str]:
    return [path for path in node["files"] if asset_path(kind.removeprefix("*"), path) in all_paths()]


def outside_the_bootstrap() -> Section:
    """Files that the graph makes and the bootstrap machine does not get."""
    kept_back = {path.removeprefix(ROOT) for path in boot_files()}
    for fact in section("asset_files_not_in_bootstrap"):
        if _is_without(fact["file"]):
            continue
        path = fact["file"]
        yield Fact(path, (True, False), (path in all_paths(), path in kept_back))


def infra_id() -> Section:
    """The form of the name that everything in Azure begins with."""
    yield Fact("infraID_form", facts.facts()["infraID_form"], f"cluster-<5 of {cluster_id.ALPHABET}>")
