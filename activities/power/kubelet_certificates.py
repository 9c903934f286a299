"""Approves kubelets' requests for certificates during a start, and waits until the nodes are ready.

A second run finds the requests approved, and approves no more for a node than the first would have.
"""

from collections.abc import Iterator
from datetime import datetime
from functools import partial

from kubernetes.client import ApiClient

from activities.azure import machine_names
from activities.cluster import cluster_api
from activities.runtime.executor import Executor, Outcome
from activities.runtime.step import Step
from shared.json_object import Json
from shared.openshift import client, conditions, kubelet_requests, writes
from shared.openshift.client import Read
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
    infra_id = step.properties["infraId"]

    def missing(api: ApiClient) -> Iterator[str]:
        nodes = client.read(api, conditions.NODES)
        approve(step, api, nodes)
        ours = [each for each in nodes if machine_names.is_master(infra_id, each["metadata"]["name"]) is masters]
        return map(conditions.node_missing, ours)

    return cluster_api.wait_while_missing(step, missing)


masters_ready = Executor(status=partial(_ready, masters=True))
other_nodes_ready = Executor(status=partial(_ready, masters=False))
