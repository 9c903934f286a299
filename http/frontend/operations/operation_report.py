"""An operation as people see it: its steps in the plan's order, their phases, what runs, and what it waits for.

The plan says what has to be done, and progress items say what has happened. A row without an item has not begun. A row
that an earlier operation or attempt has done is `Succeeded`, too.

    {"id", "name", "clusterId" or "site" and "bundle", "plan", "status", "startTime", "endTime", "durationSeconds",
     "percentComplete", "attempt", "timeScale", "begunBy": {"objectId", "kind", "at"}, "correlationId",
     "currentSteps": ["deploy_storage_template"],
     "phases": [{"name", "status", "startTime", "endTime", "durationSeconds"}],
     "steps": [{"name", "phase", "kind", "status", "attempt", "startTime", "endTime", "durationSeconds", "needs",
                "waitsFor", "message", "polls", "deadline", "lastProgressTime", "error"}],
     "skipped": [{"name", "reason"}], "error"}
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypedDict, cast

from shared.arm import times
from shared.arm.async_operations import ENDED, visible_status
from shared.arm.errors import CloudErrorBody
from shared.clusters.endings import has_ended
from shared.clusters.states import ProvisioningState
from shared.documents import BegunBy, ClusterDocument, FencedDocument, OperationDocument
from shared.steps import ProgressItem, ResolvedRow, RowKind, SkippedRow, StepStatus, last_progress

NOT_STARTED = "NotStarted"
_TIMES = ("startTime", "endTime", "deadline", "lastProgressTime")
# The share of its deadline that a row takes if its plan does not say how long it usually takes: a second and a half of
# five minutes. It weighs the rows in `percentComplete`.
_USUAL_SHARE = 0.005
# The most that a row counts before it is done, and that an operation counts before it has succeeded.
_MOST_OF_A_ROW, _MOST_UNFINISHED = 0.9, 99
# A phase has the first of these states that one of its steps has.
_PHASE_STATUS = (StepStatus.FAILED, StepStatus.RUNNING, StepStatus.CANCELED)


class StepReport(TypedDict, total=False):
    """A row of the plan and its progress. Empty members are left out."""

    name: str
    phase: str
    kind: RowKind
    status: str
    attempt: int
    startTime: str
    endTime: str
    durationSeconds: float
    needs: list[str]
    waitsFor: str
    message: str
    polls: int
    deadline: str
    lastProgressTime: str
    error: CloudErrorBody


class PhaseReport(TypedDict, total=False):
    """The rows of one phase, summarized."""

    name: str
    status: str
    startTime: str
    endTime: str
    durationSeconds: float


class Report(TypedDict, total=False):
    """The report of an operation."""

    id: str
    name: str
    clusterId: str
    site: str
    bundle: str
    plan: str
    status: str
    startTime: str
    endTime: str
    durationSeconds: float
    percentComplete: int
    attempt: int
    timeScale: float
    begunBy: BegunBy
    correlationId: str
    currentSteps: list[str]
    phases: list[PhaseReport]
    steps: list[StepReport]
    skipped: list[SkippedRow]
    error: CloudErrorBody


class Position(TypedDict, total=False):
    """The current phase and steps of an operation that runs."""

    phase: str
    currentSteps: list[str]
    message: str


class CustomersProgress(TypedDict, total=False):
    """The progress that a polling customer sees."""

    percentComplete: int
    properties: Position


def report(
    operation: OperationDocument, owner: FencedDocument | None, items: list[ProgressItem], now: datetime
) -> Report:
    """Return the report of one operation.

    Args:
        operation: the async operation document.
        owner: the document of its cluster or site, if it exists.
        items: the progress items of all attempts.
        now: the time up to which running steps are counted.
    """
    plan, latest = operation.get("plan"), _latest(items)
    rows, done = _rows_and_done(operation)
    steps = [_step(row, latest.get(row["name"]), carried=row["name"] in done, now=now) for row in rows]
    named = owner is not None and owner.get("asyncOperationId") == operation["id"]
    running = named or not has_ended(operation)
    visible = visible_status(operation["asyncOperation"], running=running)
    report: Report = _without_nones(
        {
            "id": visible["id"],
            "name": visible["name"],
            "clusterId": _cluster_id(operation, owner),
            "site": operation.get("siteName"),
            "bundle": operation.get("bundle"),
            "plan": plan.get("name") if plan else None,
            "status": visible["status"],
            "startTime": visible["startTime"],
            "endTime": visible.get("endTime"),
            "durationSeconds": _seconds(visible["startTime"], visible.get("endTime"), now),
            "percentComplete": _percent(operation, items, visible["status"]),
            "attempt": current_attempt(operation, owner, items),
            "timeScale": plan.get("timeScale") if plan else None,
            "begunBy": _begun_by(operation),
            "correlationId": operation.get("correlationData", {}).get("correlationId"),
            "currentSteps": [step["name"] for step in steps if step["status"] == StepStatus.RUNNING],
            "phases": [_with_shown_times(phase) for phase in _phases(steps, now)],
            "steps": [_with_shown_times(step) for step in steps],
            "skipped": plan.get("skipped", []) if plan else [],
            "error": visible.get("error"),
        }
    )
    return report


def _begun_by(operation: OperationDocument) -> BegunBy | None:
    found = operation.get("begunBy")
    return {**found, "at": times.arm_time(found["at"])} if found else None


def current_attempt(operation: OperationDocument, owner: FencedDocument | None, items: list[ProgressItem]) -> int:
    """Return the attempt that runs, or the last one that did something.

    Args:
        operation: the async operation document.
        owner: the document of its cluster or site, if it exists.
        items: the progress items of all attempts.
    """
    if owner is not None and owner.get("asyncOperationId") == operation["id"]:
        return int(owner["attempt"])
    return max((item["attempt"] for item in items), default=1)


def _cluster_id(operation: OperationDocument, owner: FencedDocument | None) -> str | None:
    """Return the id of an operation's cluster; None for one on a site."""
    cluster = cast("ClusterDocument", owner or {}).get("openShiftCluster")
    return cluster["id"] if cluster else operation.get("openShiftClusterKey")


def _rows_and_done(operation: OperationDocument) -> tuple[list[ResolvedRow], set[str]]:
    """Return the rows of an operation's plan, and the names of those that an earlier operation has done."""
    plan = operation.get("plan")
    return (plan["rows"], set(plan.get("done", []))) if plan else ([], set())


def _latest(items: list[ProgressItem]) -> dict[str, ProgressItem]:
    """Return the last item of each step. An item that succeeded is final, because its step does not run again."""
    latest: dict[str, ProgressItem] = {}
    for item in sorted(items, key=lambda item: (item["status"] == StepStatus.SUCCEEDED, item["attempt"])):
        latest[item["step"]] = item
    return latest


def _status_of(items: list[ProgressItem]) -> dict[str, StepStatus]:
    return {step: item["status"] for step, item in _latest(items).items()}


def _step(row: ResolvedRow, item: ProgressItem | None, *, carried: bool, now: datetime) -> StepReport:
    planned = {
        "name": row["name"],
        "phase": row["phase"],
        "kind": row["kind"],
        "needs": row["needs"],
        "waitsFor": row.get("waitsFor"),
    }
    if item is None:
        status = StepStatus.SUCCEEDED if carried else NOT_STARTED
        note = "done by an earlier operation" if carried else None
        unbegun: StepReport = _without_nones({**planned, "status": status, "message": note})
        return unbegun
    members = ("status", "attempt", "startTime", "endTime", "message", "polls", "deadline", "lastProgressTime", "error")
    begun: StepReport = _without_nones(
        {
            **planned,
            **{name: item.get(name) for name in members},
            "waitsFor": item.get("waitsFor") or row.get("waitsFor"),
            "durationSeconds": _seconds(item["startTime"], item.get("endTime"), now),
        }
    )
    return begun


def _phases(steps: list[StepReport], now: datetime) -> list[PhaseReport]:
    grouped: dict[str, list[StepReport]] = {}
    for step in steps:
        grouped.setdefault(step["phase"], []).append(step)
    return [_phase(name, phase_steps, now) for name, phase_steps in grouped.items()]


def _phase(name: str, steps: list[StepReport], now: datetime) -> PhaseReport:
    statuses = [step["status"] for step in steps]
    start = min((step["startTime"] for step in steps if "startTime" in step), default=None)
    if all(status == StepStatus.SUCCEEDED for status in statuses):
        status: str = StepStatus.SUCCEEDED
    elif any(status != NOT_STARTED for status in statuses):
        status = next((each for each in _PHASE_STATUS if each in statuses), StepStatus.RUNNING)
    else:
        status = NOT_STARTED
    ends = [step.get("endTime") for step in steps]
    end = max(filter(None, ends), default=None) if status != StepStatus.RUNNING else None
    phase: PhaseReport = _without_nones(
        {
            "name": name,
            "status": status,
            "startTime": start,
            "endTime": end,
            "durationSeconds": _seconds(start, end, now) if start else None,
        }
    )
    return phase


def progress(operation: OperationDocument, items: list[ProgressItem], status: str) -> CustomersProgress:
    """Return the progress for a client that polls: ARM's `percentComplete`, and `properties` while the operation runs.

    The text comes only from the plan, because answers of Azure and the cluster may name internals of the service.
    `properties` has no `provisioningState`, because clients would take it for a status.

    Args:
        operation: the async operation document.
        items: the progress items of all attempts.
        status: the status that the client sees.
    """
    progress: CustomersProgress = {"percentComplete": _percent(operation, items, status)}
    if status in ENDED:
        return progress
    status_of, (rows, done) = _status_of(items), _rows_and_done(operation)
    open_rows = [row for row in rows if row["name"] not in done and status_of.get(row["name"]) != StepStatus.SUCCEEDED]
    current = [row for row in open_rows if status_of.get(row["name"]) == StepStatus.RUNNING]
    waits = "; ".join(row["waitsFor"] for row in current if row.get("waitsFor"))
    progress["properties"] = _without_nones(
        {
            "phase": next((row["phase"] for row in [*current, *open_rows]), None),
            "currentSteps": [row["name"] for row in current],
            "message": f"Waiting for {waits}." if waits else "The next step is about to begin.",
        }
    )
    return progress


def _percent(operation: OperationDocument, items: list[ProgressItem], status: str) -> int:
    """Return how much is done, 0 to 100. The figure never decreases within an operation.

    It depends only on what is stored, not on the reader's clock, so two frontends give the same figure. A row that is
    done stays done, and a row that began again counts with the longest time of any attempt.
    """
    if status == ProvisioningState.SUCCEEDED:
        return 100
    (rows, done), status_of = _rows_and_done(operation), _status_of(items)
    longest: dict[str, float] = {}
    for item in items:
        longest[item["step"]] = max(_lasted(item), longest.get(item["step"], 0.0))
    total = reached = 0.0
    for row in rows:
        name, usual = row["name"], row.get("usualSeconds", row["deadlineSeconds"] * _USUAL_SHARE)
        total += usual
        if name in done or status_of.get(name) == StepStatus.SUCCEEDED:
            reached += usual
        else:
            reached += min(longest.get(name, 0.0), usual * _MOST_OF_A_ROW)
    return min(int(100 * reached / total), _MOST_UNFINISHED) if total else 0


def _lasted(item: ProgressItem) -> float:
    return max(
        (datetime.fromisoformat(last_progress(item)) - datetime.fromisoformat(item["startTime"])).total_seconds(), 0.0
    )


def _seconds(start: str, end: str | None, now: datetime) -> float:
    until = datetime.fromisoformat(end) if end else now
    return round(max((until - datetime.fromisoformat(start)).total_seconds(), 0.0), 3)


def _with_shown_times(plain: Mapping[str, Any]) -> Any:
    return {name: times.arm_time(value) if name in _TIMES else value for name, value in plain.items()}


def _without_nones(plain: Mapping[str, Any]) -> Any:
    return {name: value for name, value in plain.items() if value is not None}
