"""What plans, the engine and activities tell each other: the rows of a plan, the words in them, and outcomes.

Everything here travels as JSON, where an enum's member becomes its value: compare with `==`, never with `is`. The types
name the members that this build knows; what a newer build has added stays where it is.
"""

from enum import StrEnum
from typing import Literal, NotRequired, TypedDict

from shared.arm.errors import CloudErrorBody, Owner


class RowKind(StrEnum):
    """How a row is run: once, begun and then asked about, or only asked about."""

    ACTION = "action"
    BEGIN_AND_POLL = "begin-and-poll"
    CONDITION = "condition"


class Verb(StrEnum):
    """What an activity is asked to do with its row."""

    RUN = "run"
    STATUS = "status"
    CANCEL = "cancel"


class RetryClass(StrEnum):
    """The class of an error: the policy of a row says which classes are tried again."""

    NONE = "none"
    THROTTLED = "throttled"
    TRANSIENT = "transient"
    AUTHORIZATION = "authorization"
    BUSY = "busy"
    GIVEN_UP = "given-up"
    PRINCIPAL = "principal"


class RetryPolicy(StrEnum):
    """The policies that a row may name; `orchestrators/retry.py` says what they hold."""

    NONE = "none"
    AZURE = "azure"
    SERVICE_PRINCIPAL = "service-principal"
    PERMISSIONS = "permissions"


class RetryVerb(StrEnum):
    """What an error that is tried again calls: what failed, or the row's beginning."""

    SAME = "same"
    RUN = "run"


class StepStatus(StrEnum):
    """The status of a progress item."""

    RUNNING = "Running"
    SUCCEEDED = "Succeeded"
    FAILED = "Failed"
    CANCELED = "Canceled"


class ProgressItem(TypedDict):
    """What is stored of one step in one attempt; `docs/design.md` explains the members."""

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
    endTime: NotRequired[str]


class RowTerms(TypedDict):
    """What every form of a row holds under the same name; members that say nothing are left out."""

    needs: list[str]
    deadlineSeconds: float
    pollSeconds: float
    retry: RetryPolicy
    waitsFor: str
    message: str
    shortestSeconds: NotRequired[float]
    together: NotRequired[bool]
    owner: NotRequired[Owner]
    when: NotRequired[str]


class RowMembers(RowTerms):
    """What a row holds besides its name and its executor."""

    phase: str
    kind: RowKind


class SerialisedRow(RowMembers):
    """A row as JSON."""

    name: str
    executor: str


class ResolvedRow(SerialisedRow):
    """A row as an operation stores it: scaled, and without `when` and `shortestSeconds`, which are decided."""

    firstPollSeconds: float
    cancelSeconds: float


class SkippedRow(TypedDict):
    """A row that is left out of an operation, and why."""

    name: str
    reason: str


class ResolvedRetry(TypedDict):
    """How errors of one class are tried again, scaled."""

    everySeconds: float
    withinSeconds: float
    verb: RetryVerb


Policy = dict[RetryClass, ResolvedRetry]


class ResolvedPlan(TypedDict):
    """A plan as an operation stores it; `done` are the rows that an earlier operation has done."""

    name: str
    timeScale: float
    rows: list[ResolvedRow]
    skipped: list[SkippedRow]
    controlSeconds: float
    controlWithinSeconds: float
    retryPolicies: dict[RetryPolicy, Policy]
    done: NotRequired[list[str]]


class Caller(TypedDict):
    """What every activity is told of the operation that calls it: no document, no secret, no plan."""

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


class Done(TypedDict):
    """The work is done."""

    outcome: Literal["done"]
    message: NotRequired[str]


class Wait(TypedDict):
    """The work goes on; `unanswered` when nobody could tell, which does not count against the row's deadline."""

    outcome: Literal["wait"]
    message: str
    unanswered: NotRequired[bool]
    retryAfterSeconds: NotRequired[int]
    # What a deadline's error tells besides, such as the state of the cluster's operators.
    details: NotRequired[list[CloudErrorBody]]


class Failed(TypedDict):
    """The call failed; the class tells whether it may pass. The ending of a row has no class any more."""

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
    """The process that ran the activity died; only the engine says so."""

    outcome: Literal["crashed"]
    message: str


# What an activity returns, what the engine hears of one, and how a row ends.
Outcome = Done | Wait | Failed | Fenced | Stopped
Heard = Outcome | Crashed
Ending = Done | Failed | Fenced | Stopped
