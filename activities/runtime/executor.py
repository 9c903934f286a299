"""What stands behind an activity's name, and the outcomes it may have.

An executor's functions take a `Step` and either return None (done), return `wait(...)`, or raise: `CloudError` for a
failure that the customer reads, `TryAgain` for one that may pass, and any error of an Azure SDK as it came.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from activities.runtime.step import Step
from shared import steps
from shared.arm.errors import CloudError
from shared.steps import RetryClass, Wait

Outcome = steps.Outcome
Work = Callable[[Step], Outcome | None]


class TryAgain(Exception):  # noqa: N818 - an answer more than an error
    """A failure that may pass; whether it is tried again is the plan's decision."""

    def __init__(self, error: CloudError, retry_class: RetryClass) -> None:
        """Keep what to say when it does not pass."""
        super().__init__(str(error))
        self.error = error
        self.retry_class = retry_class


def wait(message: str, retry_after_seconds: int | None = None, *, unanswered: bool = False) -> Wait:
    """Return the outcome of work that goes on.

    Args:
        message: what was seen.
        retry_after_seconds: when Azure wants to be asked again.
        unanswered: whether who was asked gave no answer; an outage does not count against the row's deadline.
    """
    outcome: Wait = {"outcome": "wait", "message": message}
    if unanswered:
        outcome["unanswered"] = True
    if retry_after_seconds:
        outcome["retryAfterSeconds"] = retry_after_seconds
    return outcome


def _nothing_to_cancel(_step: Step) -> None:
    return None


def _nothing_wrong(_step: Step) -> list[str]:
    return []


def _nothing_to_render(_step: Step) -> list[dict[str, Any]]:
    return []


@dataclass(frozen=True)
class Executor:
    """One activity: what it does, and what it can tell about it.

    Attributes:
        run: begins the work, or does all of it. May run twice.
        status: tells whether it is done; for a condition this is all there is.
        cancel: ends what `run` began; waits until nothing runs any more.
        validate: what is missing before the work can begin, one sentence each.
        render: what `run` would send.
        control: of the engine itself: runs while the operation is stopping.
        settles: ends the operation: a second delivery finds the fence gone because the first one removed it.
    """

    run: Work | None = None
    status: Work | None = None
    cancel: Work = _nothing_to_cancel
    validate: Callable[[Step], list[str]] = _nothing_wrong
    render: Callable[[Step], list[dict[str, Any]]] = _nothing_to_render
    control: bool = False
    settles: bool = False
