"""Whether an address of a network is free, as installers ask before they choose one for a load balancer."""

import pytest

from emulator.core.service_error import ServiceError
from emulator.network.address_availability import availability
from tests.emulator.unit.network.world import NETWORK, World

VNET = f"{NETWORK}/virtualNetworks/vnet"


def test_a_free_address_is_available(world: World) -> None:
    """In each of the network's subnets."""
    for address in ("10.0.0.14", "10.0.0.200"):
        assert availability(world.arm, VNET, address) == {"available": True, "isPlatformReserved": False}


def test_an_address_that_something_has_is_not(world: World) -> None:
    """The answer names free ones of the same subnet."""
    world.put_interface("nic")
    assert availability(world.arm, VNET, "10.0.0.4") == {
        "available": False,
        "availableIPAddresses": [f"10.0.0.{number}" for number in range(5, 10)],
        "isPlatformReserved": False,
    }


@pytest.mark.parametrize("address", ["10.0.0.0", "10.0.0.3", "10.0.0.15"])
def test_what_azure_keeps_of_a_subnet_is_not(world: World, address: str) -> None:
    """Its first four addresses and its last one."""
    found = availability(world.arm, VNET, address)
    assert (found["available"], found["isPlatformReserved"]) == (False, True)


@pytest.mark.parametrize("address", ["10.0.0.100", "192.168.0.1", "", "api"])
def test_an_address_of_no_subnet_is_refused(world: World, address: str) -> None:
    """It may be in the network's own range, or no address at all."""
    with pytest.raises(ServiceError, match="PrivateIPAddressNotInAnySubnet"):
        availability(world.arm, VNET, address)
