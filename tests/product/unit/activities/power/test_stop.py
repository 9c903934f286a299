"""The rows of a stop: what they refuse, what they change, and that they may run twice."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from shared.json_object import Json
from tests.product.unit.activities.calls import call, error_of
from tests.product.unit.activities.power.stoppable_cluster import (
    INTERFACES,
    MASTERS,
    NAMESPACE,
    WORKERS,
    StoppableCluster,
    node,
    stoppable,
)
from tests.product.unit.openshift.api_fake import failure
from tests.product.unit.openshift.objects import condition, operator
from tests.product.unit.product_world import World

DONE = {"outcome": "done"}
CHECK = "MachineHealthCheck"
PAUSED = "cluster.x-k8s.io/paused"


@pytest.fixture
def cluster(accepted: World, monkeypatch: pytest.MonkeyPatch) -> StoppableCluster:
    """A cluster that runs."""
    return stoppable(accepted, monkeypatch)


def run(step: str, **more: Any) -> Json:
    """Run a row that began just now."""
    return call(step, **({"startTime": datetime.now(UTC).isoformat()} | more))


def webhook(failure_policy: str = "Fail", **more: Any) -> Json:
    """Make the configuration of a webhook for pods."""
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
    hook = {"name": "pods.example.com", "failurePolicy": failure_policy, "rules": [rule], **more}
    return {"kind": "ValidatingWebhookConfiguration", "metadata": {"name": "policy"}, "webhooks": [hook]}


def test_a_cluster_at_rest_may_be_stopped(cluster: StoppableCluster) -> None:
    """Nothing is changed by the checks."""
    assert run("validate_stop") == DONE
    assert run("validate_stop_machines") == DONE
    assert not cluster.api.changes
    assert not cluster.told


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (node(WORKERS[0], "Unknown"), f"Node '{WORKERS[0]}' is not Ready"),
        ({"kind": "ClusterOperator", **operator("etcd", degraded="True")}, "ClusterOperator 'etcd' is Degraded"),
        (
            {
                "kind": "MachineConfigPool",
                "metadata": {"name": "worker"},
                "status": {"conditions": [condition("Updating", "True", "", "2 of 3")]},
            },
            "MachineConfigPool 'worker' is Updating: 2 of 3",
        ),
        (
            {
                "kind": "ClusterVersion",
                "metadata": {"name": "version"},
                "status": {"conditions": [condition("Progressing", "True", "", "Working towards 4.18.2")]},
            },
            "ClusterVersion 'version' is Progressing: Working towards 4.18.2",
        ),
        (
            {
                "kind": "CertificateSigningRequest",
                "metadata": {"name": "csr-1"},
                "spec": {"signerName": "kubernetes.io/kubelet-serving"},
            },
            "certificate signing requests are pending: 'csr-1'",
        ),
    ],
    ids=["a node", "an operator", "a pool", "an upgrade", "a request"],
)
def test_what_is_at_work_is_waited_for(cluster: StoppableCluster, found: Json, says: str) -> None:
    """By name, in the cluster's words."""
    cluster.api.add(found)
    outcome = run("validate_stop")
    assert outcome["outcome"] == "wait"
    assert says in outcome["message"]


def test_an_operator_that_is_disabled_is_no_reason_to_wait(cluster: StoppableCluster) -> None:
    """It has nothing to settle."""
    disabled = operator("insights", degraded="True")
    disabled["status"]["conditions"].append(condition("Disabled", "True"))
    cluster.api.add({"kind": "ClusterOperator", **disabled})
    assert run("validate_stop") == DONE


def test_a_webhook_that_would_keep_the_cluster_from_starting_is_named(cluster: StoppableCluster) -> None:
    """At once, with what to do; one that may fail blocks nothing."""
    cluster.api.add(webhook())
    error = error_of(run("validate_stop"))
    assert error["code"] == "RequestNotAllowed"
    assert "'pods.example.com' of 'policy' (pods)" in error["message"]
    assert "failurePolicy to Ignore" in error["message"]
    cluster.api.add(webhook("Ignore"))
    assert run("validate_stop") == DONE


@pytest.mark.parametrize(
    ("properties", "says"),
    [
        ({"priority": "Spot"}, "a spot machine"),
        ({"storageProfile": {"osDisk": {"diffDiskSettings": {"option": "Local"}}}}, "its disk is local"),
    ],
    ids=["spot", "ephemeral"],
)
def test_machines_that_a_stop_would_lose_are_named(cluster: StoppableCluster, properties: Json, says: str) -> None:
    """Azure would not start them again as they were."""
    lost = cluster.virtual_machine("gpu-1", **properties)
    cluster.world.azure.on("GET", "/virtualMachines$", lambda _request: (200, {"value": [lost]}, {}))
    error = error_of(run("validate_stop_machines"))
    assert error["code"] == "RequestNotAllowed"
    assert f"'gpu-1' ({says}" in error["message"]


def test_the_masters_keep_their_addresses(cluster: StoppableCluster) -> None:
    """Their interfaces ask for those that they have. Workers need none; a second run changes nothing."""
    assert run("pin_master_addresses")["outcome"] == "wait"
    assert run("pin_master_addresses", verb="status") == DONE
    for number, name in enumerate(MASTERS):
        interface = cluster.world.azure.resources[f"{INTERFACES}/{name}-nic".lower()]
        (configuration,) = interface["properties"]["ipConfigurations"]
        assert configuration["properties"] == {
            "privateIPAddress": f"10.0.0.{number + 7}",
            "privateIPAllocationMethod": "Static",
        }
    assert len([each for each in cluster.world.azure.calls if each.method == "PUT"]) == 3


def test_the_beginning_says_until_when_the_cluster_must_be_started(cluster: StoppableCluster) -> None:
    """Ninety days, or the end of the authority that kubelets trust; its key is not read."""
    assert run("note_stop") == DONE
    power = cluster.world.cluster["power"]
    stopped = datetime.fromisoformat(power["stoppedAt"])
    assert datetime.fromisoformat(power["startBefore"]) == stopped + timedelta(days=90)
    assert cluster.world.properties["powerState"] == "Stopping"
    ends = (datetime.now(UTC) + timedelta(days=30)).replace(microsecond=0)
    annotations = {"auth.openshift.io/certificate-not-after": ends.strftime("%Y-%m-%dT%H:%M:%SZ")}
    name, namespace = "kube-apiserver-to-kubelet-signer", "openshift-kube-apiserver-operator"
    metadata = {"name": name, "namespace": namespace, "annotations": annotations}
    cluster.api.add({"kind": "Secret", "metadata": metadata})
    assert run("note_stop") == DONE
    assert datetime.fromisoformat(cluster.world.cluster["power"]["startBefore"]) == ends


def test_health_checks_are_paused_and_only_those_go_on_again(cluster: StoppableCluster) -> None:
    """One that its owner has paused stays paused; a second run writes nothing."""
    for name, annotations in (("ours", {}), ("theirs", {PAUSED: ""})):
        metadata = {"name": name, "namespace": NAMESPACE, "annotations": annotations}
        cluster.api.add({"kind": CHECK, "metadata": metadata})
    assert run("pause_health_checks") == DONE
    assert PAUSED in cluster.api.at(CHECK, "ours", NAMESPACE)["metadata"]["annotations"]
    written = len(cluster.api.changes)
    assert run("pause_health_checks") == DONE
    assert len(cluster.api.changes) == written == 1
    assert run("unpause_health_checks") == DONE
    assert run("unpause_health_checks") == DONE
    assert cluster.api.at(CHECK, "ours", NAMESPACE)["metadata"]["annotations"] == {}
    assert cluster.api.at(CHECK, "theirs", NAMESPACE)["metadata"]["annotations"] == {PAUSED: ""}


def test_nodes_are_cordoned_and_only_those_take_pods_again(cluster: StoppableCluster) -> None:
    """One that its owner has cordoned stays cordoned."""
    cluster.api.add(node(WORKERS[1], unschedulable=True))
    assert run("cordon_nodes") == DONE
    assert run("cordon_nodes") == DONE
    for name in (*MASTERS, *WORKERS):
        assert cluster.api.at("Node", name)["spec"]["unschedulable"] is True
    assert run("uncordon_nodes") == DONE
    assert run("uncordon_nodes") == DONE
    still = [name for name in (*MASTERS, *WORKERS) if cluster.api.at("Node", name)["spec"].get("unschedulable")]
    assert still == [WORKERS[1]]


def test_a_run_that_died_between_two_nodes_is_finished_by_the_next(cluster: StoppableCluster) -> None:
    """The first node has its mark already."""
    cluster.api.first = lambda method, path: (
        failure(500, "InternalError", "gone") if method == "PATCH" and path.endswith(MASTERS[1]) else None
    )
    assert run("cordon_nodes")["outcome"] == "wait"
    cluster.api.first = lambda _method, _path: None
    assert run("cordon_nodes") == DONE
    assert run("uncordon_nodes") == DONE
    assert not any(cluster.api.at("Node", name)["spec"].get("unschedulable") for name in (*MASTERS, *WORKERS))


def pod(name: str, kind: str = "ReplicaSet", **more: Any) -> Json:
    """Make a pod of an owner of some kind; of none if it is empty."""
    owners = [{"kind": kind, "name": "o", "controller": True}] if kind else []
    metadata = {"name": name, "namespace": "shop", "ownerReferences": owners, **more}
    return {"kind": "Pod", "metadata": metadata, "status": {"phase": "Running"}}


def evicted(cluster: StoppableCluster) -> list[str]:
    """Return the pods that were asked to leave."""
    return sorted({path.split("/")[-2] for method, path, _ in cluster.api.changes if path.endswith("/eviction")})


@pytest.fixture
def pods(cluster: StoppableCluster) -> list[Json]:
    """The pods of one worker."""
    found = [
        pod("web"),
        pod("agent", "DaemonSet"),
        pod("alone", ""),
        pod("static", "", annotations={"kubernetes.io/config.mirror": "x"}),
        {**pod("job", "Job"), "status": {"phase": "Succeeded"}},
    ]

    def first(method: str, path: str) -> Any:
        if method == "GET" and "/pods?" in path:
            return 200, {"items": found if f"spec.nodeName%3D{WORKERS[0]}" in path else []}
        return None

    cluster.api.first = first
    return found


def test_pods_that_somebody_makes_again_are_asked_to_leave_the_workers(
    cluster: StoppableCluster, pods: list[Json]
) -> None:
    """The row waits for them, and then records that nothing is left to do in the cluster."""
    outcome = run("drain_workers")
    assert outcome["outcome"] == "wait"
    assert "'shop/web'" in outcome["message"]
    assert evicted(cluster) == ["web"]
    pods[0]["metadata"]["deletionTimestamp"] = "2026-03-01T09:00:00Z"
    assert run("drain_workers")["outcome"] == "wait"
    del pods[0]
    assert run("drain_workers") == DONE
    assert cluster.world.cluster["power"]["drained"] is True


def test_a_disruption_budget_is_not_waited_for(cluster: StoppableCluster, pods: list[Json]) -> None:
    """Nor a pod that takes its time."""
    lists = cluster.api.first

    def first(method: str, path: str) -> Any:
        refused = failure(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.")
        return refused if path.endswith("/eviction") else lists(method, path)

    cluster.api.first = first
    assert run("drain_workers") == DONE
    pods[0]["metadata"]["deletionTimestamp"] = "2026-03-01T09:00:00Z"
    assert run("drain_workers")["outcome"] == "wait"
    late = (datetime.now(UTC) - timedelta(seconds=1)).isoformat()
    assert run("drain_workers", startTime=late) == DONE


def test_workers_are_deallocated_and_then_the_masters_together(cluster: StoppableCluster) -> None:
    """A machine that only its guest has stopped is deallocated, too; one that is on its way is not told again."""
    cluster.powers[WORKERS[1]] = "stopped"
    assert run("stop_workers")["outcome"] == "wait"
    assert sorted(cluster.told) == [f"deallocate {name}" for name in WORKERS]
    assert run("stop_workers", verb="status")["outcome"] == "wait"
    assert len(cluster.told) == 2
    cluster.arrive()
    assert run("stop_workers", verb="status") == DONE
    assert run("stop_masters")["outcome"] == "wait"
    assert cluster.told[2:] == [f"deallocate {name}" for name in MASTERS]
    cluster.arrive()
    assert run("stop_masters", verb="status") == DONE


def test_a_machine_that_came_back_is_told_again(cluster: StoppableCluster) -> None:
    """Azure has no memory of what it was told."""
    run("stop_workers")
    cluster.powers[WORKERS[0]] = "running"
    run("stop_workers", verb="status")
    assert cluster.told.count(f"deallocate {WORKERS[0]}") == 2


def test_a_cancel_waits_for_machines_that_are_on_their_way(cluster: StoppableCluster) -> None:
    """Azure takes nothing back."""
    run("stop_workers")
    outcome = run("stop_workers", verb="cancel")
    assert (outcome["outcome"], WORKERS[0] in outcome["message"]) == ("wait", True)
    cluster.arrive()
    assert run("stop_workers", verb="cancel")["outcome"] == "stopped"


def test_a_stop_that_continues_another_keeps_its_times_and_asks_no_api_server(cluster: StoppableCluster) -> None:
    """Its machines may be off since then."""
    cluster.world.cluster["power"] |= {
        "stoppedAt": "2026-02-01T00:00:00+00:00",
        "startBefore": "2026-03-20T00:00:00+00:00",
        "drained": True,
    }
    before = dict(cluster.world.cluster["power"])
    cluster.api.first = lambda _method, _path: failure(503, "ServiceUnavailable", "away")
    assert run("note_stop") == DONE
    assert cluster.world.cluster["power"] == before
    assert run("note_stopped") == DONE
    assert cluster.world.properties["powerState"] == "Stopped"
