"""Requests for the tags of a subscription, a group or a resource, as a resource of their own: `…/tags/default`.

Who may write tags need not be able to write what has them: the role Tag Contributor is made of these actions.
"""

from starlette.responses import Response

from emulator.arm import exceptions
from emulator.arm.call import Call, answer
from emulator.arm.forwarding import provider_calls
from emulator.arm.ids import ResourceId, parse, subscription_of
from emulator.arm.models import ArmModel
from emulator.arm.policy import policies
from emulator.arm.responses.groups import TYPE as GROUP_TYPE
from emulator.arm.schema import READ_ONLY, MapOf, Reading, Required
from emulator.arm.tags import check_tags
from emulator.arm.tags import tags as kind_of_tags
from emulator.arm.writes.put_body import table_of
from emulator.core.clock import rfc3339
from emulator.json_object import Json

TYPE = "Microsoft.Resources/tags"
TAGS_PATH = "properties.tags"
_TABLE = {
    "id": READ_ONLY,
    "name": READ_ONLY,
    "type": READ_ONLY,
    "operation": str,
    "properties": Required({"tags": MapOf(str)}),
}
MERGE, REPLACE, DELETE = "Merge", "Replace", "Delete"


async def get_tags(call: Call) -> Response:
    """GET {scope}/…/tags/default."""
    scope = _enter(call, "read")
    return answer(_shown(scope, await _read(call, scope)))


async def put_tags(call: Call) -> Response:
    """PUT {scope}/…/tags/default: replaces all tags."""
    scope = _enter(call, "write")
    given = _given(await call.object())
    return answer(_shown(scope, await _write(call, scope, given)))


async def patch_tags(call: Call) -> Response:
    """PATCH {scope}/…/tags/default: merges tags, replaces all, or deletes those that have the same name and value."""
    scope = _enter(call, "write")
    body = await call.object()
    given = _given(body)
    operation = next((known for known in _OPERATIONS if known.lower() == str(body.get("operation")).lower()), "")
    if not operation:
        raise exceptions.INVALID_REQUEST_CONTENT(
            f"Error converting value \"{body.get('operation')}\" to one of {', '.join(_OPERATIONS)}. Path 'operation'"
        )
    wanted = _OPERATIONS[operation](await _read(call, scope), given)
    return answer(_shown(scope, await _write(call, scope, wanted)))


async def delete_tags(call: Call) -> Response:
    """DELETE {scope}/…/tags/default: removes all tags."""
    scope = _enter(call, "delete")
    await _write(call, scope, {})
    return answer(None)


def _merge(current: Json, given: Json) -> Json:
    """Return the tags with the given ones, whose names match in any case, as Azure compares them."""
    new = {name.lower() for name in given}
    return {name: value for name, value in current.items() if name.lower() not in new} | given


def _without(current: Json, given: Json) -> Json:
    """Return the tags without those that have one of the given names with its value."""
    gone = {(name.lower(), value) for name, value in given.items()}
    return {name: value for name, value in current.items() if (name.lower(), value) not in gone}


_OPERATIONS = {MERGE: _merge, REPLACE: lambda _current, given: given, DELETE: _without}


def _enter(call: Call, verb: str) -> str:
    """Check that the caller may read or write the tags of the scope, and that the scope exists; return the scope."""
    scope = call.params["scope"]
    subscription_id, group = subscription_of(scope)
    if not subscription_id:
        raise exceptions.absent_path(call.request)
    call.arm.subscriptions.for_caller(subscription_id, call.caller)
    call.arm.authorize(call.caller, f"{TYPE}/{verb}", scope)
    if group and verb == "read":
        call.arm.groups.get(subscription_id, group)
    elif group:
        call.arm.groups.require_writable(subscription_id, group, exists=True)
    return scope


def _given(body: Json) -> Json:
    """Return the tags in a body."""
    reading = Reading("", "TagsResource")
    read = reading.read(_TABLE, body, "")
    if reading.problems:
        raise exceptions.unreadable(reading.problems)
    return dict(read["properties"].get("tags", {}))


async def _read(call: Call, scope: str) -> Json:
    """Return the tags of a scope."""
    target = parse(scope)
    if target is not None and call.arm.front_door.serves(target):
        found = await provider_calls.read(call.arm, call.caller, scope, call.correlation_id)
    else:
        found = _document(call.arm, scope, target)
    return dict(found.get("tags") or {})


async def _write(call: Call, scope: str, tags: Json) -> Json:
    """Give a scope these tags, all and no others; return them."""
    arm, target = call.arm, parse(scope)
    if target is not None and arm.front_door.serves(target):
        check_tags(kind_of_tags(), _tags_id(scope), TAGS_PATH, tags)
        await provider_calls.patch(arm, call.caller, scope, {"tags": tags}, call.correlation_id)
        return tags
    document = _document(arm, scope, target)
    kind = kind_of_tags() if target is None else table_of(arm.types[document["type"].lower()])["tags"]
    check_tags(kind, _tags_id(scope), TAGS_PATH, tags)
    _check_policies(arm, scope, document, tags)
    if target is not None:
        arm.documents.put(
            {name: value for name, value in document.items() if name not in ("tags", "etag", "changed")}
            | {"tags": tags, "changed": rfc3339(arm.clock.now())}
        )
    elif subscription_of(scope)[1]:
        arm.groups.patch(*subscription_of(scope), {"tags": tags})
    else:
        arm.subscriptions.tag(subscription_of(scope)[0], tags)
    return tags


def _document(arm: ArmModel, scope: str, target: ResourceId | None) -> Json:
    """Return what has the tags: a resource, a group or a subscription.

    Raises:
        ServiceError: it does not exist, or has no tags.
    """
    subscription_id, group = subscription_of(scope)
    if target is None:
        return arm.groups.get(subscription_id, group) if group else arm.subscriptions.get(subscription_id)
    found = arm.load(target)
    if found is None:
        raise exceptions.resource_not_found(target)
    if arm.types[found["type"].lower()].placement == "none":
        raise exceptions.NO_TAGS(found["type"])
    return found


def _check_policies(arm: ArmModel, scope: str, document: Json, tags: Json) -> None:
    kind = document.get("type") or (GROUP_TYPE if subscription_of(scope)[1] else "")
    if kind:
        indexed = kind != GROUP_TYPE
        policies.check(arm, policies.Write(kind, scope, document["location"], tags, indexed, document | {"tags": tags}))


def _tags_id(scope: str) -> ResourceId:
    return ResourceId(scope, "Microsoft.Resources", ("tags",), ("default",), *subscription_of(scope))


def _shown(scope: str, tags: Json) -> Json:
    return {"id": str(_tags_id(scope)), "name": "default", "type": TYPE, "properties": {"tags": tags}}
