"""The types that plans, engine and activities exchange: the rows of a plan, the words in them, and outcomes.

Everything here is sent as JSON, in which an enum's member becomes its value: compare with `==`, never with `is`. The
types list the members that this build knows; members that a newer build has added are kept.
"""

from enum import StrEnum
from typing import Any, Literal, NotRequired, TypedDict

from shared.arm.errors import CloudErrorBody, Owner


class RowKind(StrEnum):
    """How a row runs: once, begun and then polled, or only polled."""

    ACTION = "action"
    BEGIN_AND_POLL = "begin-and-poll"
    CONDITION = "condition"


class Verb(StrEnum):
    """What an activity has to do with its row."""

    RUN = "run"
    STATUS = "status"
    CANCEL = "cancel"


class RetryClass(StrEnum):
    """The class of an error. The policy of a row says which classes are tried again."""

    NONE = "none"
    THROTTLED = "throttled"
    TRANSIENT = "transient"
    AUTHORIZATION = "authorization"
    BUSY = "busy"
    GIVEN_UP = "given-up"
    PRINCIPAL = "principal"


class RetryPolicy(StrEnum):
    """The policies that a row may name; `orchestrators/retry.py` defines them."""

    NONE = "none"
    AZURE = "azure"
    SERVICE_PRINCIPAL = "service-principal"
    PERMISSIONS = "permissions"
    IDENTITIES = "identities"


class RetryVerb(StrEnum):
    """What to call after an error that is tried again: the call that failed, or the row from its beginning."""

    SAME = "same"
    RUN = "run"


# The row that ends an operation on a bundle, and its activity. No phase may have this name.
FINISH = "finish_operation"


class StepStatus(StrEnum):
    """The status of a progress item."""

    RUNNING = "Running"
    SUCCEEDED = "Succeeded"
    FAILED = "Failed"
    CANCELED = "Canceled"


class ProgressItem(TypedDict):
    """The stored state of one step in one attempt; `docs/documents.md` explains the members."""

    id: str
    operationId: str
    step: str
    attempt: int
    phase: str
    kind: RowKind
    status: StepStatus
    startTime: str
    polls: int
    deadline: str
    waitsFor: str
    message: str
    error: CloudErrorBody | None
    lastProgressTime: str
    # Present while a call of the step may be changing something outside the database: a delete waits for it.
    changing: NotRequired[bool]
    endTime: NotRequired[str]
    ttl: NotRequired[int]
    # When Cosmos DB has written it, in Unix time.
    _ts: NotRequired[int]


def last_progress(item: ProgressItem) -> str:
    """Return when a step was last heard of; an item that does not say was written at its beginning."""
    return item.get("lastProgressTime") or item["startTime"]


class PhaseName(TypedDict):
    """The name of a phase in a bundle."""

    namespace: str
    name: str


class PhaseReference(PhaseName):
    """The phase or cluster that a row of a declared plan is about, and in which bundle, if the service runs it.

    `timeoutSeconds` overrides how long it waits; 0 means not at all. `before` has the phases before it in the plan.
    """

    bundle: NotRequired[str]
    metadata: NotRequired[str]
    timeoutSeconds: NotRequired[float]
    before: NotRequired[list[PhaseName]]


class SerialisedRow(TypedDict):
    """A row as JSON; empty members are left out."""

    name: str
    phase: str
    kind: RowKind
    executor: str
    needs: list[str]
    deadlineSeconds: float
    pollSeconds: float
    retry: RetryPolicy
    waitsFor: str
    message: str
    shortestSeconds: NotRequired[float]
    usualSeconds: NotRequired[float]
    together: NotRequired[bool]
    owner: NotRequired[Owner]
    when: NotRequired[str]
    document: NotRequired[PhaseReference]


class Polling(TypedDict):
    """How often a row is polled, in scaled seconds: its shortest and its longest pause between two polls.

    `usualSeconds` is how long it usually takes, if that is known.
    """

    firstPollSeconds: float
    pollSeconds: float
    usualSeconds: NotRequired[float]


# The share of the time waited so far that passes before the next poll.
POLL_SHARE = 0.2
# If the usual time of a row is known, each pause before this share of it is as long as all pauses so far, and each
# pause after it is the other share of the time waited.
DUE_SHARE, DUE_POLL_SHARE = 0.8, 0.02


def pause(polling: Polling, waited: float) -> float:
    """Return how long to wait before the next poll: a share of the time waited so far, within the row's bounds.

    So the end of a short wait is noticed soon, and long waits are polled rarely. Apart from the row's shortest pause,
    polling never delays a row by more than that share. A row whose usual time is known is polled rarely until its end
    is due, and then often.

    Args:
        polling: the bounds.
        waited: seconds since the row began.
    """
    shortest, longest = polling["firstPollSeconds"], polling["pollSeconds"]
    usual = polling.get("usualSeconds")
    if usual is None:
        return min(max(waited * POLL_SHARE, shortest), longest)
    until_due = usual * DUE_SHARE - waited
    if until_due > shortest:
        return min(max(waited, shortest), longest, until_due)
    return min(max(waited * DUE_POLL_SHARE, shortest), longest)


class ResolvedRow(SerialisedRow):
    """A row as an operation stores it: scaled, and without `when` and `shortestSeconds`, which are decided by then."""

    firstPollSeconds: float
    cancelSeconds: float


class CheckRow(ResolvedRow):
    """The row that begins each attempt, with the executors of all rows that are still to run."""

    executors: list[str]


class SkippedRow(TypedDict):
    """A row that an operation skips, and why."""

    name: str
    reason: str


class ResolvedRetry(TypedDict):
    """How errors of one class are tried again, scaled."""

    everySeconds: float
    withinSeconds: float
    verb: RetryVerb


Policy = dict[RetryClass, ResolvedRetry]


class ResolvedPlan(TypedDict):
    """A plan as an operation stores it; `done` has the rows that an earlier operation has done."""

    name: str
    timeScale: float
    rows: list[ResolvedRow]
    skipped: list[SkippedRow]
    controlSeconds: float
    controlWithinSeconds: float
    retryPolicies: dict[RetryPolicy, Policy]
    done: NotRequired[list[str]]


class Caller(TypedDict):
    """The members of the operation that every activity gets: no document, no secret, no plan."""

    operationId: str
    attempt: int
    clusterKey: str
    clusterDocumentId: str
    correlationId: str
    clientRequestId: str
    traceparent: str


class StartInput(Caller):
    """The input of an orchestration."""

    plan: ResolvedPlan
    done: list[str]


def caller(start: StartInput) -> Caller:
    """Return the members of the operation that every activity gets: no document, no secret, no plan."""
    return {
        "operationId": start["operationId"],
        "attempt": start["attempt"],
        "clusterKey": start["clusterKey"],
        "clusterDocumentId": start["clusterDocumentId"],
        "correlationId": start["correlationId"],
        "clientRequestId": start["clientRequestId"],
        "traceparent": start["traceparent"],
    }


class Done(TypedDict):
    """The work is done."""

    outcome: Literal["done"]
    message: NotRequired[str]


class Wait(TypedDict):
    """The work continues. With `unanswered` nobody answered, and the time does not count against the row's deadline."""

    outcome: Literal["wait"]
    message: str
    unanswered: NotRequired[bool]
    retryAfterSeconds: NotRequired[float]
    # Further details for a deadline's error, such as the state of the cluster's operators.
    details: NotRequired[list[CloudErrorBody]]


class Failed(TypedDict):
    """The call failed; the class says whether that may pass. The ending of a row no longer has a class."""

    outcome: Literal["failed"]
    error: CloudErrorBody
    retryClass: NotRequired[RetryClass]
    retryAfterSeconds: NotRequired[int]


class Fenced(TypedDict):
    """Another attempt has taken over."""

    outcome: Literal["fenced"]


class Stopped(TypedDict):
    """The operation is stopping, and nothing of this row runs any more."""

    outcome: Literal["stopped"]


class Crashed(TypedDict):
    """The process that ran the activity died. Only the engine makes this outcome."""

    outcome: Literal["crashed"]
    message: str


# What an activity returns, what the engine gets from one, and how a row ends.
Outcome = Done | Wait | Failed | Fenced | Stopped
Heard = Outcome | Crashed
Ending = Done | Failed | Fenced | Stopped


class Verdict(StrEnum):
    """What a dry run says about a row."""

    # A check has passed, or the row has nothing to do or is not reached.
    CHECKED = "checked"
    REFUSED = "refused"
    MADE = "made"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"
    # It was not looked at, because earlier rows have to run first.
    LATER = "later"
    # It was not looked at, because it needs a secret, or because Azure did not answer.
    NOT_CHECKED = "notChecked"


class TriedResource(TypedDict):
    """A resource of a template: `made`, `exists`, or `notChecked` if its name or state could not be found out."""

    id: str
    state: Literal["made", "exists", "notChecked"]


class TriedRow(TypedDict):
    """What a dry run says about one row. `mayPass`: the operation would try for a while before it fails."""

    row: str
    phase: str
    verdict: Verdict
    message: str
    error: NotRequired[CloudErrorBody]
    mayPass: NotRequired[bool]
    resources: NotRequired[list[TriedResource]]


class DryRunInput(TypedDict):
    """The input of a dry run, without any secret.

    `document` is the cluster document that the request would write. With `render`, only this row is rendered.
    """

    plan: ResolvedPlan
    document: dict[str, Any]
    operationId: str
    correlationId: str
    clientRequestId: str
    traceparent: str
    render: NotRequired[str]


class DryRunResult(TypedDict):
    """What a dry run has found; `rendered` has what the row of `render` would send."""

    rows: list[TriedRow]
    rendered: list[dict[str, Any]]
