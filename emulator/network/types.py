"""The names of types that refer to each other across the modules of this package, and helpers that types share."""

from collections.abc import Callable
from typing import Any

from emulator.arm.resources import Reads
from emulator.arm.schema import READ_ONLY, Required
from emulator.json_object import Json

NETWORK = "Microsoft.Network/virtualNetworks"
SUBNET = f"{NETWORK}/subnets"
PEERING = f"{NETWORK}/virtualNetworkPeerings"
SECURITY_GROUP = "Microsoft.Network/networkSecurityGroups"
PUBLIC_ADDRESS = "Microsoft.Network/publicIPAddresses"
NAT_GATEWAY = "Microsoft.Network/natGateways"
LOAD_BALANCER = "Microsoft.Network/loadBalancers"
FRONTEND = f"{LOAD_BALANCER}/frontendIPConfigurations"
POOL = f"{LOAD_BALANCER}/backendAddressPools"
PROBE = f"{LOAD_BALANCER}/probes"
RULE = f"{LOAD_BALANCER}/loadBalancingRules"
OUTBOUND_RULE = f"{LOAD_BALANCER}/outboundRules"
INTERFACE = "Microsoft.Network/networkInterfaces"
INTERFACE_CONFIGURATION = f"{INTERFACE}/ipConfigurations"
LINK_SERVICE = "Microsoft.Network/privateLinkServices"
LINK_CONFIGURATION = f"{LINK_SERVICE}/ipConfigurations"
LINK_CONNECTION = f"{LINK_SERVICE}/privateEndpointConnections"
ENDPOINT = "Microsoft.Network/privateEndpoints"


def inline_child(properties: Json, **members: Any) -> Json:
    """Return the property table of a child that is written inside its parent."""
    needed = any(isinstance(kind, Required) for kind in properties.values())
    return {
        "id": READ_ONLY,
        "name": Required(str),
        "type": READ_ONLY,
        "etag": READ_ONLY,
        "properties": Required(properties) if needed else properties,
    } | members


def show_holders(members: dict[str, str]) -> Callable[[Reads, Json], Json]:
    """Return a render hook that lists the resources that refer to the rendered one, in a member for each type."""

    def render(arm: Reads, stored: Json) -> Json:
        shown: dict[str, list[Json]] = {}
        for holder in arm.holders(stored["id"]):
            found = arm.load(holder)
            for member, kind in members.items():
                if found is not None and found["type"] == kind:
                    shown.setdefault(member, []).append({"id": holder})
        return dict(shown)

    return render
