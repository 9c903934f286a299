"""Runs any scenario against a local Azure, and then has the census count what exists."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any
from uuid import UUID, uuid4

from tests.faults.checks import census
from tests.faults.living import operations
from tests.faults.rights import run_without
from tests.faults.scenarios import (
    CALLS,
    KILLS,
    OUTAGES,
    OWN_PACE,
    RACES,
    RIGHTS,
    STALE,
    TWICE,
    UNDISTURBED,
    Operation,
    Scenario,
)
from tests.faults.services import IDENTITY, LIVING, SERVICES, SIGN_IN
from tests.faults.troubles import (
    CANCEL,
    SAME,
    Trouble,
    asked_twice,
    away,
    canceled,
    delivered_twice,
    killed,
    machine_away,
    one_call,
    rivalled,
    stale,
    undisturbed,
)
from tests.local_azure import LocalAzure, unique, wait_for
from tests.product.integration.service.inventory import taken
from tests.product.integration.service.stage import PATIENCE_SECONDS, Cluster, begun, prepare

KEPT = 4
# The SDK sends each write four times, and a call that is delivered again after a kill does not know the former one.
# A call that comes after a lost answer looks first, so the length of an outage does not matter.
VERSIONS = 24
BEGIN: dict[Operation, Callable[..., str]] = {
    "create": Cluster.create,
    "update": lambda cluster: begun(cluster.send("PATCH", body={"tags": {"run": uuid4().hex[:8]}})),
    "delete": Cluster.delete,
    **{operation: partial(operations.act, operation) for operation in LIVING},
}


@dataclass(frozen=True)
class Result:
    """The result of a scenario.

    Args:
        seconds: time from the request to the end of the operation.
        violations: what is not as it should be, a sentence each.
        met: whether anything went wrong at all: a drawn call or moment may not occur, and then the run proves nothing.
    """

    seconds: float
    violations: list[str]
    met: bool = True


@dataclass
class SpareClusters:
    """Existing clusters for scenarios that need one: left over from scenarios that ended well, or new."""

    azure: LocalAzure
    rng: random.Random
    _clusters: SimpleQueue[Cluster] = field(default_factory=SimpleQueue)

    def new(self) -> Cluster:
        """Return a cluster that does not exist yet."""
        return prepare(self.azure, unique(self.rng, "x"))[0]

    def take(self) -> Cluster:
        """Return a cluster that exists; create one if no other is left."""
        try:
            return self._clusters.get_nowait()
        except Empty:
            cluster = self.new()
            cluster.succeed(cluster.create(), PATIENCE_SECONDS)
            return cluster

    def give(self, cluster: Cluster) -> None:
        """Keep a cluster for another scenario, or delete it if there are enough: each holds memory and quota."""
        if self._clusters.qsize() < KEPT:
            self._clusters.put(cluster)
        else:
            cluster.succeed(cluster.delete(), PATIENCE_SECONDS)


def trouble_of(scenario: Scenario) -> Trouble:
    """Return the function that makes a scenario's trouble."""
    if scenario.family == OUTAGES.name and scenario.what not in SERVICES:
        return machine_away
    if scenario.family == RACES.name and scenario.operation in LIVING:
        return {CANCEL: canceled, SAME: asked_twice}[scenario.what]
    return {
        UNDISTURBED.name: undisturbed,
        OUTAGES.name: away,
        CALLS.name: one_call,
        KILLS.name: killed,
        TWICE.name: delivered_twice,
        RACES.name: rivalled,
        STALE.name: stale,
    }[scenario.family]


def run(scenario: Scenario, clusters: SpareClusters, scale: float) -> Result:
    """Run a scenario; return its result.

    Args:
        scenario: the scenario.
        clusters: clusters on the platform where it runs.
        scale: time scale of the platform.
    """
    if scenario.family == RIGHTS.name:
        return Result(*run_without(scenario, clusters.new()))
    cluster = _own(clusters.new() if scenario.operation == "create" else clusters.take())
    check = operations.prepare(scenario.operation, cluster)
    document_id = "" if scenario.operation == "create" else cluster.document_id()
    with trouble_of(scenario)(scenario, cluster, scale) as strike:
        began = time.monotonic()
        operation_id = BEGIN[scenario.operation](cluster)
        document_id = document_id or cluster.document_id()
        operation_id = strike(operation_id)
        _wait(cluster, operation_id, PATIENCE_SECONDS + scenario.seconds)
        seconds = time.monotonic() - began
    violations = _ending(scenario, cluster.wait(operation_id)) or [
        *_count(scenario, cluster, operation_id, document_id),
        *check(operation_id),
    ]
    met = _is_met(scenario, cluster)
    if not met and scenario.family == OUTAGES.name and isinstance(scenario.at, str):
        violations = [*violations, f"{scenario.at} does not call {scenario.what}"]
    if not violations and scenario.operation != "delete" and scenario.ending == "Succeeded":
        clusters.give(cluster)
    return Result(seconds, violations, met)


def _wait(cluster: Cluster, operation_id: str, seconds: float) -> None:
    """Wait for the end of an operation without sending requests, because they might meet the scenario's fault."""
    with taken(cluster.azure.state) as inventory:
        wait_for(lambda: inventory.has_ended(operation_id), f"the end of operation {operation_id}", seconds)


def _own(cluster: Cluster) -> Cluster:
    """Return the cluster with its own correlation id, so that faults can apply to it alone."""
    return replace(cluster, correlation_id=str(UUID(int=random.Random(uuid4().int).getrandbits(128))))  # noqa: S311 - an id


def _ending(scenario: Scenario, ended: dict[str, Any]) -> list[str]:
    if ended["status"] == scenario.ending:
        return []
    error = ended.get("error", {})
    details = ", ".join(f"{each['code']}: {each['message']}" for each in error.get("details", []))
    return [f"It ended {ended['status']}, not {scenario.ending}: {error.get('message')} ({details})"]


def _count(scenario: Scenario, cluster: Cluster, operation_id: str, document_id: str) -> list[str]:
    """Return what the census finds wrong; if a DELETE overtakes the create, count after the DELETE has ended."""
    if scenario.ending == "Canceled":
        cluster.succeed(_last_operation(cluster), PATIENCE_SECONDS)
    expected = census.ONE if scenario.operation != "delete" and scenario.ending == "Succeeded" else census.NONE

    def count() -> list[str]:
        found = census.of_cluster(cluster.azure.state, cluster.customer, document_id, VERSIONS)
        return census.violations(found, expected)

    return [
        *census.settled(count),
        # Of two calls at once both may say that they have made the thing, which has one name.
        *(census.doubled_calls(cluster.calls(operation_id)) if scenario.family != TWICE.name else []),
        *_attempts(scenario, cluster, operation_id),
    ]


def _last_operation(cluster: Cluster) -> str:
    with taken(cluster.azure.state) as inventory:
        return str(inventory.operations(cluster.customer)[-1]["id"])


def _attempts(scenario: Scenario, cluster: Cluster, operation_id: str) -> list[str]:
    """Report an operation that took several attempts: it should survive an outage in one, unless the worker dies.

    A worker dies when it starts without an identity.
    """
    times = census.attempts(cluster.azure.state, operation_id)
    if (
        scenario.what not in (IDENTITY, SIGN_IN)
        and scenario.family in (OUTAGES.name, CALLS.name, TWICE.name, OWN_PACE.name)
        and times > 1
    ):
        return [f"it took {times} attempts"]
    return []


def _is_met(scenario: Scenario, cluster: Cluster) -> bool:
    """Tell whether a call met the fault; true for troubles that need no call."""
    of_calls = scenario.family in (OUTAGES.name, CALLS.name) and scenario.what in (*SERVICES, SIGN_IN)
    if not of_calls and scenario.family != STALE.name:
        return True
    return any(call["fault"] for call in cluster.azure.journal(cluster.correlation_id))
