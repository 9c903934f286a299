"""Subscriptions, providers and resource groups with `azure-mgmt-resource`."""

from datetime import timedelta

import pytest
from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.mgmt.resource.resources import ResourceManagementClient
from azure.mgmt.resource.subscriptions import SubscriptionClient

from tests.emulator.integration.arm.stage import Stage
from tests.local_azure import wait_for


def test_an_owner_sees_the_subscription(stage: Stage) -> None:
    """A principal with a role in a subscription finds it in the list."""
    with SubscriptionClient(stage.owner) as client:
        found = list(client.subscriptions.list())
    assert [subscription.subscription_id for subscription in found] == [stage.world.subscription_id]


def test_a_principal_without_roles_sees_no_subscription(stage: Stage) -> None:
    """A principal without roles gets an empty list, not an error."""
    credential, _ = stage.principal("nobody")
    with SubscriptionClient(credential) as client:
        assert list(client.subscriptions.list()) == []
        assert [tenant.tenant_id for tenant in client.tenants.list()] == [stage.world.tenant_id]


def test_a_group_lives_from_put_to_delete(resources: ResourceManagementClient, group: str) -> None:
    """A group is created, found, tagged, listed and deleted; its deletion is polled."""
    groups = resources.resource_groups
    assert groups.check_existence(group)
    assert groups.update(group, {"tags": {"a": "b"}}).tags == {"a": "b"}
    assert group in [found.name for found in groups.list()]
    groups.begin_delete(group).result()
    assert not groups.check_existence(group)
    with pytest.raises(ResourceNotFoundError, match="ResourceGroupNotFound"):
        groups.get(group)


def test_a_group_cannot_move(resources: ResourceManagementClient, group: str) -> None:
    """A PUT with another location is refused."""
    with pytest.raises(HttpResponseError, match="InvalidResourceGroupLocation"):
        resources.resource_groups.create_or_update(group, {"location": "westus"})


def test_resources_are_listed_by_what_the_filter_names(
    stage: Stage, resources: ResourceManagementClient, group: str
) -> None:
    """The CLI lists the resources of a group by a filter on the subscription."""
    provider = f"/providers/Microsoft.Network/networkSecurityGroups/{group}-nsg"
    body = {"location": "eastus", "tags": {"a": "b and c"}}
    identifier = f"/subscriptions/{stage.world.subscription_id}/resourceGroups/{group}{provider}"
    resources.resources.begin_create_or_update_by_id(identifier, body, api_version="2022-01-01").result()

    def listed(text: str) -> list[str | None]:
        return [found.name for found in resources.resources.list(filter=text) if found.id == identifier]

    kind = "resourceType eq 'microsoft.network/NetworkSecurityGroups'"
    assert listed(f"resourceGroup eq '{group.upper()}' and {kind}") == [f"{group}-nsg"]
    assert listed("tagName eq 'a' and tagValue eq 'b and c'") == [f"{group}-nsg"]
    assert listed("tagName eq 'A' and tagValue eq 'b and c'") == [f"{group}-nsg"]
    assert listed(f"resourceGroup eq '{group}' and name eq 'other'") == []
    assert listed("tagName eq 'a' and tagValue eq 'other'") == []
    for bad in ("resourceGroup", "nothing eq 'x'", "name eq 'x' or name eq 'y'"):
        with pytest.raises(HttpResponseError, match="InvalidFilterInQueryString"):
            listed(bad)


def test_azures_own_providers_are_registered_without_the_resource_provider(
    stage: Stage, resources: ResourceManagementClient
) -> None:
    """Registration takes a moment, calls no provider, and is not affected by a feature that is set meanwhile."""
    namespace = "Microsoft.Storage"
    stage.arm.subscriptions.unregister(stage.world.subscription_id, namespace)
    assert resources.providers.get(namespace).registration_state == "Unregistered"
    with stage.time.stopped():
        assert resources.providers.register(namespace).registration_state == "Registering"
        stage.arm.subscriptions.set_feature(stage.world.subscription_id, namespace, "Fast", "Registered")
        assert resources.providers.get(namespace).registration_state == "Registering"
        stage.time.ahead += timedelta(minutes=1)
        assert resources.providers.get(namespace).registration_state == "Registered"


def test_registering_a_provider_takes_a_moment(stage: Stage, resources: ResourceManagementClient) -> None:
    """The state is Registering until the resource provider has been told of the subscription, then Registered."""
    namespace = "Microsoft.RedHatOpenShift"
    stage.arm.subscriptions.unregister(stage.world.subscription_id, namespace)
    with stage.time.stopped():
        assert resources.providers.register(namespace).registration_state == "Registering"
    wait_for(lambda: resources.providers.get(namespace).registration_state == "Registered", "the registration")
    method, path, headers, body = next(call for call in stage.provider.received if "api-version=2.0" in call[1])
    assert (method, path) == ("PUT", f"/subscriptions/{stage.world.subscription_id}?api-version=2.0")
    assert body["state"] == "Registered"
    assert body["properties"]["tenantId"] == stage.world.tenant_id
    assert "authorization" not in headers
