"""Whatever is killed, and whenever: operations finish, and nothing is made twice."""

import os
import random
from contextlib import ExitStack

import pytest

from orchestrators.plans import PLANS
from tests.integration.conftest import SEED
from tests.integration.local_azure import LocalAzure, unique, wait_for
from tests.integration.service.stage import Cluster, fault, prepare

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("service-kills")]

# Long enough to see each step while it runs, short enough for a create to take seconds.
SEEN_SECONDS = 0.15
# One create meets a kill at each of its steps. A few more meet few, at steps that the seed draws, so that what follows
# a kill also has time to run: a create of its own for each step would take an hour.
CREATES, KILLS_OF_A_CREATE = 2, 4


# What is true of the clusters here, beside what is always so.
TRUE = ("", "uses_managed_domain", "has_no_pull_secret")


def _step_names(plan: str) -> list[str]:
    return [row.name for row in PLANS[plan] if row.when in TRUE]


def _groups(plan: str) -> list[tuple[str, ...]]:
    """Deal steps of a plan out to creates, as the seed draws them; those of one create are in the plan's order."""
    names = _step_names(plan)
    dealt = random.Random(os.environ[SEED]).sample(names, CREATES * KILLS_OF_A_CREATE)  # noqa: S311 - for repeatable tests
    hands = [dealt[begin : begin + KILLS_OF_A_CREATE] for begin in range(0, len(dealt), KILLS_OF_A_CREATE)]
    return [tuple(sorted(hand, key=names.index)) for hand in hands]


def _slow_progress(azure: LocalAzure) -> "ExitStack":
    """Let every progress item reach the store late: then a step is seen `Running` before, while or after it works."""
    stack = ExitStack()
    wish = {"service": "cosmos", "operation": "upsert OperationProgress", "kind": "delay"}
    stack.enter_context(fault(azure, delay_seconds=SEEN_SECONDS, count=100_000, **wish))
    return stack


def _kill_at(cluster: Cluster, operation_id: str, step: str, process: str) -> None:
    cluster.wait_for_step(operation_id, step)
    cluster.azure.kill(process)


@pytest.fixture
def cluster(patient_azure: LocalAzure, rng: random.Random) -> Cluster:
    """Give a cluster that is still to be created."""
    return prepare(patient_azure, unique(rng))[0]


@pytest.mark.thorough
@pytest.mark.parametrize("steps", _groups("create"), ids=" ".join)
def test_a_create_finishes_although_the_host_is_killed_at(cluster: Cluster, steps: tuple[str, ...]) -> None:
    """The host dies with all that it does; the one in its place goes on, and makes nothing a second time."""
    with _slow_progress(cluster.azure):
        operation_id = cluster.create()
        for step in steps:
            _kill_at(cluster, operation_id, step, "functions")
    cluster.succeed(operation_id)
    cluster.expect_one_of_each(operation_id, versions=2)


def test_one_create_finishes_although_the_host_is_killed_at_each_of_its_steps(cluster: Cluster) -> None:
    """A dozen kills in one create cost time, and nothing else."""
    with _slow_progress(cluster.azure):
        operation_id = cluster.create()
        for step in _step_names("create"):
            _kill_at(cluster, operation_id, step, "functions")
            wait_for(cluster.azure.serves, "the host in its place")
    cluster.succeed(operation_id)
    cluster.expect_one_of_each(operation_id, versions=3)


@pytest.mark.thorough
def test_a_delete_finishes_although_the_host_is_killed_at_each_of_its_steps(
    cluster: Cluster, patient_azure: LocalAzure
) -> None:
    """A half-deleted cluster goes on being deleted until nothing is left."""
    cluster.succeed(cluster.create())
    document_id = cluster.document_id()
    with _slow_progress(patient_azure):
        operation_id = cluster.delete()
        for step in _step_names("delete"):
            _kill_at(cluster, operation_id, step, "functions")
            wait_for(patient_azure.serves, "the host in its place")
    cluster.succeed(operation_id)
    cluster.expect_nothing_left(document_id)


def test_creates_finish_although_their_python_worker_dies_alone(own_azure: LocalAzure, rng: random.Random) -> None:
    """The host lives on and calls activities and orchestrators failed; the engine or the watchdog runs them again."""
    steps = ("validate_service_principal", "ensure_acr_token", "deploy_storage_template")
    clusters = prepare(own_azure, *(unique(rng) for _ in steps))
    with _slow_progress(own_azure):
        operations = [cluster.create() for cluster in clusters]
        for cluster, operation_id, step in zip(clusters, operations, steps, strict=True):
            _kill_at(cluster, operation_id, step, "functions: worker")
    for cluster, operation_id in zip(clusters, operations, strict=True):
        cluster.succeed(operation_id)
        cluster.expect_one_of_each(operation_id, versions=len(steps) + 1)
