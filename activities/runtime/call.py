"""The input of an activity: which step of which operation it serves, and the fence that goes with it."""

from typing import TypedDict

from shared.arm.errors import CloudErrorBody
from shared.steps import ResolvedRow, Verb
from shared.store import Fence


class Call(TypedDict, total=False):
    """An activity's input; `docs/documents.md` explains the members."""

    operationId: str
    attempt: int
    clusterKey: str
    clusterDocumentId: str
    correlationId: str
    clientRequestId: str
    traceparent: str
    step: str
    verb: Verb
    row: ResolvedRow
    startTime: str
    deadline: str
    polls: int
    error: CloudErrorBody | None
    failedStep: str


def fence_of(call: Call) -> Fence:
    """Return the fence that a call runs under."""
    return Fence(call["clusterKey"], call["operationId"], call["attempt"], call["clusterDocumentId"])
