"""The resource type of deny assignments: those of the resource provider, and those that customers make themselves."""

from emulator.arm.access.exceptions import authorization_failed
from emulator.arm.ids import GUID
from emulator.arm.resources import Change, Reads, ResourceType
from emulator.arm.schema import READ_ONLY, Required
from emulator.authorization.definitions import PERMISSION, complete
from emulator.authorization.scopes import require_scope
from emulator.json_object import Json

VERSIONS = ("2018-07-01", "2018-07-01-preview", "2019-03-01-preview", "2022-04-01", "2024-07-01-preview")
# The first version by which customers make deny assignments. Source: `az role deny-assignment create` of Azure CLI 2.91.
CUSTOMERS_VERSION = "2024-07-01-preview"
NAME = "Microsoft.Authorization/denyAssignments"
_PRINCIPAL = {"id": Required(str), "type": str, "displayName": str, "email": str}


def completed(properties: Json, scope: str, *, is_system_protected: bool) -> Json:
    """Return the `properties` of a deny assignment at a scope with all that a request may leave out."""
    complete(properties["permissions"])
    return {
        "excludePrincipals": [],
        "doNotApplyToChildScopes": False,
        "isSystemProtected": is_system_protected,
        **properties,
        "scope": scope,
    }


def _prepare(change: Change) -> None:
    """Check who writes the deny assignment, and fill in defaults.

    The resource provider may write any on a group that it manages, customers one of their own kind anywhere. The CLI
    checks what customers give.
    """
    provided = change.arm.authorization.may_write_denials(change.caller, change.id.scope)
    if not provided and change.api_version < CUSTOMERS_VERSION:
        raise authorization_failed(change.caller, f"{NAME}/write", str(change.id))
    require_scope(change)
    change.properties.update(completed(change.properties, change.id.scope, is_system_protected=provided))


async def _tell_scope(arm: Reads, stored: Json) -> None:
    arm.platform.access_changed(stored["properties"]["scope"])


DENY_ASSIGNMENTS = ResourceType(
    name=NAME,
    api_versions=VERSIONS,
    properties={
        "denyAssignmentName": Required(str),
        "description": str,
        "permissions": Required([PERMISSION]),
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
    prepare=_prepare,
    stored=_tell_scope,
    removed=_tell_scope,
)
