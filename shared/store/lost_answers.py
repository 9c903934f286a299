"""Writes whose answer may be lost: the code reads back whether one was carried out, and never guesses."""

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

# With these statuses Cosmos DB says that it did nothing. 408 is absent, because it is a time-out on their side.
_REFUSALS = frozenset(
    {HTTPStatus.BAD_REQUEST, HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.REQUEST_ENTITY_TOO_LARGE}
    | {HTTPStatus.TOO_MANY_REQUESTS}
)

_log = logging.getLogger(__name__)


class OutcomeUnknown(Exception):  # noqa: N818 - it may not be an error at all
    """The answer to a write was lost, and reading back failed too, or came too soon to be conclusive."""


def ensure_written(write: Callable[[], object], is_written: Callable[[], bool]) -> None:
    """Write a document; if the answer is lost, read back whether it is there.

    Even a refusal may concern our own write: if the SDK or a proxy repeats a conditional write whose answer was lost,
    the repetition meets the result of the first one.

    Args:
        write: creates or replaces the document.
        is_written: reads it back, and recognizes our own write by something that nobody else would write.

    Raises:
        OutcomeUnknown: if reading back failed as well, or the write may still be on its way; caused by the error of the
            write.
        Exception: what `write` raised, if nothing was written.
    """
    try:
        write()
    except (Conflict, NotFound, PreconditionFailed, AzureError) as error:
        if not _is_refusal(error) and _read_back(is_written, error):
            return
        raise


def _read_back(is_written: Callable[[], bool], error: Exception) -> bool:
    try:
        with deadline.aftermath():
            written = is_written()
    except AzureError as second:
        _log.warning("what became of a write is not known: %s", type(second).__name__)
        raise OutcomeUnknown from error
    if written:
        _log.warning("the answer to a write was lost, and the document is written: %s", type(error).__name__)
    elif isinstance(error, ServiceResponseTimeoutError):
        # The connection was not cut: a write that a slow network holds back takes effect when it arrives.
        raise OutcomeUnknown from error
    return written


def _is_refusal(error: Exception) -> bool:
    """Tell whether the write certainly did not happen, so that nobody needs to read back."""
    if isinstance(error, HttpResponseError) and error.status_code:
        return error.status_code in _REFUSALS
    return isinstance(error, ClientAuthenticationError)
