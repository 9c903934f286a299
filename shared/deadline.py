"""Deadlines of single calls to a dependency, and of a request with all its calls.

The SDKs nest their retries and sleep between them, so none of their settings limits a whole call. The deadline is a
context variable instead, and a hook in every pipeline reads it before each attempt. It caps the socket's time-outs by
the time left. Once no time is left, the call ends with an error that no SDK retries.

Calls to ARM in activities have no deadline: a PUT or a long list may take half a minute. The reads of ARM in a request
share one of their own.
"""

import math
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from azure.core.exceptions import HttpResponseError, ServiceResponseTimeoutError
from azure.core.pipeline import PipelineRequest, PipelineResponse

from shared import durations

CALL_SECONDS = durations.REQUEST_CALL.total_seconds()
REQUEST_SECONDS = durations.REQUEST.total_seconds()
RENDERING_SECONDS = durations.RENDERING.total_seconds()
AFTERMATH_SECONDS = durations.AFTERMATH.total_seconds()
# A request that shows clusters shows what is not read by then as it is stored. An update that compares its body with a
# cluster has as long for its own calls as without.
LIVE_READS_SECONDS = durations.LIVE_READS.total_seconds()
ARM_READS_SECONDS = durations.ARM_READS.total_seconds()
# The headers in which an answer asks the client to wait, and how many of their units make a second. The SDKs wait as
# long as they say.
_WAITS = {"x-ms-retry-after-ms": 1000, "retry-after-ms": 1000, "Retry-After": 1}
_NUMBER = re.compile(r"[0-9]+")
TIMEOUTS: Mapping[str, float] = {
    "connection_timeout": durations.REQUEST_CONNECTION.total_seconds(),
    "read_timeout": durations.REQUEST_READ.total_seconds(),
}

_AFTERMATH_CALL_SECONDS = durations.AFTERMATH_CALL.total_seconds()

_call_seconds: ContextVar[float] = ContextVar("call_seconds", default=CALL_SECONDS)
_ends: ContextVar[float] = ContextVar("ends", default=math.inf)
_aftermath_ends: ContextVar[float] = ContextVar("aftermath_ends", default=math.inf)


@dataclass
class _LiveReads:
    """When the reads of live clusters in one request must have ended, and how long they took so far.

    All threads of the request share it.
    """

    ends: float = math.inf
    taken: float = 0.0


_live_reads: ContextVar[_LiveReads | None] = ContextVar("live_reads", default=None)


@dataclass
class _ArmReads:
    """When the reads of ARM in one request must have ended. All threads of the request share it."""

    ends: float = math.inf


_arm_reads: ContextVar[_ArmReads | None] = ContextVar("arm_reads", default=None)


class TimeIsUp(Exception):  # noqa: N818 - not an `AzureError`, because the SDKs would retry those
    """The deadline has passed, or would pass during the wait that an answer asks for."""

    def __init__(self, response: Any = None) -> None:
        """Keep the answer that asks to wait, if there is one."""
        super().__init__()
        self.response = response


def seconds_left() -> float:
    """Return the seconds until the deadline, or infinity if there is none."""
    return _ends.get() - time.monotonic()


def aftermath_left() -> float:
    """Return the seconds until a request has to be answered."""
    return _aftermath_end() - time.monotonic()


def _aftermath_end() -> float:
    reads = _live_reads.get()
    return _aftermath_ends.get() + (reads.taken if reads else 0)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Set a deadline for all calls in a block, unless an earlier one is set."""
    token = _ends.set(min(_ends.get(), time.monotonic() + seconds))
    try:
        yield
    finally:
        _ends.reset(token)


@contextmanager
def request(seconds: float = REQUEST_SECONDS) -> Iterator[None]:
    """Set the deadlines of a request that has just arrived.

    Args:
        seconds: the time that it has for everything but its aftermath.
    """
    now = time.monotonic()
    aftermath = _aftermath_ends.set(now + seconds + AFTERMATH_SECONDS)
    live = _live_reads.set(_LiveReads(now + LIVE_READS_SECONDS))
    reads = _arm_reads.set(_ArmReads())
    try:
        with within(seconds):
            yield
    finally:
        _arm_reads.reset(reads)
        _live_reads.reset(live)
        _aftermath_ends.reset(aftermath)


@contextmanager
def arm_reads() -> Iterator[None]:
    """Set the deadline of reads of ARM, which begins with the first read of a request. Elsewhere each has its own."""
    reads = _arm_reads.get() or _ArmReads()
    reads.ends = min(reads.ends, time.monotonic() + ARM_READS_SECONDS)
    with within(reads.ends - time.monotonic()):
        yield


@contextmanager
def live_reads() -> Iterator[None]:
    """Set the deadline for reading live clusters. The request then has as much time left as before."""
    reads, began = _live_reads.get() or _LiveReads(), time.monotonic()
    ends = _ends.set(min(reads.ends, began + LIVE_READS_SECONDS))
    try:
        yield
    finally:
        taken = time.monotonic() - began
        reads.taken += taken
        _ends.reset(ends)
        _ends.set(_ends.get() + taken)


@contextmanager
def aftermath() -> Iterator[None]:
    """Extend the deadline, so that a failed request can find out whether it was accepted, and clean up."""
    ends, seconds = _ends.set(_aftermath_end()), _call_seconds.set(_AFTERMATH_CALL_SECONDS)
    try:
        yield
    finally:
        _call_seconds.reset(seconds)
        _ends.reset(ends)


@contextmanager
def call() -> Iterator[None]:
    """Limit the duration of one call to a dependency of the service.

    Raises:
        azure.core.exceptions.HttpResponseError: if the last answer asks to wait longer than the time left.
        azure.core.exceptions.ServiceResponseTimeoutError: if the time is up. The call may have been carried out, or may
            still be.
    """
    try:
        with within(_call_seconds.get()):
            yield
    except TimeIsUp as error:
        if error.response is not None:
            raise HttpResponseError(response=error.response) from error
        raise ServiceResponseTimeoutError("No answer came in time.") from error


def before_sending(request: PipelineRequest[Any]) -> None:
    """Cap the time-outs of one attempt; a pipeline hook.

    Raises:
        TimeIsUp: if no time is left for another attempt.
    """
    seconds = seconds_left()
    if seconds <= 0:
        raise TimeIsUp
    if seconds < math.inf:
        options = request.context.options
        for name, longest in TIMEOUTS.items():
            options[name] = min(options.get(name, longest), seconds)


def before_sleeping(response: PipelineResponse[Any, Any]) -> None:
    """Refuse a wait that would pass the deadline; a pipeline hook.

    Raises:
        TimeIsUp: if the answer asks to wait longer than the time left.
    """
    if any(seconds > seconds_left() for seconds in _waits(response.http_response.headers)):
        raise TimeIsUp(response.http_response)


def _waits(headers: Mapping[str, str]) -> Iterator[float]:
    for name, a_second in _WAITS.items():
        text = str(headers.get(name, ""))
        if _NUMBER.fullmatch(text):
            yield float(text) / a_second
