"""The activity log of each subscription: what ARM was asked to write, delete or do there, by whom, and how it ended.

Every call of a client and every resource of a deployment leaves one record, also if it is refused. A record of work that
goes on has the address to poll, until somebody has read how it ended.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from urllib.parse import urlsplit
from uuid import uuid4

from emulator.arm.ids import subscription_of
from emulator.core.clock import rfc3339
from emulator.core.platform import Platform
from emulator.core.service_error import ServiceError
from emulator.entra.models import Principal
from emulator.json_object import Json

# Source: https://learn.microsoft.com/azure/azure-monitor/platform/activity-log: events are kept for 90 days.
KEPT = timedelta(days=90)
VERBS: Mapping[str, str] = {"PUT": "write", "PATCH": "write", "DELETE": "delete", "POST": "action"}


@dataclass(frozen=True)
class Deed:
    """A call that changes something, or runs an action.

    Args:
        caller: the principal that made the call.
        method: HTTP method.
        kind: the type that the call is about, or the type and its action.
        path: path of the call, without the query.
        correlation_id: correlation id of the call.
        status: HTTP status of the answer.
        headers: headers of the answer, which say where to poll.
        error: the error with which the call was refused.
        client_request_id: the id that the client gave the call, or "".
    """

    caller: Principal
    method: str
    kind: str
    path: str
    correlation_id: str
    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    error: ServiceError | None = None
    client_request_id: str = ""


# Tells how work ended, by its poll address: `{"time", "error"}`; None if it goes on, or the address is not its own.
Ender = Callable[[str], Json | None]


class ActivityLog:
    """The records of all subscriptions."""

    def __init__(self, platform: Platform) -> None:
        self._clock = platform.clock
        self._table = platform.store.table("arm_activity")
        self.enders: list[Ender] = []

    def add(self, deed: Deed) -> None:
        """Record a call, if it is in a subscription and more than a read."""
        subscription_id, group = subscription_of(deed.path)
        if not subscription_id or deed.method not in VERBS:
            return
        now, is_action = self._clock.now(), deed.method == "POST"
        scope = deed.path.rpartition("/")[0] if is_action else deed.path
        headers = {name.lower(): value for name, value in deed.headers.items()}
        polled = urlsplit(headers.get("azure-asyncoperation") or headers.get("location") or "")
        record: Json = {
            "id": str(uuid4()),
            "operationId": str(uuid4()),
            "time": rfc3339(now),
            "subscriptionId": subscription_id.lower(),
            "resourceGroup": group,
            "scope": scope,
            "action": f"{deed.kind}/{VERBS[deed.method]}",
            "method": deed.method,
            "caller": deed.caller.name if deed.caller.is_user else deed.caller.object_id,
            "tenantId": deed.caller.tenant_id,
            "claims": {name: str(value) for name, value in deed.caller.claims.items()},
            "correlationId": deed.correlation_id,
            "clientRequestId": deed.client_request_id,
            "status": deed.status,
            "poll": f"{polled.path}?{polled.query}" if polled.path and deed.error is None else "",
            "end": None if deed.error is None else {"time": rfc3339(now), "error": deed.error.body()},
        }
        self._table.put(f"{record['subscriptionId']}|{record['time']}|{record['id']}", record)

    def between(self, subscription_id: str, first: datetime, last: datetime) -> Iterator[Json]:
        """Yield the records of a subscription that began in a span of time, oldest first."""
        prefix = f"{subscription_id.lower()}|"
        for key, record in self._table.scan(prefix, after=f"{prefix}{rfc3339(first)}"):
            if record["time"] > rfc3339(last):
                return
            yield self._ended(key, record)

    def end(self, record: Json, error: Json | None) -> Json:
        """Note that the work of a record has ended; return the record."""
        ended = record | {"end": {"time": rfc3339(self._clock.now()), "error": error}, "poll": ""}
        self._table.put(f"{record['subscriptionId']}|{record['time']}|{record['id']}", ended)
        return ended

    def purge(self) -> None:
        """Delete what is too old."""
        limit = rfc3339(self._clock.now() - KEPT)
        for key, record in list(self._table.scan()):
            if record["time"] < limit:
                self._table.delete(key)

    def _ended(self, key: str, record: Json) -> Json:
        """Return a record with its end, if that is known by now."""
        if not record["poll"]:
            return record
        for ender in self.enders:
            if (end := ender(record["poll"].partition("?")[0])) is not None:
                ended = record | {"end": end, "poll": ""}
                self._table.put(key, ended)
                return ended
        return record
