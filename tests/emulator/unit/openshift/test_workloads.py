"""On which nodes the pods of DaemonSets run, and whether they may."""

import datetime as dt
from typing import Any

import pytest

from emulator.json_object import Json
from emulator.openshift.boot import timeline
from emulator.openshift.operators import workloads
from tests.emulator.unit.openshift.conftest import Stage

MASTER_TAINT = {"key": "node-role.kubernetes.io/master", "effect": "NoSchedule"}
EVERYTHING = [{"operator": "Exists", "effect": "NoSchedule"}, {"operator": "Exists", "effect": "NoExecute"}]
CONSTRAINTS = "SecurityContextConstraints.security.openshift.io"


def _node(stage: Stage, name: str, role: str, ready: str = "True") -> None:
    taints = [MASTER_TAINT] if role == "master" else []
    stage.cluster.objects.put(
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "labels": {f"node-role.kubernetes.io/{role}": ""}},
            "spec": {"taints": taints},
        }
    )
    stage.cluster.objects.set_status("Node", name, {"conditions": [{"type": "Ready", "status": ready}]})


def _daemon_set(stage: Stage, **pod: Any) -> None:
    labels = {"app": "mdsd"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "i:1"}]} | pod}
    stage.cluster.objects.put(
        {
            "apiVersion": "apps/v1",
            "kind": "DaemonSet",
            "metadata": {"name": "mdsd", "namespace": "default"},
            "spec": {"selector": {"matchLabels": labels}, "template": template},
        }
    )
    _after(stage, 0)


def _after(stage: Stage, seconds: float) -> None:
    """Let time pass and count the pods; a whole cluster would also remove nodes without machines."""
    stage.moment[0] += dt.timedelta(seconds=seconds)
    workloads.count(stage.cluster)


def _status(stage: Stage) -> Json:
    found = stage.cluster.objects.get("DaemonSet.apps", "mdsd", "default") or {}
    status: Json = found["status"]
    return status


def _numbers(stage: Stage) -> tuple[int, int, int]:
    """Return how many pods are desired, exist and are ready."""
    status = _status(stage)
    return status["desiredNumberScheduled"], status["currentNumberScheduled"], status["numberReady"]


@pytest.fixture
def nodes(stage: Stage) -> Stage:
    """Make a cluster with three masters and two workers."""
    for number in range(3):
        _node(stage, f"master-{number}", "master")
    for number in range(2):
        _node(stage, f"worker-{number}", "worker")
    return stage


@pytest.mark.parametrize(
    ("pod", "want"),
    [
        ({}, 2),
        ({"tolerations": EVERYTHING}, 5),
        ({"tolerations": [MASTER_TAINT]}, 5),
        ({"tolerations": [MASTER_TAINT | {"effect": "NoExecute"}]}, 2),
        ({"tolerations": [{"key": "other", "operator": "Exists"}]}, 2),
        ({"tolerations": EVERYTHING, "nodeSelector": {"node-role.kubernetes.io/master": ""}}, 3),
    ],
    ids=["no-tolerations", "everything", "masters", "another-effect", "another-taint", "masters-only"],
)
def test_pods_run_where_their_tolerations_let_them(nodes: Stage, pod: Json, want: int) -> None:
    """Pods exist at once, and are ready once their images have been pulled."""
    _daemon_set(nodes, **pod)
    assert _numbers(nodes) == (want, want, 0)
    assert _status(nodes)["numberUnavailable"] == want

    _after(nodes, timeline.PODS_SECONDS)

    assert _numbers(nodes) == (want, want, want)
    assert _status(nodes)["numberAvailable"] == want
    assert "numberUnavailable" not in _status(nodes)


def test_pods_follow_the_nodes(nodes: Stage) -> None:
    """A new node gets a pod, a silent one's pod is not ready, and a deleted one's pod goes with it."""
    _daemon_set(nodes)
    _after(nodes, timeline.PODS_SECONDS)

    _node(nodes, "worker-2", "worker")
    _node(nodes, "worker-0", "worker", ready="Unknown")
    _after(nodes, 0)
    assert _numbers(nodes) == (3, 3, 1)
    _after(nodes, timeline.PODS_SECONDS)
    assert _numbers(nodes) == (3, 3, 2)
    nodes.cluster.objects.delete("Node", "worker-0")
    _after(nodes, 0)

    assert _numbers(nodes) == (2, 2, 2)


def test_a_changed_template_replaces_the_pods(nodes: Stage) -> None:
    """The generation is observed at once; the pods are updated when the new ones are ready."""
    _daemon_set(nodes)
    _after(nodes, timeline.PODS_SECONDS)

    _daemon_set(nodes, tolerations=EVERYTHING)

    assert (_status(nodes)["observedGeneration"], _status(nodes)["updatedNumberScheduled"]) == (2, 0)
    _after(nodes, timeline.PODS_SECONDS)
    assert (_numbers(nodes), _status(nodes)["updatedNumberScheduled"]) == ((5, 5, 5), 5)


@pytest.mark.parametrize(
    ("pod", "member"),
    [
        ({"hostNetwork": True}, "allowHostNetwork"),
        ({"volumes": [{"name": "log", "hostPath": {"path": "/var/log"}}]}, "allowHostDirVolumePlugin"),
        (
            {"containers": [{"name": "c", "image": "i:1", "securityContext": {"privileged": True}}]},
            "allowPrivilegedContainer",
        ),
    ],
    ids=["network", "folder", "privileged"],
)
def test_pods_that_want_the_host_need_constraints_that_let_them(nodes: Stage, pod: Json, member: str) -> None:
    """Until constraints name their account, no pods are made, and an event says why."""
    _daemon_set(nodes, **pod)
    assert _numbers(nodes) == (2, 0, 0)
    events = nodes.cluster.objects.list("Event", "default")
    assert [member in event["message"] for event in events] == [True]

    privileged = nodes.cluster.objects.get(CONSTRAINTS, "privileged") or {}
    nodes.cluster.objects.create(
        privileged | {"metadata": {"name": "own"}, "users": ["system:serviceaccount:default:default"], "groups": []}
    )
    _after(nodes, timeline.PODS_SECONDS)

    assert _numbers(nodes) == (2, 2, 2)


def test_pods_wait_for_their_account(nodes: Stage) -> None:
    """The account may be created later."""
    _daemon_set(nodes, serviceAccountName="geneva")
    assert _numbers(nodes) == (2, 0, 0)
    assert 'serviceaccount "geneva" not found' in nodes.cluster.objects.list("Event", "default")[0]["message"]

    metadata = {"name": "geneva", "namespace": "default"}
    nodes.cluster.objects.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata})
    _after(nodes, timeline.PODS_SECONDS)

    assert _numbers(nodes) == (2, 2, 2)


def test_ready_pods_are_ready_after_a_restart(nodes: Stage) -> None:
    """The numbers of pods are the same after the restart."""
    _daemon_set(nodes)
    _after(nodes, timeline.PODS_SECONDS)

    nodes.restart()
    _after(nodes, 0)

    assert _numbers(nodes) == (2, 2, 2)
