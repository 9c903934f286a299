"""The roles of the data plane: two built-in definitions in each account, and their assignments."""

import re

from emulator.arm.ids import GUID, parse_resource
from emulator.arm.resources import Change, Reads, ResourceType, Writes
from emulator.arm.schema import Required
from emulator.cosmos import CosmosModel, Role
from emulator.cosmos.roles import ROLE_ACTIONS
from emulator.documentdb import exceptions
from emulator.documentdb.versions import ROLE_VERSIONS
from emulator.entra.models import EntraModel
from emulator.json_object import Json

DEFINITIONS_NAME = "Microsoft.DocumentDB/databaseAccounts/sqlRoleDefinitions"
# Name and role of each built-in definition, by its id, which is the same in every account.
BUILT_IN: dict[str, tuple[str, Role]] = {
    "00000000-0000-0000-0000-000000000001": ("Cosmos DB Built-in Data Reader", "reader"),
    "00000000-0000-0000-0000-000000000002": ("Cosmos DB Built-in Data Contributor", "contributor"),
}


def make_definitions(arm: Writes, account_id: str) -> None:
    """Give an account the built-in role definitions that it lacks."""
    for name, (label, role) in BUILT_IN.items():
        identifier = f"{account_id}/sqlRoleDefinitions/{name}"
        if arm.load(identifier) is None:
            permission = {"dataActions": sorted(ROLE_ACTIONS[role]), "notDataActions": []}
            properties = {
                "roleName": label,
                "type": "BuiltInRole",
                "assignableScopes": [account_id],
                "permissions": [permission],
            }
            arm.documents.put({"id": identifier, "name": name, "type": DEFINITIONS_NAME, "properties": properties})


def _prepare_assignment(change: Change) -> None:
    """Check definition, scope and principal: full ids, below this account."""
    account_id, properties = str(change.id.parent), change.properties
    known = [f"{account_id}/sqlRoleDefinitions/{name}" for name in BUILT_IN]
    wanted = properties["roleDefinitionId"].lower()
    if wanted not in [identifier.lower() for identifier in known]:
        raise exceptions.UNKNOWN_ROLE(identifier=properties["roleDefinitionId"], known=known)
    _check_scope(properties["scope"], account_id)
    tenant_id = change.arm.subscriptions.get(change.id.subscription_id)["tenantId"]
    found = change.arm.platform.model(EntraModel).find_principal(properties["principalId"])
    if found is None or found["tenantId"] != tenant_id:
        raise exceptions.UNKNOWN_PRINCIPAL(principal_id=properties["principalId"], tenant_id=tenant_id)


def _check_scope(scope: str, account_id: str) -> None:
    wanted, account = scope.lower(), account_id.lower()
    if re.fullmatch(re.escape(account) + r"/dbs/[^/]+(/colls/[^/]+)?", wanted):
        raise exceptions.NOT_SUPPORTED("roles on a database or container, only those on the whole account")
    if wanted != account:
        raise exceptions.WRONG_SCOPE(scope=scope, account_id=account_id)


async def _assign(arm: Reads, stored: Json) -> None:
    properties, account = stored["properties"], parse_resource(stored["id"]).names[0]
    role = BUILT_IN[properties["roleDefinitionId"].rsplit("/", 1)[-1].lower()][1]
    arm.platform.model(CosmosModel).roles.assign(account, properties["principalId"], role, stored["name"])
    arm.platform.access_changed(properties["principalId"])


async def _withdraw(arm: Reads, stored: Json) -> None:
    principal_id, account = stored["properties"]["principalId"], parse_resource(stored["id"]).names[0]
    arm.platform.model(CosmosModel).roles.withdraw(account, principal_id, stored["name"])
    arm.platform.access_changed(principal_id)


ROLE_DEFINITIONS = ResourceType(
    name=DEFINITIONS_NAME,
    api_versions=ROLE_VERSIONS,
    properties={"roleName": str, "type": str, "assignableScopes": [str], "permissions": [object]},
    name_pattern=GUID,
    has_state=False,
    inline_only=True,
)
ROLE_ASSIGNMENTS = ResourceType(
    name="Microsoft.DocumentDB/databaseAccounts/sqlRoleAssignments",
    api_versions=ROLE_VERSIONS,
    properties={
        "roleDefinitionId": Required(str),
        "principalId": Required(str),
        "scope": Required(str),
    },
    name_pattern=GUID,
    has_state=False,
    create_seconds=15,
    update_seconds=15,
    delete_seconds=15,
    reply="accepted",
    prepare=_prepare_assignment,
    stored=_assign,
    removed=_withdraw,
)
