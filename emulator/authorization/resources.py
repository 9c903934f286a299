"""The resource types of role definitions, role assignments and deny assignments, with their rules for writes."""

import re
from typing import Any

from emulator.arm.access.exceptions import authorization_failed
from emulator.arm.access.roles import ROLES
from emulator.arm.exceptions import resource_not_found
from emulator.arm.ids import parse
from emulator.arm.models import ArmModel
from emulator.arm.resources import Change, ResourceType
from emulator.arm.schema import READ_ONLY, Required
from emulator.authorization.policies import POLICY_ASSIGNMENTS
from emulator.core.clock import rfc3339
from emulator.core.errors import ServiceError
from emulator.entra.models import EntraModel

Json = dict[str, Any]

# How long access checks ignore a new assignment, in seconds of Azure's time.
PROPAGATION_SECONDS = 30
SERVICE_PRINCIPAL = "ServicePrincipal"
GUID = r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"

ASSIGNMENT_VERSIONS = (
    "2014-04-01-preview",
    "2014-07-01-preview",
    "2014-10-01-preview",
    "2015-05-01-preview",
    "2015-06-01",
    "2015-07-01",
    "2016-07-01",
    "2017-05-01",
    "2017-09-01",
    "2017-10-01-preview",
    "2018-01-01-preview",
    "2018-07-01",
    "2018-09-01-preview",
    "2018-12-01-preview",
    "2019-04-01-preview",
    "2020-03-01-preview",
    "2020-04-01-preview",
    "2020-08-01-preview",
    "2020-10-01-preview",
    "2021-04-01-preview",
    "2022-01-01-preview",
    "2022-04-01",
)
DEFINITION_VERSIONS = (
    "2014-04-01-preview",
    "2014-10-01-preview",
    "2015-07-01",
    "2018-01-01-preview",
    "2018-07-01",
    "2022-04-01",
    "2022-05-01-preview",
    "2023-07-01-preview",
)
DENIAL_VERSIONS = ("2018-07-01", "2018-07-01-preview", "2019-03-01-preview", "2022-04-01", "2024-07-01-preview")
PERMISSION_VERSIONS = (
    "2014-07-01-preview",
    "2015-07-01",
    "2018-01-01-preview",
    "2018-07-01",
    "2022-04-01",
    "2022-05-01-preview",
)

_PERMISSION = {
    "actions": [str],
    "notActions": [str],
    "dataActions": [str],
    "notDataActions": [str],
    "condition": str,
    "conditionVersion": str,
}
_PRINCIPAL = {"id": Required(str), "type": str, "displayName": str, "email": str}


def _prepare_assignment(change: Change) -> None:
    """Check role, principal and uniqueness, and set the time from which access checks honour the assignment."""
    properties, existing = change.properties, change.existing
    authorization = change.arm.authorization
    if not re.fullmatch(GUID, change.id.name):
        raise _invalid(
            "InvalidRoleAssignmentId",
            f"The role assignment ID '{change.id.name}' is not valid. The role assignment ID must be a GUID.",
        )
    _require_scope(change)
    role = authorization.role_definition(properties["roleDefinitionId"])
    if role is None:
        raise _invalid(
            "RoleDefinitionDoesNotExist",
            f"The specified role definition with ID '{properties['roleDefinitionId'].rsplit('/', 1)[-1]}' does not exist.",
        )
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
        raise _invalid(
            "RoleAssignmentUpdateNotPermitted",
            "Tenant ID, application ID, principal ID, and scope are not allowed to be updated.",
        )
    wanted = (properties["principalId"].lower(), _last(properties["roleDefinitionId"]))
    prefix = f"{change.id.scope}/providers/Microsoft.Authorization/roleAssignments/"
    for other in change.arm.scan(prefix):
        known = (other["properties"]["principalId"].lower(), _last(other["properties"]["roleDefinitionId"]))
        if known == wanted and other["name"].lower() != change.id.name.lower():
            raise ServiceError(
                409,
                "RoleAssignmentExists",
                "The role assignment already exists. The ID of the conflicting role assignment is "
                f"{other['name'].replace('-', '')}.",
            )
    now = rfc3339(change.arm.clock.now())
    before = existing["properties"] if existing is not None else {}
    properties |= {
        "principalType": properties.get("principalType", SERVICE_PRINCIPAL),
        "scope": change.id.scope or "/",
        "createdOn": before.get("createdOn", now),
        "updatedOn": now,
        "createdBy": before.get("createdBy", change.caller.object_id),
        "updatedBy": change.caller.object_id,
    }
    effective = rfc3339(change.arm.clock.after(PROPAGATION_SECONDS))
    change.body["effectiveAt"] = existing["effectiveAt"] if existing is not None else effective


async def _tell_principal(arm: ArmModel, stored: Json) -> None:
    arm.platform.access_changed(stored["properties"]["principalId"])


async def _tell_scope(arm: ArmModel, stored: Json) -> None:
    arm.platform.access_changed(stored["properties"]["scope"])


def _require_scope(change: Change) -> None:
    target = parse(change.id.scope)
    if target is not None and change.arm.resource_type(target.type) is not None and change.arm.load(target) is None:
        raise resource_not_found(target)


def _require_principal(change: Change) -> None:
    """Check that the directory has the principal; a caller who gives `principalType` may name an unknown one."""
    principal_id, kind = change.properties["principalId"], change.properties.get("principalType")
    if not re.fullmatch(GUID, principal_id):
        raise _invalid(
            "InvalidPrincipalId", f"A valid principal ID must be provided for role assignment: {principal_id}."
        )
    found = change.arm.platform.model(EntraModel).find_principal(principal_id)
    if found is None and kind is None:
        raise _invalid(
            "PrincipalNotFound",
            f"Principal {principal_id.replace('-', '')} does not exist in the directory {change.caller.tenant_id}. "
            "Check that you have the correct principal ID. If you are creating this principal and then immediately "
            "assigning a role, this error might be related to a replication delay. In this case, set the role "
            "assignment principalType property to a value, such as ServicePrincipal, User, or Group. See "
            "https://aka.ms/docs-principaltype",
        )
    if found is not None and kind not in (None, SERVICE_PRINCIPAL):
        raise _invalid(
            "UnmatchedPrincipalType",
            f"The PrincipalId '{principal_id.replace('-', '')}' has type '{SERVICE_PRINCIPAL}' , which is different from "
            f"specified PrinciaplType '{kind}'.",
        )


def _prepare_definition(change: Change) -> None:
    if not re.fullmatch(GUID, change.id.name):
        raise _invalid("InvalidRoleDefinitionId", f"The role definition ID '{change.id.name}' is not a GUID.")
    for permission in change.properties["permissions"]:
        for member in ("actions", "notActions", "dataActions", "notDataActions"):
            permission.setdefault(member, [])
    change.properties["type"] = "CustomRole"


def _check_definition_unused(arm: ArmModel, stored: Json) -> None:
    wanted = _last(stored["id"])
    for other in arm.scan("/subscriptions/", ROLE_ASSIGNMENTS.name):
        if _last(other["properties"]["roleDefinitionId"]) == wanted:
            raise _invalid("RoleDefinitionHasAssignments", "There are existing role assignments referencing role.")


def _prepare_denial(change: Change) -> None:
    """Check that the resource provider writes the deny assignment on a group that it manages, and fill in defaults."""
    if not change.arm.authorization.owns(change.caller, change.id.scope):
        raise authorization_failed(change.caller, "Microsoft.Authorization/denyAssignments/write", str(change.id))
    properties = change.properties
    for permission in properties["permissions"]:
        for member in ("actions", "notActions", "dataActions", "notDataActions"):
            permission.setdefault(member, [])
    properties.setdefault("excludePrincipals", [])
    properties.setdefault("doNotApplyToChildScopes", False)
    properties.setdefault("isSystemProtected", True)
    properties["scope"] = change.id.scope


def _last(identifier: str) -> str:
    return identifier.rsplit("/", 1)[-1].lower()


def _invalid(code: str, message: str) -> ServiceError:
    return ServiceError(400, code, message)


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
)
ROLE_DEFINITIONS = ResourceType(
    name="Microsoft.Authorization/roleDefinitions",
    api_versions=DEFINITION_VERSIONS,
    properties={
        "roleName": Required(str),
        "type": READ_ONLY,
        "description": str,
        "permissions": Required([_PERMISSION]),
        "assignableScopes": Required([str]),
        "createdOn": READ_ONLY,
        "updatedOn": READ_ONLY,
        "createdBy": READ_ONLY,
        "updatedBy": READ_ONLY,
    },
    name_pattern=".+",
    has_state=False,
    prepare=_prepare_definition,
    removable=_check_definition_unused,
    answers_deleted=True,
)
DENY_ASSIGNMENTS = ResourceType(
    name="Microsoft.Authorization/denyAssignments",
    api_versions=DENIAL_VERSIONS,
    properties={
        "denyAssignmentName": Required(str),
        "description": str,
        "permissions": Required([_PERMISSION]),
        "scope": READ_ONLY,
        "doNotApplyToChildScopes": bool,
        "principals": Required([_PRINCIPAL]),
        "excludePrincipals": [_PRINCIPAL],
        "isSystemProtected": bool,
        "condition": str,
        "conditionVersion": str,
        "createdOn": READ_ONLY,
        "updatedOn": READ_ONLY,
        "createdBy": READ_ONLY,
        "updatedBy": READ_ONLY,
    },
    name_pattern=GUID,
    has_state=False,
    prepare=_prepare_denial,
    stored=_tell_scope,
    removed=_tell_scope,
)

TYPES = (ROLE_ASSIGNMENTS, ROLE_DEFINITIONS, DENY_ASSIGNMENTS, POLICY_ASSIGNMENTS)
