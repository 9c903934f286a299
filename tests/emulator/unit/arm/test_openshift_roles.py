"""The built-in roles for workload identity."""

import pytest

from emulator.arm.access.authorization import allows
from emulator.arm.access.role import Role
from emulator.arm.access.roles import ROLES

NAME = "Azure Red Hat OpenShift "
# What the owner of a network expects each role to hold there; `az aro` chooses the scopes of assignments by it.
VNET, SUBNETS = "Microsoft.Network/virtualNetworks", "Microsoft.Network/virtualNetworks/subnets"
HELD = {
    "Service Operator": {f"{SUBNETS}/read", f"{SUBNETS}/write"},
    "Cloud Controller Manager": {f"{SUBNETS}/read", f"{SUBNETS}/write", f"{SUBNETS}/join/action"},
    "Network Operator": {f"{VNET}/read", f"{SUBNETS}/join/action"},
    "Disk Storage Operator": set(),
    "File Storage Operator": {
        *(f"{VNET}/join/action", f"{SUBNETS}/read"),
        *(f"{SUBNETS}/write", f"{SUBNETS}/join/action"),
    },
    "Image Registry Operator": {f"{VNET}/join/action", f"{SUBNETS}/read", f"{SUBNETS}/join/action"},
    "Cluster Ingress Operator": {f"{SUBNETS}/read", f"{SUBNETS}/join/action"},
    "Machine API Operator": {f"{SUBNETS}/read", f"{SUBNETS}/join/action"},
    "Federated Credential": set(),
    # It links a private DNS zone to the network, and lets its subnets into the cluster's storage account.
    "Resource Provider": {
        *(f"{VNET}/read", f"{VNET}/join/action", f"{SUBNETS}/read"),
        *(f"{SUBNETS}/write", f"{SUBNETS}/join/action", f"{SUBNETS}/joinViaServiceEndpoint/action"),
    },
}
VERBS = ("read", "write", "join/action", "joinViaServiceEndpoint/action")
ASKED = {f"{scope}/{verb}" for scope in (VNET, SUBNETS) for verb in VERBS}


@pytest.mark.parametrize(
    "role", [role for role in ROLES.values() if role.name.startswith(NAME)], ids=lambda role: role.name
)
def test_a_role_holds_what_its_operator_needs_of_the_network(role: Role) -> None:
    """No more, no less."""
    name = role.name.removeprefix(NAME)
    permission = role.permission()
    assert {action for action in ASKED if allows(permission, action)} == HELD[name]
