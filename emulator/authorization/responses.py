"""Authorization reads at a scope: lists with their filters, built-in roles, permissions."""

import re
from typing import Any

from starlette.responses import Response

from emulator.arm import exceptions
from emulator.arm.access.exceptions import authorization_failed
from emulator.arm.access.policies import ASSIGNMENTS
from emulator.arm.access.roles import ROLES
from emulator.arm.call import Call, answer, page
from emulator.arm.ids import parse, scopes, subscription_of
from emulator.authorization.resources import DENY_ASSIGNMENTS, ROLE_ASSIGNMENTS, ROLE_DEFINITIONS
from emulator.core.errors import ServiceError

Json = dict[str, Any]

_PRINCIPAL = re.compile(r"(?:principalId eq|assignedTo\()\s*'([^']+)'", re.IGNORECASE)
_ROLE_NAME = re.compile(r"roleName eq '([^']+)'", re.IGNORECASE)
_ROLE_TYPE = re.compile(r"type eq '([^']+)'", re.IGNORECASE)
_KNOWN_FILTER = re.compile(
    r"atScope\(\)|atScopeAndBelow\(\)|principalId eq|assignedTo\(|roleName eq|type eq", re.IGNORECASE
)


async def list_role_assignments(call: Call) -> Response:
    """GET {scope}/…/roleAssignments: those on the scope, above it and below it; `atScope()` omits those below."""
    return _list_assignments(call, ROLE_ASSIGNMENTS.name)


async def list_deny_assignments(call: Call) -> Response:
    """GET {scope}/…/denyAssignments."""
    return _list_assignments(call, DENY_ASSIGNMENTS.name)


async def list_policy_assignments(call: Call) -> Response:
    """GET {scope}/…/policyAssignments."""
    return _list_assignments(call, ASSIGNMENTS)


async def list_role_definitions(call: Call) -> Response:
    """GET {scope}/…/roleDefinitions: the built-in roles and those of the subscription."""
    scope = _enter(call, f"{ROLE_DEFINITIONS.name}/read")
    text = _filter(call)
    name, kind = _ROLE_NAME.search(text), _ROLE_TYPE.search(text)
    subscription_id = subscription_of(scope)[0]
    found = [_built_in(call, subscription_id, guid) for guid in ROLES] + [
        call.arm.render(stored)
        for stored in call.arm.scan("/subscriptions/", ROLE_DEFINITIONS.name)
        if _assignable(stored, scope)
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
    scope = _enter(call, f"{ROLE_DEFINITIONS.name}/read")
    guid = call.params["name"].lower()
    if guid in ROLES:
        return answer(_built_in(call, subscription_of(scope)[0], guid))
    for stored in call.arm.scan("/subscriptions/", ROLE_DEFINITIONS.name):
        if stored["name"].lower() == guid and _assignable(stored, scope):
            return answer(call.arm.render(stored))
    raise ServiceError(
        404, "RoleDefinitionDoesNotExist", f"The specified role definition with ID '{guid}' does not exist."
    )


async def list_permissions(call: Call) -> Response:
    """GET {scope}/…/permissions: the permissions that the caller has there."""
    scope = call.params["scope"]
    subscription_id, group = subscription_of(scope)
    if subscription_id:
        call.arm.subscriptions.for_caller(subscription_id, call.caller)
    found = call.arm.authorization.permissions(call.caller, scope)
    if not found:
        raise authorization_failed(call.caller, "Microsoft.Authorization/permissions/read", scope)
    if group:
        call.arm.groups.get(subscription_id, group)
    target = parse(scope)
    if target is not None and call.arm.resource_type(target.type) is not None and call.arm.load(target) is None:
        raise exceptions.resource_not_found(target)
    return page(call, found)


def _list_assignments(call: Call, type_name: str) -> Response:
    scope = _enter(call, f"{type_name}/read")
    text = _filter(call)
    marker = f"/providers/{type_name}/"
    chain = scopes(scope)
    found = [stored for part in chain for stored in call.arm.scan(f"{part}{marker}")]
    if "atscope()" not in text.lower():
        own = {stored["id"] for stored in found}
        found += [stored for stored in call.arm.scan(f"{chain[-1]}/", type_name) if stored["id"] not in own]
    principal = _PRINCIPAL.search(text)
    if principal is not None and type_name == ROLE_ASSIGNMENTS.name:
        found = [stored for stored in found if stored["properties"]["principalId"].lower() == principal[1].lower()]
    return page(call, [call.arm.render(stored) for stored in found])


def _filter(call: Call) -> str:
    text = call.request.query_params.get("$filter", "")
    if text and not _KNOWN_FILTER.search(text):
        raise ServiceError(400, "InvalidFilter", f"The filter '{text}' is not supported.")
    return text


def _enter(call: Call, action: str) -> str:
    """Check that the caller may read at the scope of the call; return the scope."""
    scope = call.params["scope"]
    subscription_id, group = subscription_of(scope)
    if not subscription_id:
        # Every signed-in caller may read the role definitions of the tenant.
        return scope
    call.arm.subscriptions.for_caller(subscription_id, call.caller)
    call.arm.authorize(call.caller, action, scope)
    if group:
        call.arm.groups.get(subscription_id, group)
    return scope


def _built_in(call: Call, subscription_id: str, guid: str) -> Json:
    properties = call.arm.authorization.role_definition(guid) or {}
    prefix = f"/subscriptions/{subscription_id}" if subscription_id else ""
    return {
        "id": f"{prefix}/providers/{ROLE_DEFINITIONS.name}/{guid}",
        "name": guid,
        "type": ROLE_DEFINITIONS.name,
        "properties": properties,
    }


def _assignable(stored: Json, scope: str) -> bool:
    return any(
        f"{scope.lower()}/".startswith(f"{known.lower().rstrip('/')}/")
        for known in stored["properties"]["assignableScopes"]
    )
