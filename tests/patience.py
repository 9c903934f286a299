"""What tests do because a machine may be busy: they wait as long as only a hang takes, and repeat what got a 503."""

import time
from collections.abc import Callable
from http import HTTPStatus
from typing import TypeVar

import requests

Answer = TypeVar("Answer")
# The longest that a test waits for an answer, or for a state that comes by itself.
PATIENCE_SECONDS = 240.0


def status_of(answer: requests.Response) -> int:
    """Return the status of an answer."""
    return answer.status_code


def served(send: Callable[[], Answer], status: Callable[[Answer], int] = status_of) -> Answer:  # type: ignore[assignment]  # the default is for answers of `requests`
    """Send a request until it gets something else than a 503; return the answer.

    The service gives each request a few seconds. A machine that is too busy for that answers 503, and clients repeat
    the request.

    Args:
        send: sends the request.
        status: returns the HTTP status of an answer.
    """
    until = time.monotonic() + PATIENCE_SECONDS
    while status(answer := send()) == HTTPStatus.SERVICE_UNAVAILABLE and time.monotonic() < until:
        time.sleep(1)
    return answer
