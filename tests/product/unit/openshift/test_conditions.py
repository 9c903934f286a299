"""Each condition as a table: the cluster's objects, and what is missing in its own words."""

from typing import Any

import pytest

from shared.arm.errors import CloudError
from shared.openshift import conditions
from shared.openshift.conditions import CONDITIONS, RoleMissing
from tests.product.unit.openshift.objects import condition, machine, made, node, operator

TWO = [machine("w-0"), machine("w-1")], [node("w-0"), node("w-1")]
DONE_MAP = {"data": {"status": "complete"}}
NO_NETWORK = "KubeletNotReady: the network plugin is not ready"


@pytest.mark.parametrize(
    ("name", "objects", "want"),
    [
        ("bootstrap_config_map_ready", (DONE_MAP,), ""),
        ("bootstrap_config_map_ready", (None,), "ConfigMap 'kube-system/bootstrap' does not exist yet"),
        (
            "bootstrap_config_map_ready",
            ({"data": {"status": "in progress"}},),
            "ConfigMap 'kube-system/bootstrap' has the status 'in progress', not 'complete'",
        ),
        (
            "bootstrap_config_map_ready",
            ({"data": None},),
            "ConfigMap 'kube-system/bootstrap' has the status 'None', not 'complete'",
        ),
        ("api_servers_ready", (operator("kube-apiserver"),), ""),
        ("api_servers_ready", (None,), "ClusterOperator 'kube-apiserver' does not exist yet"),
        (
            "api_servers_ready",
            ({"metadata": {"name": "kube-apiserver"}},),
            "ClusterOperator 'kube-apiserver' has not reported Available yet",
        ),
        (
            "api_servers_ready",
            (operator("kube-apiserver", available="Unknown"),),
            "ClusterOperator 'kube-apiserver' is not Available: Why: available?",
        ),
        (
            "api_servers_ready",
            (operator("kube-apiserver", progressing="True"),),
            "ClusterOperator 'kube-apiserver' is still Progressing: Why: progressing?",
        ),
        (
            "api_servers_ready",
            (operator("kube-apiserver", degraded="True"),),
            "ClusterOperator 'kube-apiserver' is Degraded: Why: degraded?",
        ),
        ("console_exists", ({}, None), ""),
        (
            "console_exists",
            (None, None),
            "Console 'cluster' does not exist yet; ClusterOperator 'console' does not exist yet",
        ),
        (
            "console_exists",
            (None, operator("console", available="False")),
            "Console 'cluster' does not exist yet; ClusterOperator 'console' is not Available: Why: available?",
        ),
        ("console_ready", (operator("console", degraded="True"),), ""),
        (
            "console_ready",
            (operator("console", available="False"),),
            "ClusterOperator 'console' is not Available: Why: available?",
        ),
        ("ingress_controller_ready", (operator("ingress"),), ""),
        (
            "ingress_controller_ready",
            (made("ingress", condition("Available", "False", "IngressControllerUnavailable", "0 of 2\nreplicas")),),
            "ClusterOperator 'ingress' is not Available: IngressControllerUnavailable: 0 of 2 replicas",
        ),
        (
            "ingress_controller_ready",
            (made("ingress", condition("Available", "True")),),
            "ClusterOperator 'ingress' has not reported Progressing yet",
        ),
        ("cluster_version_ready", (made("version", condition("Available", "True")), []), ""),
        ("cluster_version_ready", (None, []), "ClusterVersion 'version' does not exist yet"),
        ("cluster_version_ready", (made("version"), []), "ClusterVersion 'version' is not Available"),
        (
            "cluster_version_ready",
            (
                made(
                    "version",
                    condition("Available", "False"),
                    condition("Failing", "True", "ClusterOperatorNotAvailable", "console is not available"),
                    condition("Progressing", "True", "", "working towards 4.19.1"),
                ),
                [operator("ingress", available="False"), operator("etcd"), operator("dns", degraded="True")],
            ),
            (
                "ClusterVersion 'version' is not Available; it is Failing: ClusterOperatorNotAvailable: "
                "console is not available; it is Progressing: working towards 4.19.1; "
                "ClusterOperator 'dns' is Degraded: Why: degraded?; "
                "ClusterOperator 'ingress' is not Available: Why: available?"
            ),
        ),
        ("workers_ready", TWO, ""),
        ("workers_ready", ([*TWO[0], machine("w-2", "Provisioning")], TWO[1]), ""),
        (
            "workers_ready",
            ([], []),
            "0 of 2 worker machines are Running and 0 of 2 worker nodes are Ready; there is no worker machine yet",
        ),
        (
            "workers_ready",
            ([machine("w-0", None), machine("w-1")], [node("w-1", "False")]),
            (
                "1 of 2 worker machines are Running and 0 of 2 worker nodes are Ready; "
                f"Machine 'w-0' is without a phase; Node 'w-1' is not Ready: {NO_NETWORK}"
            ),
        ),
        (
            "workers_ready",
            ([machine("w-0", "Failed", errorReason="InvalidConfiguration", errorMessage="no such subnet")], []),
            (
                "0 of 2 worker machines are Running and 0 of 2 worker nodes are Ready; "
                "Machine 'w-0' is Failed: InvalidConfiguration: no such subnet"
            ),
        ),
        (
            "workers_ready",
            (
                [
                    machine(
                        "w-0",
                        "Provisioning",
                        providerStatus={
                            "conditions": [
                                condition("MachineCreated", "False", "MachineCreationFailed", "403"),
                                condition("MachineUpdated", "True", "Fine"),
                            ]
                        },
                    )
                ],
                [],
            ),
            (
                "0 of 2 worker machines are Running and 0 of 2 worker nodes are Ready; "
                "Machine 'w-0' is Provisioning: MachineCreationFailed: 403"
            ),
        ),
    ],
)
def test_a_condition_tells_what_is_missing(name: str, objects: tuple[Any, ...], want: str) -> None:
    """Empty if it holds; otherwise object, condition, reason and message."""
    assert CONDITIONS[name].test(*objects) == want


@pytest.mark.parametrize(
    "status",
    [
        {"errorReason": "CreateError", "errorMessage": "OperationNotAllowed: exceeding approved Total Cores quota"},
        {
            "providerStatus": {
                "conditions": [
                    condition("MachineCreated", "False", "MachineCreationFailed", "SkuNotAvailable: not here")
                ]
            }
        },
        {"errorMessage": "ZonalAllocationFailed: no capacity in zone 1"},
        {"errorMessage": "words " * 100 + "quota"},
    ],
    ids=["quota in the machine's error", "size in the provider's condition", "capacity", "far into a long message"],
)
def test_a_machine_that_azure_has_no_room_for_fails_at_once(status: dict[str, Any]) -> None:
    """machine-api does not retry a failed machine, so waiting would not help. The message has the customer's size."""
    with pytest.raises(CloudError) as caught:
        CONDITIONS["workers_ready"].test([machine("w-0"), machine("w-1", "Failed", **status)], [])
    error = caught.value
    assert (error.status_code, error.code) == (500, "QuotaExceeded")
    assert error.target == "properties.workerProfiles[0].vmSize"
    assert error.message.startswith("Machine 'w-1' could not be created: ")


def test_what_azure_refused_a_machine_is_told_to_its_end() -> None:
    """Such a message begins with what exists; the missing permission and its scope come last."""
    refusal = f"The client has permission {'on its interface ' * 30}; however, not to 'subnets/join/action'"
    reported = {"conditions": [condition("MachineCreated", "False", "MachineCreationFailed", refusal)]}
    for status in ({"errorMessage": refusal}, {"providerStatus": reported}):
        assert CONDITIONS["workers_ready"].test([machine("w-0", "Failed", **status)], []).endswith(refusal)


def test_a_machine_that_still_tries_is_waited_for() -> None:
    """Missing quota may be raised before machine-api gives up the machine."""
    trying = machine("w-0", "Provisioning", errorMessage="quota")
    assert "quota" in CONDITIONS["workers_ready"].test([trying], [])


def _refused(name: str = "w-0", phase: str | None = "Failed", code: str = "AuthorizationFailed") -> dict[str, Any]:
    message = f'StatusCode=403 -- Original Error: Code="{code}" Message="no permission to do it"'
    reported = {"conditions": [condition("MachineCreated", "False", "MachineCreationFailed", message)]}
    return machine(name, phase, providerStatus=reported)


@pytest.mark.parametrize("phase", ["Failed", "Provisioning", None])
@pytest.mark.parametrize("code", ["AuthorizationFailed", "LinkedAuthorizationFailed"])
def test_a_machine_that_machine_api_may_not_make_is_given_up(phase: str | None, code: str) -> None:
    """Whether or not machine-api tries again, nothing changes until somebody restores the role."""
    with pytest.raises(RoleMissing) as caught:
        CONDITIONS["workers_ready"].give_up([machine("w-1"), _refused("w-0", phase, code)], [])
    assert caught.value.machine == "w-0"
    assert caught.value.reason.endswith(f'{code}" Message="no permission to do it"')


@pytest.mark.parametrize(
    "waiting",
    [
        machine("w-0", "Provisioning"),
        machine("w-0", "Failed", errorMessage="no such subnet"),
        _refused(code="DenyAssignmentAuthorizationFailed"),
        _refused(phase="Running"),
        _refused() | {"metadata": {"name": "w-0", "deletionTimestamp": "2026-03-01T08:00:00Z"}},
    ],
    ids=["slow", "another error", "a deny assignment", "it runs by now", "it makes room for another"],
)
def test_a_machine_that_lacks_no_role_is_waited_for_to_the_end(waiting: dict[str, Any]) -> None:
    """Only problems that a role explains are given up before the row's time is over."""
    CONDITIONS["workers_ready"].give_up([waiting], [])


@pytest.mark.parametrize(
    ("service", "want"),
    [
        (None, ""),
        ({"status": {}}, ""),
        ({"status": {"loadBalancer": {}}}, ""),
        ({"status": {"loadBalancer": {"ingress": []}}}, ""),
        ({"status": {"loadBalancer": {"ingress": [{"hostname": "lb"}]}}}, ""),
        ({"status": {"loadBalancer": {"ingress": [{"ip": "127.1.0.9"}]}}}, "127.1.0.9"),
    ],
)
def test_the_routers_address_is_the_one_that_the_cloud_gave(service: Any, want: str) -> None:
    """The answer is empty as long as any part of it is missing."""
    assert conditions.router_address(service) == want


def test_a_router_without_an_address_is_explained_by_its_operator() -> None:
    """The operator gets the cloud's answers."""
    assert conditions.router_missing(operator("ingress", available="False")) == (
        "Service 'openshift-ingress/router-default' has no address yet; "
        "ClusterOperator 'ingress' is not Available: Why: available?"
    )
    assert conditions.router_missing(operator("ingress")) == (
        "Service 'openshift-ingress/router-default' has no address yet"
    )


def test_a_long_message_is_cut() -> None:
    """Durable history stores one with each poll."""
    text = CONDITIONS["workers_ready"].test([machine(f"w-{number}", "Provisioning") for number in range(200)], [])
    assert len(text) < 1300
    assert text.endswith("...")
