"""The executor behind an activity's name, and the outcomes that it may have.

The functions of an executor take a `FencedCall`: mostly a `Step`, which works on a cluster. They return None
(done), `done(...)` or `wait(...)`, or raise: `CloudError` for a failure that the customer reads, `TryAgain` for one
that may pass, and any error of an Azure SDK unchanged.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from activities.runtime.fenced_call import FencedCall
from shared import steps
from shared.arm.errors import CloudError
from shared.steps import Done, RetryClass, Wait

Outcome = steps.Outcome
Given = TypeVar("Given", bound=FencedCall[Any])


class TryAgain(Exception):  # noqa: N818 - an answer more than an error
    """A failure that may pass. The plan decides whether it is tried again."""

    def __init__(self, error: CloudError, retry_class: RetryClass) -> None:
        """Keep the error to report if it does not pass."""
        super().__init__(str(error))
        self.error = error
        self.retry_class = retry_class


def wait(message: str, retry_after_seconds: float | None = None, *, unanswered: bool = False) -> Wait:
    """Return the outcome of an activity whose work continues.

    Args:
        message: what was observed.
        retry_after_seconds: when to ask again: when Azure wants to be asked, or when the end is expected.
        unanswered: whether the called service gave no answer; an outage does not count against the row's deadline.
    """
    outcome: Wait = {"outcome": "wait", "message": message}
    if unanswered:
        outcome["unanswered"] = True
    if retry_after_seconds:
        outcome["retryAfterSeconds"] = retry_after_seconds
    return outcome


def done(message: str) -> Done:
    """Return the outcome of an activity that is done, with what people should know of it.

    Args:
        message: what was found, or why there was nothing to do.
    """
    return {"outcome": "done", "message": message}


# One request or document that an executor would send or write, without secrets.
Rendered = Mapping[str, Any]


def _nothing_to_cancel(_step: object) -> None:
    return None


def _nothing_wrong(_step: object) -> list[str]:
    return []


def _nothing_to_render(_step: object) -> list[Rendered]:
    return []


@dataclass(frozen=True)
class Executor(Generic[Given]):
    """One activity: what it does, and what it can report about it.

    Attributes:
        run: begins the work, or does all of it. May run twice.
        status: tells whether it is done; a condition has only this.
        cancel: ends what `run` began, and waits until nothing runs any more.
        validate: returns what is missing before the work can begin, one sentence each.
        render: returns what `run` would send or write.
        control: whether it belongs to the engine itself, and so runs while the operation is stopping.
        settles: whether it ends the operation. A second delivery then counts as done, although the fence is gone: the
            first one removed it.
    """

    run: Callable[[Given], Outcome | None] | None = None
    status: Callable[[Given], Outcome | None] | None = None
    cancel: Callable[[Given], Outcome | None] = _nothing_to_cancel
    validate: Callable[[Given], list[str]] = _nothing_wrong
    render: Callable[[Given], list[Rendered]] = _nothing_to_render
    control: bool = False
    settles: bool = False
