"""Long-running operations: rows with the time at which they end, which every read compares with the clock.

Nothing runs in the background, so a restart or a kill loses nothing: an operation that was due while the process was
down has ended when the process returns. Some operations also wait for a condition. Every read evaluates it, and the
first read that finds it met stores the result.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal
from uuid import uuid4

from emulator.core.clock import rfc3339
from emulator.core.exceptions import repeated
from emulator.core.platform import Platform
from emulator.core.service_error import ServiceError
from emulator.json_object import Json

Kind = Literal["put", "delete", "action"]

# State of the condition that an operation waits for: `waiting`, `done`, or the error with which it failed.
Outcome = Literal["waiting", "done"] | ServiceError

KEPT = timedelta(days=7)
# Interval at which `wait` evaluates a condition, in seconds of Azure's time.
LOOK_SECONDS = 8


@dataclass(frozen=True)
class ResourceOperation:
    """The operation that a PUT, a DELETE or an action began.

    Args:
        resource_id: the resource, in the casing with which it was created.
        api_version: the api-version of the request.
        status_code: HTTP status of the answer: 200, 201, 202 or 204.
        body: body of the answer: the resource, an action's result, or {}.
        operation_id: id of the running operation; "" if the work is done.
    """

    resource_id: str
    api_version: str
    status_code: int
    body: Json
    operation_id: str = ""


class Operations:
    """The operations of one Azure Resource Manager."""

    def __init__(self, platform: Platform, outcome: Callable[[Json], Outcome]) -> None:
        self._clock = platform.clock
        self._outcome = outcome
        self._table = platform.store.table("arm_operations")

    def begin(
        self,
        kind: Kind,
        resource_id: str,
        seconds: float,
        *,
        api_version: str = "",
        result: Json | None = None,
        error: ServiceError | None = None,
        waits: bool = False,
    ) -> Json:
        """Store a new operation and return it.

        Args:
            kind: what the operation does.
            resource_id: the resource that it works on.
            seconds: how long Azure takes for it, in seconds.
            api_version: the api-version in which the result is shown.
            result: the final answer of an action.
            error: the error with which the operation will fail.
            waits: whether the operation waits for a condition in addition to its duration.
        """
        now = self._clock.now()
        operation: Json = {
            "id": str(uuid4()),
            "kind": kind,
            "resourceId": resource_id,
            "apiVersion": api_version,
            "startTime": rfc3339(now),
            "readyAt": rfc3339(self._clock.after(seconds)),
            "result": result,
            "error": None if error is None else _written(error),
            "waits": waits,
        }
        self._table.put(operation["id"], operation)
        return operation

    def get(self, operation_id: str) -> Json | None:
        """Return an operation, or None. If the operation is due and its condition is met or has failed, end it."""
        operation = self._table.get(operation_id.lower())
        now = rfc3339(self._clock.now())
        if operation is None or not operation.get("waits") or operation["readyAt"] > now:
            return operation
        outcome = self._outcome(operation)
        if outcome == "waiting":
            return operation
        operation |= {"waits": False, "readyAt": now}
        if isinstance(outcome, ServiceError):
            operation["error"] = _written(outcome)
        self._table.put(operation["id"], operation)
        return operation

    def end(self, operation_id: str, seconds: float, error: ServiceError | None = None) -> Json:
        """Let an operation that waited for work end after this many seconds of Azure's time; return it."""
        operation = self._table.get(operation_id) or {}
        operation |= {"waits": False, "readyAt": rfc3339(self._clock.after(seconds))}
        if error is not None:
            operation["error"] = _written(error)
        self._table.put(operation_id, operation)
        return operation

    def ended(self, poll: str) -> Json | None:
        """Return when the operation with a poll address ended, and its error; None if it goes on, or is not one of these."""
        operation = self.get(poll.rpartition("/")[2])
        if operation is None or not self.is_over(operation):
            return None
        return {"time": operation["readyAt"], "error": operation["error"]["body"] if operation["error"] else None}

    def is_over(self, operation: Json) -> bool:
        """Tell whether an operation has ended."""
        return not operation.get("waits") and bool(operation["readyAt"] <= rfc3339(self._clock.now()))

    def status(self, operation: Json) -> Json:
        """Return the body that the status URL of an operation answers."""
        if not self.is_over(operation):
            return {"name": operation["id"], "status": "InProgress", "startTime": operation["startTime"]}
        body = {
            "name": operation["id"],
            "status": "Failed" if operation["error"] else "Succeeded",
            "startTime": operation["startTime"],
            "endTime": operation["readyAt"],
        }
        if operation["error"]:
            body["error"] = operation["error"]["body"]
        if operation["result"] is not None:
            body["properties"] = operation["result"]
        return body

    async def wait(self, operation: Json) -> None:
        """Wait until an operation ends.

        Raises:
            ServiceError: the operation failed.
        """
        left = datetime.fromisoformat(operation["readyAt"]) - self._clock.now()
        while left > timedelta(0):
            await asyncio.sleep(left.total_seconds())
            left = datetime.fromisoformat(operation["readyAt"]) - self._clock.now()
        while operation.get("waits"):
            operation = self.get(operation["id"]) or operation | {"waits": False}
            if operation.get("waits"):
                await self._clock.sleep(LOOK_SECONDS)
        raise_failure(operation)

    def purge(self) -> None:
        """Delete the operations that ended more than a week ago."""
        limit = rfc3339(self._clock.now() - KEPT)
        old = [key for key, found in self._table.scan() if not found.get("waits") and found["readyAt"] < limit]
        for key in old:
            self._table.delete(key)


def _written(error: ServiceError) -> Json:
    return {"status": error.status_code, "body": error.body()}


def raise_failure(operation: Json) -> None:
    """Raise the error with which an operation ended, if it failed.

    Raises:
        ServiceError: that error.
    """
    if operation["error"]:
        raise repeated(operation["error"]["status"], operation["error"]["body"])
