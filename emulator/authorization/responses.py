"""Authorization reads at a scope: lists with their filters, built-in roles, permissions."""

import re

from starlette.responses import Response

from emulator.arm import exceptions
from emulator.arm.access.exceptions import authorization_failed
from emulator.arm.access.roles import ROLES
from emulator.arm.call import Call, answer, page
from emulator.arm.ids import parse, scopes, subscription_of
from emulator.authorization import filters
from emulator.authorization.definitions import ROLE_DEFINITIONS, assignable
from emulator.authorization.deny_assignments import DENY_ASSIGNMENTS
from emulator.authorization.exceptions import FILTER_OF_DEFINITIONS, ROLE_DEFINITION_NOT_FOUND
from emulator.authorization.resources import ROLE_ASSIGNMENTS
from emulator.authorization.scopes import enter
from emulator.core.journal import note_action
from emulator.entra.models import EntraModel
from emulator.json_object import Json

_READ_PERMISSIONS = "Microsoft.Authorization/permissions/read"
_ROLE_NAME = re.compile(r"roleName eq '([^']+)'", re.IGNORECASE)
_ROLE_TYPE = re.compile(r"type eq '([^']+)'", re.IGNORECASE)
_KNOWN_FILTER = re.compile(r"atScope\(\)|atScopeAndBelow\(\)|roleName eq|type eq", re.IGNORECASE)


async def list_role_assignments(call: Call) -> Response:
    """GET {scope}/…/roleAssignments: those on the scope, above it and below it; `atScope()` omits those below."""
    return _list_assignments(call, ROLE_ASSIGNMENTS.name)


async def list_deny_assignments(call: Call) -> Response:
    """GET {scope}/…/denyAssignments: as for role assignments; those for everybody are assigned to each principal."""
    return _list_assignments(call, DENY_ASSIGNMENTS.name)


async def list_role_definitions(call: Call) -> Response:
    """GET {scope}/…/roleDefinitions: the built-in roles and the custom ones that may be assigned at the scope.

    `atScopeAndBelow()` adds those that may be assigned at scopes below.
    """
    scope = enter(call, f"{ROLE_DEFINITIONS.name}/read")
    text = _filter(call)
    name, kind = _ROLE_NAME.search(text), _ROLE_TYPE.search(text)
    below = "atscopeandbelow()" in text.lower()
    subscription_id = subscription_of(scope)[0]
    found = [_built_in(call, subscription_id, guid) for guid in ROLES] + [
        call.arm.render(stored)
        for stored in call.arm.scan("/subscriptions/", ROLE_DEFINITIONS.name)
        if assignable(stored["properties"], scope) or (below and _has_scope_below(stored, scope))
    ]
    return page(
        call,
        [
            body
            for body in found
            if (name is None or body["properties"]["roleName"].lower() == name[1].lower())
            and (kind is None or body["properties"]["type"].lower() == kind[1].lower())
        ],
    )


async def get_role_definition(call: Call) -> Response:
    """GET {scope}/…/roleDefinitions/{id}."""
    scope = enter(call, f"{ROLE_DEFINITIONS.name}/read")
    guid = call.params["name"].lower()
    if guid in ROLES:
        return answer(_built_in(call, subscription_of(scope)[0], guid))
    for stored in call.arm.scan("/subscriptions/", ROLE_DEFINITIONS.name):
        if stored["name"].lower() == guid and assignable(stored["properties"], scope):
            return answer(call.arm.render(stored))
    raise ROLE_DEFINITION_NOT_FOUND(guid)


async def list_permissions(call: Call) -> Response:
    """GET {scope}/…/permissions: the permissions that the caller has there."""
    scope = call.params["scope"]
    subscription_id, group = subscription_of(scope)
    if subscription_id:
        call.arm.subscriptions.for_caller(subscription_id, call.caller)
    note_action(_READ_PERMISSIONS)
    found = call.arm.authorization.permissions(call.caller, scope)
    if not found:
        raise authorization_failed(call.caller, _READ_PERMISSIONS, scope)
    if group:
        call.arm.groups.get(subscription_id, group)
    target = parse(scope)
    if target is not None and call.arm.resource_type(target.type) is not None and call.arm.load(target) is None:
        raise exceptions.resource_not_found(target)
    return page(call, found)


def _list_assignments(call: Call, type_name: str) -> Response:
    scope = enter(call, f"{type_name}/read")
    wanted = filters.read(call.request.query_params.get("$filter", ""))
    holders = filters.holders(call.arm.platform.model(EntraModel), wanted)
    chain = scopes(scope)
    found = [stored for part in chain for stored in call.arm.scan(f"{part}/providers/{type_name}/")]
    if not wanted.at_scope:
        own = {stored["id"] for stored in found}
        found += [stored for stored in call.arm.scan(f"{chain[-1]}/", type_name) if stored["id"] not in own]
    return page(call, [call.arm.render(stored) for stored in found if holders is None or holders & _named(stored)])


def _named(stored: Json) -> set[str]:
    """Return the object ids of the principals to whom a role or deny assignment applies."""
    properties = stored["properties"]
    if stored["type"] == DENY_ASSIGNMENTS.name:
        return {principal["id"].lower() for principal in properties["principals"]}
    return {properties["principalId"].lower()}


def _filter(call: Call) -> str:
    text = call.request.query_params.get("$filter", "")
    if text and not _KNOWN_FILTER.search(text):
        raise FILTER_OF_DEFINITIONS(text)
    return text


def _has_scope_below(stored: Json, scope: str) -> bool:
    return any(known.lower().startswith(f"{scope.lower()}/") for known in stored["properties"]["assignableScopes"])


def _built_in(call: Call, subscription_id: str, guid: str) -> Json:
    properties = call.arm.authorization.role_definition(guid) or {}
    prefix = f"/subscriptions/{subscription_id}" if subscription_id else ""
    return {
        "id": f"{prefix}/providers/{ROLE_DEFINITIONS.name}/{guid}",
        "name": guid,
        "type": ROLE_DEFINITIONS.name,
        "properties": properties,
    }
