"""Roles, deny assignments, and what the resource provider may do in groups that it manages."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx
import pytest
from azure.core.exceptions import HttpResponseError
from azure.identity import ClientSecretCredential
from azure.mgmt.authorization import AuthorizationManagementClient
from azure.mgmt.network import NetworkManagementClient
from azure.mgmt.resource.resources import ResourceManagementClient

from emulator.arm.access.authorization import EVERYONE
from emulator.arm.access.roles import CONTRIBUTOR, NETWORK_CONTRIBUTOR, OWNER, READER
from emulator.arm.seeding import ensure_role
from tests.emulator.integration.arm.stage import Stage

NAMESPACE = "Microsoft.RedHatOpenShift"
NSG: Any = {"location": "eastus", "properties": {}}


def _scope(stage: Stage, group: str) -> str:
    return f"/subscriptions/{stage.world.subscription_id}/resourceGroups/{group}"


def _network(stage: Stage, credential: ClientSecretCredential) -> Any:
    return NetworkManagementClient(credential, stage.world.subscription_id)


def _grants(stage: Stage) -> Any:
    return AuthorizationManagementClient(stage.owner, stage.world.subscription_id)


def test_an_assignment_takes_effect_after_a_while(stage: Stage, group: str) -> None:
    """A role is listed at once, but access checks take a while to follow it."""
    credential, object_id = stage.principal("late")
    with stage.time.stopped(), _grants(stage) as client, _network(stage, credential) as network:
        made = client.role_assignments.create(
            _scope(stage, group),
            str(uuid4()),
            {
                "properties": {
                    "roleDefinitionId": f"/subscriptions/x/providers/Microsoft.Authorization/roleDefinitions/{READER}",
                    "principalId": object_id,
                }
            },
        )
        found = client.role_assignments.list_for_scope(_scope(stage, group), filter=f"principalId eq '{object_id}'")
        assert [assignment.id for assignment in found] == [made.id]
        # `az aro` compares this id with one that it composes.
        subscription = f"/subscriptions/{stage.world.subscription_id}"
        assert made.role_definition_id == f"{subscription}/providers/Microsoft.Authorization/roleDefinitions/{READER}"
        with pytest.raises(HttpResponseError, match="AuthorizationFailed"):
            list(network.virtual_networks.list(group))
        stage.time.ahead += timedelta(minutes=1)
        assert list(network.virtual_networks.list(group)) == []
        client.role_assignments.delete_by_id(made.id)
        with pytest.raises(HttpResponseError, match="AuthorizationFailed"):
            list(network.virtual_networks.list(group))


def test_assignments_are_unique_and_name_real_roles_and_principals(stage: Stage, group: str) -> None:
    """A duplicate, a name that is not a GUID, and an unknown role or principal are refused."""
    _, object_id = stage.principal("twice")
    role = f"/providers/Microsoft.Authorization/roleDefinitions/{READER}"
    body = {"properties": {"roleDefinitionId": role, "principalId": object_id}}
    with _grants(stage) as client:
        create = client.role_assignments.create
        create(_scope(stage, group), str(uuid4()), body)
        with pytest.raises(HttpResponseError, match="RoleAssignmentExists"):
            create(_scope(stage, group), str(uuid4()), body)
        with pytest.raises(HttpResponseError, match="InvalidRoleAssignmentId"):
            create(_scope(stage, group), "name", body)
        body["properties"]["roleDefinitionId"] = role.replace(READER, str(uuid4()))
        with pytest.raises(HttpResponseError, match="RoleDefinitionDoesNotExist"):
            create(_scope(stage, group), str(uuid4()), body)
        with pytest.raises(HttpResponseError, match="PrincipalNotFound"):
            create(
                _scope(stage, group),
                str(uuid4()),
                {"properties": {"roleDefinitionId": role, "principalId": str(uuid4())}},
            )


def test_a_contributor_assigns_no_roles(stage: Stage, group: str) -> None:
    """`notActions` take away from what `actions` give."""
    credential, object_id = stage.principal("contributor")
    ensure_role(stage.arm, _scope(stage, group), object_id, CONTRIBUTOR)
    body = {
        "properties": {
            "roleDefinitionId": f"/providers/Microsoft.Authorization/roleDefinitions/{READER}",
            "principalId": object_id,
        }
    }
    with (
        AuthorizationManagementClient(credential, stage.world.subscription_id) as client,
        pytest.raises(HttpResponseError, match="AuthorizationFailed") as caught,
    ):
        client.role_assignments.create(_scope(stage, group), str(uuid4()), body)
    assert "Microsoft.Authorization/roleAssignments/write" in caught.value.message


def test_built_in_roles_are_found_by_name(stage: Stage) -> None:
    """`az role assignment create --role` looks for them like this."""
    with _grants(stage) as client:
        scope = f"/subscriptions/{stage.world.subscription_id}"
        found = list(client.role_definitions.list(scope, filter="roleName eq 'Network Contributor'"))
        assert [role.name for role in found] == [NETWORK_CONTRIBUTOR]
        assert client.role_definitions.get(scope, OWNER).role_name == "Owner"


def test_a_custom_role_is_made_found_assigned_and_deleted(stage: Stage, group: str) -> None:
    """In the order of `az role definition create`, `az role assignment create --role NAME`, and their opposites."""
    scope = f"/subscriptions/{stage.world.subscription_id}"
    credential, object_id = stage.principal("looker")
    name = f"Looker {group}"
    body: Any = {
        "roleName": name,
        "type": "CustomRole",
        "permissions": [{"actions": ["Microsoft.Network/virtualNetworks/read"]}],
        "assignableScopes": [_scope(stage, group)],
    }
    with _grants(stage) as client, _network(stage, credential) as network:
        made = client.role_definitions.create_or_update(_scope(stage, group), str(uuid4()), body)
        assert (made.role_name, made.role_type) == (name, "CustomRole")
        by_name = {"filter": f"roleName eq '{name}'"}
        assert [role.id for role in client.role_definitions.list(_scope(stage, group), **by_name)] == [made.id]
        assert list(client.role_definitions.list(scope, **by_name)) == []
        below = f"atScopeAndBelow() and type eq 'CustomRole' and roleName eq '{name}'"
        assert [role.id for role in client.role_definitions.list(scope, filter=below)] == [made.id]
        assigned = client.role_assignments.create(
            _scope(stage, group),
            str(uuid4()),
            {"properties": {"roleDefinitionId": made.id, "principalId": object_id}},
        )
        stage.time.ahead += timedelta(minutes=1)
        assert list(network.virtual_networks.list(group)) == []
        with pytest.raises(HttpResponseError, match="AuthorizationFailed"):
            network.network_security_groups.begin_create_or_update(group, "nsg", NSG)
        with pytest.raises(HttpResponseError, match="RoleDefinitionHasAssignments"):
            client.role_definitions.delete(_scope(stage, group), made.name)
        client.role_assignments.delete_by_id(assigned.id)
        assert client.role_definitions.delete(_scope(stage, group), made.name).id == made.id
        with pytest.raises(HttpResponseError, match="RoleDefinitionDoesNotExist"):
            client.role_definitions.get_by_id(made.id)


def test_joining_needs_a_right_on_what_is_joined(stage: Stage, group: str) -> None:
    """A principal that may write a subnet may attach only the security groups that it may join."""
    credential, object_id = stage.principal("joiner")
    with _network(stage, stage.owner) as owner, _network(stage, credential) as network:
        vnet = {"location": "eastus", "properties": {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}}}
        made = owner.virtual_networks.begin_create_or_update(group, "vnet", vnet).result()
        nsg = owner.network_security_groups.begin_create_or_update(group, "nsg", NSG).result()
        ensure_role(stage.arm, made.id, object_id, NETWORK_CONTRIBUTOR)
        subnet = {"properties": {"addressPrefix": "10.0.0.0/24", "networkSecurityGroup": {"id": nsg.id}}}
        with pytest.raises(HttpResponseError, match="LinkedAuthorizationFailed") as caught:
            network.subnets.begin_create_or_update(group, "vnet", "first", subnet)
        assert "'Microsoft.Network/networkSecurityGroups/join/action' on the linked scope(s)" in caught.value.message
        refused = list(stage.platform.journal.entries(service="arm"))[-1]
        actions = ("virtualNetworks/subnets/write", "networkSecurityGroups/join/action")
        assert refused.actions == tuple(f"Microsoft.Network/{action}" for action in actions)
        ensure_role(stage.arm, nsg.id, object_id, NETWORK_CONTRIBUTOR)
        network.subnets.begin_create_or_update(group, "vnet", "first", subnet).result()


@pytest.fixture
def first_party(stage: Stage) -> ClientSecretCredential:
    """Register the resource provider in the subscription; return its credential in the customer's tenant."""
    stage.arm.subscriptions.ensure(
        stage.world.subscription_id, stage.world.tenant_id, "Customer", providers=[NAMESPACE]
    )
    return stage.principal("first party", stage.world.first_party_client_id)[0]


def _managed(stage: Stage, credential: ClientSecretCredential) -> tuple[str, str]:
    """Create a cluster's group as the resource provider; return its name and scope."""
    name = f"aro-{uuid4().hex[:8]}"
    cluster = f"{_scope(stage, 'rg')}/providers/{NAMESPACE}/openShiftClusters/c1"
    with ResourceManagementClient(credential, stage.world.subscription_id) as client:
        client.resource_groups.create_or_update(name, {"location": "eastus", "managedBy": cluster})
    return name, _scope(stage, name)


def test_the_provider_has_the_role_of_its_manifest_in_the_groups_that_it_manages(
    stage: Stage, first_party: ClientSecretCredential, group: str
) -> None:
    """Without any role assignment the provider creates a managed group and works in it, and nowhere else."""
    name, _ = _managed(stage, first_party)
    with _network(stage, first_party) as network:
        network.network_security_groups.begin_create_or_update(name, "nsg", NSG).result()
        with pytest.raises(HttpResponseError, match="AuthorizationFailed"):
            network.network_security_groups.begin_create_or_update(group, "nsg", NSG)
    with (
        ResourceManagementClient(first_party, stage.world.subscription_id) as client,
        pytest.raises(HttpResponseError, match="AuthorizationFailed"),
    ):
        client.resource_groups.create_or_update("other", {"location": "eastus"})


def test_a_deny_assignment_stops_everybody_but_those_it_leaves_out(
    stage: Stage, first_party: ClientSecretCredential
) -> None:
    """The customer's owner may read but not write; the excluded principal and the provider may write."""
    name, scope = _managed(stage, first_party)
    cluster, object_id = stage.principal("cluster")
    ensure_role(stage.arm, scope, object_id, CONTRIBUTOR)
    identifier = f"{scope}/providers/Microsoft.Authorization/denyAssignments/{uuid4()}"
    denial = {
        "properties": {
            "denyAssignmentName": "cluster",
            "permissions": [
                {
                    "actions": ["*/action", "*/delete", "*/write"],
                    "notActions": ["Microsoft.Network/networkSecurityGroups/join/action"],
                }
            ],
            "principals": [{"id": EVERYONE, "type": "SystemDefined"}],
            "excludePrincipals": [{"id": object_id, "type": "ServicePrincipal"}],
            "isSystemProtected": True,
        }
    }
    assert _put(stage, stage.owner, identifier, denial) == 403
    assert _put(stage, first_party, identifier, denial) == 201
    for credential in (cluster, first_party):
        with _network(stage, credential) as network:
            network.network_security_groups.begin_create_or_update(name, "nsg", NSG).result()
    with _network(stage, stage.owner) as owner:
        assert owner.network_security_groups.get(name, "nsg").name == "nsg"
        with pytest.raises(HttpResponseError, match="DenyAssignmentAuthorizationFailed"):
            owner.network_security_groups.begin_create_or_update(name, "nsg", NSG)
    with AuthorizationManagementClient(stage.owner, stage.world.subscription_id) as client:
        found = list(client.deny_assignments.list_for_scope(scope))
        assert [denial.deny_assignment_name for denial in found] == ["cluster"]
    with ResourceManagementClient(first_party, stage.world.subscription_id) as client:
        client.resource_groups.begin_delete(name).result()


def _put(stage: Stage, credential: ClientSecretCredential, identifier: str, body: dict[str, Any]) -> int:
    token = credential.get_token("https://management.azure.com/.default").token
    url = f"{stage.url}{identifier}?api-version=2018-07-01-preview"
    return httpx.put(url, json=body, headers={"Authorization": f"Bearer {token}"}, timeout=60).status_code


def test_permissions_are_listed_for_a_resource(stage: Stage, group: str) -> None:
    """The path has a doubled slash, as the SDK and the provider send it."""
    credential, object_id = stage.principal("asker")
    with _network(stage, stage.owner) as owner:
        vnet = {"location": "eastus", "properties": {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}}}
        made = owner.virtual_networks.begin_create_or_update(group, "vnet", vnet).result()
    with AuthorizationManagementClient(credential, stage.world.subscription_id) as client:
        asked = (group, "Microsoft.Network", "", "virtualNetworks", "vnet")
        with pytest.raises(HttpResponseError, match="AuthorizationFailed"):
            list(client.permissions.list_for_resource(*asked))
        ensure_role(stage.arm, made.id, object_id, NETWORK_CONTRIBUTOR)
        found = list(client.permissions.list_for_resource(*asked))
        assert "Microsoft.Network/*" in (found[0].actions or [])
