"""The watchdog's decision about one operation. Pure: finding and time in, action out."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Required, TypedDict

from orchestrators import plans
from orchestrators.plans.operation_start import LOOK_BACK
from shared import durations, executors
from shared.arm.errors import CloudErrorBody, ErrorCode, Owner
from shared.arm.operation_errors import operation_error
from shared.clusters import endings
from shared.documents import CorrelationData, FencedDocument, OperationDocument, Restarts
from shared.remedies import REPEAT
from shared.settings import Settings
from shared.steps import ProgressItem, StepStatus, last_progress
from timers.task_hubs import SILENCE

# An operation fails once this many attempts in a row have ended without completing a row, and this long after the first
# of them. The time is real, because whatever stopped them, such as a crash of a worker or a host, takes real time at
# every time scale.
MAX_FRUITLESS = 5
PATIENCE = durations.FRUITLESS_ATTEMPTS
LIVING = ("Pending", "Running", "ContinuedAsNew", "Suspended")
# The first line of a failed orchestration's output says what happened; the rest is the stack.
_MAX_OUTPUT = 500


class InstanceStatus(TypedDict, total=False):
    """What the durable host says of an instance; see the members of `Finding`."""

    status: Required[str]
    output: str
    created: datetime | None
    interpreter: str


class Action(Enum):
    """What to do about one operation."""

    LEAVE = "leave it alone"
    START = "start the attempt that was never started"
    RESTART = "start the next attempt"
    FAIL = "fail it"
    SETTLE = "write to its cluster or site what the operation says"


@dataclass(frozen=True)
class Finding:
    """One operation as the watchdog found it.

    Attributes:
        owner: the document that names the operation, of a cluster or of a site.
        operation: the async operation, None once it has expired.
        items: its progress items, of all attempts.
        status: the durable runtime status of this attempt's instance, or "" if this task hub has none.
        output: how that instance ended, if it says so. It holds no secret, because activities return failures as
            outcomes, without text that could quote one.
        heard: when the other task hub that drives it was last heard of; None if this one drives it.
        created: when this attempt's instance was created; None if there is none.
        interpreter: the name of that instance's orchestrator, "" if there is none.
    """

    owner: FencedDocument
    operation: OperationDocument | None
    items: list[ProgressItem]
    status: str
    output: str = ""
    heard: datetime | None = None
    created: datetime | None = None
    interpreter: str = ""

    @property
    def is_alive(self) -> bool:
        """Whether an instance runs that this package can continue: it has its orchestrator and all its activities."""
        has_orchestrator = not self.interpreter or self.interpreter in plans.INTERPRETERS
        return self.status in LIVING and has_orchestrator and not self.missing

    @property
    def missing(self) -> list[str]:
        """The activities that the rest of the plan needs and this package does not have.

        The instance would hang at such a row, and give the answers of others to wrong tasks.
        """
        done = (item["step"] for item in self.items if item["status"] == StepStatus.SUCCEEDED)
        plan = (self.operation or {}).get("plan")
        return plans.missing_activities(plan, done) if plan else []

    @property
    def current(self) -> list[ProgressItem]:
        """The progress items of the attempt that the owner names."""
        return [item for item in self.items if item["attempt"] == self.owner["attempt"]]


def judge(finding: Finding, now: datetime, settings: Settings) -> Action:
    """Decide what to do about one operation.

    Args:
        finding: the operation.
        now: the time of this run.
        settings: our settings.
    """
    operation = finding.operation
    if operation is None:
        # It is written before its owner, so it has expired. But in a database that is not strongly consistent, which
        # `healthz/ready` reports, a read may miss what was written a moment ago.
        return Action.LEAVE if now - _requested(finding.owner) < settings.look_back(LOOK_BACK) else Action.FAIL
    if _is_driven(finding, operation, now, settings):
        return Action.LEAVE
    if endings.has_ended(operation):
        return Action.SETTLE
    # A plan outlives its operation, unless another hub has written that again to take it over.
    if finding.missing or "plan" not in operation:
        return Action.FAIL
    if not finding.status and _never_started(finding, operation):
        return Action.START
    tried = fruitless(finding, now)
    over = (
        tried is not None
        and tried["count"] >= MAX_FRUITLESS
        and now - datetime.fromisoformat(tried["since"]) >= PATIENCE
    )
    return Action.FAIL if over else Action.RESTART


def fruitless(finding: Finding, now: datetime) -> Restarts | None:
    """Count the consecutive attempts that ended without completing a row, including the last one.

    Returns:
        `{"count", "since"}`, which the owner stores as `restarts`; `since` is when the first of them was
        followed by the next. None after an attempt that has completed a row.
    """
    if any(item["status"] == StepStatus.SUCCEEDED for item in finding.current):
        return None
    before = finding.owner.get("restarts") or {"count": 0, "since": now.isoformat()}
    return {"count": before["count"] + 1, "since": before["since"]}


def explain(finding: Finding, now: datetime) -> CloudErrorBody:
    """Return the error of an operation that is given up: the last messages of its steps, and how its last run ended."""
    correlation = correlation_id(finding.owner)
    if finding.missing:
        return executors.missing_error(finding.missing, correlation)
    unfinished = [item for item in finding.items if item["status"] != StepStatus.SUCCEEDED]
    last = unfinished[-1] if unfinished else None
    details: list[CloudErrorBody] = [last["error"]] if last and last["error"] else []
    if last:
        details.append({"code": "Step", "message": last["step"]})
    if finding.output:
        details.append({"code": "Orchestration", "message": finding.output[:_MAX_OUTPUT]})
    message = _summary(finding, now) + (f" Its last step was '{last['step']}'. {last['message']}" if last else "")
    return operation_error(ErrorCode.DEPLOYMENT_FAILED, message, details, REPEAT, correlation, Owner.PLATFORM)


def _summary(finding: Finding, now: datetime) -> str:
    started = f"The operation was started {finding.owner['attempt']} times and did not end."
    tried = fruitless(finding, now)
    if tried is None:
        return started
    minutes = round((now - datetime.fromisoformat(tried["since"])) / timedelta(minutes=1))
    return f"{started} The last {tried['count']} attempts, over {minutes} minutes, completed no step."


def _is_driven(finding: Finding, operation: OperationDocument, now: datetime, settings: Settings) -> bool:
    """Tell whether something works on the operation: another hub, its orchestration, or still its request."""
    if finding.heard is not None and now - finding.heard <= settings.look_back(SILENCE):
        return True
    if finding.status in LIVING:
        return finding.is_alive and not _is_stale(finding, operation, now)
    age = now - datetime.fromisoformat(operation["asyncOperation"]["startTime"])
    return not finding.status and not endings.has_ended(operation) and age < settings.look_back(LOOK_BACK)


def correlation_id(owner: FencedDocument) -> str:
    """Return the id of the request for an operation; "" if its owner does not say, or says it in no readable form."""
    return str(_correlation(owner).get("correlationId") or "")


def _correlation(owner: FencedDocument) -> CorrelationData:
    # An operation goes on without it, so a document in which it is wrong is not skipped.
    correlation = owner.get("correlationData")
    return correlation if isinstance(correlation, dict) else {}


def _requested(owner: FencedDocument) -> datetime:
    """Return the time of the request for an operation; long ago if its owner does not say."""
    try:
        return datetime.fromisoformat(_correlation(owner)["requestTime"]).astimezone(UTC)
    except (LookupError, TypeError, ValueError):
        return datetime.min.replace(tzinfo=UTC)


def _never_started(finding: Finding, operation: OperationDocument) -> bool:
    """Tell whether this hub may start the attempt: nothing ran, and no other hub can have started it."""
    taken_over = finding.heard is not None or operation.get("takenOverAttempt") == finding.owner["attempt"]
    return not finding.current and not taken_over


def _is_stale(finding: Finding, operation: OperationDocument, now: datetime) -> bool:
    """Tell whether a running row was not heard of for twice its deadline, or, if no row runs, nothing was.

    The longest time for which a row retries without success is added: while the database is away, and in a pause that a
    service has asked for, no progress is written.
    """
    outage = _longest_silence(operation)
    running = [item for item in finding.current if item["status"] == StepStatus.RUNNING]
    if running:
        return any(now - datetime.fromisoformat(last_progress(item)) > 2 * _allowed(item) + outage for item in running)
    times = [datetime.fromisoformat(last_progress(item)) for item in finding.current]
    plan = operation.get("plan")
    longest = max((row["deadlineSeconds"] for row in plan["rows"]), default=0) if plan else 0
    began = finding.created or datetime.fromisoformat(operation["asyncOperation"]["startTime"])
    return now - max([began, *times]) > timedelta(seconds=2 * longest) + outage


def is_young(operation: OperationDocument, created: datetime | None, now: datetime) -> bool:
    """Tell whether an instance is younger than the longest allowed silence, so that none of its rows can be stale.

    Args:
        operation: the async operation.
        created: when the instance was created, None if unknown.
        now: the current time.
    """
    return created is not None and now - created < _longest_silence(operation)


def _longest_silence(operation: OperationDocument) -> timedelta:
    plan = operation.get("plan")
    policies = plan["retryPolicies"].values() if plan else ()
    return timedelta(
        seconds=max((again["withinSeconds"] for policy in policies for again in policy.values()), default=0)
    )


def _allowed(item: ProgressItem) -> timedelta:
    return datetime.fromisoformat(item.get("deadline") or item["startTime"]) - datetime.fromisoformat(item["startTime"])
