"""The journal: one line for each call that an emulated service answered, for people, tests and benchmarks."""

import json
import os
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol

KEPT_IN_MEMORY = 50_000
# The environment variable that names a function which returns an observer, or None, as `module:function`.
OBSERVER = "LOCAL_AZURE_OBSERVER"
# The actions on which ARM has decided for the call that the current task answers; None outside such a call.
_ACTIONS: ContextVar[dict[str, None] | None] = ContextVar("actions", default=None)


@contextmanager
def noting_actions() -> Iterator[dict[str, None]]:
    """Collect the actions that `note_action` names in this block, as the keys of the result."""
    actions: dict[str, None] = {}
    token = _ACTIONS.set(actions)
    try:
        yield actions
    finally:
        _ACTIONS.reset(token)


def note_action(action: str) -> None:
    """Note for the journal that ARM decides whether the caller may perform an action."""
    actions = _ACTIONS.get()
    if actions is not None:
        actions[action] = None


@dataclass(frozen=True)
class Entry:
    """One answered call.

    Args:
        time: when the call arrived, RFC 3339.
        service: name of the service.
        operation: name of the operation, such as `PUT Microsoft.Network/virtualNetworks`.
        method: HTTP method.
        path: path and query as sent, with secrets (`sig`, `code`, `client_secret`) masked.
        status: HTTP status of the answer; 0 if the connection was cut.
        caller: object id or name of the caller, or "" if unknown.
        correlation_id: `x-ms-correlation-request-id`, or the header that the service uses instead.
        fault: id of the injected fault, or "".
        seconds: how long the answer took, in seconds.
        step: the step of an operation that makes the call, if the caller's W3C baggage names one.
        charge: request units that the service charged, or 0.
        error: code of the error, or "".
        message: message of the error, or "".
        actions: the actions on which ARM decided for the call, in order, each once.
    """

    time: str
    service: str
    operation: str
    method: str
    path: str
    status: int
    caller: str
    correlation_id: str
    fault: str
    seconds: float
    step: str = ""
    charge: float = 0
    error: str = ""
    message: str = ""
    actions: tuple[str, ...] = ()


class Observer(Protocol):
    """Gets the bodies of calls, which the journal does not keep."""

    def add(self, entry: Entry, request: bytes, reply: bytes) -> None:
        """Observe a call with the body of its request and of its answer."""


def observer_from_environment() -> Observer | None:
    """Return the observer that the environment asks for, or None."""
    module, _, name = os.environ.get(OBSERVER, "").partition(":")
    made: Observer | None = getattr(import_module(module), name)() if module else None
    return made


class Journal:
    """Keeps the last calls in memory, and all calls in a file of JSON lines.

    Args:
        path: the file.
        observer: is told of each call.
    """

    def __init__(self, path: Path | None = None, observer: Observer | None = None) -> None:
        self._entries: deque[Entry] = deque(maxlen=KEPT_IN_MEMORY)
        self._file = None if path is None else path.open("a", encoding="utf-8", buffering=1)
        self.observer = observer

    def add(self, entry: Entry, request: bytes = b"", reply: bytes = b"") -> None:
        """Record one call."""
        self._entries.append(entry)
        if self.observer is not None:
            self.observer.add(entry, request, reply)
        if self._file is not None:
            self._file.write(json.dumps(vars(entry)) + "\n")

    def entries(self, correlation_id: str = "", service: str = "") -> Iterator[Entry]:
        """Yield the calls, oldest first; with a correlation id or a service, only the calls of these."""
        for entry in list(self._entries):
            if correlation_id and entry.correlation_id != correlation_id:
                continue
            if service and entry.service != service:
                continue
            yield entry

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
