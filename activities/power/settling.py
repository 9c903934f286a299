"""Waits until a cluster that was started serves its API, and until its operators are settled."""

from datetime import UTC, datetime
from http import HTTPStatus

from activities.cluster import cluster_api
from activities.cluster.diagnosis import not_done, wait_outcome
from activities.power import kubelet_certificates
from activities.runtime.executor import Executor, Outcome, wait
from activities.runtime.step import Step
from shared import durations, settings
from shared.openshift import client, conditions
from shared.openshift.client import NotDone


def _api_server_ready(step: Step) -> Outcome | None:
    """Tell whether an API server is ready. Its silence is what this row waits through, so it counts as an answer."""
    api = cluster_api.connect(step)
    try:
        status, body = client.send(api, "GET", "/readyz")
    except NotDone as error:
        return wait_outcome(step, api, str(error))
    if status == HTTPStatus.OK:
        return None
    return wait_outcome(step, api, f"the API server answers {client.status_line(status, body)}")


def _operators_settled(step: Step) -> Outcome | None:
    """Tell whether every operator is available and done. What they report at first is from before the stop.

    Requests of kubelets that come only now are approved, too.
    """
    rest = datetime.fromisoformat(step.call["startTime"]) + settings.load().scaled(durations.SETTLE_PAUSE)
    left = (rest - datetime.now(UTC)).total_seconds()
    api = cluster_api.connect(step)
    try:
        nodes, operators = client.read(api, conditions.NODES), client.read(api, conditions.OPERATORS)
        kubelet_certificates.approve(step, api, nodes)
    except NotDone as error:
        return not_done(step, api, error)
    if left > 0:
        return wait("operators may still report what they knew before the stop", left)
    unready = filter(None, map(conditions.node_missing, nodes))
    missing = conditions.bounded("; ".join([*unready, *conditions.unsettled(operators)]))
    return wait_outcome(step, api, missing) if missing else None


api_server_ready = Executor(status=_api_server_ready)
operators_settled = Executor(status=_operators_settled)
