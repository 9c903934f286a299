"""Virtual network peerings: their states, what is refused, and who reaches whom."""

from typing import Any

import pytest

from emulator.core.service_error import ServiceError
from emulator.json_object import Json
from tests.emulator.unit.network.world import NETWORK, World

VERSION = "2024-05-01"
HERE, THERE = f"{NETWORK}/virtualNetworks/vnet", f"{NETWORK}/virtualNetworks/remote"
TO, BACK = f"{HERE}/virtualNetworkPeerings/to", f"{THERE}/virtualNetworkPeerings/back"


def _network(world: World, name: str, *prefixes: str) -> None:
    space = {"addressPrefixes": list(prefixes)}
    world.put(f"virtualNetworks/{name}", {"location": "eastus", "properties": {"addressSpace": space}}, version=VERSION)


def _peer(world: World, path: str, remote: str, **properties: Any) -> Json:
    body = {"properties": {"remoteVirtualNetwork": {"id": remote}, "allowVirtualNetworkAccess": True, **properties}}
    shown: Json = world.put(path, body, version=VERSION)["properties"]
    return shown


def _states(world: World) -> list[tuple[str, str]]:
    found = [world.get(path)["properties"] for path in (TO, BACK)]
    return [(each["peeringState"], each["peeringSyncLevel"]) for each in found]


@pytest.fixture
def peered(world: World) -> World:
    """Make two networks that are peered both ways."""
    _network(world, "remote", "192.168.0.0/16")
    assert _peer(world, TO, THERE)["peeringState"] == "Initiated"
    assert _peer(world, BACK, HERE)["peeringState"] == "Connected"
    return world


def test_a_pair_is_connected_when_both_halves_are_there(peered: World) -> None:
    """Each half shows the other network's ranges, and each network its peerings."""
    assert _states(peered) == [("Connected", "FullyInSync")] * 2
    half = peered.get(TO)["properties"]
    assert half["remoteVirtualNetworkAddressSpace"] == {"addressPrefixes": ["192.168.0.0/16"]}
    (shown,) = peered.get(HERE)["properties"]["virtualNetworkPeerings"]
    assert (shown["id"], shown["properties"]["peerCompleteVnets"]) == (TO, True)


def test_a_first_half_waits_for_the_other_network(world: World) -> None:
    """It is `Initiated`, and not in sync."""
    _network(world, "remote", "192.168.0.0/16")
    half = _peer(world, TO, THERE)
    assert (half["peeringState"], half["peeringSyncLevel"]) == ("Initiated", "RemoteNotInSync")


def test_new_ranges_are_known_after_a_sync(peered: World) -> None:
    """The half of the other network has to be written again."""
    _network(peered, "remote", "192.168.0.0/16", "172.20.0.0/16")
    assert [level for _, level in _states(peered)] == ["LocalNotInSync", "RemoteNotInSync"]
    _peer(peered, TO, THERE)
    assert [level for _, level in _states(peered)] == ["FullyInSync"] * 2


def test_a_half_that_goes_disconnects_the_other_until_that_is_written_again(peered: World) -> None:
    """A new half is refused while the other one is disconnected."""
    peered.delete(TO)
    assert peered.get(BACK)["properties"]["peeringState"] == "Disconnected"
    with pytest.raises(ServiceError) as refused:
        _peer(peered, TO, THERE)
    assert (refused.value.status_code, refused.value.code) == (400, "RemotePeeringIsDisconnected")
    assert refused.value.message.startswith(
        f"Cannot create or update peering {TO} because remote peering {BACK} referencing parent virtual network {HERE} is"
    )
    assert _peer(peered, BACK, HERE)["peeringState"] == "Initiated"
    assert _peer(peered, TO, THERE)["peeringState"] == "Connected"


def test_a_network_that_goes_takes_its_peerings_and_disconnects_the_others(peered: World) -> None:
    """Peerings do not keep a network in use."""
    peered.delete("virtualNetworks/remote")
    assert peered.arm.load(BACK) is None
    assert peered.get(TO)["properties"]["peeringState"] == "Disconnected"


@pytest.mark.parametrize(
    ("remote", "properties", "code", "message"),
    [
        pytest.param(
            f"{NETWORK}/virtualNetworks/absent", {}, "InvalidResourceReference", "was not found", id="with no network"
        ),
        pytest.param(
            THERE, {}, "AnotherPeeringAlreadyReferencesRemoteVnet", f"Peering {TO} already references", id="twice"
        ),
        pytest.param(
            f"{NETWORK}/virtualNetworks/third",
            {"useRemoteGateways": True},
            "RemoteVnetHasNoGateways",
            "cannot have UseRemoteGateway flag set to true",
            id="through a gateway that is not there",
        ),
        pytest.param(
            f"{NETWORK}/virtualNetworks/third",
            {"peerCompleteVnets": False, "localSubnetNames": ["master"]},
            "NotSupportedByLocalAzure",
            "localSubnetNames, peerCompleteVnets",
            id="of subnets",
        ),
    ],
)
def test_a_wrong_peering_is_refused(peered: World, remote: str, properties: Json, code: str, message: str) -> None:
    """With Azure's code; the networks stay as they were."""
    _network(peered, "third", "172.30.0.0/16")
    with pytest.raises(ServiceError) as refused:
        _peer(peered, f"{HERE}/virtualNetworkPeerings/wrong", remote, **properties)
    assert (refused.value.status_code, refused.value.code) == (400, code)
    assert message in refused.value.message
    assert len(peered.get(HERE)["properties"]["virtualNetworkPeerings"]) == 1


def test_a_remote_network_in_change_is_refused(world: World) -> None:
    """Its PUT has to end first."""
    _network(world, "remote", "192.168.0.0/16")
    operation = world.arm.operations.begin("put", THERE, 60)
    world.arm.documents.mark(world.arm.load(THERE) or {}, operation)
    with pytest.raises(ServiceError) as refused:
        _peer(world, TO, THERE)
    assert (refused.value.status_code, refused.value.code) == (400, "ReferencedResourceNotProvisioned")
    assert f"because resource {THERE} used by resource {TO} is not in Succeeded state" in refused.value.message


def test_the_body_of_a_network_may_repeat_its_peerings_and_not_change_them(peered: World) -> None:
    """As clients do that read a network, change it and write it."""
    shown = peered.get(THERE)
    peered.put(THERE, shown | {"tags": {"a": "b"}}, version=VERSION)
    assert _states(peered) == [("Connected", "FullyInSync")] * 2
    shown["properties"]["virtualNetworkPeerings"] = []
    with pytest.raises(ServiceError) as refused:
        peered.put(THERE, shown, version=VERSION)
    assert (refused.value.status_code, refused.value.code) == (400, "NotSupportedByLocalAzure")
    assert "adding or removing peerings" in refused.value.message


def test_machines_reach_each_other_through_a_pair_that_allows_it(peered: World) -> None:
    """A pair of which one half forbids access, or is missing, leads nowhere."""
    subnet = {"properties": {"addressPrefix": "192.168.0.0/24"}}
    peered.put(f"{THERE}/subnets/far", subnet)
    machine = peered.put_machine("vm")
    address = "10.0.0.4"
    (found,) = peered.reach.from_vnet(f"{THERE}/subnets/far", address, 22)
    assert found.vm_id == machine
    _peer(peered, TO, THERE, allowVirtualNetworkAccess=False)
    assert peered.reach.from_vnet(f"{THERE}/subnets/far", address, 22) == []
    _peer(peered, TO, THERE)
    assert peered.reach.from_vnet(f"{THERE}/subnets/far", address, 22)
    peered.delete(BACK)
    why = peered.reach.why_not_from_vnet(f"{THERE}/subnets/far", address, 22)
    assert why == f"{address} is the address of nothing in {THERE} and the networks peered with it."
