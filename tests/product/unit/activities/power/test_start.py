"""The rows of a start: machines, kubelets' certificates, operators; run twice, interrupted."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from shared.json_object import Json
from tests.product.unit.activities.calls import call, error_of
from tests.product.unit.activities.power.stoppable_cluster import (
    MASTERS,
    WORKERS,
    StoppableCluster,
    node,
    stoppable,
)
from tests.product.unit.openshift.api_fake import failure
from tests.product.unit.openshift.kubelet_csr import request
from tests.product.unit.openshift.objects import operator
from tests.product.unit.product_world import World

DONE = {"outcome": "done"}
NOW = datetime.now(UTC)


@pytest.fixture
def cluster(accepted: World, monkeypatch: pytest.MonkeyPatch) -> StoppableCluster:
    """A cluster that is stopped."""
    made = stoppable(accepted, monkeypatch)
    made.powers = dict.fromkeys(made.powers, "deallocated")
    accepted.properties["powerState"] = "Stopped"
    accepted.cluster["power"] |= {"stoppedAt": "x", "startBefore": "y", "drained": True}
    return made


def run(step: str, **more: Any) -> Json:
    """Run a row that began just now."""
    return call(step, **({"startTime": datetime.now(UTC).isoformat()} | more))


def test_the_beginning_says_which_machines_it_starts(cluster: StoppableCluster) -> None:
    """One that runs is not among them. A start that continues keeps its time, and adds what is off now."""
    cluster.powers[WORKERS[1]] = "running"
    assert run("note_start") == DONE
    power = cluster.world.cluster["power"]
    assert power["started"] == [*MASTERS, WORKERS[0]]
    assert cluster.world.properties["powerState"] == "Starting"
    began = power["startedAt"]
    cluster.powers = dict.fromkeys(cluster.powers, "running") | {WORKERS[1]: "stopped"}
    assert run("note_start") == DONE
    assert cluster.world.cluster["power"]["started"] == [*MASTERS, *WORKERS]
    assert cluster.world.cluster["power"]["startedAt"] == began


def test_all_machines_are_started_at_the_same_time(cluster: StoppableCluster) -> None:
    """Masters and workers in rows of their own; one that is on its way is not told again."""
    assert run("start_masters")["outcome"] == "wait"
    assert run("start_workers")["outcome"] == "wait"
    assert cluster.told == [f"start {name}" for name in (*MASTERS, *WORKERS)]
    assert run("start_workers", verb="status")["outcome"] == "wait"
    assert len(cluster.told) == 5
    cluster.arrive()
    assert run("start_masters", verb="status") == DONE
    assert run("start_workers", verb="status") == DONE


@pytest.mark.parametrize("code", ["AllocationFailed", "SkuNotAvailable", "ZonalAllocationFailed"])
def test_a_machine_for_which_azure_has_no_room_is_told_again_with_the_reason(
    cluster: StoppableCluster, code: str
) -> None:
    """The others start meanwhile."""
    cluster.refusals[WORKERS[0]] = code
    outcome = run("start_workers")
    assert outcome["outcome"] == "wait"
    assert f"'{WORKERS[0]}' ({code}: There is no room in zone 1.)" in outcome["message"]
    assert cluster.powers[WORKERS[1]] == "starting"
    cluster.arrive()
    cluster.refusals.clear()
    run("start_workers", verb="status")
    cluster.arrive()
    assert run("start_workers", verb="status") == DONE


def test_a_start_that_azure_has_given_up_is_begun_again_with_the_reason(cluster: StoppableCluster) -> None:
    """Azure accepts it, and reports on the machine that there was no room."""
    cluster.powers = dict.fromkeys(cluster.powers, "running") | {WORKERS[0]: "deallocated"}
    cluster.statuses[WORKERS[0]] = {
        "code": "ProvisioningState/failed/AllocationFailed",
        "message": "There is no room in zone 1.",
    }
    outcome = run("start_workers", verb="status")
    assert "(AllocationFailed: There is no room in zone 1.)" in outcome["message"]
    assert cluster.told == [f"start {WORKERS[0]}"]


def test_another_refusal_fails_the_row(cluster: StoppableCluster) -> None:
    """Nobody waits for hours for a lock."""
    cluster.refusals[MASTERS[0]] = "ScopeLocked"
    assert error_of(run("start_masters"))["code"] == "ScopeLocked"


def test_a_silent_api_server_is_waited_for(cluster: StoppableCluster) -> None:
    """Also one that answers that it is not ready."""
    cluster.api.first = lambda _method, path: (
        failure(500, "InternalError", "[-]etcd failed") if path == "/readyz" else None
    )
    outcome = run("api_server_ready")
    assert (outcome["outcome"], "etcd failed" in outcome["message"]) == ("wait", True)
    assert "unanswered" not in outcome
    cluster.api.first = lambda _method, path: (200, {}) if path == "/readyz" else None
    assert run("api_server_ready") == DONE


@pytest.fixture
def started(cluster: StoppableCluster) -> StoppableCluster:
    """The cluster, whose machines a start has started, and whose nodes are not ready."""
    run("note_start")
    cluster.powers = dict.fromkeys(cluster.powers, "running")
    cluster.api.add(*(node(name, "Unknown") for name in cluster.powers))
    return cluster


def approved(cluster: StoppableCluster, name: str) -> bool:
    """Tell whether a request was approved, at the place for that."""
    path = f"/apis/certificates.k8s.io/v1/certificatesigningrequests/{name}/approval"
    return ("PUT", path) in [(method, each) for method, each, _ in cluster.api.requests]


def ask(cluster: StoppableCluster, *requests: Json) -> None:
    """Let kubelets ask, and take approvals."""
    cluster.api.add(*requests)

    def first(method: str, path: str) -> Any:
        return (200, {}) if method == "PUT" and path.endswith("/approval") else None

    cluster.api.first = first


def test_kubelets_of_started_machines_get_their_certificates_and_nobody_else_does(started: StoppableCluster) -> None:
    """While the row waits for their nodes."""
    later = datetime.now(UTC) + timedelta(minutes=1)
    ask(started, request(MASTERS[0], "ours", later), request("stranger", "theirs", later))
    outcome = run("masters_ready")
    assert outcome["outcome"] == "wait"
    assert f"Node '{MASTERS[0]}' is not Ready" in outcome["message"]
    assert approved(started, "ours")
    assert not approved(started, "theirs")


def test_masters_are_waited_for_first(started: StoppableCluster) -> None:
    """Then the workers, whose requests are approved meanwhile."""
    later = datetime.now(UTC) + timedelta(minutes=1)
    ask(started, request(WORKERS[0], "worker", later))
    started.api.add(*map(node, MASTERS))
    assert run("masters_ready") == DONE
    assert approved(started, "worker")
    assert run("other_nodes_ready")["outcome"] == "wait"
    started.api.add(*map(node, WORKERS))
    assert run("other_nodes_ready") == DONE


def test_a_cluster_that_was_not_off_approves_nothing(started: StoppableCluster) -> None:
    """After a stop that failed early, no machine was started."""
    started.world.cluster["power"]["started"] = []
    ask(started, request(MASTERS[0], "ours"))
    assert run("masters_ready")["outcome"] == "wait"
    assert not approved(started, "ours")


def test_operators_are_believed_only_after_a_pause(started: StoppableCluster) -> None:
    """What they say at first is from before the stop; then all must be settled."""
    started.api.add(*map(node, (*MASTERS, *WORKERS)))
    assert "before the stop" in run("operators_settled")["message"]
    late = (datetime.now(UTC) - timedelta(minutes=2)).isoformat()
    started.api.add({"kind": "ClusterOperator", **operator("ingress", progressing="True")})
    assert "ClusterOperator 'ingress' is still Progressing" in run("operators_settled", startTime=late)["message"]
    started.api.add({"kind": "ClusterOperator", **operator("ingress")})
    assert run("operators_settled", startTime=late) == DONE


def test_a_kubelet_that_asks_late_is_answered_while_operators_settle(started: StoppableCluster) -> None:
    """Some ask only after their node was ready."""
    started.api.add(*map(node, (*MASTERS, *WORKERS)))
    ask(started, request(WORKERS[1], "late", datetime.now(UTC) + timedelta(minutes=1)))
    assert run("operators_settled")["outcome"] == "wait"
    assert approved(started, "late")


def test_pods_run_again_and_nothing_of_the_stop_is_left(started: StoppableCluster) -> None:
    """Only the time from which the schedule goes on."""
    assert run("uncordon_nodes") == DONE
    assert started.world.cluster["power"]["drained"] is False
    assert run("note_running") == DONE
    assert run("note_running") == DONE
    assert started.world.properties["powerState"] == "Running"
    assert started.world.cluster["power"] == {"since": "2026-03-01T09:00:00+00:00"}
