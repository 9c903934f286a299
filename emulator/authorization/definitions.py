"""The resource type of role definitions: custom roles, stored at a subscription or a group, unique in their tenant."""

import re
from collections.abc import Iterator

from emulator.arm.access.exceptions import linked_authorization_failed
from emulator.arm.access.roles import ROLES
from emulator.arm.api_versions import versions
from emulator.arm.ids import ResourceId, subscription_of
from emulator.arm.resources import Change, Checks, Reads, ResourceType
from emulator.arm.schema import READ_ONLY, Choice, Required
from emulator.authorization import exceptions
from emulator.core.clock import rfc3339
from emulator.json_object import Json

PERMISSION = {
    "actions": [str],
    "notActions": [str],
    "dataActions": [str],
    "notDataActions": [str],
    "condition": str,
    "conditionVersion": str,
}
LISTS = ("actions", "notActions", "dataActions", "notDataActions")
VERSIONS = versions("Microsoft.Authorization/roleDefinitions")

NAME = "Microsoft.Authorization/roleDefinitions"
ASSIGNMENTS = "Microsoft.Authorization/roleAssignments"
_SCOPE = re.compile(r"/subscriptions/([^/]+)(?:/resourcegroups/([^/]+))?/?", re.IGNORECASE)


def assignable(properties: Json, scope: str) -> bool:
    """Tell whether a role with these `properties` may be assigned at a scope: one of its assignable scopes, or below."""
    return any(
        f"{scope.lower()}/".startswith(f"{known.lower().rstrip('/')}/") for known in properties["assignableScopes"]
    )


def complete(permissions: list[Json]) -> None:
    """Add the lists that permission entries leave out."""
    for permission in permissions:
        for member in LISTS:
            permission.setdefault(member, [])


def _prepare(change: Change) -> None:
    """Check scopes and names of a custom role, and fill in defaults."""
    properties = change.properties
    if change.id.name.lower() in ROLES:
        raise exceptions.ROLE_DEFINITION_EXISTS(str(change.id))
    properties.pop("type", None)
    _check_scopes(change)
    _check_unique(change)
    complete(properties["permissions"])
    for permission in properties["permissions"]:
        if permission.get("condition"):
            raise exceptions.ROLE_CONDITIONS()
    now = rfc3339(change.arm.clock.now())
    before = change.existing["properties"] if change.existing is not None else {}
    properties |= {
        "type": "CustomRole",
        "createdOn": before.get("createdOn", now),
        "updatedOn": now,
        "createdBy": before.get("createdBy", change.caller.object_id),
        "updatedBy": change.caller.object_id,
    }


def _check_scopes(change: Change) -> None:
    """Check that the caller may write the role at each of its assignable scopes, and that it is written at one of them."""
    wanted = change.properties["assignableScopes"]
    for scope in wanted:
        if not _SCOPE.fullmatch(scope):
            raise exceptions.ASSIGNABLE_SCOPE_NOT_EMULATED(scope)
    action = f"{NAME}/write"
    missing = [(action, scope) for scope in wanted if not _exists(change, scope)]
    if missing:
        raise linked_authorization_failed(change.caller, action, str(change.id), missing, ())
    linked = [(action, scope.rstrip("/")) for scope in wanted]
    change.arm.authorization.authorize_linked(change.caller, action, str(change.id), linked)


def _exists(change: Change, scope: str) -> bool:
    """Tell whether a scope is a subscription of the caller's tenant, or a group in one."""
    found = _SCOPE.fullmatch(scope)
    known = {one["subscriptionId"]: one["tenantId"] for one in change.arm.subscriptions.all()}
    if found is None or known.get(found[1].lower()) != change.caller.tenant_id:
        return False
    return found[2] is None or change.arm.groups.find(found[1].lower(), found[2]) is not None


def _check_unique(change: Change) -> None:
    """Check that no other role of the tenant has this name, and that the GUID is stored at no other scope."""
    name = change.properties["roleName"]
    others = [stored for stored in _in_tenant(change) if stored["id"].lower() != change.id.key]
    names = [role.name for role in ROLES.values()] + [other["properties"]["roleName"] for other in others]
    if name.lower() in {known.lower() for known in names}:
        raise exceptions.ROLE_NAME_EXISTS()
    for other in others:
        if other["name"].lower() == change.id.name.lower():
            raise exceptions.ROLE_DEFINITION_EXISTS(other["id"])


def _in_tenant(change: Change) -> Iterator[Json]:
    """Yield the custom roles of the caller's tenant."""
    tenants = {one["subscriptionId"]: one["tenantId"] for one in change.arm.subscriptions.all()}
    for stored in change.arm.scan("/subscriptions/", NAME):
        if tenants.get(stored["id"].split("/")[2].lower()) == change.caller.tenant_id:
            yield stored


def _still_exists(arm: Checks, assignment: Json) -> bool:
    """Tell whether an assignment was not deleted with its group. The first look at the group removes its contents."""
    subscription_id, group = subscription_of(assignment["id"])
    return not group or arm.groups.find(subscription_id, group) is not None


def _check_unused(arm: Checks, stored: Json) -> None:
    wanted = stored["name"].lower()
    for other in arm.scan("/subscriptions/", ASSIGNMENTS):
        if other["properties"]["roleDefinitionId"].rsplit("/", 1)[-1].lower() == wanted and _still_exists(arm, other):
            raise exceptions.ROLE_HAS_ASSIGNMENTS()


def _protect_built_in(identifier: ResourceId) -> None:
    if identifier.name.lower() in ROLES:
        raise exceptions.BUILT_IN_ROLE()


async def _tell_scopes(arm: Reads, stored: Json) -> None:
    """Tell who watches access: every assignment of a role follows its definition at once."""
    for scope in stored["properties"]["assignableScopes"]:
        arm.platform.access_changed(scope)


ROLE_DEFINITIONS = ResourceType(
    name=NAME,
    api_versions=VERSIONS,
    properties={
        "roleName": Required(str),
        "type": Choice(("CustomRole", "BuiltInRole")),
        "description": str,
        "permissions": Required([PERMISSION]),
        "assignableScopes": Required([str]),
        "createdOn": READ_ONLY,
        "updatedOn": READ_ONLY,
        "createdBy": READ_ONLY,
        "updatedBy": READ_ONLY,
    },
    name_pattern=".+",
    has_state=False,
    updated_status=201,
    prepare=_prepare,
    stored=_tell_scopes,
    removable=_check_unused,
    protected=_protect_built_in,
    answers_deleted=True,
)
