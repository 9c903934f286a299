"""What a request that fails takes back: secrets, operations and reservations that nobody will ever hear of.

Best effort: what a dead process or a dead dependency leaves, a sweep finds.
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
    """Run what the block has pushed, newest first, if the block raises."""
    with ExitStack() as stack:
        try:
            yield stack
        except BaseException:
            # An error of the connection does not say whose it was, and what follows calls others.
            token = tracing.address.set(tracing.address.get())
            with deadline.aftermath():
                stack.close()
            tracing.address.reset(token)
            raise
        stack.pop_all()


def attempt(what: str, undo: Callable[[], object]) -> None:
    """Try to undo one thing; a failure is logged and hides nothing."""
    try:
        undo()
    except (AzureError, OutcomeUnknown, PreconditionFailed) as error:
        extra = tracing.current.get().extra()
        _log.warning("a request that failed could not %s: %s", what, type(error).__name__, extra=extra)
