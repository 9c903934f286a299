"""What Microsoft.Network refuses: mistakes in a cluster's network, and the deletion of what is in use."""

from collections.abc import Callable
from typing import Any

import pytest

from emulator.core.service_error import ServiceError
from emulator.json_object import Json
from tests.emulator.unit.network.world import (
    BALANCER,
    FRONTEND,
    GROUP,
    NETWORK,
    POOL,
    RP_CALLER,
    RP_NETWORK,
    SUBNET,
    WORLD,
    World,
)

Act = Callable[[World], Any]


def _rule(**members: Any) -> list[Json]:
    """Return a load balancer's rules: one good rule, with these members replaced."""
    properties = {
        "frontendIPConfiguration": {"id": FRONTEND},
        "backendAddressPool": {"id": POOL},
        "probe": {"id": f"{BALANCER}/probes/ready"},
        "protocol": "Tcp",
        "frontendPort": 6443,
        "backendPort": 6443,
    }
    return [{"name": "api", "properties": properties | members}]


def _probe(**members: Any) -> list[Json]:
    properties = {"protocol": "Https", "port": 6443, "requestPath": "/readyz", "intervalInSeconds": 10}
    return [{"name": "ready", "properties": properties | members}]


def _outbound() -> list[Json]:
    properties = {
        "frontendIPConfigurations": [{"id": FRONTEND}],
        "backendAddressPool": {"id": POOL},
        "protocol": "All",
    }
    return [{"name": "out", "properties": properties}]


def _front(subnet: str = SUBNET, **members: Any) -> list[Json]:
    return [{"name": "front", "properties": {"subnet": {"id": subnet}} | members}]


def _basic_balancer(world: World) -> None:
    body = {
        "location": "eastus",
        "properties": {"frontendIPConfigurations": _front(), "backendAddressPools": [{"name": "pool"}]},
    }
    world.put("loadBalancers/lb", body)


def _hidden_service(world: World) -> None:
    world.put_balancer()
    world.put_service("dddddddd-0000-4000-8000-000000000001")
    world.put_endpoint()


MISTAKES: dict[str, tuple[Act, str]] = {
    "a rule with a missing probe": (
        lambda world: world.put_balancer(loadBalancingRules=_rule(probe={"id": f"{BALANCER}/probes/other"})),
        "InvalidResourceReference",
    ),
    "a rule with a probe that this body removes": (
        lambda world: (world.put_balancer(), world.put_balancer(probes=[])),
        "InvalidResourceReference",
    ),
    "a rule with a missing pool": (
        lambda world: world.put_balancer(backendAddressPools=[]),
        "InvalidResourceReference",
    ),
    "a rule with a missing frontend": (
        lambda world: world.put_balancer(frontendIPConfigurations=[]),
        "InvalidResourceReference",
    ),
    "a rule with the probe of another load balancer's": (
        lambda world: world.put_balancer(loadBalancingRules=_rule(probe={"id": f"{NETWORK}/loadBalancers/x/probes/p"})),
        "InvalidResourceReference",
    ),
    "an outbound rule on a frontend that goes": (
        lambda world: world.put_balancer(loadBalancingRules=[], outboundRules=_outbound(), frontendIPConfigurations=[]),
        "InvalidResourceReference",
    ),
    "two parts of one name": (lambda world: world.put_balancer(probes=_probe() * 2), "InvalidRequestFormat"),
    "an interface in another region": (
        lambda world: world.put("networkInterfaces/nic", {"location": "westus"} | _interface_body()),
        "InvalidResourceReference",
    ),
    "a private endpoint to what it may not see": (
        _hidden_service,
        "ThirdPartyPrivateLinkServiceProvidedDuringPrivateEndpointCreationDoesNotExistOrIsNotVisible",
    ),
    "a part put on its own": (
        lambda world: world.put(f"{BALANCER}/probes/ready", {"properties": _probe()[0]["properties"]}),
        "MethodNotAllowed",
    ),
}


def _interface_body() -> Json:
    configuration = {"name": "ip", "properties": {"subnet": {"id": SUBNET}}}
    return {"properties": {"ipConfigurations": [configuration]}}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_refused(world: World, name: str) -> None:
    """The error has Azure's code. The mistakes of one resource alone are among the cases of the rules."""
    act, want = MISTAKES[name]
    with pytest.raises(ServiceError) as refused:
        act(world)
    assert refused.value.code == want


def test_a_refused_change_changes_nothing(world: World) -> None:
    """Even the parts that were good by themselves stay as they were."""
    world.put_balancer()
    before = world.get("loadBalancers/lb")
    with pytest.raises(ServiceError):
        world.put_balancer(probes=_probe(port=1), loadBalancingRules=_rule(backendAddressPool={"id": f"{POOL}-other"}))
    assert world.get("loadBalancers/lb") == before


# Deletion


def _whole(world: World) -> None:
    """Create every resource on the way to a cluster's API."""
    world.put_public_balancer()
    world.put_balancer("inner")
    world.put_rules({})
    world.put_machine("vm", POOL)
    world.put_service(balancer="inner")


@pytest.mark.parametrize(
    ("path", "want"),
    [
        ("virtualNetworks/vnet/subnets/master", "InUseSubnetCannotBeDeleted"),
        ("virtualNetworks/vnet", "InUseSubnetCannotBeDeleted"),
        ("networkSecurityGroups/nsg", "InUseNetworkSecurityGroupCannotBeDeleted"),
        ("publicIPAddresses/pip", "PublicIPAddressCannotBeDeleted"),
        ("networkInterfaces/vm-nic", "NicInUse"),
        ("loadBalancers/lb", "InUseBackendAddressPoolCannotBeDeleted"),
        ("loadBalancers/inner", "CannotDeleteLoadBalancerWithPrivateLinkService"),
        ("privateLinkServices/pls", "PrivateLinkServiceWithPrivateEndpointConnectionsCannotBeDeleted"),
    ],
)
def test_what_is_in_use_stays(world: World, path: str, want: str) -> None:
    """The error's code names the kind of use."""
    _whole(world)
    world.put_endpoint(f"{NETWORK}/privateLinkServices/pls")
    with pytest.raises(ServiceError) as refused:
        world.delete(path)
    assert refused.value.code == want


def test_an_owned_interface_goes_with_its_owner_only(world: World) -> None:
    """An owned interface can be neither changed nor deleted by itself."""
    world.put_balancer()
    owned = world.put_service()["properties"]["networkInterfaces"][0]["id"]
    assert world.get(owned)["properties"]["privateLinkService"]["id"].endswith("/pls")
    for act in (lambda: world.delete(owned), lambda: world.put(owned, {"location": "eastus"} | _interface_body())):
        with pytest.raises(ServiceError, match="NicInUseWithPrivateLinkService"):
            act()
    world.delete("privateLinkServices/pls")
    assert world.arm.load(owned) is None


def test_addresses_are_kept_and_given_back(world: World) -> None:
    """An interface gets the first free address, a second PUT keeps it, and a deletion frees it."""

    def address(nic: Json) -> str:
        return str(nic["properties"]["ipConfigurations"][0]["properties"]["privateIPAddress"])

    assert address(world.put_interface("one")) == "10.0.0.4"
    assert address(world.put_interface("two")) == "10.0.0.5"
    assert address(world.put_interface("one")) == "10.0.0.4"
    world.delete("networkInterfaces/one")
    assert address(world.put_interface("three")) == "10.0.0.4"


def test_both_sides_of_a_reference_show_it(world: World) -> None:
    """A pool shows its members and rules, a subnet what is in it, an address and an interface who has them."""
    address = world.put_public_balancer()
    vm = world.put_machine("vm", POOL)
    configuration = f"{NETWORK}/networkInterfaces/vm-nic/ipConfigurations/ip"
    pool = world.get(POOL)["properties"]
    assert pool["backendIPConfigurations"] == [{"id": configuration}]
    assert pool["loadBalancingRules"] == [{"id": f"{BALANCER}/loadBalancingRules/api"}]
    assert world.get(SUBNET)["properties"]["ipConfigurations"] == [{"id": configuration}]
    assert world.get(address["id"])["properties"]["ipConfiguration"] == {"id": FRONTEND}
    assert world.get("networkInterfaces/vm-nic")["properties"]["virtualMachine"] == {"id": vm}


def test_a_detached_security_group_goes(world: World) -> None:
    """A group that came with its network can be deleted too: the subnet refers to it, not the network."""
    nsg = world.put_rules({})["id"]
    subnet = world.get(SUBNET)
    assert world.get(nsg)["properties"]["subnets"] == [{"id": SUBNET}]
    del subnet["properties"]["networkSecurityGroup"]
    world.put(SUBNET, subnet)
    world.delete(nsg)


def test_parts_stay_in_the_order_in_which_they_came(world: World) -> None:
    """Templates refer to the first frontend, whatever its name."""
    fronts = [_front()[0] | {"name": name} for name in ("zeta", "alpha", "mid")]
    made = world.put_balancer(frontendIPConfigurations=fronts, loadBalancingRules=[])
    shown = made["properties"]["frontendIPConfigurations"]
    assert [front["name"] for front in shown] == ["zeta", "alpha", "mid"]
    addresses = [front["properties"]["privateIPAddress"] for front in shown]
    assert addresses == ["10.0.0.4", "10.0.0.5", "10.0.0.6"]


def test_a_service_under_which_a_private_endpoint_hangs_keeps_its_group(world: World) -> None:
    """The group's deletion fails, names the service and changes nothing; without the endpoint it succeeds."""
    _whole(world)
    world.put_endpoint()
    before = [stored["id"] for stored in world.arm.scan(f"{GROUP}/")]
    operation = world.run(world.arm.delete_group(WORLD.subscription_id, "group"))
    assert operation["error"]["body"]["code"] == "ResourceGroupDeletionBlocked"
    assert "privateLinkServices/pls" in operation["error"]["body"]["message"]
    assert [stored["id"] for stored in world.arm.scan(f"{GROUP}/")] == before
    world.delete(f"{RP_NETWORK}/privateEndpoints/pe", caller=RP_CALLER)
    world.run(world.arm.delete_group(WORLD.subscription_id, "group"))
    assert [stored["id"] for stored in world.arm.scan(f"{GROUP}/")] == []


def test_a_group_with_everything_in_it_goes(world: World) -> None:
    """The group can be deleted however its resources refer to each other, if nothing outside refers to them."""
    _whole(world)
    world.run(world.arm.delete_group(WORLD.subscription_id, "group"))
    assert [stored["id"] for stored in world.arm.scan(f"{GROUP}/")] == []
