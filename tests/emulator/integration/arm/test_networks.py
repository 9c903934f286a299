"""Microsoft.Network with `azure-mgmt-network`."""

from collections.abc import Iterator
from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.mgmt.network import NetworkManagementClient

from tests.emulator.integration.arm.stage import Stage


@pytest.fixture
def network(stage: Stage) -> Iterator[Any]:
    """Yield the owner's client."""
    with NetworkManagementClient(stage.owner, stage.world.subscription_id) as client:
        yield client


def _vnet(network: Any, group: str, *subnets: tuple[str, str]) -> Any:
    return network.virtual_networks.begin_create_or_update(
        group,
        "vnet",
        {
            "location": "eastus",
            "properties": {
                "addressSpace": {"addressPrefixes": ["10.0.0.0/16"]},
                "subnets": [{"name": name, "properties": {"addressPrefix": prefix}} for name, prefix in subnets],
            },
        },
    ).result()


def test_a_network_with_subnets_is_created(network: Any, group: str) -> None:
    """Inline subnets become child resources, and are still shown inline."""
    created = _vnet(network, group, ("master", "10.0.0.0/24"))
    assert created.provisioning_state == "Succeeded"
    network.subnets.begin_create_or_update(
        group,
        "vnet",
        "worker",
        {
            "properties": {
                "addressPrefix": "10.0.1.0/24",
                "serviceEndpoints": [{"service": "Microsoft.ContainerRegistry"}],
                "privateLinkServiceNetworkPolicies": "Disabled",
            }
        },
    ).result()
    shown = network.virtual_networks.get(group, "vnet")
    assert [subnet.name for subnet in shown.subnets] == ["master", "worker"]
    worker = network.subnets.get(group, "vnet", "worker")
    assert worker.service_endpoints[0].provisioning_state == "Succeeded"
    assert worker.private_link_service_network_policies == "Disabled"


@pytest.mark.parametrize(
    ("prefix", "code"),
    [
        ("10.1.0.0/24", "NetcfgSubnetRangeOutsideVnet"),
        ("10.0.0.0/25", "NetcfgSubnetRangesOverlap"),
        ("10.0.0.1/24", "InvalidCIDRNotation"),
    ],
)
def test_a_subnet_must_fit(network: Any, group: str, prefix: str, code: str) -> None:
    """A subnet lies in its network, overlaps no other and is a proper range."""
    _vnet(network, group, ("first", "10.0.0.0/24"))
    with pytest.raises(HttpResponseError, match=code):
        network.subnets.begin_create_or_update(group, "vnet", "second", {"properties": {"addressPrefix": prefix}})


def test_a_missing_subnet_is_not_found(network: Any, group: str) -> None:
    """Microsoft.Network says so itself if the network exists; otherwise ARM misses the network."""
    _vnet(network, group)
    with pytest.raises(
        ResourceNotFoundError, match=r"\(NotFound\) Resource /subscriptions/.*/subnets/other not found\."
    ):
        network.subnets.get(group, "vnet", "other")
    with pytest.raises(
        ResourceNotFoundError, match=r"\(ResourceNotFound\) The Resource 'Microsoft.Network/virtualNetworks/x'"
    ):
        network.subnets.get(group, "x", "other")


def test_a_security_group_in_use_stays(network: Any, group: str) -> None:
    """A group attached to a subnet cannot be deleted, shows the subnet, and can go once it is detached."""
    subnet = _vnet(network, group, ("first", "10.0.0.0/24")).subnets[0]
    groups = network.network_security_groups
    rule = {
        "name": "apiserver_in",
        "properties": {
            "access": "Allow",
            "direction": "Inbound",
            "protocol": "Tcp",
            "priority": 101,
            "sourceAddressPrefix": "*",
            "sourcePortRange": "*",
            "destinationAddressPrefix": "*",
            "destinationPortRange": "6443",
        },
    }
    nsg = groups.begin_create_or_update(
        group, "nsg", {"location": "eastus", "properties": {"securityRules": [rule]}}
    ).result()
    attached = {"properties": {"addressPrefix": "10.0.0.0/24", "networkSecurityGroup": {"id": nsg.id}}}
    network.subnets.begin_create_or_update(group, "vnet", "first", attached).result()
    shown = groups.get(group, "nsg")
    assert [found.id for found in shown.subnets] == [subnet.id]
    assert shown.security_rules[0].priority == 101
    with pytest.raises(HttpResponseError, match="InUseNetworkSecurityGroupCannotBeDeleted"):
        groups.begin_delete(group, "nsg")
    del attached["properties"]["networkSecurityGroup"]
    network.subnets.begin_create_or_update(group, "vnet", "first", attached).result()
    groups.begin_delete(group, "nsg").result()
    assert [found.name for found in groups.list(group)] == []


def test_a_property_that_a_subnet_lacks_is_refused(network: Any, group: str) -> None:
    """The error names the unknown member, as Json.NET does."""
    _vnet(network, group)
    body = {"properties": {"addressPrefix": "10.0.0.0/24", "colour": "red"}}
    with pytest.raises(HttpResponseError, match="Could not find member 'colour'"):
        network.subnets.begin_create_or_update(group, "vnet", "first", body)
