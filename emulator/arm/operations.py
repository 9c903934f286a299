"""Long-running operations: a row with the moment at which it is over, compared on every read.

Nothing runs meanwhile. So a restart or a kill loses nothing: whatever was due while the process was away is over when
it returns. The same holds for an operation that also waits for something to happen: whether it has is asked on every
read, and written down once.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal
from uuid import uuid4

from emulator.core.clock import rfc3339
from emulator.core.errors import ServiceError
from emulator.core.platform import Platform

Json = dict[str, Any]
Kind = Literal["put", "delete", "action"]

# Whether what an operation waits for has happened: `waiting`, `done`, or how it failed.
Outcome = Literal["waiting", "done"] | ServiceError

KEPT = timedelta(days=7)
# How often somebody who waits for more than time looks again, in seconds of Azure.
LOOK_SECONDS = 8


@dataclass(frozen=True)
class ResourceOperation:
    """What a PUT, DELETE or long action began.

    Args:
        resource_id: the resource, in the casing it was made with.
        api_version: version the caller used.
        status_code: what the service answers: 200, 201, 202 or 204.
        body: the resource as answered; {} after a delete.
        operation_id: the running operation, "" when the work is done.
    """

    resource_id: str
    api_version: str
    status_code: int
    body: Json
    operation_id: str = ""


class Operations:
    """The operations of one Azure Resource Manager.

    Args:
        platform: clock and store.
        outcome: tells whether what an operation waits for, beyond its time, has happened.
    """

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
        """Note an operation.

        Args:
            kind: what it does.
            resource_id: to what.
            seconds: how long Azure takes.
            api_version: in which the result is shown.
            result: what an action answers in the end.
            error: how it fails in the end.
            waits: whether time alone does not end it.
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
        """Return an operation, or None; one that waited for something which has happened ends now."""
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

    def is_over(self, operation: Json) -> bool:
        """Tell whether it had ended when it was read."""
        return not operation.get("waits") and bool(operation["readyAt"] <= rfc3339(self._clock.now()))

    def status(self, operation: Json) -> Json:
        """Return what its status address answers."""
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
        """Wait for the end.

        Raises:
            ServiceError: it failed.
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
        """Forget what ended a week ago."""
        limit = rfc3339(self._clock.now() - KEPT)
        old = [key for key, found in self._table.scan() if not found.get("waits") and found["readyAt"] < limit]
        for key in old:
            self._table.delete(key)


def _written(error: ServiceError) -> Json:
    return {"status": error.status_code, "body": error.body()}


def raise_failure(operation: Json) -> None:
    """Raise the error with which an operation ended, if it did.

    Raises:
        ServiceError: that error.
    """
    if operation["error"]:
        body = operation["error"]["body"]
        raise ServiceError(
            operation["error"]["status"],
            body["code"],
            body["message"],
            target=body.get("target"),
            details=body.get("details", ()),
        )
