"""The journal's entries for the calls that a deployment makes on behalf of the caller, as if they were separate requests."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from emulator.core.clock import rfc3339
from emulator.core.journal import Entry, noting_actions
from emulator.core.platform import Platform
from emulator.core.service_error import ServiceError


@dataclass
class Answer:
    """What the journal learns of a call while it runs."""

    status: int = 0
    fault: str = ""
    request: Any = None
    reply: Any = None


@contextmanager
def journaled(
    platform: Platform,
    operation: str,
    path: str,
    *,
    caller: str,
    correlation_id: str,
    redact: Callable[[str], str] = str,
) -> Iterator[Answer]:
    """Write the entry of a call when the block ends."""
    began, answer = platform.clock.now(), Answer()
    code, message = "", ""
    actions: dict[str, None] = {}
    try:
        with noting_actions() as actions:
            yield answer
    except ServiceError as error:
        answer.status, code, message = error.status_code, error.code, redact(error.message)
        raise
    finally:
        platform.journal.add(
            Entry(
                time=rfc3339(began),
                service="arm",
                operation=operation,
                method=operation.partition(" ")[0],
                path=path,
                status=answer.status,
                caller=caller,
                correlation_id=correlation_id,
                fault=answer.fault,
                seconds=round((platform.clock.now() - began).total_seconds(), 6),
                error=code,
                message=message,
                actions=tuple(actions),
            ),
            *((_json(answer.request), _json(answer.reply)) if platform.journal.observer is not None else ()),
        )


def _json(body: Any) -> bytes:
    return b"" if body is None else json.dumps(body).encode()
