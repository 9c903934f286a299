"""The resource type of role assignments with its rules for writes, and the list of the types of this folder."""

import re
from typing import Any

from emulator.arm.access import conditions
from emulator.arm.access.roles import ROLES
from emulator.arm.api_versions import versions
from emulator.arm.ids import GUID
from emulator.arm.resources import Change, Reads, ResourceType
from emulator.arm.schema import READ_ONLY, Required
from emulator.authorization import exceptions
from emulator.authorization.definitions import ROLE_DEFINITIONS
from emulator.authorization.deny_assignments import DENY_ASSIGNMENTS
from emulator.authorization.locks import MANAGEMENT_LOCKS
from emulator.authorization.policies import POLICIES
from emulator.authorization.scopes import require_scope
from emulator.core.clock import rfc3339
from emulator.entra.models import EntraModel
from emulator.json_object import Json

# How long access checks ignore a new assignment, in seconds of Azure's time.
PROPAGATION_SECONDS = 30

ASSIGNMENT_VERSIONS = versions("Microsoft.Authorization/roleAssignments")
PERMISSION_VERSIONS = versions("Microsoft.Authorization/permissions")


def _prepare_assignment(change: Change) -> None:
    """Check role, principal and uniqueness, and set the time from which access checks honour the assignment."""
    properties, existing = change.properties, change.existing
    authorization = change.arm.authorization
    if not re.fullmatch(GUID, change.id.name):
        raise exceptions.ROLE_ASSIGNMENT_ID(change.id.name)
    require_scope(change)
    if not re.fullmatch(GUID, _last(properties["roleDefinitionId"])):
        raise exceptions.ASSIGNED_ROLE_ID(properties["roleDefinitionId"].rsplit("/", 1)[-1])
    role = authorization.role_definition(properties["roleDefinitionId"])
    if role is None:
        raise exceptions.ASSIGNED_ROLE_NOT_FOUND(properties["roleDefinitionId"].rsplit("/", 1)[-1])
    if properties.get("condition"):
        conditions.check(properties["condition"], properties.get("conditionVersion"))
    _require_principal(change)
    subscription = f"/subscriptions/{change.id.subscription_id}" if change.id.subscription_id else ""
    if _last(properties["roleDefinitionId"]) in ROLES:
        # GET shows a built-in role under the subscription, whichever scope the caller wrote.
        properties["roleDefinitionId"] = (
            f"{subscription}/providers/{ROLE_DEFINITIONS.name}/{_last(properties['roleDefinitionId'])}"
        )
    if existing is not None and any(
        existing["properties"][name].lower() != properties[name].lower() for name in ("principalId", "roleDefinitionId")
    ):
        raise exceptions.ROLE_ASSIGNMENT_UPDATE()
    wanted = (properties["principalId"].lower(), _last(properties["roleDefinitionId"]))
    prefix = f"{change.id.scope}/providers/Microsoft.Authorization/roleAssignments/"
    for other in change.arm.scan(prefix):
        known = (other["properties"]["principalId"].lower(), _last(other["properties"]["roleDefinitionId"]))
        if known == wanted and other["name"].lower() != change.id.name.lower():
            raise exceptions.ROLE_ASSIGNMENT_EXISTS(_short(other["name"]))
    now, directory = rfc3339(change.arm.clock.now()), change.arm.platform.model(EntraModel)
    before = existing["properties"] if existing is not None else {}
    properties |= {
        "principalType": properties.get("principalType") or directory.kind_of(properties["principalId"]),
        "scope": change.id.scope or "/",
        "createdOn": before.get("createdOn", now),
        "updatedOn": now,
        "createdBy": before.get("createdBy", change.caller.object_id),
        "updatedBy": change.caller.object_id,
    }
    effective = rfc3339(change.arm.clock.after(PROPAGATION_SECONDS))
    change.body["effectiveAt"] = existing["effectiveAt"] if existing is not None else effective


async def _tell_principal(arm: Reads, stored: Json) -> None:
    arm.platform.access_changed(stored["properties"]["principalId"])


def _attributes(arm: Reads, body: Any) -> dict[str, str]:
    """Return the attributes of an assignment of which conditions may ask, from its body or its document."""
    properties = body.get("properties") if isinstance(body, dict) else None
    given = {name.lower(): value for name, value in properties.items()} if isinstance(properties, dict) else {}
    found = {name: given[name.lower()] for name in conditions.ATTRIBUTES if isinstance(given.get(name.lower()), str)}
    if "RoleDefinitionId" in found:
        found["RoleDefinitionId"] = _last(found["RoleDefinitionId"])
    kind = arm.platform.model(EntraModel).kind_of(found.get("PrincipalId", ""))
    if "PrincipalType" not in found and kind is not None:
        found["PrincipalType"] = kind
    return found


def _require_principal(change: Change) -> None:
    """Check that the directory has the principal; a caller who gives `principalType` may name an unknown one."""
    principal_id, kind = change.properties["principalId"], change.properties.get("principalType")
    if not re.fullmatch(GUID, principal_id):
        raise exceptions.PRINCIPAL_ID(principal_id)
    found = change.arm.platform.model(EntraModel).kind_of(principal_id)
    if found is None and kind is None:
        raise exceptions.PRINCIPAL_NOT_FOUND(guid=_short(principal_id), tenant_id=change.caller.tenant_id)
    if found is not None and kind not in (None, found):
        raise exceptions.PRINCIPAL_OF_ANOTHER_TYPE(guid=_short(principal_id), found=found, given=kind)


def _short(guid: str) -> str:
    return guid.replace("-", "")


def _last(identifier: str) -> str:
    return identifier.rsplit("/", 1)[-1].lower()


ROLE_ASSIGNMENTS = ResourceType(
    name="Microsoft.Authorization/roleAssignments",
    api_versions=ASSIGNMENT_VERSIONS,
    properties={
        "roleDefinitionId": Required(str),
        "principalId": Required(str),
        "principalType": str,
        "scope": READ_ONLY,
        "createdOn": READ_ONLY,
        "updatedOn": READ_ONLY,
        "createdBy": READ_ONLY,
        "updatedBy": READ_ONLY,
        "description": str,
        "condition": str,
        "conditionVersion": str,
        "canDelegate": bool,
        "delegatedManagedIdentityResourceId": str,
    },
    name_pattern=".+",
    has_state=False,
    prepare=_prepare_assignment,
    stored=_tell_principal,
    removed=_tell_principal,
    answers_deleted=True,
    attributes=_attributes,
)
TYPES = (ROLE_ASSIGNMENTS, ROLE_DEFINITIONS, DENY_ASSIGNMENTS, MANAGEMENT_LOCKS, *POLICIES)
