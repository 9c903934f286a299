"""Approves kubelets' requests for certificates during a start, and waits until the nodes are ready.

A second run finds the requests approved, and approves no more for a node than the first would have.
"""

from datetime import datetime
from functools import partial

from kubernetes.client import ApiClient

from activities.azure import machine_names
from activities.cluster import cluster_api
from activities.cluster.diagnosis import not_done, wait_outcome
from activities.runtime.executor import Executor, Outcome
from activities.runtime.step import Step
from shared.json_object import Json
from shared.openshift import client, conditions, kubelet_requests, writes
from shared.openshift.client import NotDone, Read
from shared.openshift.conditions import MACHINES
from shared.openshift.kubelet_requests import REQUESTS, Start

_ALL_MACHINES = Read("Machine", namespace=MACHINES)


def approve(step: Step, api: ApiClient, nodes: list[Json]) -> None:
    """Approve the requests of kubelets whose machines this start has started; leave all others alone.

    Raises:
        NotDone: the API server does not answer, or somebody was faster.
        FenceMoved: this attempt was superseded.
    """
    power = step.document.get("power") or {}
    started = frozenset(power.get("started", []))
    if not started:
        return
    requests = client.read(api, REQUESTS)
    if not kubelet_requests.pending(requests):
        return
    start = Start(
        operation_id=step.call["operationId"],
        began=datetime.fromisoformat(power["startedAt"]),
        started=started,
        nodes=frozenset(each["metadata"]["name"] for each in nodes),
        machines=kubelet_requests.internal_names(client.read(api, _ALL_MACHINES)),
    )
    for request in kubelet_requests.approvals(requests, start):
        writes.approve(api, request)


def _ready(step: Step, *, masters: bool) -> Outcome | None:
    """Approve requests, and tell whether the nodes of the masters, or all others, are ready."""
    api = cluster_api.connect(step)
    try:
        nodes = client.read(api, conditions.NODES)
        approve(step, api, nodes)
    except NotDone as error:
        return not_done(step, api, error)
    infra_id = step.properties["infraId"]
    ours = [each for each in nodes if machine_names.is_master(infra_id, each["metadata"]["name"]) is masters]
    missing = conditions.bounded("; ".join(filter(None, map(conditions.node_missing, ours))))
    return wait_outcome(step, api, missing) if missing else None


masters_ready = Executor(status=partial(_ready, masters=True))
other_nodes_ready = Executor(status=partial(_ready, masters=False))
