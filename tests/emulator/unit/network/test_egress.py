"""The ways on which a machine's connections leave its network."""

from typing import Any

import pytest

from tests.emulator.unit.network.world import FRONTEND, GROUP, NETWORK, POOL, World

NIC = f"{NETWORK}/networkInterfaces/nic"
OUTBOUND = [
    {
        "name": "out",
        "properties": {
            "frontendIPConfigurations": [{"id": FRONTEND}],
            "backendAddressPool": {"id": POOL},
            "protocol": "All",
        },
    }
]


def why(world: World) -> str:
    """Return why the machine's connections do not leave the network."""
    return world.reach.why_not_out(NIC)


def behind_a_balancer(world: World, **members: Any) -> None:
    """Put the machine behind an internal load balancer."""
    world.put_balancer(**members)
    world.put_interface("nic", POOL)


def route(world: World, hop: str, prefix: str = "0.0.0.0/0") -> None:
    """Give the subnet a route table with one route."""
    properties = {"addressPrefix": prefix, "nextHopType": hop}
    if hop == "VirtualAppliance":
        properties["nextHopIpAddress"] = "10.9.0.4"
    body = {"location": "eastus", "properties": {"routes": [{"name": "r", "properties": properties}]}}
    world.put_network(routeTable={"id": world.put("routeTables/routes", body)["id"]})


def test_a_machine_alone_gets_out_by_default(world: World) -> None:
    """Unless its subnet forbids it."""
    world.put_interface("nic")
    assert why(world) == ""
    world.put_network(defaultOutboundAccess=False)
    assert "has no default outbound access" in why(world)


def test_a_standard_load_balancer_needs_an_outbound_rule(world: World) -> None:
    """A rule that leads in without SNAT does not lead out."""
    behind_a_balancer(world)
    assert "has an outbound rule" in why(world)
    world.put_interface("nic")
    address = world.put_public_balancer(loadBalancingRules=[])
    world.put_interface("nic", POOL)
    assert "has an outbound rule" in why(world)
    front = [{"name": "front", "properties": {"publicIPAddress": {"id": address["id"]}}}]
    world.put_balancer(frontendIPConfigurations=front, loadBalancingRules=[], outboundRules=OUTBOUND)
    assert why(world) == ""


def test_a_public_load_balancing_rule_may_lead_out_too(world: World) -> None:
    """Azure then takes the frontend's ports for SNAT."""
    properties = {
        "frontendIPConfiguration": {"id": FRONTEND},
        "backendAddressPool": {"id": POOL},
        "protocol": "Tcp",
        "frontendPort": 6443,
    }
    world.put_public_balancer(loadBalancingRules=[{"name": "api", "properties": properties}])
    world.put_interface("nic", POOL)
    assert why(world) == ""


@pytest.mark.parametrize("hop", ["VirtualAppliance", "VirtualNetworkGateway"])
def test_a_default_route_leads_out_by_itself(world: World, hop: str) -> None:
    """Without any public address."""
    behind_a_balancer(world)
    route(world, hop)
    assert why(world) == ""


@pytest.mark.parametrize(
    ("hop", "prefix", "want"),
    [
        ("None", "0.0.0.0/0", "has the next hop None"),
        ("Internet", "0.0.0.0/0", "has an outbound rule"),
        ("VirtualAppliance", "10.0.0.0/8", "has an outbound rule"),
    ],
)
def test_a_route_that_leads_nowhere_leads_nobody_out(world: World, hop: str, prefix: str, want: str) -> None:
    """`Internet` needs a public address on the way, and a route for less is not a default route."""
    behind_a_balancer(world)
    route(world, hop, prefix)
    assert want in why(world)


def test_a_nat_gateway_leads_out(world: World) -> None:
    """It comes before load balancers."""
    behind_a_balancer(world)
    body = {"location": "eastus", "sku": {"name": "Standard"}}
    gateway = world.put(
        "natGateways/nat", body | {"properties": {"publicIpAddresses": [{"id": world.put_public()["id"]}]}}
    )
    world.put_network(natGateway={"id": gateway["id"]})
    assert why(world) == ""


def test_a_public_address_of_the_machine_leads_out(world: World) -> None:
    """Also if its subnet has no default outbound access."""
    world.put_network(defaultOutboundAccess=False)
    world.put_interface("nic", publicIPAddress={"id": world.put_public()["id"]})
    assert why(world) == ""


def test_a_machine_without_an_interface_gets_nowhere(world: World) -> None:
    """There is no network to leave."""
    assert world.reach.why_not_out(f"{GROUP}/providers/Microsoft.Network/networkInterfaces/none") != ""
