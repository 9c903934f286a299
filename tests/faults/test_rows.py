"""Whatever Azure does to the calls of one row, the operation succeeds, or fails with all that a person needs.

No row is listed here. Each call names its step, so a fault can apply to all calls of a step, and the plan of an
operation says which steps exist. Each cluster has its own correlation id and its own faults.
"""

import random
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import pytest

from orchestrators import plans
from shared.json_object import Json
from tests.faults.scenarios import ROWS
from tests.local_azure import LocalAzure, unique
from tests.product.integration.service.finished.test_scaling import scale
from tests.product.integration.service.inventory import taken
from tests.product.integration.service.stage import Cluster, fault, prepare

pytestmark = [pytest.mark.slow(50), pytest.mark.family(ROWS)]

# All calls except those that the wrapper makes for every row, for the fence and for progress.
OWN = r"(?!(read OpenShiftClusters|upsert OperationProgress)$).*"
BUSY, DOWN = "Azure is asked too often.", "Azure is not well."
THROTTLED: Json = {"kind": "status", "status_code": 429, "retry_after": 1, "message": BUSY}
BROKEN: Json = {"kind": "status", "status_code": 503, "message": DOWN}
# Trouble that passes: once for each operation of each step, or once for each step if each time costs a second.
PASSING: dict[str, tuple[Json, ...]] = {
    "cut connections": ({"kind": "reset", "each": "operation"}, {"kind": "cut-body", "each": "operation"}),
    "lost answers": ({"kind": "lost-response", "each": "operation"}, {"kind": "cut-headers", "each": "operation"}),
    "throttling, then a server error": (
        THROTTLED | {"each": "step"},
        BROKEN | {"each": "step"},
        {"kind": "cut-end", "each": "step"},
    ),
}
# A step that runs again after each of its calls may write a secret each time.
VERSIONS = 4


@dataclass(frozen=True)
class Trouble:
    """Trouble that does not pass: the fault, and a regular expression for what the error must say of its cause."""

    fault: Json
    says: str


SAID = "The administrator of this test forbids it."
# Some errors say what the refusal means instead: a role that is missing, a directory that does not answer.
FORBIDDEN = Trouble(
    {"kind": "status", "status_code": 403, "code": "Forbidden", "message": SAID, "operation": OWN},
    rf"{SAID}|403|Forbidden|may not|not checked|lacks|authority",
)
# A 400, because a delete may succeed despite a 403: it leaves what the service no longer has access to.
REFUSED = Trouble(
    {"kind": "status", "status_code": 400, "code": "BadRequest", "message": SAID, "operation": OWN}, f"{SAID}|400"
)
# With lost answers a row may still succeed: its work is done, and its next call finds nothing left to do.
LOST = Trouble({"kind": "lost-response", "operation": OWN}, "[Cc]onnection")
ENDLESS = (
    Trouble(THROTTLED | {"operation": OWN}, f"{BUSY}|429|authority"),
    Trouble(BROKEN | {"operation": OWN}, f"{DOWN}|503|authority"),
    Trouble({"kind": "reset", "operation": OWN}, "[Cc]onnection"),
    LOST,
)
FOR_EVER = 10**9
# This many clusters share the rows, at the same time; each fails at its own rows, one after the other.
SHARES = 4
# The step that a create must have begun for its delete to have something to cancel.
UNDER_WAY = "deploy_storage_template"
# Rows that call nobody here: an image of the marketplace is not copied, and an instance fetches the installer once.
WITHOUT_CALLS = {"copy_machine_disk", "deploy_image_template", "validate_installer"}
# The `when` of an update's rows that change the number of workers.
SCALES = "workers_are_to_be_scaled"
STEPS = {name: [row.name for row in plans.PLANS[name]] for name in ("create", "delete")}


def test_creates_and_deletes_succeed_although_the_calls_of_every_row_meet_trouble(
    own_azure: LocalAzure, rng: random.Random
) -> None:
    """Every kind of call of every row fails once, and the retry finds what already exists."""
    clusters = _clusters(own_azure, rng, len(PASSING))
    with ThreadPoolExecutor(len(clusters)) as pool:
        list(pool.map(_live_in_trouble, clusters, PASSING.values()))


def _live_in_trouble(cluster: Cluster, troubles: tuple[Json, ...]) -> None:
    """Create a cluster and delete it while faults affect the calls of every step."""
    with ExitStack() as stack:
        faults = [stack.enter_context(_in_steps(cluster, ".+", **trouble)) for trouble in troubles]
        created = cluster.create()
        cluster.succeed(created)
        cluster.expect_one_of_each(created, versions=VERSIONS)
        document_id = cluster.document_id()
        deleted = cluster.delete()
        cluster.succeed(deleted)
        cluster.expect_nothing_left(document_id)
        steps = _steps(cluster, created) | _steps(cluster, deleted)
        for fault_id in faults:
            assert steps - _met(cluster, fault_id) == set()


@pytest.mark.thorough
@pytest.mark.parametrize(
    "troubles",
    [{"create": (FORBIDDEN,), "delete": (REFUSED,)}, {"create": ENDLESS, "delete": ENDLESS}],
    ids=["an error", "trouble until its time is over"],
)
def test_every_row_that_fails_says_what_to_do_and_the_next_request_goes_on(
    own_azure: LocalAzure, rng: random.Random, troubles: dict[str, tuple[Trouble, ...]]
) -> None:
    """Each row of create and delete fails once, explained; without the cause, the same request gets past the row."""
    clusters = _clusters(own_azure, rng, SHARES)
    with ThreadPoolExecutor(SHARES) as pool:
        for plan, tell in (("create", _create_at_last), ("delete", _delete_at_last)):
            causes = {row: rng.choice(troubles[plan]) for row in STEPS[plan]}
            shares = [{row: causes[row] for row in STEPS[plan][number::SHARES]} for number in range(SHARES)]
            told = list(pool.map(tell, clusters, shares))
            failed, rows = (set().union(*sets) for sets in zip(*told, strict=True))
            assert {row for row in rows if causes[row] is not LOST} <= failed <= rows


@pytest.mark.thorough
@pytest.mark.timeout(900)
def test_every_row_that_scales_workers_says_what_to_do_and_the_next_request_goes_on(
    own_azure: LocalAzure, rng: random.Random
) -> None:
    """An update that changes the number of workers fails at each of its rows in turn, and then succeeds."""
    (cluster,) = _clusters(own_azure, rng, 1)
    cluster.succeed(cluster.create())
    causes = dict.fromkeys((row.name for row in plans.PLANS["update"] if row.when == SCALES), FORBIDDEN)
    with _hindered(cluster, causes) as held:
        failed, *_ = _repeat(cluster, lambda cluster: scale(cluster, 5), held, causes)
    assert failed == set(causes)


def _create_at_last(cluster: Cluster, causes: dict[str, Trouble]) -> tuple[set[str], set[str]]:
    """Create a cluster that fails at some rows; return the rows that failed, and those of its plan that call anybody.

    Rows about an image that has to be copied call nobody for the image of these clusters.
    """
    with _hindered(cluster, causes) as held:
        failed, steps, operation_id = _repeat(cluster, Cluster.create, held, causes)
    cluster.expect_one_of_each(operation_id, versions=FOR_EVER)
    return failed, (causes.keys() & steps) - WITHOUT_CALLS


def _delete_at_last(cluster: Cluster, causes: dict[str, Trouble]) -> tuple[set[str], set[str]]:
    """Delete a cluster that fails at some rows; return the rows that failed, and those that are in its plan.

    If one of the rows is the one that cancels a create, the delete comes while the cluster is being created.
    """
    if "cancel_superseded" in causes:
        cluster.succeed(cluster.delete())
        cluster.wait_for_step(cluster.create(), UNDER_WAY)
    document_id = cluster.document_id()
    with _hindered(cluster, causes) as held:
        failed, steps, _ = _repeat(cluster, Cluster.delete, held, causes)
    cluster.expect_nothing_left(document_id)
    return failed, causes.keys() & steps


@contextmanager
def _hindered(cluster: Cluster, causes: dict[str, Trouble]) -> Iterator[dict[str, str]]:
    """Make every call of these steps fail; give the id of each step's fault."""
    with ExitStack() as stack:
        yield {
            step: stack.enter_context(_in_steps(cluster, step, count=FOR_EVER, **cause.fault))
            for step, cause in causes.items()
        }


def _repeat(
    cluster: Cluster, begin: Callable[[Cluster], str], held: dict[str, str], causes: dict[str, Trouble]
) -> tuple[set[str], set[str], str]:
    """Repeat a request until it succeeds, each time without the faults that made it fail.

    Returns:
        The steps that failed, those of all plans, and the id of the operation that succeeded. A repeated request makes
        a plan of its own: a delete that has failed has no create to cancel any more.
    """
    failed: set[str] = set()
    steps: set[str] = set()
    gaps: list[str] = []
    while True:
        operation_id = begin(cluster)
        steps |= _steps(cluster, operation_id)
        ended = cluster.wait(operation_id)
        if ended["status"] == "Succeeded":
            assert not gaps, "\n".join(gaps)
            return failed, steps, operation_id
        assert ended["status"] == "Failed", ended
        for step, error in _failures(ended["error"]):
            assert step in held.keys() - failed, ended
            gaps += _gaps(cluster, step, error, causes[step], held[step])
            cluster.azure.control("DELETE", f"/faults/{held[step]}")
            failed.add(step)


def _failures(error: Json) -> list[tuple[str, Json]]:
    """Return each step that an error is about, with its part of the error: checks are reported together."""
    steps = [each["message"] for each in error["details"] if each["code"] == "Step"]
    inner = [found for each in error["details"] if each.get("details") for found in _failures(each)]
    return [(step, error) for step in steps] + inner


def _gaps(cluster: Cluster, step: str, error: Json, cause: Trouble, fault_id: str) -> list[str]:
    """Return what a person misses in an error: step, cause, resource, remedy, owner, correlation id."""
    details = {each["code"]: str(each["message"]) for each in error["details"]}
    said = f"{error['message']} {' '.join(details.values())}"
    # A row that also signs in, or asks the cluster, may end because of that call, which is about no resource of ARM.
    services = {call["service"] for call in cluster.azure.journal(cluster.correlation_id) if call["fault"] == fault_id}
    found = {
        "step": details.get("Step") == step and step in error["message"],
        "cause": bool(re.search(cause.says, said)),
        "resource": services != {"arm"} or "/subscriptions/" in said,
        "remedy": bool(details.get("Remedy")),
        "owner": details.get("Owner") in ("customer", "azure", "platform"),
        "correlation id": details.get("CorrelationId") == cluster.correlation_id,
    }
    return [f"{step}: no {name} in {error}" for name, there in found.items() if not there]


def _clusters(azure: LocalAzure, rng: random.Random, count: int) -> list[Cluster]:
    """Prepare clusters, each with its own correlation id."""
    prepared = prepare(azure, *(unique(rng) for _ in range(count)))
    return [replace(cluster, correlation_id=str(UUID(int=rng.getrandbits(128)))) for cluster in prepared]


@contextmanager
def _in_steps(cluster: Cluster, step: str, **wish: Any) -> Iterator[str]:
    """Put a fault in force for the calls of one cluster in some steps."""
    with fault(cluster.azure, correlation_id=cluster.correlation_id, step=step, **wish) as fault_id:
        yield fault_id


def _steps(cluster: Cluster, operation_id: str) -> set[str]:
    """Return the steps in the resolved plan of an operation."""
    with taken(cluster.azure.state) as inventory:
        return {row["name"] for row in inventory.plan(operation_id)["rows"]}


def _met(cluster: Cluster, fault_id: str) -> set[str]:
    """Return the steps whose calls met a fault."""
    return {call["step"] for call in cluster.azure.journal(cluster.correlation_id) if call["fault"] == fault_id}
