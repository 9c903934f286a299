"""The management API of the durable extension, version 2.13.

One table of operations serves both listeners: the public routes, whose key the host checks first, and the local rpc
routes of the worker. Any other request gets 404 with an empty body.
"""

import json
import re
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from emulator.host.asgi import Reply
from emulator.host.durable.client_binding import ManagementAddress
from emulator.host.durable.history import compact_json, parse_time, terminated
from emulator.host.durable.records import TERMINAL, InstanceActiveError, now_text, stamp
from emulator.host.durable.status import instance_status
from emulator.host.durable.store import TaskHub
from emulator.host.function_index import FunctionIndex

_INVALID_ID = re.compile(r"[/\\#?\x00-\x1f\x7f-\x9f]")
_MAX_ID_LENGTH = 256
_NOT_FOUND = Reply(404)
_ACCEPTED = Reply(202)
_GONE = Reply(410)
_START_URLS = (
    "id",
    "statusQueryGetUri",
    "sendEventPostUri",
    "terminatePostUri",
    "purgeHistoryDeleteUri",
    "restartPostUri",
    "suspendPostUri",
    "resumePostUri",
)


@dataclass(frozen=True)
class ManagementRequest:
    """A request below the base of the API, with decoded path segments and query names in lower case."""

    method: str
    segments: tuple[str, ...]
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes

    def flag(self, name: str, *, default: bool) -> bool:
        """Return a boolean of the query, or the default if it is missing or does not parse."""
        return {"true": True, "false": False}.get(self.query.get(name, "").lower(), default)


Operation = Callable[["Management", ManagementRequest], Awaitable[Reply]]


@dataclass(frozen=True)
class Management:
    """Everything the operations need."""

    hub: TaskHub
    index: FunctionIndex
    address: ManagementAddress
    wake: Callable[[], None]

    async def handle(self, request: ManagementRequest) -> Reply:
        """Answer one request."""
        operation = _find_operation(request)
        if operation is None:
            return _NOT_FOUND
        try:
            return await operation(self, request)
        except Exception as error:  # noqa: BLE001 - the extension answers any error with its description
            return _error(500, "Something went wrong while processing your request", error)


def _find_operation(request: ManagementRequest) -> Operation | None:
    segments = request.segments[:-1] if request.segments[-1:] == ("",) else request.segments
    resource = segments[0].lower() if segments else ""
    if resource == "entities":
        return _ENTITIES
    if resource == "instances" and len(segments) > _OPERATION_POSITION:
        operation = segments[_OPERATION_POSITION].lower()
        return _INSTANCE_OPERATIONS.get((request.method, operation, len(segments)))
    return _OPERATIONS.get((request.method, resource, len(segments)))


def _json(status: int, document: Any, headers: list[tuple[str, str]] | None = None) -> Reply:
    return Reply(
        status,
        compact_json(document).encode(),
        [("Content-Type", "application/json; charset=utf-8"), *(headers or [])],
    )


def _error(status: int, message: str, error: Exception, kind: str | None = None) -> Reply:
    return _json(
        status,
        {
            "Message": message,
            "ExceptionMessage": str(error),
            "ExceptionType": kind or f"System.{type(error).__name__}",
            "StackTrace": "",
        },
    )


async def _start(management: Management, request: ManagementRequest) -> Reply:
    name, *rest = (segment for segment in request.segments[1:] if segment)
    instance_id = rest[0] if rest else uuid.uuid4().hex
    function = management.index.orchestrators.get(name.lower())
    if function is None:
        problem = (
            f"The function '{name}' doesn't exist, is disabled, or is not an orchestrator function. Additional info: "
            f"The following are the known orchestrator functions: {', '.join(management.index.orchestrators) or 'none'}."
        )
        return _error(400, "One or more of the arguments submitted is incorrect", ValueError(problem), _ARGUMENT)
    if bad_id := _id_problem(instance_id):
        return _error(400, "One or more of the arguments submitted is incorrect", ValueError(bad_id), _ARGUMENT)
    try:
        text = compact_json(json.loads(request.body)) if request.body.strip() else None
    except ValueError as error:
        return _error(400, "Invalid JSON content", error, "Newtonsoft.Json.JsonReaderException")
    try:
        management.hub.start(name, instance_id, None if text == "null" else text)
    except InstanceActiveError as error:
        return _error(
            500, "Something went wrong while processing your request", error, "System.InvalidOperationException"
        )
    management.wake()
    return _check_status(management, instance_id)


_ARGUMENT = "System.ArgumentException"


def _check_status(management: Management, instance_id: str) -> Reply:
    urls = management.address.instance_urls(instance_id)
    headers = [("Location", urls["statusQueryGetUri"]), ("Retry-After", "10")]
    return _json(202, {name: urls[name] for name in _START_URLS}, headers)


def _id_problem(instance_id: str) -> str | None:
    if instance_id.startswith("@"):
        return "Orchestration instance IDs must not start with @."
    if _INVALID_ID.search(instance_id):
        return "Orchestration instance IDs must not contain /, \\, #, ?, or control characters."
    if len(instance_id) > _MAX_ID_LENGTH:
        return f"Instance ID lengths must not exceed {_MAX_ID_LENGTH} characters."
    return None


async def _get(management: Management, request: ManagementRequest) -> Reply:
    instance = management.hub.get(request.segments[1])
    if instance is None:
        return _NOT_FOUND
    show_history = request.flag("showhistory", default=False)
    document = instance_status(
        instance,
        management.hub.history(instance.instance_id) if show_history else None,
        show_input=request.flag("showinput", default=True),
        show_history_output=request.flag("showhistoryoutput", default=False),
    )
    if not instance.is_terminal:
        location = management.address.instance_urls(instance.instance_id)["statusQueryGetUri"]
        return _json(202, document, [("Location", location), ("Retry-After", "5")])
    as_error = instance.status == "Failed" and request.flag("returninternalservererroronfailure", default=False)
    return _json(500 if as_error else 200, document)


def _time_bound(request: ManagementRequest, name: str) -> str | None:
    # The plus sign of an offset arrives as a space.
    text = request.query.get(name, "").strip().replace(" ", "+")
    try:
        return stamp(parse_time(text))
    except ValueError:
        return None


async def _list(management: Management, request: ManagementRequest) -> Reply:
    statuses = [status for status in request.query.get("runtimestatus", "").split(",") if status]
    top = request.query.get("top", "")
    found = management.hub.query(statuses=statuses)[: int(top) if top.isdecimal() else None]
    return _json(200, [instance_status(instance) for instance in found])


async def _purge_one(management: Management, request: ManagementRequest) -> Reply:
    if management.hub.get(request.segments[1]) is None:
        return _NOT_FOUND
    return _json(200, {"instancesDeleted": management.hub.delete([request.segments[1]])})


async def _purge_many(management: Management, request: ManagementRequest) -> Reply:
    created_from = _time_bound(request, "createdtimefrom")
    if created_from is None:
        return _error(400, "Please provide value for 'createdTimeFrom' parameter.", ValueError("createdTimeFrom"))
    wanted = {status for status in request.query.get("runtimestatus", "").split(",") if status}
    ended = management.hub.query(
        created_from=created_from,
        created_to=_time_bound(request, "createdtimeto"),
        statuses=sorted(TERMINAL & wanted if wanted else TERMINAL) or ["none"],
    )
    if not ended:
        return _NOT_FOUND
    return _json(200, {"instancesDeleted": management.hub.delete([instance.instance_id for instance in ended])})


async def _terminate(management: Management, request: ManagementRequest) -> Reply:
    instance = management.hub.get(request.segments[1])
    if instance is None:
        return _NOT_FOUND
    if instance.is_terminal:
        return _GONE
    management.hub.send(instance.instance_id, terminated(request.query.get("reason"), now_text()))
    management.wake()
    return _ACCEPTED


def _refuse(what: str) -> Operation:
    """Make an operation that says what the local host lacks."""

    async def operation(_management: Management, _request: ManagementRequest) -> Reply:
        return _error(501, f"The local host has no {what}.", NotImplementedError(what))

    return operation


_ENTITIES = _refuse("durable entities")


# Verb, resource, number of path segments -> operation.
_OPERATIONS: dict[tuple[str, str, int], Operation] = {
    ("POST", "orchestrators", 2): _start,
    ("POST", "orchestrators", 3): _start,
    ("GET", "instances", 1): _list,
    ("DELETE", "instances", 1): _purge_many,
    ("GET", "instances", 2): _get,
    ("DELETE", "instances", 2): _purge_one,
}

# Verb, operation (instances/ID/OPERATION), number of path segments -> operation.
_OPERATION_POSITION = 2
_INSTANCE_OPERATIONS: dict[tuple[str, str, int], Operation] = {
    ("POST", "raiseevent", 4): _refuse("events"),
    ("POST", "terminate", 3): _terminate,
    **{("POST", what, 3): _refuse(f"operation {what}") for what in ("suspend", "resume", "rewind", "restart")},
}
