"""Access decisions."""

import pytest

from emulator.arm.access.authorization import allows
from emulator.arm.access.roles import CONTRIBUTOR, READER, ROLES
from emulator.arm.models import ArmModel
from emulator.arm.seeding import ensure_role
from emulator.authorization.definitions import assignable
from emulator.core.service_error import ServiceError
from emulator.entra.models import Principal
from tests.emulator.unit.arm.conftest import GROUP, WORLD

OTHER = Principal("22222222-2222-4222-8222-222222222222", "other-client", WORLD.tenant_id, "other", "", {})
# Managed Identity Operator.
OPERATOR = "f1a07417-d97a-45cb-824c-7a7467783830"
READ, WRITE = "Microsoft.Network/virtualNetworks/read", "Microsoft.Network/virtualNetworks/write"


@pytest.mark.parametrize(
    ("role", "action", "allowed"),
    [
        (READER, "Microsoft.Network/virtualNetworks/read", True),
        (READER, "microsoft.network/virtualnetworks/READ", True),
        (READER, "Microsoft.Network/virtualNetworks/write", False),
        (CONTRIBUTOR, "Microsoft.Network/virtualNetworks/write", True),
        (CONTRIBUTOR, "Microsoft.Authorization/roleAssignments/write", False),
        (CONTRIBUTOR, "Microsoft.Authorization/roleAssignments/read", True),
        (OPERATOR, "Microsoft.ManagedIdentity/userAssignedIdentities/assign/action", True),
        (OPERATOR, "Microsoft.ManagedIdentity/userAssignedIdentities/write", False),
    ],
)
def test_wildcards_and_not_actions(role: str, action: str, allowed: bool) -> None:
    """An action is allowed if a wildcard matches it and no exception does, in any case."""
    assert allows(ROLES[role].permission(), action) is allowed


def test_rights_are_inherited_downwards_only(model: ArmModel) -> None:
    """A role on a group applies to what is in the group, and to nothing around it."""
    ensure_role(model, GROUP, OTHER.object_id, READER)
    inside = f"{GROUP}/providers/Microsoft.Network/virtualNetworks/vnet"
    model.authorize(OTHER, READ, inside)
    for scope in (GROUP.rpartition("/resourceGroups")[0], f"{GROUP}-2"):
        with pytest.raises(ServiceError, match="AuthorizationFailed"):
            model.authorize(OTHER, READ, scope)


def test_the_refusal_reads_as_azures(model: ArmModel) -> None:
    """ARM's sentence names the client, the object id, the action and the scope."""
    with pytest.raises(ServiceError) as caught:
        model.authorize(OTHER, WRITE, GROUP)
    assert caught.value.status_code == 403
    assert caught.value.message == (
        f"The client 'other-client' with object id '{OTHER.object_id}' does not have authorization to perform action "
        f"'{WRITE}' over scope '{GROUP}' or the scope is invalid. If access was recently granted, please refresh your "
        "credentials."
    )


@pytest.mark.parametrize(
    ("scope", "wanted"), [("/g/foo", True), ("/G/FOO/p", True), ("/g/foo-bar", False), ("/g", False)]
)
def test_a_role_may_be_assigned_in_its_scopes_and_below(scope: str, wanted: bool) -> None:
    """A group whose name begins like another is not below it."""
    assert assignable({"assignableScopes": ["/g/foo/"]}, scope) is wanted
    assert assignable({"assignableScopes": ["/"]}, scope)
