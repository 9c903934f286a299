"""Virtual network peerings: the halves of a pair, their states, and the networks that reach each other through them.

A network that peers with another one has one half, `Initiated` until the other network has its half too. Then both are
`Connected`. If one half goes, or its network, the other one is `Disconnected` until it is written again.
"""

from collections.abc import Iterator
from uuid import NAMESPACE_URL, uuid5

from emulator.arm.ids import parse_resource
from emulator.arm.resources import Change, Reads, ResourceType, Writes
from emulator.arm.schema import READ_ONLY, Reference, Required, Since
from emulator.json_object import Json
from emulator.network.refusals import peering_exceptions
from emulator.network.types import NETWORK, PEERING
from emulator.network.versions import NETWORK_VERSIONS

INITIATED, CONNECTED, DISCONNECTED = "Initiated", "Connected", "Disconnected"
_SPACE = {"addressPrefixes": [str], "ipamPoolPrefixAllocations": [object]}
_PARTS = ("localSubnetNames", "remoteSubnetNames", "localAddressSpace", "enableOnlyIPv6Peering")
_DEFAULTS = {
    "allowForwardedTraffic": False,
    "allowGatewayTransit": False,
    "allowVirtualNetworkAccess": True,
    "doNotVerifyRemoteGateways": False,
    "peerCompleteVnets": True,
    "useRemoteGateways": False,
}
# `peeringSyncLevel`, by whether the peering and the other half know the ranges that the networks have now.
_LEVELS = {
    (True, True): "FullyInSync",
    (True, False): "RemoteNotInSync",
    (False, True): "LocalNotInSync",
    (False, False): "LocalAndRemoteNotInSync",
}


def reachable(arm: Reads, network_id: str) -> list[str]:
    """Return the ids of the networks that machines of a network reach through peerings, which do not lead further."""
    return [
        _remote(half)
        for half in _halves(arm, network_id)
        if half["properties"]["peeringState"] == CONNECTED
        and all(
            each["properties"].get("allowVirtualNetworkAccess")
            for each in (half, _other(arm, half))
            if each is not None
        )
    ]


def shown_in(arm: Reads, stored: Json) -> Json:
    """Return the member of a network that shows its peerings."""
    return {"virtualNetworkPeerings": [arm.render(half) for half in _halves(arm, stored["id"])]}


def check_inline(change: Change) -> None:
    """Drop the peerings from the body of a network, which repeats what it has.

    Raises:
        ServiceError: `NotSupportedByLocalAzure`: the body would add or remove some.
    """
    given = change.properties.pop("virtualNetworkPeerings", None)
    if given is None:
        return
    known = {half["name"].lower() for half in _halves(change.arm, str(change.id))}
    if {str(half.get("name", "")).lower() for half in given if isinstance(half, dict)} != known:
        raise peering_exceptions.NOT_EMULATED(
            "adding or removing peerings in the body of a virtual network: write them on their own"
        )


def _prepare(change: Change) -> None:
    """Check both networks of a peering, and connect it with its other half."""
    arm, properties = change.arm, change.properties
    remote, network = properties["remoteVirtualNetwork"]["id"], str(change.id.parent)
    _check_whole(properties)
    _check_remote(change, network, remote)
    other = _other_of(arm, network, remote)
    if other is not None and other["properties"]["peeringState"] == DISCONNECTED:
        raise peering_exceptions.REMOTE_DISCONNECTED(
            peering_id=str(change.id), remote_peering_id=other["id"], network_id=network
        )
    for name, value in _DEFAULTS.items():
        properties.setdefault(name, value)
    properties["peeringState"] = INITIATED if other is None else CONNECTED
    properties["remoteAddressSpace"] = {"addressPrefixes": _space(arm, remote)}
    properties["resourceGuid"] = str(uuid5(NAMESPACE_URL, "|".join(sorted((network.lower(), remote.lower())))))


def _check_whole(properties: Json) -> None:
    """Refuse the peering of subnets."""
    parts = [member for member in _PARTS if properties.get(member)]
    if properties.get("peerCompleteVnets") is False:
        parts.append("peerCompleteVnets")
    if parts:
        raise peering_exceptions.NOT_EMULATED(f"the peering of parts of a network ({', '.join(parts)})")


def _check_remote(change: Change, network: str, remote: str) -> None:
    """Check that the remote network is idle, has no other peering here, and is not asked for a gateway."""
    own = str(change.id)
    for name, sibling in change.siblings:
        if _remote(sibling).lower() == remote.lower():
            raise peering_exceptions.ALREADY_PEERED(
                other_id=f"{network}/virtualNetworkPeerings/{name}", peering_id=own, remote_id=remote
            )
    if (change.arm.load(remote) or {}).get("pending", {}).get("kind") == "put":
        raise peering_exceptions.REMOTE_NOT_PROVISIONED(peering_id=own, remote_id=remote)
    if change.properties.get("useRemoteGateways"):
        raise peering_exceptions.NO_GATEWAYS(peering_id=own, remote_id=remote)


async def _connect(arm: Writes, stored: Json) -> None:
    """Show the other half of a peering that this one is there now."""
    _set_state(arm, _other(arm, stored), CONNECTED)


async def _disconnect(arm: Writes, stored: Json) -> None:
    """Show the other half of a peering that this one goes."""
    _set_state(arm, _other(arm, stored), DISCONNECTED)


def _set_state(arm: Writes, half: Json | None, state: str) -> None:
    if half is not None:
        arm.documents.put(half | {"properties": half["properties"] | {"peeringState": state}})


def _render(arm: Reads, stored: Json) -> Json:
    """Return what depends on both networks as they are now."""
    network, remote, other = _network(stored), _remote(stored), _other(arm, stored)
    space = _space(arm, remote)
    local = stored["properties"]["remoteAddressSpace"]["addressPrefixes"] == space
    known = [] if other is None else other["properties"]["remoteAddressSpace"]["addressPrefixes"]
    shown: Json = {
        "peeringSyncLevel": _LEVELS[local, known == _space(arm, network)],
        "remoteVirtualNetworkAddressSpace": {"addressPrefixes": space},
    }
    return shown if arm.load(remote) is not None else shown | {"peeringState": DISCONNECTED}


def _network(half: Json) -> str:
    return str(parse_resource(half["id"]).parent)


def _remote(half: Json) -> str:
    return str(half["properties"]["remoteVirtualNetwork"]["id"])


def _halves(arm: Reads, network_id: str) -> Iterator[Json]:
    """Yield the peerings of a network that are not being deleted."""
    for half in arm.scan(f"{network_id}/virtualNetworkPeerings/", PEERING):
        if half.get("pending", {}).get("kind") != "delete":
            yield half


def _other(arm: Reads, half: Json) -> Json | None:
    return _other_of(arm, _network(half), _remote(half))


def _other_of(arm: Reads, network: str, remote: str) -> Json | None:
    return next((half for half in _halves(arm, remote) if _remote(half).lower() == network.lower()), None)


def _space(arm: Reads, network_id: str) -> list[str]:
    found = arm.load(network_id)
    return [] if found is None else list(found["properties"]["addressSpace"]["addressPrefixes"])


PEERINGS = ResourceType(
    name=PEERING,
    api_versions=tuple(version for version in NETWORK_VERSIONS if version >= "2016-06-01"),
    properties={
        "allowForwardedTraffic": bool,
        "allowGatewayTransit": bool,
        "allowVirtualNetworkAccess": bool,
        "doNotVerifyRemoteGateways": bool,
        "enableOnlyIPv6Peering": Since("2023-09-01", bool),
        "localAddressSpace": Since("2023-09-01", _SPACE),
        "localSubnetNames": Since("2023-09-01", [str]),
        "localVirtualNetworkAddressSpace": READ_ONLY,
        "peerCompleteVnets": Since("2023-09-01", bool),
        "peeringState": READ_ONLY,
        "peeringSyncLevel": READ_ONLY,
        "provisioningState": READ_ONLY,
        "remoteAddressSpace": READ_ONLY,
        "remoteBgpCommunities": READ_ONLY,
        "remoteGateways": READ_ONLY,
        "remoteSubnetNames": Since("2023-09-01", [str]),
        "remoteVirtualNetwork": Required(Reference(NETWORK, "peer/action", same_region=False, same_subscription=False)),
        "remoteVirtualNetworkAddressSpace": READ_ONLY,
        "remoteVirtualNetworkEncryption": READ_ONLY,
        "resourceGuid": READ_ONLY,
        "routeServiceVips": READ_ONLY,
        "useRemoteGateways": bool,
    },
    create_seconds=10,
    update_seconds=10,
    delete_seconds=10,
    reply="operation",
    etag="weak",
    locks=True,
    prepare=_prepare,
    render=_render,
    stored=_connect,
    removed=_disconnect,
)
