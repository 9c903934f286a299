"""Custom roles, and assignments of them."""

import asyncio
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from emulator.arm.access.roles import OWNER, RBAC_ADMINISTRATOR, READER
from emulator.arm.models import ArmModel
from emulator.arm.seeding import ensure_role
from emulator.core.platform import Platform
from emulator.core.service_error import ServiceError
from emulator.entra.models import EntraModel, Principal
from emulator.json_object import Json
from tests.emulator.unit.arm.conftest import CALLER, GROUP, WORLD, Time

SUBSCRIPTION = f"/subscriptions/{WORLD.subscription_id}"
DEFINITIONS = "providers/Microsoft.Authorization/roleDefinitions"
ASSIGNMENTS = "providers/Microsoft.Authorization/roleAssignments"
READ = "Microsoft.Network/virtualNetworks/read"
CLIENT = "55555555-5555-4555-8555-555555555555"


def _role(**changes: Any) -> Json:
    permission = {"actions": [READ]} | changes.pop("permission", {})
    return {
        "properties": {"roleName": "Looker", "permissions": [permission], "assignableScopes": [SUBSCRIPTION]} | changes
    }


def _put(model: ArmModel, identifier: str, body: Json, caller: Principal = CALLER) -> Json:
    return asyncio.run(model.put_resource(caller, identifier, "2022-04-01", body)).body


def _define(model: ArmModel, body: Json | None = None, name: str = "", scope: str = SUBSCRIPTION) -> Json:
    return _put(model, f"{scope}/{DEFINITIONS}/{name or uuid4()}", body or _role())


def _principal(platform: Platform, client_id: str = CLIENT) -> Principal:
    entra = platform.model(EntraModel)
    entra.ensure_tenant(WORLD.tenant_id, "Customer", "customer.onmicrosoft.com")
    entra.ensure_application(client_id, "someone", tenant_id=WORLD.tenant_id)
    object_id = entra.ensure_service_principal(WORLD.tenant_id, client_id)
    return Principal(object_id, client_id, WORLD.tenant_id, "someone", "", {})


def _assign(
    model: ArmModel, role: str, principal: str, scope: str = SUBSCRIPTION, caller: Principal = CALLER, **more: Any
) -> Json:
    body = {"properties": {"roleDefinitionId": role, "principalId": principal} | more}
    return _put(model, f"{scope}/{ASSIGNMENTS}/{uuid4()}", body, caller)


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"assignableScopes": [SUBSCRIPTION, f"/subscriptions/{uuid4()}"]}, 403, "LinkedAuthorizationFailed"),
        ({"assignableScopes": [SUBSCRIPTION, f"{GROUP}-2"]}, 403, "LinkedAuthorizationFailed"),
        ({"roleName": "reader"}, 409, "RoleDefinitionWithSameNameExists"),
        (
            {"assignableScopes": [SUBSCRIPTION, "/providers/Microsoft.Management/managementGroups/root"]},
            400,
            "NotSupportedByLocalAzure",
        ),
        ({"scope": SUBSCRIPTION}, 400, "InvalidRequestContent"),
    ],
)
def test_a_bad_custom_role_is_refused(model: ArmModel, changes: Json, status: int, code: str) -> None:
    """With Azure's code."""
    with pytest.raises(ServiceError) as caught:
        _define(model, _role(**changes))
    assert (caught.value.status_code, caught.value.code) == (status, code)


def test_names_are_unique_and_built_in_roles_stay(model: ArmModel) -> None:
    """A second role of a name is refused; the same one may be written again."""
    name = str(uuid4())
    _define(model, name=name)
    assert _define(model, _role(description="again"), name=name)["properties"]["description"] == "again"
    with pytest.raises(ServiceError, match="RoleDefinitionWithSameNameExists"):
        _define(model)
    with pytest.raises(ServiceError, match="RoleDefinitionExists"):
        _define(model, name=READER)
    with pytest.raises(ServiceError, match="RoleDefinitionUpdateNotPermitted") as refused:
        asyncio.run(model.delete_resource(CALLER, f"{SUBSCRIPTION}/{DEFINITIONS}/{READER}", "2022-04-01"))
    assert refused.value.status_code == 400


def test_a_role_is_found_by_any_spelling(model: ArmModel) -> None:
    """The GUID names it, whatever scope stands before it."""
    made = _define(model, _role(assignableScopes=[SUBSCRIPTION]))
    other = _define(model, _role(roleName="Of the group", assignableScopes=[GROUP]), scope=GROUP)
    for spelling in (made["id"], f"/{DEFINITIONS}/{made['name']}", f"{GROUP}/{DEFINITIONS}/{made['name'].upper()}"):
        _assign(model, spelling, str(uuid4()), principalType="ServicePrincipal")
    _assign(model, other["id"], str(uuid4()), f"{GROUP}", principalType="ServicePrincipal")
    with pytest.raises(ServiceError, match="RoleDefinitionHasAssignments"):
        asyncio.run(model.delete_resource(CALLER, made["id"], "2022-04-01"))


def test_a_role_whose_assignments_went_with_their_group_can_be_deleted(model: ArmModel, time: Time) -> None:
    """Nobody has to look at the deleted group first."""
    made = _define(model)
    _assign(model, made["id"], str(uuid4()), GROUP, principalType="ServicePrincipal")
    asyncio.run(model.delete_group(WORLD.subscription_id, GROUP.rsplit("/", 1)[-1]))
    time.pass_(3600)
    asyncio.run(model.delete_resource(CALLER, made["id"], "2022-04-01"))
    assert model.load(made["id"]) is None


def test_an_update_of_a_role_takes_effect_at_once_and_lasts(
    model: ArmModel, time: Time, open_arm: Callable[[], ArmModel]
) -> None:
    """Existing assignments follow the definition."""
    someone = _principal(model.platform)
    made = _define(model)
    _assign(model, made["id"], someone.object_id)
    time.pass_(60)
    model.authorize(someone, READ, GROUP)
    _define(model, _role(permission={"actions": ["Microsoft.Network/virtualNetworks/write"]}), name=made["name"])
    for each in (model, open_arm()):
        with pytest.raises(ServiceError, match="AuthorizationFailed"):
            each.authorize(someone, READ, GROUP)
        each.authorize(someone, "Microsoft.Network/virtualNetworks/write", GROUP)


def test_a_role_needs_the_right_at_each_of_its_scopes(model: ArmModel) -> None:
    """An owner of a group cannot make a role for the whole subscription."""
    someone = _principal(model.platform)
    ensure_role(model, GROUP, someone.object_id, OWNER)
    identifier = f"{GROUP}/{DEFINITIONS}/{uuid4()}"
    _put(model, identifier, _role(assignableScopes=[GROUP]), someone)
    with pytest.raises(ServiceError, match="LinkedAuthorizationFailed"):
        _put(model, identifier, _role(assignableScopes=[GROUP, SUBSCRIPTION]), someone)


GET_SECRET = "Microsoft.KeyVault/vaults/secrets/getSecret/action"  # noqa: S105 - the name of an action


def test_data_actions_are_apart_from_actions(model: ArmModel) -> None:
    """An owner reads no secret; a role with data actions gives them at the resource and below."""
    someone, vault = _principal(model.platform), f"{GROUP}/providers/Microsoft.KeyVault/vaults/v"
    ensure_role(model, SUBSCRIPTION, someone.object_id, OWNER)
    access = model.authorization
    assert not access.data_allowed(someone, GET_SECRET, vault)
    ensure_role(model, GROUP, someone.object_id, "4633458b-17de-408a-b874-0445c86b69e6")
    assert access.data_allowed(someone, GET_SECRET, vault)
    assert not access.data_allowed(someone, GET_SECRET, SUBSCRIPTION)
    assert not access.data_allowed(someone, "Microsoft.KeyVault/vaults/secrets/setSecret/action", vault)


def _delegate(model: ArmModel, time: Time, condition: str) -> Principal:
    someone = _principal(model.platform)
    role = f"/{DEFINITIONS}/{RBAC_ADMINISTRATOR}"
    _assign(model, role, someone.object_id, condition=condition, conditionVersion="2.0")
    time.pass_(60)
    return someone


REQUEST, RESOURCE = (
    f"@{source}[Microsoft.Authorization/roleAssignments:RoleDefinitionId] ForAnyOfAnyValues:GuidEquals {{{READER}}}"
    for source in ("Request", "Resource")
)
CONDITION = (
    f"((!(ActionMatches{{'Microsoft.Authorization/roleAssignments/write'}})) OR ({REQUEST})) AND "
    f"((!(ActionMatches{{'Microsoft.Authorization/roleAssignments/delete'}})) OR ({RESOURCE}))"
)


def test_a_condition_limits_which_roles_are_given_and_taken(model: ArmModel, time: Time) -> None:
    """The right to assign exists, but only for the roles that the condition names."""
    someone = _delegate(model, time, CONDITION)
    target = _principal(model.platform, str(uuid4())).object_id
    given = _assign(model, f"/{DEFINITIONS}/{READER}", target, GROUP, someone)
    with pytest.raises(ServiceError) as caught:
        _assign(model, f"/{DEFINITIONS}/{OWNER}", target, GROUP, someone)
    assert (caught.value.status_code, caught.value.code) == (403, "AuthorizationFailed")
    assert "does not have authorization or an ABAC condition not fulfilled to perform action" in caught.value.message
    foreign = _assign(model, f"/{DEFINITIONS}/{OWNER}", target, GROUP)
    with pytest.raises(ServiceError, match="AuthorizationFailed"):
        asyncio.run(model.delete_resource(someone, foreign["id"], "2022-04-01"))
    asyncio.run(model.delete_resource(someone, given["id"], "2022-04-01"))
    # Reads are free, and the preflight of a deployment leaves the decision to the write.
    model.authorize(someone, READ, GROUP)
    model.authorize(someone, "Microsoft.Authorization/roleAssignments/write", GROUP)
    entry = model.authorization.permissions(someone, GROUP)[0]
    assert (entry["condition"], entry["conditionVersion"]) == (CONDITION, "2.0")


def test_a_bad_condition_is_refused_when_it_is_assigned(model: ArmModel) -> None:
    """Otherwise it would grant nothing, or everything."""
    someone = _principal(model.platform)
    for version, code in (("1.0", "InvalidConditionSyntax"), ("2.0", "ConditionNotSupported")):
        with pytest.raises(ServiceError, match=code):
            _assign(
                model,
                f"/{DEFINITIONS}/{READER}",
                someone.object_id,
                condition="SubOperationMatches{'Blob.List'}",
                conditionVersion=version,
            )
