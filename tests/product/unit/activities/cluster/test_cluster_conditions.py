"""Waiting for the cluster: the answer of each poll, and what the last one gathers for the error."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from activities.cluster import cluster_conditions
from activities.runtime.executor import Executor
from activities.runtime.wrapper import perform
from shared.openshift.conditions import CONDITIONS
from tests.product.unit.activities.calls import as_json, payload
from tests.product.unit.activities.cluster.cluster_api_fake import FakeClusterApi, fake
from tests.product.unit.activities.machines import serial_log_fake
from tests.product.unit.clusters.identities.credentials import IDENTITIES, become_identities
from tests.product.unit.openshift.objects import condition, machine, made, node, operator
from tests.product.unit.product_world import World

REFUSED = "the API server refuses the connection"
DEADLINE = 9000
RUNNING = {
    "statuses": [
        {"code": "ProvisioningState/succeeded", "displayStatus": "Provisioning succeeded"},
        {"code": "PowerState/running", "displayStatus": "VM running"},
    ]
}
EARLIER = "2026-03-01T08:00:00Z"


@pytest.fixture
def api(accepted: World, monkeypatch: pytest.MonkeyPatch) -> FakeClusterApi:
    """Put an API behind the cluster's private endpoint."""
    return fake(accepted, monkeypatch)


def poll(
    name: str, *, late: bool = False, waited: int = 0, phase: str = "remove-bootstrap", **more: Any
) -> dict[str, Any]:
    """Poll once, this many seconds after the wait began, or right before its deadline.

    Args:
        name: the condition.
        late: whether the deadline is near.
        waited: seconds since the wait began.
        phase: phase of the row.
        **more: other members of the call.
    """
    row = {
        "name": name,
        "phase": phase,
        "kind": "condition",
        "message": "Look.",
        "waitsFor": "it",
        "deadlineSeconds": DEADLINE,
        "firstPollSeconds": 3,
        "pollSeconds": 15,
    }
    began = datetime.now(UTC) - timedelta(seconds=DEADLINE if late else waited)
    return as_json(
        perform(
            f"activities.cluster.cluster_conditions:{name}", payload(row, "status", startTime=began.isoformat(), **more)
        )
    )


def test_every_row_of_the_table_has_an_executor_that_only_asks() -> None:
    """A condition begins nothing, so it has nothing to run."""
    for name in CONDITIONS:
        executor = getattr(cluster_conditions, name)
        assert isinstance(executor, Executor)
        assert executor.run is None
        assert executor.status is not None


def test_a_condition_that_holds_is_done_and_writes_nothing(api: FakeClusterApi, accepted: World) -> None:
    """A second poll gets the same answer."""
    api.add("ClusterOperator", operator("kube-apiserver"))
    assert poll("api_servers_ready") == {"outcome": "done"}
    assert poll("api_servers_ready") == {"outcome": "done"}
    assert accepted.azure.changes() == []
    assert len(accepted.cosmos["OpenShiftClusters"].writes) == 1


def test_the_wait_says_what_is_missing_and_no_more(api: FakeClusterApi, accepted: World) -> None:
    """History keeps every answer, so what the error needs is gathered once, near its end."""
    api.add("ClusterOperator", operator("ingress", available="False"))
    assert poll("ingress_controller_ready") == {
        "outcome": "wait",
        "message": "ClusterOperator 'ingress' is not Available: Why: available?",
    }
    (item,) = accepted.cosmos["OperationProgress"].documents.values()
    assert item["message"] == "ClusterOperator 'ingress' is not Available: Why: available?"
    assert accepted.azure.changes() == []


@pytest.mark.parametrize(
    ("ago", "pause"), [(1, 3), (40, 8), (600, 15)], ids=["a moment ago", "a while ago", "too long ago"]
)
def test_the_version_is_asked_for_soon_after_its_last_operator(api: FakeClusterApi, ago: int, pause: float) -> None:
    """However long the row has waited before; a version that then hangs is polled as rarely as any wait."""
    api.add("ClusterVersion", made("version", condition("Available", "False")))
    api.add("ClusterOperator", operator("etcd", since=datetime(2026, 3, 1, tzinfo=UTC)))
    api.add("ClusterOperator", operator("console", since=datetime.now(UTC) - timedelta(seconds=ago)))
    assert poll("cluster_version_ready", waited=200)["retryAfterSeconds"] == pytest.approx(pause, abs=1)


def test_the_engine_decides_when_a_version_is_asked_for_that_lacks_an_operator(api: FakeClusterApi) -> None:
    """Its end may be far."""
    api.add("ClusterVersion", made("version", condition("Available", "False")))
    api.add("ClusterOperator", operator("etcd", since=datetime.now(UTC)), operator("console", available="False"))
    assert "retryAfterSeconds" not in poll("cluster_version_ready")


@pytest.mark.parametrize("name", list(CONDITIONS))
def test_an_api_that_cannot_be_read_is_waited_for(api: FakeClusterApi, name: str) -> None:
    """The API of a new cluster comes and goes while its servers roll out."""
    api.fails = REFUSED
    assert poll(name) == {"outcome": "wait", "message": REFUSED}


def test_the_last_poll_gathers_what_a_person_would_look_up(api: FakeClusterApi, accepted: World) -> None:
    """Version, operators, nodes, machines, and the consoles of machines that are stuck."""
    api.add("ClusterVersion", made("version", condition("Available", "False", "Installing", "4.19.1")))
    api.add("ClusterOperator", operator("ingress", available="False"), operator("dns", degraded="True"))
    api.add("ClusterOperator", operator("etcd"))
    api.add("Node", node("m-0"), node("w-0", "False"))
    api.add("Machine", machine("w-0"), machine("w-1", "Provisioned"))
    serial_log_fake.write(accepted, "w-1", "ignition: fetching\nignition: 404 from api-int:22623")
    outcome = poll("ingress_controller_ready", late=True)
    assert outcome["message"] == "ClusterOperator 'ingress' is not Available: Why: available?"
    assert [(entry["code"], entry["target"]) for entry in outcome["details"]] == [
        ("ClusterVersion", "version"),
        ("ClusterOperator", "dns"),
        ("ClusterOperator", "ingress"),
        ("Node", "w-0"),
        ("Machine", "w-1"),
        ("SerialLog", "w-1"),
    ]
    assert outcome["details"][-1]["message"].endswith("ignition: 404 from api-int:22623")


def test_what_a_program_said_is_quoted_rather_than_that_it_is_started_again(
    api: FakeClusterApi, accepted: World
) -> None:
    """If a program ends again and again, systemd's lines are the last ones, but they do not say why."""
    api.fails = REFUSED
    accepted.azure.on("GET", "/virtualMachines/.*/instanceView$", lambda _request: (200, RUNNING, {}))
    log = """[ 718.0] bootkube.sh: Failed to create "a.yml": it is invalid
[ 718.1] systemd[1]: bootkube.service: Main process exited, code=exited, status=1/FAILURE
[ 718.2] systemd[1]: bootkube.service: Failed with result 'exit-code'.
[ 724.1] systemd: bootkube.service: Scheduled restart job, restart counter is at 1.
"""
    serial_log_fake.write(accepted, "c1-x7k2p-bootstrap", log)
    outcome = poll("bootstrap_config_map_ready", late=True, phase="bootstrap")
    assert outcome["message"].endswith('last line: [ 718.0] bootkube.sh: Failed to create "a.yml": it is invalid')


def test_the_last_poll_of_a_bootstrap_quotes_its_machine(api: FakeClusterApi, accepted: World) -> None:
    """While there is no API, the serial log is the only evidence. Signatures in it are removed."""
    api.fails = REFUSED
    accepted.azure.on("GET", "/virtualMachines/.*/instanceView$", lambda _request: (200, RUNNING, {}))
    serial_log_fake.write(accepted, "c1-x7k2p-bootstrap", "booting\nGET https://x/b.ign?sig=c2VjcmV0 403\n")
    outcome = poll("bootstrap_config_map_ready", late=True, phase="bootstrap")
    assert outcome["message"] == f"{REFUSED}. The bootstrap machine's last line: GET https://x/b.ign?sig=... 403"
    assert outcome["details"] == [
        {"code": "KubernetesAPI", "message": REFUSED},
        {
            "code": "SerialLog",
            "target": "c1-x7k2p-bootstrap",
            "message": "booting\nGET https://x/b.ign?sig=... 403",
        },
    ]


def test_masters_of_a_silent_api_are_asked(api: FakeClusterApi, accepted: World) -> None:
    """If an API goes away in the middle of a wait, the masters know why."""
    api.fails = REFUSED
    serial_log_fake.write(accepted, "c1-x7k2p-master-1", "kernel panic")
    details = poll("api_servers_ready", late=True)["details"]
    assert {"code": "SerialLog", "target": "c1-x7k2p-master-1", "message": "kernel panic"} in details


def test_masters_that_do_not_run_are_named(api: FakeClusterApi, accepted: World) -> None:
    """One was deleted and another stopped. A machine about which Azure gives no answer is not mentioned."""
    api.fails = REFUSED
    stopped = {"statuses": [RUNNING["statuses"][0], {"code": "PowerState/stopped", "displayStatus": "VM stopped"}]}
    accepted.azure.on("GET", "/c1-x7k2p-master-1/instanceView$", lambda _request: (200, stopped, {}))
    accepted.azure.fails("GET", "/c1-x7k2p-master-2/instanceView$", 400, "BadRequest")
    details = poll("api_servers_ready", late=True)["details"]
    assert [entry for entry in details if entry["code"] == "VirtualMachine"] == [
        {"code": "VirtualMachine", "target": "c1-x7k2p-master-0", "message": "there is no such virtual machine"},
        {"code": "VirtualMachine", "target": "c1-x7k2p-master-1", "message": "VM stopped"},
    ]


def test_what_cannot_be_gathered_hides_nothing(api: FakeClusterApi, accepted: World) -> None:
    """The wait's own message stays, and the outcome is small."""
    assert accepted.azure.resources == {}
    api.add("ClusterOperator", *(operator(f"o-{number}", available="False") for number in range(40)))
    outcome = poll("cluster_version_ready", late=True)
    assert outcome["message"] == "ClusterVersion 'version' does not exist yet"
    assert len(outcome["details"]) == 6
    assert len(json.dumps(outcome)) < 8000


def test_a_machine_beyond_the_quota_fails_the_step_with_what_was_gathered(api: FakeClusterApi) -> None:
    """The customer need not wait half an hour to learn that."""
    api.add("Machine", machine("w-0", "Failed", errorReason="CreateError", errorMessage="quota of 10 cores exceeded"))
    outcome = poll("workers_ready")
    assert (outcome["outcome"], outcome["retryClass"]) == ("failed", "none")
    error = outcome["error"]
    assert (error["code"], error["target"]) == ("QuotaExceeded", "properties.workerProfiles[0].vmSize")
    assert error["message"].endswith(
        "failed: Machine 'w-0' could not be created: CreateError: quota of 10 cores exceeded"
    )
    codes = [entry["code"] for entry in error["details"]]
    assert codes == ["ClusterVersion", "Machine", "Step", "Remedy", "CorrelationId", "Owner"]
    assert {"code": "Owner", "message": "customer"} in error["details"]


def test_a_role_that_is_missing_fails_the_step_once_it_has_had_time_to_spread(api: FakeClusterApi) -> None:
    """Azure needs minutes to spread a role, so the row waits at first, but not for half an hour."""
    api.add("Machine", machine("w-0", "Failed", errorMessage='Code="AuthorizationFailed" Message="not to join"'))
    assert poll("workers_ready")["outcome"] == "wait"
    outcome = poll("workers_ready", waited=DEADLINE // 6)
    assert (outcome["outcome"], outcome["retryClass"]) == ("failed", "none")
    error = outcome["error"]
    assert (error["code"], error["target"]) == (
        "InvalidServicePrincipalPermissions",
        "properties.servicePrincipalProfile",
    )
    who = "Machine 'w-0' could not be created: the cluster's service principal lacks a role: "
    assert error["message"].endswith(f'{who}Code="AuthorizationFailed" Message="not to join"')
    codes = [entry["code"] for entry in error["details"]]
    assert codes == ["ClusterVersion", "Machine", "Step", "Remedy", "CorrelationId", "Owner"]
    assert {"code": "Owner", "message": "customer"} in error["details"]


def test_with_workload_identity_it_is_the_role_of_the_operator_that_makes_machines(
    api: FakeClusterApi, accepted: World
) -> None:
    """The customer has to give it back to that one's identity."""
    become_identities(accepted.cluster, "ingress", "machine-api")
    api.add("Machine", machine("w-0", "Failed", errorMessage='Code="AuthorizationFailed" Message="not to join"'))
    assert poll("workers_ready")["message"].startswith(
        f"the operator 'machine-api' acts in Azure as the identity '{IDENTITIES}/machine-api', which lacks a role"
    )
    error = poll("workers_ready", waited=DEADLINE * 5 // 6)["error"]
    assert error["code"] == "InvalidWorkloadIdentityPermissions"
    assert error["target"].endswith('.platformWorkloadIdentities["machine-api"]')
    assert (
        f"the identity '{IDENTITIES}/machine-api' of the operator 'machine-api' lacks a role: Code=" in error["message"]
    )


def test_a_role_that_an_identity_has_lost_delays_the_workers_until_it_is_given_back(
    api: FakeClusterApi, accepted: World
) -> None:
    """Each machine that Azure refuses is made again after a minute: one of these succeeds."""
    become_identities(accepted.cluster, "machine-api")
    refused = 'Code="AuthorizationFailed" Message="not to join"'
    api.add("Machine", machine("w-0", "Failed", made=_ago(400), errorMessage=refused))
    assert poll("workers_ready", waited=DEADLINE // 2)["outcome"] == "wait"
    assert [what.name for what in api.deleted] == ["w-0"]
    api.objects.clear()
    api.add("Machine", machine("w-1"), machine("w-2"))
    api.add("Node", node("w-1"), node("w-2"))
    assert poll("workers_ready", waited=DEADLINE // 2) == {"outcome": "done"}


@pytest.mark.parametrize("row", ["ingress_controller_ready", "cluster_version_ready"])
def test_a_row_that_waits_for_an_operator_says_whose_role_is_missing(
    api: FakeClusterApi, accepted: World, row: str
) -> None:
    """It waits on: once the identity has its role again, the operator continues."""
    become_identities(accepted.cluster, "ingress", "machine-api")
    refused = operator("ingress", available="False", degraded="True")
    told = (
        "The client 'client-ingress' with object id 'object-ingress' does not have authorization: AuthorizationFailed"
    )
    refused["status"]["conditions"][-1] |= {"message": told}
    api.add("ClusterVersion", made("version", condition("Available", "False")))
    api.add("ClusterOperator", refused)
    outcome = poll(row)
    assert outcome["outcome"] == "wait"
    assert outcome["message"].startswith(
        f"the operator 'ingress' acts in Azure as the identity '{IDENTITIES}/ingress', which lacks a role"
    )
    assert "ClusterOperator 'ingress' is not Available" in outcome["message"]
    details = {entry["code"]: entry for entry in poll(row, late=True)["details"]}
    entry = details["InvalidWorkloadIdentityPermissions"]
    assert entry["target"].endswith('.platformWorkloadIdentities["ingress"]')
    assert told in entry["message"]
    api.add("ClusterOperator", operator("ingress"))
    api.add("ClusterVersion", made("version", condition("Available", "True")))
    assert poll(row) == {"outcome": "done"}


def _ago(seconds: int) -> str:
    return (datetime.now(UTC) - timedelta(seconds=seconds)).isoformat()


def test_a_machine_that_was_refused_before_a_role_had_spread_is_made_anew(api: FakeClusterApi) -> None:
    """machine-api gives it up for good, but who has just assigned the role repeats the request at once."""
    refused = 'Code="LinkedAuthorizationFailed" Message="not to join"'
    api.add("Machine", machine("w-0", "Failed", made=_ago(400), errorMessage=refused))
    api.add("Machine", machine("w-1", "Failed", made=_ago(100), errorMessage=refused))
    assert poll("workers_ready", waited=DEADLINE // 6 - 200)["outcome"] == "wait"
    assert [what.name for what in api.deleted] == ["w-0"], "a minute of half an hour: 300 of these 9,000 seconds"
    assert poll("workers_ready", waited=DEADLINE // 6)["outcome"] == "failed"
    assert [what.name for what in api.deleted] == ["w-0"], "not forever"


def test_a_role_that_one_machine_too_many_lacks_is_no_failure(api: FakeClusterApi) -> None:
    """Two workers are enough, whatever the third one reports."""
    refused = machine("w-2", "Failed", errorMessage='Code="AuthorizationFailed"')
    api.add("Machine", machine("w-0"), machine("w-1"), refused)
    api.add("Node", node("w-0"), node("w-1"))
    assert poll("workers_ready", waited=DEADLINE) == {"outcome": "done"}


def test_machines_that_failed_before_are_made_anew_once(api: FakeClusterApi) -> None:
    """A create that is repeated with more quota continues; in a first create this costs one more try."""
    api.add("Machine", machine("w-0", "Failed", made=EARLIER, errorMessage="quota exceeded"), machine("w-1"))
    for _ in range(2):
        outcome = poll("workers_ready", polls=3)
        assert outcome["outcome"] == "wait"
        assert "Machine 'w-0' is Failed: quota exceeded" in outcome["message"]
        assert [what.name for what in api.deleted] == ["w-0"]


def test_a_poll_reads_everything_once(api: FakeClusterApi) -> None:
    """There are many polls, so only changed objects are read again."""
    api.add("Machine", machine("w-0", "Provisioning"))
    poll("workers_ready")
    assert api.reads == list(CONDITIONS["workers_ready"].reads)


def test_an_api_that_was_silent_at_first_makes_no_difference(api: FakeClusterApi) -> None:
    """Whether a machine is retried depends on its age, not on which poll first sees it."""
    api.add("Machine", machine("w-0", "Failed", made=EARLIER, errorMessage="quota exceeded"))
    api.fails = REFUSED
    poll("workers_ready")
    api.fails = ""
    assert poll("workers_ready", polls=1)["outcome"] == "wait"
    assert len(api.deleted) == 1


def test_a_machine_that_fails_while_waited_for_is_not_made_anew(api: FakeClusterApi) -> None:
    """Only machines from before the row's begin are retried; otherwise it would retry forever."""
    api.add("Machine", machine("w-0", "Failed", errorMessage="quota exceeded"))
    assert poll("workers_ready")["outcome"] == "failed"
    assert api.deleted == []


def test_a_superseded_attempt_deletes_no_machine(
    api: FakeClusterApi, accepted: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fence moves between the read of the machines and the deletion."""
    api.add("Machine", machine("w-0", "Failed", made=EARLIER))
    read = api.read

    def slow(client: Any, what: Any) -> Any:
        accepted.cluster["attempt"] = 2
        return read(client, what)

    monkeypatch.setattr("shared.openshift.client.read", slow)
    assert poll("workers_ready") == {"outcome": "fenced"}
    assert api.deleted == []


@pytest.mark.parametrize("forgotten", ["credentials", "privateEndpointIp"])
def test_a_cluster_without_credentials_or_address_is_a_bug_that_says_so(
    api: FakeClusterApi, accepted: World, forgotten: str
) -> None:
    """The plan has to store both first."""
    assert not api.fails
    accepted.cluster["secrets"].pop(forgotten, None)
    accepted.properties["networkProfile"].pop(forgotten, None)
    outcome = poll("console_exists")
    assert outcome["error"]["code"] == "InternalServerError"
    assert {"code": "Owner", "message": "platform"} in outcome["error"]["details"]


def test_a_superseded_attempt_asks_nothing(api: FakeClusterApi) -> None:
    """The fence is checked before the cluster is."""
    assert poll("api_servers_ready", attempt=0) == {"outcome": "fenced"}
    assert api.reads == []
