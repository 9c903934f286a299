"""What has to hold before the objects of clusters are moved. Pure.

Source: kubernetes-sigs/cluster-api `cmd/clusterctl/client/cluster/mover.go`; the older members are those of v1beta1.
"""

import re
from collections.abc import Iterable, Iterator

from activities.phases.clusterctl_graph import CLUSTER, CLUSTER_API, kind_of
from activities.phases.objects import ObjectId
from activities.phases.statuses import condition
from shared.json_object import Json

# With what `move` marks the clusters that it has paused itself.
HELD = "aro.openshift.io/moving"
BLOCKED = "clusterctl.cluster.x-k8s.io/block-move"
_PAUSED = "cluster.x-k8s.io/paused"
_MACHINE = (CLUSTER_API, "Machine")


def annotations_of(document: Json) -> Json:
    """Return an object's annotations, with which `move` and its users mark what is moved, held or blocked."""
    found: Json = document["metadata"].get("annotations") or {}
    return found


def is_held(document: Json) -> bool:
    """Tell whether a move has paused a cluster."""
    return HELD in annotations_of(document)


def paused_by_others(objects: Iterable[Json]) -> list[ObjectId]:
    """Return the clusters that somebody else has paused."""
    return [
        ObjectId.of(one)
        for one in objects
        if kind_of(one) == CLUSTER
        and not is_held(one)
        and (one.get("spec", {}).get("paused") or _PAUSED in annotations_of(one))
    ]


def unready_objects(objects: Iterable[Json]) -> Iterator[tuple[ObjectId, str]]:
    """Yield what is still being made, each with what it lacks; a move would interrupt it."""
    for one in objects:
        reason = ""
        if kind_of(one) == CLUSTER:
            reason = _cluster(one)
        elif kind_of(one) == _MACHINE and not (one.get("status") or {}).get("nodeRef"):
            reason = "its node has to be there"
        if reason:
            yield ObjectId.of(one), reason


def _cluster(one: Json) -> str:
    status = one.get("status") or {}
    initialization = status.get("initialization") or {}
    if not (status.get("infrastructureReady") or initialization.get("infrastructureProvisioned")):
        return "its infrastructure has to be ready"
    control_plane = status.get("controlPlaneReady") or initialization.get("controlPlaneInitialized")
    initialized = condition(one, "ControlPlaneInitialized").get("status") == "True"
    if not initialized or (one.get("spec", {}).get("controlPlaneRef") and not control_plane):
        return "its control plane has to be initialized"
    return ""


def providers_lacking(source: Iterable[Json], target: Iterable[Json]) -> list[str]:
    """Return the providers, with versions, that the target lacks or has only in older versions.

    Args:
        source: the Provider objects of the cluster from which objects are moved.
        target: those of the cluster to which they are moved.
    """
    has: dict[tuple[str, str], list[int]] = {}
    for one in target:
        key = (one.get("type", ""), one.get("providerName", ""))
        has[key] = max(has.get(key, []), _version(one))
    return [
        f"{one['metadata']['name']} {one.get('version')}"
        for one in source
        if has.get((one.get("type", ""), one.get("providerName", "")), [-1]) < _version(one)
    ]


def _version(provider: Json) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", str(provider.get("version", "")).partition("-")[0])]
