"""Pauses the cluster's machine health checks over a stop, so that none deletes machines that come up late.

A health check that the service has paused carries a mark, so that a start lets these go on and no others.
"""

from collections.abc import Callable

from kubernetes.client import ApiClient

from activities.cluster import cluster_api
from activities.runtime.executor import Executor, Outcome
from activities.runtime.step import Step
from shared.json_object import Json
from shared.openshift import client, writes
from shared.openshift.client import Read
from shared.openshift.conditions import MACHINES

_KIND = "MachineHealthCheck"
_PAUSED, _MARK = "cluster.x-k8s.io/paused", "aro.openshift.io/paused-for-stop"


def _pause(step: Step) -> Outcome | None:
    return cluster_api.write(step, lambda api: _amend_each(api, _paused))


def _unpause(step: Step) -> Outcome | None:
    return cluster_api.write(step, lambda api: _amend_each(api, _unpaused))


def _amend_each(api: ApiClient, patch: Callable[[Json], Json]) -> None:
    for check in client.read(api, Read(_KIND, namespace=MACHINES)):
        writes.amend(api, Read(_KIND, check["metadata"]["name"], MACHINES), patch)


def _paused(check: Json) -> Json:
    return {} if _PAUSED in _annotations(check) else {"metadata": {"annotations": {_PAUSED: "", _MARK: "true"}}}


def _unpaused(check: Json) -> Json:
    return {"metadata": {"annotations": {_PAUSED: None, _MARK: None}}} if _MARK in _annotations(check) else {}


def _annotations(check: Json) -> Json:
    found: Json = check["metadata"].get("annotations") or {}
    return found


pause_health_checks = Executor(run=_pause)
unpause_health_checks = Executor(run=_unpause)
