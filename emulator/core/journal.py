"""The journal: one line for every call that an emulated service answered, for people, tests and benchmarks."""

import json
import logging
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

logger = logging.getLogger("emulator.journal")

KEPT_IN_MEMORY = 50_000


@dataclass(frozen=True)
class Entry:
    """One answered call.

    Args:
        time: when it came, RFC 3339.
        service: which service.
        operation: its name, such as `PUT Microsoft.Network/virtualNetworks`.
        method: HTTP method.
        path: path and query as sent, secrets in it (`sig`, `code`) masked.
        status: HTTP status answered; 0 when the connection was cut.
        caller: object id or name of the caller, as far as known.
        correlation_id: `x-ms-correlation-request-id`, or what the service uses for it.
        step: the step of an operation that it serves, where the caller's W3C baggage names one.
        fault: id of the injected fault, or "".
        seconds: how long the answer took.
        error: the error's code, or "".
        message: the error's message, or "".
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
    error: str = ""
    message: str = ""


class Journal:
    """Keeps the last calls in memory and all of them in a file of JSON lines."""

    def __init__(self, path: Path | None = None) -> None:
        self._entries: deque[Entry] = deque(maxlen=KEPT_IN_MEMORY)
        self._file = None if path is None else path.open("a", encoding="utf-8", buffering=1)

    def add(self, entry: Entry) -> None:
        """Record one call."""
        self._entries.append(entry)
        if self._file is not None:
            self._file.write(json.dumps(vars(entry)) + "\n")

    def entries(self, correlation_id: str = "", service: str = "") -> Iterator[Entry]:
        """Yield calls, oldest first, of one correlation id or service where given."""
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
