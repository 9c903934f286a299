"""Writes whose answer may be lost: whether one was carried out is read back, and never guessed."""

import logging
from collections.abc import Callable
from http import HTTPStatus

from azure.core.exceptions import (
    AzureError,
    ClientAuthenticationError,
    HttpResponseError,
    ServiceResponseTimeoutError,
)

from shared import deadline
from shared.store.containers import Conflict, NotFound, PreconditionFailed

# With these, Cosmos DB says that it did nothing. 408 is absent: it is a time-out on their side.
_REFUSALS = frozenset(
    {HTTPStatus.BAD_REQUEST, HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.REQUEST_ENTITY_TOO_LARGE}
    | {HTTPStatus.TOO_MANY_REQUESTS}
)

_log = logging.getLogger(__name__)


class OutcomeUnknown(Exception):  # noqa: N818 - what happened is not known to be an error
    """The answer to a write was lost, and so was the answer to the question what became of it, or it came too soon."""


def ensure_written(write: Callable[[], object], is_written: Callable[[], bool]) -> None:
    """Write a document; where the answer is lost, read back whether it is there.

    A refusal may be an answer to our own write too: whoever repeats a conditional write whose answer was lost, be it
    the SDK or a proxy, meets what the first one left.

    Args:
        write: creates or replaces the document.
        is_written: reads it back, and tells whether it is ours by something that nobody else would write.

    Raises:
        OutcomeUnknown: when reading back failed as well, or the write may still be on its way; caused by the error of
            the write.
        Exception: what `write` raised, when nothing was written.
    """
    try:
        write()
    except (Conflict, NotFound, PreconditionFailed, AzureError) as error:
        if not _is_refusal(error) and _found(is_written, error):
            return
        raise


def _found(is_written: Callable[[], bool], error: Exception) -> bool:
    try:
        with deadline.aftermath():
            found = is_written()
    except AzureError as second:
        _log.warning("what became of a write is not known: %s", type(second).__name__)
        raise OutcomeUnknown from error
    if found:
        _log.warning("the answer to a write was lost, and the document is written: %s", type(error).__name__)
    elif isinstance(error, ServiceResponseTimeoutError):
        # Nobody has cut the connection: what a slow network holds back is written when it arrives.
        raise OutcomeUnknown from error
    return found


def _is_refusal(error: Exception) -> bool:
    """Tell whether nothing can have been written, so that nobody need ask."""
    if isinstance(error, HttpResponseError) and error.status_code:
        return error.status_code in _REFUSALS
    return isinstance(error, ClientAuthenticationError)
