"""The activity log as clients read it: events with the names of Azure Monitor, selected by a filter.

Source: https://learn.microsoft.com/rest/api/monitor/activity-logs/list, and for the wire format of its errors the recordings
of the Azure CLI.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from urllib.parse import unquote_plus

from starlette.responses import Response

from emulator.arm.activity import KEPT
from emulator.arm.call import Call, Row, answer, page
from emulator.arm.forwarding import provider_calls
from emulator.arm.ids import parse
from emulator.core.service_error import ServiceError
from emulator.json_object import Json
from emulator.monitoring import exceptions

VERSION = "2015-04-01"
TYPE = "Microsoft.Insights/eventtypes/values"
_TERM = re.compile(r"(\w+)\s+(ge|le|eq)\s+('(?:[^']|'')*'|\S+)", re.IGNORECASE)
_AND = re.compile(r"\s+and\s+", re.IGNORECASE)
_TIME = "eventtimestamp"
# Whether an event matches a term of the filter, by its member in lower case. The value is in lower case too.
_MATCHES: Mapping[str, Callable[[Json, str], bool]] = {
    "resourcegroupname": lambda event, value: event["resourceGroupName"].lower() == value,
    "resourceuri": lambda event, value: event["resourceId"].lower() == value,
    "resourceid": lambda event, value: event["resourceId"].lower() == value,
    "resourceprovider": lambda event, value: event["resourceProviderName"]["value"].lower() == value,
    "correlationid": lambda event, value: event["correlationId"].lower() == value,
    "caller": lambda event, value: event["caller"].lower() == value,
    "status": lambda event, value: event["status"]["value"].lower() == value,
    "levels": lambda event, value: event["level"].lower() in value,
    "eventchannels": lambda event, value: event["channels"].lower() in value,
}


@dataclass(frozen=True)
class Filter:
    """What a request asks for."""

    first: datetime
    last: datetime
    terms: Mapping[str, str]


async def list_events(call: Call) -> Response:
    """GET …/eventtypes/management/values: the events of a subscription, newest first."""
    subscription_id = call.params["subscription_id"]
    call.arm.subscriptions.for_caller(subscription_id, call.caller)
    try:
        wanted = read_filter(call.request.query_params.get("$filter", ""), call.arm.clock.now())
    except ServiceError as error:
        # This service has an error format of its own.
        return answer({"Code": error.code, "Message": error.message}, error.status_code)
    call.arm.authorize(call.caller, f"{TYPE}/read", _scope(subscription_id, wanted))
    events: list[Json] = []
    for record in call.arm.activity.between(subscription_id, wanted.first, wanted.last):
        events += [event for event in _events(await _with_end(call, record)) if _matches(event, wanted)]
    events.sort(key=lambda event: str(event["eventTimestamp"]))
    events.reverse()
    return page(call, [_selected(event, call.request.query_params.get("$select", "")) for event in events], 200)


def read_filter(text: str, now: datetime) -> Filter:
    """Read a filter.

    Raises:
        ServiceError: 400 `BadRequest`.
    """
    first, last = None, now
    terms: dict[str, str] = {}
    for term in _AND.split(text.strip()) if text.strip() else ():
        found = _TERM.fullmatch(term)
        member, operator = (found[1].lower(), found[2].lower()) if found is not None else ("", "")
        value = found[3].strip("'").replace("''", "'") if found is not None else ""
        if member == _TIME and operator == "ge":
            first = _time(value, text)
        elif member == _TIME and operator == "le":
            last = _time(value, text)
        elif member in _MATCHES and operator == "eq":
            terms[member] = value.lower()
        else:
            raise exceptions.BAD_FILTER(text)
    if first is None:
        raise exceptions.NO_START()
    if first < now - KEPT:
        raise exceptions.TOO_EARLY(KEPT.days)
    return Filter(first, last, terms)


def _matches(event: Json, wanted: Filter) -> bool:
    return all(_MATCHES[member](event, value) for member, value in wanted.terms.items())


def _time(value: str, text: str) -> datetime:
    try:
        found = datetime.fromisoformat(unquote_plus(value).replace(" ", "+"))
    except ValueError as error:
        raise exceptions.BAD_FILTER(text) from error
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _scope(subscription_id: str, wanted: Filter) -> str:
    """Return the scope at which the caller must be allowed to read: that of the group or resource that it asks for."""
    subscription = f"/subscriptions/{subscription_id}"
    resource = wanted.terms.get("resourceid") or wanted.terms.get("resourceuri")
    group = wanted.terms.get("resourcegroupname")
    return resource or (f"{subscription}/resourceGroups/{group}" if group else subscription)


async def _with_end(call: Call, record: Json) -> Json:
    """Return a record with its end, which only the resource provider knows if the work is its own."""
    target = parse(record["poll"].partition("?")[0]) if record["poll"] else None
    if target is None or not call.arm.front_door.serves(target):
        return record
    ended, error = await provider_calls.ended(call.arm, call.caller, record["poll"], record["correlationId"])
    return call.arm.activity.end(record, error) if ended else record


def _events(record: Json) -> list[Json]:
    """Return the events of a record: its beginning, that it goes on, and its end."""
    events = [_event(record, record["time"], "Started", 0)]
    accepted = record["poll"] or (record["end"] or {"time": record["time"]})["time"] > record["time"]
    if accepted:
        events.append(_event(record, record["time"], "Accepted", record["status"]))
    if record["end"] is not None or not record["poll"]:
        end = record["end"] or {"time": record["time"], "error": None}
        state = "Failed" if end["error"] else "Succeeded"
        failed_later = HTTPStatus.CONFLICT if end["error"] else HTTPStatus.OK
        events.append(_event(record, end["time"], state, failed_later if accepted else record["status"]))
    return events


def _event(record: Json, time: str, state: str, status: int) -> Json:
    name = HTTPStatus(status).phrase.replace(" ", "") if status else ""
    error = record["end"]["error"] if state == "Failed" else None
    moment = datetime.fromisoformat(time)
    number = {"Started": 0, "Accepted": 1}.get(state, 2)
    identifier = f"{record['id'][:-1]}{number}"
    target = parse(record["scope"])
    namespace = "Microsoft.Resources" if target is None else target.namespace
    kind = "Microsoft.Resources/subscriptions/resourcegroups" if target is None else target.type
    ticks = int((moment - datetime(1, 1, 1, tzinfo=UTC)).total_seconds() * 10_000_000)
    return {
        "authorization": {"action": record["action"], "scope": record["scope"]},
        "caller": record["caller"],
        "category": _named("Administrative"),
        "channels": "Operation",
        "claims": record["claims"],
        "correlationId": record["correlationId"],
        "description": "",
        "eventDataId": identifier,
        "eventName": {"value": "BeginRequest", "localizedValue": "Begin request"}
        if state == "Started"
        else {"value": "EndRequest", "localizedValue": "End request"},
        "eventTimestamp": time,
        "httpRequest": {
            "clientIpAddress": "127.0.0.1",
            "clientRequestId": record["clientRequestId"],
            "method": record["method"],
        },
        "id": f"{record['scope']}/events/{identifier}/ticks/{ticks}",
        "level": "Error" if state == "Failed" else "Informational",
        "operationId": record["operationId"],
        "operationName": _named(record["action"]),
        "properties": {
            "entity": record["scope"],
            "eventCategory": "Administrative",
            "message": record["action"],
            **({"statusCode": name} if name else {}),
            **({"statusMessage": json.dumps({"error": error})} if error else {}),
        },
        "resourceGroupName": record["resourceGroup"],
        "resourceId": record["scope"],
        "resourceProviderName": _named(namespace),
        "resourceType": _named(kind),
        "status": _named(state),
        "subStatus": {"value": name, "localizedValue": f"{name} (HTTP Status Code: {status})" if name else ""},
        "submissionTimestamp": time,
        "subscriptionId": record["subscriptionId"],
        "tenantId": record["tenantId"],
    }


def _named(value: str) -> Json:
    return {"value": value, "localizedValue": value}


def _selected(event: Json, text: str) -> Json:
    """Return the members of an event that `$select` names; all of them without it."""
    wanted = {member.strip().lower() for member in text.split(",") if member.strip()}
    return {name: value for name, value in event.items() if not wanted or name.lower() in wanted}


ROWS = (
    Row(
        "GET",
        "/subscriptions/{subscription_id}/providers/Microsoft.Insights/eventtypes/management/values",
        list_events,
        TYPE,
        (VERSION,),
    ),
)
