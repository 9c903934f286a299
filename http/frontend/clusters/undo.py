"""Undoes the writes of a request that fails: secrets, operations and reservations that nobody will ever use.

Best effort: if a process or a dependency dies, a sweep finds what is left.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from azure.core.exceptions import AzureError

from shared import deadline, tracing
from shared.store import OutcomeUnknown, PreconditionFailed

_log = logging.getLogger(__name__)


@contextmanager
def undoing() -> Iterator[ExitStack]:
    """If the block of a request raises, run the undoing of its writes, newest first."""
    with ExitStack() as stack:
        try:
            yield stack
        except BaseException:
            # An error of the connection does not say which call failed, and the calls below go to other services.
            token = tracing.address.set(tracing.address.get())
            with deadline.aftermath():
                stack.close()
            tracing.address.reset(token)
            raise
        stack.pop_all()


def attempt(what: str, undo: Callable[[], object]) -> None:
    """Try to undo one write of a request. A failure is logged and does not hide the original error."""
    try:
        undo()
    except (AzureError, OutcomeUnknown, PreconditionFailed) as error:
        extra = tracing.current.get().extra()
        _log.warning("a request that failed could not %s: %s", what, type(error).__name__, extra=extra)
