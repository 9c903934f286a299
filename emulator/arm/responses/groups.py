"""Requests for resource groups and for lists of resources."""

import re
from collections.abc import Callable, Mapping, Sequence

from starlette.responses import Response

from emulator.arm import exceptions
from emulator.arm.call import Call, answer, page
from emulator.arm.groups import group_key, normal_location, render_group
from emulator.arm.policy import policies
from emulator.json_object import Json

TYPE = "Microsoft.Resources/subscriptions/resourceGroups"
DELETE_RETRY_SECONDS = 15

_TERM = re.compile(r"(\w+) +eq +'((?:[^']|'')*)'", re.IGNORECASE)
_FILTER = re.compile(rf"\s*(?:{_TERM.pattern}(?:\s+and\s+{_TERM.pattern})*)?\s*", re.IGNORECASE)
_TERMS: Mapping[str, Callable[[Json, Mapping[str, str]], str | None]] = {
    "resourcetype": lambda body, _: body["type"],
    "resourcegroup": lambda body, _: body["id"].split("/")[4],
    "location": lambda body, _: body["location"],
    "name": lambda body, _: body["name"],
    "tagname": lambda body, terms: next((tag for tag in _tags(body) if _same(tag, terms["tagname"])), None),
    "tagvalue": lambda body, terms: next(
        (value for tag, value in _tags(body).items() if _same(tag, terms.get("tagname", ""))), None
    ),
}


async def list_groups(call: Call) -> Response:
    """GET …/resourcegroups: the groups that the caller may read."""
    subscription_id = _enter(call)
    found = [
        render_group(document)
        for document in call.arm.groups.in_subscription(subscription_id)
        if call.arm.authorization.allowed(call.caller, f"{TYPE}/read", document["id"])
    ]
    return page(call, _filtered(call, found))


async def get_group(call: Call) -> Response:
    """GET …/resourcegroups/{name}."""
    subscription_id, name = _authorized(call, "read")
    return answer(render_group(call.arm.groups.get(subscription_id, name)))


async def head_group(call: Call) -> Response:
    """HEAD …/resourcegroups/{name}: 204 or 404."""
    subscription_id, name = _authorized(call, "read")
    return answer(None, 404 if call.arm.groups.find(subscription_id, name) is None else 204)


async def put_group(call: Call) -> Response:
    """PUT …/resourcegroups/{name}.

    The resource provider may create a group that one of its own resources manages by the role for such groups.
    """
    subscription_id, name = _enter(call), call.params["group"]
    body = await call.object()
    existing = call.arm.groups.find(subscription_id, name)
    managed_by = body.get("managedBy")
    owner = managed_by if existing is None and isinstance(managed_by, str) else ""
    if not call.arm.authorization.may_manage(call.caller, f"{TYPE}/write", subscription_id, owner):
        _authorize(call, subscription_id, "write")
    _check_policies(call, subscription_id, name, body)
    document, created = call.arm.groups.put(subscription_id, name, body)
    return answer(render_group(document), 201 if created else 200)


async def patch_group(call: Call) -> Response:
    """PATCH …/resourcegroups/{name}: changes tags."""
    subscription_id, name = _authorized(call, "write")
    body = await call.object()
    existing = call.arm.groups.require_writable(subscription_id, name)
    known = {"location": existing["location"], "tags": existing["tags"]}
    _check_policies(call, subscription_id, name, known | body)
    return answer(render_group(call.arm.groups.patch(subscription_id, name, body)))


async def delete_group(call: Call) -> Response:
    """DELETE …/resourcegroups/{name}: answers 202 with a `Location` to poll."""
    subscription_id, name = _authorized(call, "delete")
    operation = await call.arm.delete_group(subscription_id, name, call.caller, call.correlation_id)
    headers = {
        "Location": call.url(f"/subscriptions/{subscription_id}/operationresults/{operation['id']}"),
        "Retry-After": call.arm.clock.retry_after(DELETE_RETRY_SECONDS),
    }
    return answer(None, 202, headers)


async def list_group_resources(call: Call) -> Response:
    """GET …/resourcegroups/{name}/resources: the tracked resources of a group that match `$filter`."""
    subscription_id, name = _authorized(call, "resources/read")
    call.arm.groups.get(subscription_id, name)
    return page(call, await _tracked(call, f"{group_key(subscription_id, name)}/"))


async def list_subscription_resources(call: Call) -> Response:
    """GET …/resources: the tracked resources of a subscription."""
    subscription_id = _enter(call)
    call.arm.authorize(
        call.caller, "Microsoft.Resources/subscriptions/resources/read", f"/subscriptions/{subscription_id}"
    )
    return page(call, await _tracked(call, f"/subscriptions/{subscription_id}/"))


async def _tracked(call: Call, prefix: str) -> list[Json]:
    expand = call.request.query_params.get("$expand", "").lower()
    found = []
    for stored in call.arm.scan(prefix):
        if "location" not in stored:
            continue
        kept = ("id", "name", "type", "location", "tags", "sku", "kind", "managedBy", "zones")
        body = {name: stored[name] for name in kept if name in stored}
        if "createdtime" in expand:
            body |= {"createdTime": stored["created"], "changedTime": stored["changed"]}
        found.append(body)
    return _filtered(call, found + await call.arm.front_door.known(prefix))


def _filtered(call: Call, found: Sequence[Json]) -> list[Json]:
    """Return the items that match `$filter`: terms `member eq 'value'`, joined by `and`."""
    text = call.request.query_params.get("$filter", "")
    terms = {name.lower(): value.replace("''", "'") for name, value in _TERM.findall(text)}
    if not _FILTER.fullmatch(text) or not terms.keys() <= _TERMS.keys():
        raise exceptions.INVALID_FILTER(text)
    return [body for body in found if all(_same(_TERMS[name](body, terms), wanted) for name, wanted in terms.items())]


def _check_policies(call: Call, subscription_id: str, name: str, body: Json) -> None:
    """Check that no policy refuses the write of a group."""
    identifier = f"/subscriptions/{subscription_id}/resourceGroups/{name}"
    location, tags = normal_location(str(body.get("location") or "")), body.get("tags") or {}
    if isinstance(tags, dict):
        policies.check(call.arm, policies.Write(policies.GROUP, identifier, location, tags, indexed=False, body=body))


def _tags(body: Json) -> dict[str, str]:
    return body.get("tags") or {}


def _same(value: str | None, wanted: str) -> bool:
    return value is not None and value.lower() == wanted.lower()


def _enter(call: Call) -> str:
    document = call.arm.subscriptions.for_caller(call.params["subscription_id"], call.caller)
    subscription_id: str = document["subscriptionId"]
    return subscription_id


def _authorized(call: Call, verb: str) -> tuple[str, str]:
    subscription_id = _enter(call)
    _authorize(call, subscription_id, verb)
    return subscription_id, call.params["group"]


def _authorize(call: Call, subscription_id: str, verb: str) -> None:
    scope = f"/subscriptions/{subscription_id}/resourcegroups/{call.params['group']}"
    call.arm.authorize(call.caller, f"{TYPE}/{verb}", scope)
