"""Keeps pods away from the nodes over a stop.

A node that the service has cordoned carries a mark, so that a start uncordons these and no others. The workers' pods
are asked to leave, so that volumes are detached and programs end in order. Pods that may not leave, or that nobody
would make again, stay: their machines are switched off anyway, and they run again with them.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from http import HTTPStatus

from kubernetes.client import ApiClient

from activities.azure import machine_names
from activities.cluster import cluster_api
from activities.cluster.diagnosis import not_done
from activities.runtime.executor import Executor, Outcome, wait
from activities.runtime.step import Step
from shared import durations, settings
from shared.clusters.power import power_states
from shared.json_object import Json
from shared.openshift import client, conditions, writes
from shared.openshift.client import NotDone, Read

_MARK = "aro.openshift.io/cordoned-for-stop"
# The pods of static manifests are copies; deleting one changes nothing.
_MIRROR = "kubernetes.io/config.mirror"
_ENDED = ("Succeeded", "Failed")


def _cordon(step: Step) -> Outcome | None:
    """Cordon every node. One that somebody else has cordoned gets no mark."""
    return cluster_api.write(step, lambda api: _amend_nodes(api, _cordoned))


def _uncordon(step: Step) -> Outcome | None:
    """Uncordon the nodes with the service's mark."""
    if outcome := cluster_api.write(step, lambda api: _amend_nodes(api, _uncordoned)):
        return outcome
    step.decide(power_states.note_uncordoned)
    return None


def _amend_nodes(api: ApiClient, patch: Callable[[Json], Json]) -> None:
    for node in client.read(api, conditions.NODES):
        writes.amend(api, Read("Node", node["metadata"]["name"]), patch)


def _cordoned(node: Json) -> Json:
    if (node.get("spec") or {}).get("unschedulable"):
        return {}
    return {"metadata": {"annotations": {_MARK: "true"}}, "spec": {"unschedulable": True}}


def _uncordoned(node: Json) -> Json:
    if _MARK not in (node["metadata"].get("annotations") or {}):
        return {}
    return {"metadata": {"annotations": {_MARK: None}}, "spec": {"unschedulable": None}}


def _drain(step: Step) -> Outcome | None:
    """Ask the workers' pods to leave, and wait for them a short time; then nothing is left to do in the cluster."""
    api = cluster_api.connect(step)
    try:
        leaving = [name for node in _workers(step, api) for name in _evict(api, node)]
    except NotDone as error:
        return not_done(step, api, error)
    patience = settings.load().scaled(durations.DRAIN)
    if leaving and datetime.now(UTC) < datetime.fromisoformat(step.call["startTime"]) + patience:
        return wait(conditions.bounded(f"pods still run on the workers: {', '.join(leaving)}"))
    step.decide(power_states.note_drained)
    return None


def _workers(step: Step, api: ApiClient) -> list[str]:
    names = [str(node["metadata"]["name"]) for node in client.read(api, conditions.NODES)]
    return [name for name in names if not machine_names.is_master(step.properties["infraId"], name)]


def _evict(api: ApiClient, node: str) -> list[str]:
    """Ask the pods of a node to leave; return those that are on their way."""
    leaving = []
    for pod in client.read(api, Read("Pod", fields=f"spec.nodeName={node}")):
        metadata = pod["metadata"]
        if metadata.get("deletionTimestamp") or (_can_leave(pod) and _is_evicted(api, metadata)):
            leaving.append(f"'{metadata['namespace']}/{metadata['name']}'")
    return leaving


def _can_leave(pod: Json) -> bool:
    """Tell whether a pod runs, and whether its owner makes another one elsewhere."""
    metadata, owners = pod["metadata"], pod["metadata"].get("ownerReferences") or []
    runs = (pod.get("status") or {}).get("phase") not in _ENDED and _MIRROR not in (metadata.get("annotations") or {})
    return runs and any(each.get("controller") and each.get("kind") != "DaemonSet" for each in owners)


def _is_evicted(api: ApiClient, metadata: Json) -> bool:
    """Evict a pod; return whether it leaves. If a disruption budget forbids it, it stays."""
    what = Read("Pod", metadata["name"], metadata["namespace"])
    body = {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"name": metadata["name"], "namespace": metadata["namespace"]},
        "deleteOptions": {"gracePeriodSeconds": int(durations.POD_GRACE.total_seconds())},
    }
    status, _ = client.send(api, "POST", f"{what.path}/eviction", body)
    return status in (HTTPStatus.OK, HTTPStatus.CREATED)


cordon_nodes = Executor(run=_cordon)
drain_workers = Executor(run=_drain)
uncordon_nodes = Executor(run=_uncordon)
