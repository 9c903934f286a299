"""The plans as tables, and the functions that resolve one for an operation. Pure: requests and timers import it."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta

from orchestrators import retry
from orchestrators.plans.create import CREATE
from orchestrators.plans.delete import DELETE
from orchestrators.plans.predicates import reason_to_skip
from orchestrators.plans.renew import RENEW
from orchestrators.plans.revoke_credentials import REVOKE_CREDENTIALS
from orchestrators.plans.rows import Row, to_dict
from orchestrators.plans.start import START
from orchestrators.plans.stop import STOP
from orchestrators.plans.update import UPDATE
from shared import executors, remedies
from shared.documents import ClusterDocument, FencedDocument, OperationDocument
from shared.executors import CHECK_PLAN
from shared.settings import Pace, Settings
from shared.steps import (
    DUE_POLL_SHARE,
    FINISH,
    CheckRow,
    Polling,
    ResolvedPlan,
    ResolvedRow,
    RetryPolicy,
    RowKind,
    StartInput,
)

PLANS: dict[str, tuple[Row, ...]] = {
    "create": CREATE,
    "update": UPDATE,
    "renew": RENEW,
    "delete": DELETE,
    "stop": STOP,
    "start": START,
    "revoke_credentials": REVOKE_CREDENTIALS,
}

# Why an operation with a plan cannot be canceled; one with any other plan can, and ends as after a failure.
NOT_CANCELABLE = {
    "delete": "parts of the cluster may be gone already, and only a delete that has ended leaves nothing behind",
}

# The interpreter that runs new attempts, and all that a running instance may need.
RUN_PLAN, TRY_PLAN = "run_plan_v2", "dry_run_v1"
INTERPRETERS = frozenset({RUN_PLAN, "wait_row_v2", "run_plan_v1", "wait_row_v1", TRY_PLAN})

# The executors that end an operation. Each plan has a row with one of them, which runs last.
ENDINGS = frozenset({FINISH, "finish_delete"})

# How long a failed row may take to cancel what it began; ARM needs minutes for a deployment of machines.
CANCEL_DEADLINE = timedelta(minutes=10)
# The first pauses between polls, as a share of the row's longest.
FIRST_POLL = 0.2
# The shortest pause of a row whose usual time is known, at Azure's pace.
_SHORTEST_DUE_POLL = timedelta(seconds=1)
_SHORTEST_FIRST_POLL = timedelta(milliseconds=100)


def resolve(plan_name: str, cluster_document: ClusterDocument, settings: Settings) -> ResolvedPlan:
    """Resolve a plan for one cluster: skip rows by their predicates, and scale every duration.

    Args:
        plan_name: one of `PLANS`.
        cluster_document: the cluster document, which the predicates read.
        settings: our settings, for the time scale and the predicates.

    Returns:
        The plan that the operation stores and the engine runs. If a row needs a skipped row, it gets that row's needs
        instead.
    """
    rows = PLANS[plan_name]
    reasons = {row.name: reason_to_skip(row.when, cluster_document, settings) for row in rows}
    left_out = {row.name: row.needs for row in rows if reasons[row.name]}
    kept = [row for row in rows if row.name not in left_out]
    return {
        "name": plan_name,
        "timeScale": settings.time_scale,
        "rows": [_resolve_row(row, left_out, settings) for row in kept],
        "skipped": [{"name": name, "reason": reasons[name]} for name in left_out],
        "controlSeconds": settings.poll_seconds(retry.CONTROL_INTERVAL),
        "controlWithinSeconds": settings.deadline_seconds(retry.OUTAGE, retry.SHORTEST_CONTROL),
        "retryPolicies": retry.resolve(sorted({row.retry for row in kept}), settings),
    }


def _resolve_row(row: Row, left_out: dict[str, tuple[str, ...]], settings: Settings) -> ResolvedRow:
    plain = to_dict(replace(row, when="", shortest=timedelta()))
    return {
        **plain,
        "needs": _needs(row.needs, left_out),
        "deadlineSeconds": settings.deadline_seconds(row.deadline, row.shortest),
        **polling(row, settings),
        "cancelSeconds": settings.deadline_seconds(CANCEL_DEADLINE),
    }


def polling(row: Row, pace: Pace) -> Polling:
    """Return how often a row is polled at a pace."""
    longest = pace.poll_seconds(row.poll)
    if not row.usual:
        return {
            "firstPollSeconds": pace.poll_seconds(row.poll * FIRST_POLL, _SHORTEST_FIRST_POLL),
            "pollSeconds": longest,
        }
    return {
        "firstPollSeconds": pace.poll_seconds(max(row.usual * DUE_POLL_SHARE, _SHORTEST_DUE_POLL)),
        "pollSeconds": longest,
        "usualSeconds": pace.scaled(row.usual).total_seconds(),
    }


def _needs(needs: tuple[str, ...], left_out: dict[str, tuple[str, ...]]) -> list[str]:
    names: list[str] = []
    for need in needs:
        names += _needs(left_out[need], left_out) if need in left_out else [need]
    return list(dict.fromkeys(names))


def instance_id(operation_id: str, attempt: int) -> str:
    """Return the id of the durable instance that runs one attempt of an operation."""
    return f"{operation_id}-{attempt}"


def missing_activities(plan: ResolvedPlan, done: Iterable[str]) -> list[str]:
    """Return the activities of the rows still to run that the deployed package does not have.

    Args:
        plan: a stored plan, which another package may have made.
        done: names of rows that need not run again.
    """
    ended = {*plan.get("done", []), *done}
    return executors.missing(row["executor"] for row in plan["rows"] if row["name"] not in ended)


def _checked(plan: ResolvedPlan, done: list[str]) -> ResolvedPlan:
    """Return a plan that begins with a row which compares its activities with those of the package that runs it.

    The package that runs an attempt need not be the one that stored the plan, nor the one that started the attempt. The
    row has no progress item, because a check is not progress: attempts that do nothing else are counted.
    """
    left = [row for row in plan["rows"] if row["name"] not in done]
    first = {row["name"] for row in left if all(need in done for need in row["needs"])}
    check: CheckRow = {
        "name": CHECK_PLAN,
        "phase": "start",
        "kind": RowKind.ACTION,
        "executor": CHECK_PLAN,
        "needs": [],
        # It takes no time, and is only called again if its process dies: no time scale makes one start faster.
        "deadlineSeconds": 60,
        "firstPollSeconds": 1,
        "pollSeconds": 5,
        "cancelSeconds": 60,
        "retry": RetryPolicy.NONE,
        "waitsFor": "the plan to be checked",
        "message": remedies.OTHER_VERSION,
        "executors": list(dict.fromkeys(row["executor"] for row in left)),
    }
    rows = [row | {"needs": [*row["needs"], CHECK_PLAN]} if row["name"] in first else row for row in plan["rows"]]
    return plan | {"rows": [check, *rows], "retryPolicies": {RetryPolicy.NONE: {}} | plan["retryPolicies"]}


def start_input(
    operation_document: OperationDocument, owner: FencedDocument, done: list[str] | None = None
) -> StartInput:
    """Return the orchestration's input: the resolved plan, and the ids of operation and owner. It has no secret.

    Args:
        operation_document: the async operation with its plan.
        owner: the document of the cluster or site, which names the operation and the attempt.
        done: rows that need not run again. The row that ends the operation always runs, because an earlier run of it
            ended another operation.
    """
    correlation = operation_document.get("correlationData") or {}
    plan = operation_document["plan"]
    endings = {row["name"] for row in plan["rows"] if row["executor"] in ENDINGS}
    left_out = [name for name in done or [] if name not in endings]
    return {
        "operationId": operation_document["id"],
        "attempt": owner["attempt"],
        "clusterKey": owner["key"],
        "clusterDocumentId": owner["id"],
        "correlationId": correlation.get("correlationId", ""),
        "clientRequestId": correlation.get("clientRequestId", ""),
        "traceparent": correlation.get("traceparent", ""),
        "plan": _checked(plan, left_out),
        "done": left_out,
    }
