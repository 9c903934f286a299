"""What people get wrong in role assignments, locks and deny assignments, and how Azure refuses it."""

import asyncio
from typing import Any
from uuid import uuid4

import pytest

from emulator.arm.access.roles import READER
from emulator.arm.models import ArmModel
from emulator.core.service_error import ServiceError
from tests.emulator.unit.arm.conftest import CALLER, GROUP, WORLD

AUTHORIZATION = "providers/Microsoft.Authorization"
ROLE = f"/subscriptions/{WORLD.subscription_id}/{AUTHORIZATION}/roleDefinitions"
PRINCIPAL = str(uuid4())


def _put(model: ArmModel, path: str, version: str, **properties: Any) -> dict[str, Any]:
    return asyncio.run(model.put_resource(CALLER, path, version, {"properties": properties})).body


def _assign(model: ArmModel, name: str = "", scope: str = GROUP, **changes: Any) -> dict[str, Any]:
    properties = {"roleDefinitionId": f"{ROLE}/{READER}", "principalId": PRINCIPAL, "principalType": "User"} | changes
    path = f"{scope}/{AUTHORIZATION}/roleAssignments/{name or uuid4()}"
    return _put(model, path, "2022-04-01", **{name: value for name, value in properties.items() if value is not None})


@pytest.mark.parametrize(
    ("changes", "status", "code", "message"),
    [
        ({"name": "reader"}, 400, "InvalidRoleAssignmentId", "The role assignment ID must be a GUID."),
        ({"principalId": "somebody"}, 400, "InvalidPrincipalId", "must be provided for role assignment: somebody."),
        ({"principalType": None}, 400, "PrincipalNotFound", f"does not exist in the directory {WORLD.tenant_id}."),
        ({"roleDefinitionId": f"{ROLE}/{uuid4()}"}, 400, "RoleDefinitionDoesNotExist", "The specified role definition"),
        ({"roleDefinitionId": f"{ROLE}/Reader"}, 400, "InvalidRoleDefinitionId", "ID 'Reader' is not valid."),
        ({"condition": "@Request[x] GuidEquals 1"}, 400, "InvalidConditionSyntax", "it must be '2.0'."),
        (
            {"scope": f"{GROUP}/providers/Microsoft.Network/virtualNetworks/none"},
            404,
            "ResourceNotFound",
            "The Resource 'Microsoft.Network/virtualNetworks/none' under resource group 'group' was not found.",
        ),
        ({"scope": f"{GROUP}-2"}, 404, "ResourceGroupNotFound", "'group-2' could not be found."),
    ],
    ids=[
        "a name",
        "a principal",
        "a stranger",
        "a role",
        "a role's name",
        "a condition",
        "a resource",
        "a group",
    ],
)
def test_a_wrong_role_assignment_is_refused(
    model: ArmModel, changes: dict[str, Any], status: int, code: str, message: str
) -> None:
    """Each mistake has its own code."""
    with pytest.raises(ServiceError) as refused:
        _assign(model, **changes)
    assert (refused.value.status_code, refused.value.code) == (status, code)
    assert message in refused.value.message


def test_a_role_is_assigned_to_a_principal_once_at_a_scope(model: ArmModel) -> None:
    """A second name for the same assignment is refused, and so is another principal under the same name."""
    name = str(uuid4())
    assert _assign(model, name)["properties"]["principalId"] == PRINCIPAL
    with pytest.raises(ServiceError) as again:
        _assign(model)
    assert (again.value.status_code, again.value.code) == (409, "RoleAssignmentExists")
    assert again.value.message.endswith(f"The ID of the conflicting role assignment is {name.replace('-', '')}.")
    with pytest.raises(ServiceError) as other:
        _assign(model, name, principalId=str(uuid4()))
    assert (other.value.status_code, other.value.code) == (400, "RoleAssignmentUpdateNotPermitted")
    assert other.value.message == "Tenant ID, application ID, principal ID, and scope are not allowed to be updated."


@pytest.mark.parametrize(
    ("properties", "code"),
    [
        ({"level": "ReadWrite"}, "InvalidRequestContent"),
        ({}, "InvalidRequestContent"),
    ],
    ids=["an unknown level", "no level"],
)
def test_a_wrong_lock_is_refused(model: ArmModel, properties: dict[str, Any], code: str) -> None:
    """It needs a level that exists."""
    path = f"{GROUP}/{AUTHORIZATION}/locks/lock"
    with pytest.raises(ServiceError) as refused:
        _put(model, path, "2020-05-01", **properties)
    assert (refused.value.status_code, refused.value.code) == (400, code)
    assert _put(model, path, "2020-05-01", level="ReadOnly", notes="n" * 512)["properties"]["level"] == "ReadOnly"


def test_a_customer_makes_no_deny_assignment_in_an_old_version(model: ArmModel) -> None:
    """Only Azure's own services may."""
    everybody = {"id": "00000000-0000-0000-0000-000000000000", "type": "SystemDefined"}
    with pytest.raises(ServiceError) as refused:
        _put(
            model,
            f"{GROUP}/{AUTHORIZATION}/denyAssignments/{uuid4()}",
            "2022-04-01",
            denyAssignmentName="no",
            permissions=[{"actions": ["*/write"]}],
            principals=[everybody],
        )
    assert (refused.value.status_code, refused.value.code) == (403, "AuthorizationFailed")
