"""The conditions that a cluster has to fulfil before a step is over: a table, with one test for each kind of object.

A test takes the objects that were read, in the order of the row's reads. It returns what is missing, in the cluster's
own words, or "" if the condition holds. It looks at plain JSON and has no client.

Source: ARO-RP `pkg/cluster/condition.go`, `pkg/util/clusteroperators`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from shared.arm.errors import CloudError, ErrorCode
from shared.json_object import Json
from shared.openshift.client import Read, shortened

MACHINES = "openshift-machine-api"
# A cluster is not handed over with fewer, because routers and monitoring spread over two nodes.
MIN_WORKERS = 2
# Enough for Azure's message about one missing permission. A longer text would be stored in durable history with each
# poll.
_SHOWN_CHARACTERS = 1200
_WORKER_ROLE = "machine.openshift.io/cluster-api-machine-role=worker"
_WORKER_NODE = "node-role.kubernetes.io/worker"
# Azure's codes for a subscription, region or zone that has no more machines of a size.
_NO_MACHINES_LEFT = re.compile(
    r"quota|SkuNotAvailable|NotAvailableForSubscription|AllocationFailed|OverconstrainedAllocationRequest",
    re.IGNORECASE,
)
# Azure's code for a missing role. A deny assignment is not one, because nobody can fix it by granting a role.
NO_ROLE = re.compile(r"\b(Linked)?AuthorizationFailed\b")

_OPERATOR_SAYS = {
    ("Available", "True"): "is not Available",
    ("Progressing", "False"): "is still Progressing",
    ("Degraded", "False"): "is Degraded",
}
_AVAILABLE = {"Available": "True", "Progressing": "False"}
WELL = {"Available": "True", "Degraded": "False"}
SETTLED = _AVAILABLE | {"Degraded": "False"}

Test = Callable[..., str]


def _wait_on(*_found: Any) -> None:
    """Never give up."""


def _unknown(*_found: Any) -> str:
    """Foresee no end."""
    return ""


@dataclass(frozen=True)
class Condition:
    """One row of the table.

    Attributes:
        reads: the objects to read.
        test: returns what is missing.
        give_up: raises if waiting will not help any more.
        last_step: returns when the last thing before the end was done, as the cluster wrote it; "" if the end is far.
    """

    reads: tuple[Read, ...]
    test: Test
    give_up: Callable[..., None] = _wait_on
    last_step: Callable[..., str] = _unknown


def bootstrap_complete(config_map: Json | None) -> str:
    """The bootstrap machine writes this ConfigMap once the control plane runs without it."""
    if config_map is None:
        return "ConfigMap 'kube-system/bootstrap' does not exist yet"
    status = (config_map.get("data") or {}).get("status")
    return (
        "" if status == "complete" else f"ConfigMap 'kube-system/bootstrap' has the status '{status}', not 'complete'"
    )


def operator(name: str, want: Mapping[str, str]) -> Test:
    """Return a test that a ClusterOperator has the wanted conditions."""
    return lambda cluster_operator: operator_missing(name, cluster_operator, want)


def operator_missing(name: str, cluster_operator: Json | None, want: Mapping[str, str]) -> str:
    """Return the wanted condition that a ClusterOperator lacks, with its reason and message.

    Args:
        name: name of the operator.
        cluster_operator: the ClusterOperator, or None.
        want: the wanted conditions.
    """
    who = f"ClusterOperator '{name}'"
    if cluster_operator is None:
        return f"{who} does not exist yet"
    conditions = _conditions(cluster_operator)
    for kind, status in want.items():
        condition = conditions.get(kind)
        if condition is None:
            return f"{who} has not reported {kind} yet"
        if condition.get("status") != status:
            return f"{who} {_OPERATOR_SAYS[kind, status]}{_because(condition)}"
    return ""


def troubles(found: Json) -> str:
    """Return why a ClusterOperator is unavailable, at work, or degraded, in its own words, or ""."""
    conditions = _conditions(found)
    troubled = (kind for kind, good in SETTLED.items() if kind in conditions and conditions[kind].get("status") != good)
    return "; ".join(filter(None, (_reason_and_message(conditions[kind]) for kind in troubled)))


def operators_missing(operators: list[Json]) -> list[tuple[str, str]]:
    """Return each operator that is unavailable or degraded: its name, and a sentence that says so."""
    names = sorted((cluster_operator["metadata"]["name"], cluster_operator) for cluster_operator in operators)
    return [
        (name, missing)
        for name, cluster_operator in names
        if (missing := operator_missing(name, cluster_operator, WELL))
    ]


def unsettled(operators: list[Json]) -> list[str]:
    """Return, in words, each ClusterOperator that is not settled. One that is disabled has nothing to settle."""
    named = sorted((each["metadata"]["name"], each) for each in operators)
    busy = [(name, each) for name, each in named if (_conditions(each).get("Disabled") or {}).get("status") != "True"]
    return [missing for name, each in busy if (missing := operator_missing(name, each, SETTLED))]


def unrest(nodes: list[Json], operators: list[Json], pools: list[Json], version: Json | None) -> list[str]:
    """Return, in words, what is at work or not well in a cluster, so that it should not be stopped now."""
    at_work = [
        f"MachineConfigPool '{pool['metadata']['name']}' is {kind}{_because(_conditions(pool)[kind])}"
        for pool in pools
        for kind in ("Updating", "Degraded")
        if (_conditions(pool).get(kind) or {}).get("status") == "True"
    ]
    progress = _conditions(version or {}).get("Progressing") or {}
    if progress.get("status") == "True":
        at_work.append(f"ClusterVersion 'version' is Progressing{_because(progress)}")
    return [*filter(None, map(node_missing, nodes)), *at_work, *unsettled(operators)]


def console_exists(console: Json | None, console_operator: Json | None) -> str:
    """The console's operator makes the Console, so its conditions explain why there is none."""
    if console is not None:
        return ""
    return _joined(["Console 'cluster' does not exist yet", operator_missing("console", console_operator, _AVAILABLE)])


def version_available(version: Json | None, operators: list[Json]) -> str:
    """The ClusterVersion shows the progress; the operators explain what holds it up."""
    if version is None:
        return "ClusterVersion 'version' does not exist yet"
    conditions = _conditions(version)
    if (conditions.get("Available") or {}).get("status") == "True":
        return ""
    # Failing names the cause, Progressing the current work. If neither is true, Available itself has to say why not.
    true = [kind for kind in ("Failing", "Progressing") if (conditions.get(kind) or {}).get("status") == "True"]
    says = [f"it is {kind}{_because(conditions[kind])}" for kind in true]
    reason = _because(conditions.get("Available") or {})
    return _joined(
        [
            f"ClusterVersion 'version' is not Available{reason}",
            *says,
            *(text for _, text in operators_missing(operators)),
        ]
    )


def last_operator(_version: Json | None, operators: list[Json]) -> str:
    """Return when the last operator became well: after that, the version is available in seconds."""
    if operators_missing(operators):
        return ""
    kept = [condition for cluster_operator in operators for condition in _conditions(cluster_operator).values()]
    return max((str(condition.get("lastTransitionTime") or "") for condition in kept), default="")


def workers_running(machines: list[Json], nodes: list[Json]) -> str:
    """At least two worker machines run and two worker nodes are ready.

    Raises:
        CloudError: `QuotaExceeded`, for the customer: a machine failed because Azure has no more of its size for this
            subscription. machine-api does not retry a failed machine.
    """
    for machine in machines:
        raise_for_quota(machine)
    not_running = [problem for machine in machines if (problem := machine_missing(machine))]
    not_ready = [problem for node in nodes if (problem := node_missing(node))]
    running, ready = len(machines) - len(not_running), len(nodes) - len(not_ready)
    if running >= MIN_WORKERS and ready >= MIN_WORKERS:
        return ""
    return _joined(
        [
            (
                f"{running} of {MIN_WORKERS} worker machines are Running and {ready} of {MIN_WORKERS} worker nodes "
                "are Ready"
            ),
            *(["there is no worker machine yet"] if not machines else not_running),
            *not_ready,
        ]
    )


class RoleMissing(Exception):  # noqa: N818 - named by what is wrong
    """Azure refuses a machine to machine-api, which somebody has to give its role back.

    Attributes:
        machine: name of the machine.
        reason: what Azure says.
    """

    def __init__(self, machine: str, reason: str) -> None:
        super().__init__(machine, reason)
        self.machine = machine
        self.reason = reason


def raise_for_role(machines: list[Json], _nodes: list[Json]) -> None:
    """Raise `RoleMissing` if Azure refuses a machine to machine-api."""
    for machine in filter(lacks_role, machines):
        raise RoleMissing(machine["metadata"]["name"], bounded(_machine_report(machine)))


def lacks_role(machine: Json) -> bool:
    """Tell whether Azure refuses a Machine to machine-api, which acts as the cluster's principal or as its own."""
    return not _is_deleted(machine) and bool(machine_missing(machine) and NO_ROLE.search(_machine_report(machine)))


def machine_missing(machine: Json) -> str:
    """Return why a Machine does not run, or ""."""
    phase = (machine.get("status") or {}).get("phase") or "without a phase"
    if phase == "Running":
        return ""
    report = _machine_report(machine)
    return f"Machine '{machine['metadata']['name']}' is {phase}" + (f": {report}" if report else "")


def has_failed(machine: Json) -> bool:
    """Tell whether machine-api has given up a Machine. One that is being deleted makes room for another."""
    return (machine.get("status") or {}).get("phase") == "Failed" and not _is_deleted(machine)


def raise_for_quota(machine: Json) -> None:
    """Raise if a Machine failed because quota, or machines of its size, are exhausted."""
    report = _machine_report(machine)
    if has_failed(machine) and _NO_MACHINES_LEFT.search(report):
        raise CloudError(
            500,
            ErrorCode.QUOTA_EXCEEDED,
            f"Machine '{machine['metadata']['name']}' could not be created: {bounded(report)}",
            "properties.workerProfiles[0].vmSize",
        )


def node_missing(node: Json) -> str:
    """Return why a Node is not ready, or ""."""
    ready = _conditions(node).get("Ready") or {}
    return "" if ready.get("status") == "True" else f"Node '{node['metadata']['name']}' is not Ready{_because(ready)}"


def router_address(service: Json | None) -> str:
    """Return the address of the router's Service, or "" if the cloud has not assigned one yet."""
    ingress = (((service or {}).get("status") or {}).get("loadBalancer") or {}).get("ingress") or [{}]
    return str(ingress[0].get("ip") or "")


def router_missing(ingress_operator: Json | None) -> str:
    """Return why the router may have no address: its operator gets the cloud's answers."""
    missing = operator_missing("ingress", ingress_operator, _AVAILABLE)
    return _joined(["Service 'openshift-ingress/router-default' has no address yet", missing])


def _is_deleted(machine: Json) -> bool:
    return bool(machine["metadata"].get("deletionTimestamp"))


def _machine_report(machine: Json) -> str:
    """Return machine-api's report about a machine: its error, or else its provider's false conditions."""
    status = machine.get("status") or {}
    parts = [str(status.get(member)) for member in ("errorReason", "errorMessage") if status.get(member)]
    if not parts:
        reported = (status.get("providerStatus") or {}).get("conditions") or []
        parts = [_reason_and_message(condition) for condition in reported if condition.get("status") == "False"]
    return ": ".join(parts)


def _conditions(resource: Json) -> dict[str, Json]:
    return {condition["type"]: condition for condition in (resource.get("status") or {}).get("conditions") or []}


def _because(condition: Mapping[str, Any]) -> str:
    text = _reason_and_message(condition)
    return f": {shortened(text)}" if text else ""


def _reason_and_message(condition: Mapping[str, Any]) -> str:
    return ": ".join(str(condition[member]) for member in ("reason", "message") if condition.get(member))


def _joined(parts: list[str]) -> str:
    return bounded("; ".join(part for part in parts if part))


def bounded(text: str) -> str:
    """Return a whole message, short enough for durable history."""
    return shortened(text, _SHOWN_CHARACTERS)


CLUSTER_VERSION = Read("ClusterVersion", "version")
OPERATORS = Read("ClusterOperator")
WORKER_MACHINES = Read("Machine", namespace=MACHINES, labels=_WORKER_ROLE)
NODES = Read("Node")
ROUTER = Read("Service", "router-default", "openshift-ingress")


def _operator_row(name: str, want: Mapping[str, str]) -> Condition:
    return Condition((Read("ClusterOperator", name),), operator(name, want))


# fmt: off
CONDITIONS: dict[str, Condition] = {
    "bootstrap_config_map_ready": Condition((Read("ConfigMap", "bootstrap", "kube-system"),), bootstrap_complete),
    "api_servers_ready": _operator_row("kube-apiserver", SETTLED),
    "api_servers_available": _operator_row("kube-apiserver", _AVAILABLE),
    "workers_ready": Condition(
        (WORKER_MACHINES, Read("Node", labels=_WORKER_NODE)), workers_running, give_up=raise_for_role),
    "console_exists": Condition((Read("Console", "cluster"), Read("ClusterOperator", "console")), console_exists),
    "console_ready": _operator_row("console", _AVAILABLE),
    "cluster_version_ready": Condition(
        (CLUSTER_VERSION, OPERATORS), version_available, last_step=last_operator),
    "ingress_controller_ready": _operator_row("ingress", _AVAILABLE),
}
# fmt: on
