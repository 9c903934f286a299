"""Where connections to an address and a port end."""

from typing import Any

import pytest

from emulator.network.reach import Backend
from tests.emulator.unit.network.world import (
    BALANCER,
    DNS_API,
    GROUP,
    NETWORK,
    POOL,
    RP_CALLER,
    RP_NETWORK,
    SUBNET,
    World,
)

VNET = f"{NETWORK}/virtualNetworks/vnet"
ZONE = f"{NETWORK}/privateDnsZones/cluster.example.com"


def _front_address(world: World) -> str:
    front = world.get(f"{BALANCER}/frontendIPConfigurations/front")
    return str(front["properties"]["privateIPAddress"])


def test_a_public_address_leads_to_the_machines_of_its_pool(world: World) -> None:
    """The way leads through rule, probe and pool if a security group allows the port."""
    address = world.put_public_balancer()["properties"]["ipAddress"]
    world.put_rules({})
    machines = [world.put_machine(f"vm-{index}", POOL) for index in range(2)]
    found = world.reach.from_outside(address, 6443)
    assert found == [
        Backend(vm, f"{NETWORK}/networkInterfaces/vm-{i}-nic", 6443, "https:6443/readyz")
        for i, vm in enumerate(machines)
    ]
    assert world.reach.why_not(address, 6443) == ""


def test_a_private_endpoint_leads_through_the_link_to_the_machines(world: World) -> None:
    """The link leads from the resource provider's network to the pool of the internal load balancer."""
    world.put_balancer()
    vm = world.put_machine("vm", POOL)
    world.put_service()
    world.put_endpoint()
    assert [found.vm_id for found in world.reach.from_outside(world.endpoint_address(), 6443)] == [vm]


@pytest.mark.parametrize(
    ("apps", "reached"),
    [("Microsoft.Web/serverFarms", 1), ("microsoft.web/serverfarms", 1), ("", 0)],
    ids=["joined", "joined in lower case", "alone"],
)
def test_a_private_endpoint_in_another_network_is_reached_by_apps_that_join_it(
    world: World, apps: str, reached: int
) -> None:
    """A service that somebody deploys with addresses of its own is such a network."""
    world.put_balancer()
    world.put_machine("vm", POOL)
    world.put_service()
    world.put_endpoint(network="10.240", apps=apps)
    assert world.endpoint_address().startswith("10.240.4.")
    assert len(world.reach.from_outside(world.endpoint_address(), 6443)) == reached


def _without_rule(world: World) -> None:
    world.put_balancer(loadBalancingRules=[])


def _without_probe(world: World) -> None:
    rule = world.get(f"{BALANCER}/loadBalancingRules/api")
    del rule["properties"]["probe"]
    world.put_balancer(loadBalancingRules=[rule])


def _without_machine(world: World) -> None:
    world.delete_machine("vm")


def _out_of_the_pool(world: World) -> None:
    world.put_interface("vm-nic")


def _rejected(world: World) -> None:
    connection = world.get("privateLinkServices/pls")["properties"]["privateEndpointConnections"][0]
    state = {"privateLinkServiceConnectionState": {"status": "Rejected"}}
    world.put(connection["id"], {"properties": state})


def _removed(world: World) -> None:
    world.delete(world.get("privateLinkServices/pls")["properties"]["privateEndpointConnections"][0]["id"])


def _denied(world: World) -> None:
    world.put_rules({"access": "Deny", "sourceAddressPrefix": "VirtualNetwork", "destinationPortRange": "6000-7000"})


def _probe_denied(world: World) -> None:
    world.put_rules({"access": "Deny", "sourceAddressPrefix": "AzureLoadBalancer"})


@pytest.mark.parametrize(
    ("mistake", "want"),
    [
        (_without_rule, "No load balancing rule of"),
        (_without_probe, "has no probe"),
        (_without_machine, "No virtual machine has network interface"),
        (_out_of_the_pool, "No network interface is in its backend pool"),
        (_rejected, "is Rejected, not Approved"),
        (_removed, "is Disconnected, not Approved"),
        (_denied, "denies VirtualNetwork port 6443"),
        (_probe_denied, "denies AzureLoadBalancer port 6443"),
    ],
)
def test_a_mistake_on_the_way_ends_the_connection(world: World, mistake: Any, want: str) -> None:
    """The reason is given in one sentence."""
    world.put_balancer()
    world.put_machine("vm", POOL)
    world.put_service()
    world.put_endpoint()
    mistake(world)
    address = world.endpoint_address()
    assert world.reach.from_outside(address, 6443) == []
    assert want in world.reach.why_not(address, 6443)


def test_no_security_group_means_no_way_in_from_outside(world: World) -> None:
    """Standard addresses are closed until a group opens them; inside the network all is open without one."""
    address = world.put_public_balancer()["properties"]["ipAddress"]
    vm = world.put_machine("vm", POOL)
    assert "no network security group allows port 6443" in world.reach.why_not(address, 6443).lower()
    own = world.get("networkInterfaces/vm-nic")["properties"]["ipConfigurations"][0]["properties"]["privateIPAddress"]
    assert [found.vm_id for found in world.reach.from_vnet(SUBNET, own, 22)] == [vm]


def test_what_nobody_has_leads_nowhere(world: World) -> None:
    """An unknown address, a port without a rule and an address inside a network lead to no machine."""
    address = world.put_public_balancer()["properties"]["ipAddress"]
    assert "No load balancing rule" in world.reach.why_not(address, 22623)
    assert "of no public IP address" in world.reach.why_not("127.5.5.5", 6443)
    assert world.reach.from_outside("10.0.0.4", 6443) == []
    assert "belongs to no load balancer" in world.reach.why_not(world.put_public("other")["properties"]["ipAddress"], 1)


def test_a_machine_reaches_the_internal_load_balancer(world: World) -> None:
    """Its subnet and its interface both lead there; machines of another network do not reach it."""
    world.put_balancer()
    vm = world.put_machine("vm", POOL)
    front = _front_address(world)
    for start in (SUBNET, f"{NETWORK}/networkInterfaces/vm-nic"):
        assert [found.vm_id for found in world.reach.from_vnet(start, front, 6443)] == [vm]
    assert (
        world.reach.from_vnet(f"{GROUP}/providers/Microsoft.Network/virtualNetworks/other/subnets/a", front, 6443) == []
    )


def test_an_endpoint_that_is_deleted_lets_the_service_go(world: World) -> None:
    """The endpoint's interface and its connection are deleted with it."""
    world.put_balancer()
    world.put_service()
    made = world.put_endpoint()
    world.delete(f"{RP_NETWORK}/privateEndpoints/pe", caller=RP_CALLER)
    assert world.arm.load(made["properties"]["networkInterfaces"][0]["id"]) is None
    assert world.get("privateLinkServices/pls")["properties"]["privateEndpointConnections"] == []
    world.delete("privateLinkServices/pls")
    world.delete("loadBalancers/lb")


# Names


def _record(world: World, name: str, *addresses: str) -> None:
    body = {"properties": {"ttl": 300, "aRecords": [{"ipv4Address": address} for address in addresses]}}
    world.put(f"{ZONE}/A/{name}", body, version=DNS_API)


def _link(world: World) -> None:
    body = {"location": "global", "properties": {"virtualNetwork": {"id": VNET}}}
    world.put(f"{ZONE}/virtualNetworkLinks/link", body, version=DNS_API)


def test_a_network_sees_the_names_of_a_linked_zone(world: World) -> None:
    """Names and wildcards of the zone resolve, but only once it is linked."""
    world.put(ZONE, {"location": "global"}, version=DNS_API)
    _record(world, "api-int", "10.0.0.4")
    _record(world, "*.apps", "10.0.0.5", "10.0.0.6")
    assert world.reach.resolve_private(VNET, "api-int.cluster.example.com") == []
    _link(world)
    assert world.reach.resolve_private(VNET, "API-INT.cluster.example.com.") == ["10.0.0.4"]
    assert world.reach.resolve_private(VNET, "a.b.apps.cluster.example.com") == ["10.0.0.5", "10.0.0.6"]
    assert world.reach.resolve_private(VNET, "apps.cluster.example.com") == []
    assert world.reach.resolve_private(VNET, "api-int.example.com") == []


def test_a_public_name_has_the_address_of_its_zone(world: World) -> None:
    """Exact names come before wildcards; a name outside all zones has no address."""
    zone = f"{NETWORK}/dnsZones/eastus.aroapp.io"
    world.put(zone, {"location": "global"}, version="2018-05-01")
    for name, address in (("api.one", "127.1.0.1"), ("*.apps.one", "127.1.0.2")):
        body = {"properties": {"TTL": 300, "ARecords": [{"ipv4Address": address}]}}
        world.put(f"{zone}/A/{name}", body, version="2018-05-01")
    world.put(f"{zone}/A/api.two", {"properties": {"TTL": 300}}, version="2018-05-01")
    assert world.reach.resolve_public("api.one.eastus.aroapp.io") == "127.1.0.1"
    assert world.reach.resolve_public("console.apps.one.eastus.aroapp.io") == "127.1.0.2"
    assert world.reach.resolve_public("api.two.eastus.aroapp.io") is None
    assert world.reach.resolve_public("api.one.westus.aroapp.io") is None
