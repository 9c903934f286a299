"""Private DNS zones: what they hold, which networks see them, and when they can be deleted."""

import asyncio
from typing import Any

import pytest

from emulator.core.service_error import ServiceError
from emulator.json_object import Json
from emulator.network.reach import Reach
from tests.emulator.unit.network.world import CALLER, DNS_API, NETWORK, World

VNET = f"{NETWORK}/virtualNetworks/vnet"
ZONE = f"{NETWORK}/privateDnsZones/cluster.example.com"


@pytest.fixture
def zone(world: World) -> str:
    """Create an empty zone; return its id."""
    _put(world, ZONE, {"location": "global"})
    return ZONE


def _put(world: World, path: str, body: Json) -> Json:
    return world.put(path, body, version=DNS_API)


def _link(**members: Any) -> Json:
    return {"location": "global", "properties": {"virtualNetwork": {"id": VNET}} | members}


def _a(*addresses: str, ttl: int = 300) -> Json:
    return {"properties": {"ttl": ttl, "aRecords": [{"ipv4Address": address} for address in addresses]}}


def test_a_zone_comes_with_its_soa_and_counts_what_is_in_it(world: World, zone: str) -> None:
    """A zone counts its records and its links separately."""
    _put(world, f"{zone}/A/api", _a("10.0.0.4"))
    _put(world, f"{zone}/virtualNetworkLinks/link", _link(registrationEnabled=True))
    shown = world.get(zone)["properties"]
    assert shown["numberOfRecordSets"] == len(("SOA", "api"))
    assert (shown["numberOfVirtualNetworkLinks"], shown["numberOfVirtualNetworkLinksWithRegistration"]) == (1, 1)
    assert world.get(f"{zone}/SOA/@")["properties"]["soaRecord"]["host"] == "azureprivatedns.net"
    assert world.get(f"{zone}/A/api")["properties"]["fqdn"] == "api.cluster.example.com."


def test_a_network_sees_one_zone_of_a_name(world: World, zone: str) -> None:
    """A second link to the same zone is refused; the same link may be put again, and another zone linked."""
    _put(world, f"{zone}/virtualNetworkLinks/link", _link())
    _put(world, f"{zone}/virtualNetworkLinks/link", _link())
    with pytest.raises(ServiceError, match="overlapping namespaces"):
        _put(world, f"{zone}/virtualNetworkLinks/second", _link())
    _put(world, f"{NETWORK}/privateDnsZones/other.example.com", {"location": "global"})
    _put(world, f"{NETWORK}/privateDnsZones/other.example.com/virtualNetworkLinks/link", _link())


def test_a_link_needs_its_network(world: World, zone: str) -> None:
    """The network has to exist."""
    with pytest.raises(ServiceError, match="Virtual network resource not found"):
        _put(world, f"{zone}/virtualNetworkLinks/link", _link(virtualNetwork={"id": f"{VNET}-other"}))


def test_a_new_link_takes_its_time(world: World, zone: str) -> None:
    """Names resolve once the link is complete, and continue to while it is written again."""
    _put(world, f"{zone}/A/api", _a("10.0.0.4"))
    reach = world.arm.platform.model(Reach)
    link = f"{zone}/virtualNetworkLinks/link"
    asyncio.run(world.arm.put_resource(CALLER, link, DNS_API, _link()))
    assert world.get(link)["properties"]["virtualNetworkLinkState"] == "InProgress"
    assert reach.resolve_private(VNET, "api.cluster.example.com") == []
    world.time.pass_(100)
    assert world.get(link)["properties"]["virtualNetworkLinkState"] == "Completed"
    asyncio.run(world.arm.put_resource(CALLER, link, DNS_API, _link()))
    assert reach.resolve_private(VNET, "api.cluster.example.com") == ["10.0.0.4"]


def test_a_linked_zone_stays(world: World, zone: str) -> None:
    """A zone can be deleted once its links are gone; its records go with it."""
    _put(world, f"{zone}/A/api", _a("10.0.0.4"))
    _put(world, f"{zone}/virtualNetworkLinks/link", _link())
    with pytest.raises(ServiceError, match="virtualNetworkLinks/link") as refused:
        world.delete(zone, version=DNS_API)
    assert (refused.value.status_code, refused.value.code) == (409, "CannotDeleteResource")
    world.delete(f"{zone}/virtualNetworkLinks/link", version=DNS_API)
    world.delete(zone, version=DNS_API)
    assert world.arm.load(f"{zone}/A/api") is None
