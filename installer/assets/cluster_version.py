"""The cluster's version, and the objects that its operator ignores while the bootstrap machine creates them.

Some objects are also in the release, and whoever creates them first wins. So from 4.10 on `spec.overrides` lists
everything that the installer makes, and `bootkube.sh` removes that list once its objects exist.

Source: openshift/installer, `data/data/manifests/bootkube/cvo-overrides.yaml.template`, and release-4.10,
`pkg/asset/ignition/bootstrap/cvoignore.go`.
"""

from collections.abc import Iterator
from typing import Any

import yaml

from installer import manifest_yaml
from installer.assets import manifests, platform, workload_identity
from installer.graph import Asset, Content, Inputs
from installer.manifest_yaml import metadata
from installer.release.releases import WITH_FEATURE_GATE, WITH_OVERRIDES
from shared.kubernetes_yaml import FastLoader
from shared.release import release_rules

_ID, _RELEASE = "cluster-id", "release-image"
VERSION = "manifests/cvo-overrides.yaml"
ORIGINAL = "original_cvo_overrides.patch"
_FEATURE_GATE = "manifests/99_feature-gate.yaml"


def _feature_gate(inputs: Inputs) -> Content:
    """The features that are on by default; the first program of the bootstrap machine needs the object."""
    if inputs[_RELEASE] not in WITH_FEATURE_GATE:
        return {}
    spec: dict[str, Any] = {}
    document = {"apiVersion": "config.openshift.io/v1", "kind": "FeatureGate", "metadata": metadata("cluster")}
    return {_FEATURE_GATE: manifest_yaml.to_yaml(document | {"spec": spec})}


_GATE_ASSET = Asset(_FEATURE_GATE, (_FEATURE_GATE,), (_RELEASE,), _feature_gate)
_OBJECTS = (
    *(
        asset.name
        for asset in (*manifests.ASSETS, *platform.ASSETS, *workload_identity.ASSETS, _GATE_ASSET)
        if asset.name.startswith(("manifests/", "openshift/"))
    ),
    manifests.FURTHER.name,
)


def _version(inputs: Inputs) -> Content:
    release = inputs[_RELEASE]
    major, minor = release_rules.minor(release["version"])
    spec: dict[str, Any] = {
        "upstream": "https://api.openshift.com/api/upgrades_info/v1/graph",
        "channel": f"stable-{major}.{minor}",
        "clusterID": inputs[_ID]["clusterId"],
    }
    if release in WITH_OVERRIDES:
        spec["overrides"] = list(_overrides(inputs))
    document = {
        "apiVersion": "config.openshift.io/v1",
        "kind": "ClusterVersion",
        "metadata": metadata("version", "openshift-cluster-version"),
        "spec": spec,
    }
    return {VERSION: manifest_yaml.to_yaml(document)}


def _overrides(inputs: Inputs) -> Iterator[dict[str, Any]]:
    for name in _OBJECTS:
        # One file may contain several objects.
        for manifest in (one for text in inputs[name].values() for one in yaml.load_all(text, FastLoader) if one):
            group, slash, _ = manifest["apiVersion"].partition("/")
            yield {
                "group": group if slash else "",
                "kind": manifest["kind"],
                "namespace": manifest["metadata"].get("namespace", ""),
                "name": manifest["metadata"]["name"],
                "unmanaged": True,
            }


def _original(inputs: Inputs) -> Content:
    """The patch that is merged into the version afterwards; it has no overrides of its own."""
    return (
        {ORIGINAL: manifest_yaml.to_json({"spec": {"overrides": None}})} if inputs[_RELEASE] in WITH_OVERRIDES else {}
    )


ASSETS = (
    Asset(VERSION, (VERSION,), (_ID, _RELEASE, *_OBJECTS), _version),
    _GATE_ASSET,
    Asset(ORIGINAL, (ORIGINAL,), (_RELEASE,), _original),
)
