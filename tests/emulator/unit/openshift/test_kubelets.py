"""Kubelets after a stop: whose nodes are Ready, and what they ask for, hour by hour and month by month."""

import base64
import datetime as dt

import pytest
from cryptography import x509

from emulator.core.clock import rfc3339
from emulator.json_object import Json
from emulator.openshift.boot import timeline
from emulator.openshift.boot.machines import Machine
from emulator.openshift.cluster import certificate_requests, control_plane
from emulator.openshift.cluster.certificate_requests import BOOTSTRAPPER, KUBELET, SERVING
from emulator.openshift.operators import health_checks
from emulator.openshift.release.kinds import HEALTH_CHECK, MACHINES_NAMESPACE
from tests.emulator.unit.openshift.conftest import Stage

DAY = 86400
NAMES = ("master-0", "master-1", "master-2", "worker-0", "worker-1")
READY = dict.fromkeys(NAMES, True)


@pytest.fixture
def nodes(stage: Stage) -> Stage:
    """Make a cluster with three masters and two workers, an hour after they joined."""
    for name in NAMES:
        role = name.partition("-")[0]
        machine = Machine(
            id=f"/vm/{name}",
            name=name,
            host_name=name,
            user_data="",
            nics=[],
            location="eastus",
            size="Standard_D8s_v5",
            zone="1",
            image="aro_419",
            powered=True,
            powered_at="",
            stage="",
            due_at="",
            role=role,
            cluster="cluster",
            joined=True,
        )
        stage.cluster.machines.save(machine)
        label = f"node-role.kubernetes.io/{role}"
        stage.cluster.objects.put(
            {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {label: ""}}, "spec": {}}
        )
        addresses = [{"type": "Hostname", "address": name}, {"type": "InternalIP", "address": "10.0.0.4"}]
        stage.cluster.objects.set_status("Node", name, {"addresses": addresses})
    stage.after(3600)
    return stage


def ready(stage: Stage) -> dict[str, bool]:
    """Return which nodes are Ready."""
    return {one["metadata"]["name"]: control_plane.is_ready(one) for one in stage.cluster.objects.list("Node")}


def requests(stage: Stage, kind: str = "") -> list[Json]:
    """Return the certificate requests with a condition, or all."""
    found = stage.cluster.objects.list(certificate_requests.KIND)
    return [one for one in found if not kind or certificate_requests.condition(one, kind)]


def pending(stage: Stage) -> list[Json]:
    """Return the requests that nobody has decided."""
    return [one for one in requests(stage) if not (one.get("status") or {}).get("conditions")]


def stop(stage: Stage, seconds: float, *names: str) -> None:
    """Switch machines off and on again; without names, all of them, so that the API is away too."""
    for machine in [one for one in stage.cluster.machines.all() if not names or one.name in names]:
        machine.powered = False
        stage.cluster.machines.save(machine)
    if names:
        stage.after(seconds)
    else:
        stage.moment[0] += dt.timedelta(seconds=seconds)
    now = stage.platform.clock.now()
    for machine in stage.cluster.machines.all():
        if not machine.powered:
            machine.powered, machine.up_at = True, rfc3339(now + dt.timedelta(seconds=timeline.UP_SECONDS))
            stage.cluster.machines.save(machine)
    stage.after(0)
    if not names:
        stage.moment[0] += dt.timedelta(seconds=timeline.UP_SECONDS)
        record = stage.cluster.record
        record.back, record.settled = rfc3339(stage.platform.clock.now()), False
        stage.after(0)


def decide(stage: Stage, request: Json, kind: str) -> None:
    """Approve or deny a request, as a person does."""
    now = stage.cluster.objects.now()
    told = {"type": kind, "status": "True", "reason": "Tested", "lastUpdateTime": now, "lastTransitionTime": now}
    stage.cluster.objects.set_status(certificate_requests.KIND, request["metadata"]["name"], {"conditions": [told]})
    stage.after(0)


def test_a_node_is_not_ready_while_its_machine_is_off(nodes: Stage) -> None:
    """Nor in the first minute after its start."""
    assert ready(nodes) == READY

    stop(nodes, 600, "worker-0")

    assert ready(nodes) == READY | {"worker-0": False}
    nodes.after(timeline.UP_SECONDS)
    assert ready(nodes) == READY


def test_a_short_stop_needs_nobody(nodes: Stage) -> None:
    """A certificate that is still valid is renewed with itself."""
    stop(nodes, DAY)
    nodes.after(timeline.ASK_SECONDS)

    assert (ready(nodes), pending(nodes)) == (READY, [])


def test_a_cluster_that_runs_renews_by_itself(nodes: Stage) -> None:
    """However far the clock jumps."""
    for _ in range(30):
        nodes.after(26 * DAY)
        assert (ready(nodes), pending(nodes)) == (READY, [])
    issued = [one for one in requests(nodes) if one["spec"]["signerName"] == KUBELET]
    assert {one["spec"]["username"] for one in issued} == {f"system:node:{name}" for name in NAMES}


def test_after_a_long_stop_every_kubelet_asks_for_a_certificate(nodes: Stage) -> None:
    """As the bootstrapper, some minutes after its start; the cluster itself approves none of these."""
    stop(nodes, 31 * DAY)
    assert (ready(nodes), pending(nodes)) == (dict.fromkeys(NAMES, False), [])

    nodes.after(timeline.ASK_SECONDS)

    found = pending(nodes)
    assert len(found) == len(NAMES)
    assert {one["spec"]["username"] for one in found} == {BOOTSTRAPPER}
    assert {one["spec"]["signerName"] for one in found} == {KUBELET}
    by_role = sorted({tuple(one["spec"]["groups"]) for one in found}, key=len)
    own = "system:serviceaccounts:openshift-machine-config-operator"
    assert by_role == [(own, "system:authenticated"), ("system:serviceaccounts", own, "system:authenticated")]
    subjects = [x509.load_pem_x509_csr(base64.b64decode(one["spec"]["request"])).subject for one in found]
    assert {one.rfc4514_string() for one in subjects} == {f"CN=system:node:{name},O=system:nodes" for name in NAMES}
    nodes.after(DAY - 1)
    assert ready(nodes) == dict.fromkeys(NAMES, False)


def test_an_approved_kubelet_has_a_ready_node(nodes: Stage) -> None:
    """Its request for serving, which comes next, is approved by the cluster."""
    stop(nodes, 31 * DAY)
    nodes.after(timeline.ASK_SECONDS)
    request = pending(nodes)[0]
    name = x509.load_pem_x509_csr(base64.b64decode(request["spec"]["request"])).subject.rfc4514_string()
    name = name.partition(",")[0].removeprefix("CN=system:node:")

    decide(nodes, request, "Approved")

    assert ready(nodes) == dict.fromkeys(NAMES, False) | {name: True}
    assert len(pending(nodes)) == len(NAMES) - 1
    serving = [one for one in requests(nodes, "Approved") if one["spec"]["signerName"] == SERVING]
    assert [one["spec"]["username"] for one in serving] == [f"system:node:{name}"]
    issued = certificate_requests.certificate(serving[0])
    assert issued is not None
    assert nodes.moment[0] < issued.not_valid_after_utc <= nodes.moment[0] + certificate_requests.LIFE


def test_a_kubelet_that_was_refused_asks_again(nodes: Stage) -> None:
    """After some minutes."""
    stop(nodes, 31 * DAY)
    nodes.after(timeline.ASK_SECONDS)
    for request in pending(nodes):
        decide(nodes, request, "Denied")
    assert pending(nodes) == []

    nodes.after(timeline.ASK_SECONDS)

    assert len(pending(nodes)) == len(NAMES)


def test_operators_settle_a_while_after_the_last_node(nodes: Stage) -> None:
    """At first their conditions are those from before the stop."""
    well = {"Available": "True", "Progressing": "False", "Degraded": "False"}
    stop(nodes, DAY)
    assert nodes.conditions("ingress") == well

    nodes.after(timeline.NOTICE_SECONDS)

    assert nodes.conditions("ingress") == well | {"Available": "False", "Progressing": "True"}
    assert nodes.conditions("etcd") == well | {"Progressing": "True"}
    nodes.after(timeline.SETTLE_SECONDS - timeline.NOTICE_SECONDS - 1)
    assert nodes.conditions("ingress")["Available"] == "False"
    nodes.after(1)
    assert (nodes.conditions("ingress"), nodes.conditions("etcd")) == (well, well)


def test_operators_do_not_settle_without_their_nodes(nodes: Stage) -> None:
    """They wait for approvals, however long these take."""
    stop(nodes, 90 * DAY)
    nodes.after(DAY / 2)
    assert nodes.conditions("etcd")["Progressing"] == "True"

    for request in pending(nodes):
        decide(nodes, request, "Approved")
    nodes.after(timeline.SETTLE_SECONDS)

    assert nodes.conditions("etcd")["Progressing"] == "False"


@pytest.mark.parametrize("paused", [False, True])
def test_a_health_check_deletes_a_worker_that_stays_away(nodes: Stage, *, paused: bool) -> None:
    """Unless it is paused, as before a stop."""
    machine = {"apiVersion": "machine.openshift.io/v1beta1", "kind": "Machine"}
    metadata: Json = {
        "name": "worker-0",
        "namespace": MACHINES_NAMESPACE,
        "labels": {"role": "worker"},
        "finalizers": ["a"],
    }
    nodes.cluster.objects.put(machine | {"metadata": metadata, "spec": {}})
    status = {"nodeRef": {"kind": "Node", "name": "worker-0"}}
    nodes.cluster.objects.set_status("Machine.machine.openshift.io", "worker-0", status, MACHINES_NAMESPACE)
    check = {"apiVersion": "machine.openshift.io/v1beta1", "kind": "MachineHealthCheck"}
    spec = {
        "selector": {"matchLabels": {"role": "worker"}},
        "maxUnhealthy": 1,
        "unhealthyConditions": [{"type": "Ready", "status": "Unknown", "timeout": "15m"}],
    }
    notes: Json = {"annotations": {health_checks.PAUSED: ""}} if paused else {}
    metadata = {"name": "workers", "namespace": MACHINES_NAMESPACE} | notes
    nodes.cluster.objects.put(check | {"metadata": metadata, "spec": spec})
    assert nodes.cluster.objects.get(HEALTH_CHECK, "workers", MACHINES_NAMESPACE)
    for one in nodes.cluster.machines.all():
        if one.name == "worker-0":
            one.powered = False
            nodes.cluster.machines.save(one)
    nodes.after(0)

    def is_deleted() -> bool:
        found = nodes.cluster.objects.get("Machine.machine.openshift.io", "worker-0", MACHINES_NAMESPACE)
        return found is None or "deletionTimestamp" in found["metadata"]

    nodes.after(899)
    assert not is_deleted()
    nodes.after(1)
    assert is_deleted() is not paused


def test_a_kubelet_forgets_its_request_when_its_machine_starts_again(nodes: Stage) -> None:
    """Whoever approves requests can thus tell which of them are of this start."""
    stop(nodes, 31 * DAY)
    nodes.after(timeline.ASK_SECONDS)
    before = {one["metadata"]["name"] for one in pending(nodes)}

    stop(nodes, 3600)
    nodes.after(timeline.ASK_SECONDS)

    after = {one["metadata"]["name"] for one in pending(nodes)}
    assert len(after - before) == len(NAMES)
