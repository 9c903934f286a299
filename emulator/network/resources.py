"""The types of Microsoft.Network, except DNS zones."""

from functools import partial
from typing import Any

from emulator.arm.models import ArmModel
from emulator.arm.resources import Change, ResourceType
from emulator.arm.schema import READ_ONLY, Choice, Reference, Required, Since
from emulator.network import exceptions, interfaces, load_balancers, private_endpoints, private_links
from emulator.network.public_addresses import PUBLIC_ADDRESSES
from emulator.network.security_groups import NETWORK_SECURITY_GROUPS, SECURITY_RULES
from emulator.network.subnets import SUBNETS, VIRTUAL_NETWORKS
from emulator.network.versions import NETWORK_VERSIONS

Json = dict[str, Any]

_ROUTE_PROPERTIES: Json = {
    "addressPrefix": Required(str),
    "hasBgpOverride": READ_ONLY,
    "nextHop": Since("2024-10-01", object),
    "nextHopIpAddress": str,
    "nextHopType": Required(
        Choice(("VirtualNetworkGateway", "VnetLocal", "Internet", "VirtualAppliance", "None", "VirtualApplianceEcmp"))
    ),
    "provisioningState": READ_ONLY,
}


def _holders(member: str) -> Any:
    """Return a render hook that lists, in this member, the resources that refer to the rendered one."""

    def render(arm: ArmModel, stored: Json) -> Json:
        holders = arm.documents.references.holders(arm, stored["id"])
        return {member: [{"id": holder} for holder in holders]} if holders else {}

    return render


def _prepare_route(change: Change) -> None:
    """Check that a route to a virtual appliance says where the appliance is."""
    if change.properties["nextHopType"] == "VirtualAppliance" and not change.properties.get("nextHopIpAddress"):
        raise exceptions.missing(
            "RouteNextHopIpAddressRequired",
            f"NextHopIpAddress cannot be Null or Empty in route {change.id} when NextHopType is VirtualAppliance.",
        )


def _prepare_route_table(change: Change) -> None:
    change.properties.setdefault("routes", [])
    change.properties.setdefault("disableBgpRoutePropagation", False)


ROUTE_TABLES = ResourceType(
    name="Microsoft.Network/routeTables",
    api_versions=NETWORK_VERSIONS,
    placement="region",
    properties={
        "disableBgpRoutePropagation": bool,
        "disablePeeringRoute": Since("2024-05-01", str),
        "provisioningState": READ_ONLY,
        "resourceGuid": READ_ONLY,
        "routes": [
            {
                "id": READ_ONLY,
                "name": Required(str),
                "type": READ_ONLY,
                "etag": READ_ONLY,
                "properties": _ROUTE_PROPERTIES,
            }
        ],
        "subnets": READ_ONLY,
    },
    inline={"routes": "Microsoft.Network/routeTables/routes"},
    create_seconds=4,
    update_seconds=4,
    delete_seconds=10,
    reply="operation",
    etag="weak",
    prepare=_prepare_route_table,
    render=_holders("subnets"),
    in_use=partial(exceptions.in_use, "InUseRouteTableCannotBeDeleted", "Route table"),
)
ROUTES = ResourceType(
    name="Microsoft.Network/routeTables/routes",
    api_versions=NETWORK_VERSIONS,
    properties=_ROUTE_PROPERTIES,
    create_seconds=4,
    update_seconds=4,
    delete_seconds=4,
    reply="operation",
    etag="weak",
    prepare=_prepare_route,
)
NAT_GATEWAYS = ResourceType(
    name="Microsoft.Network/natGateways",
    api_versions=tuple(version for version in NETWORK_VERSIONS if version >= "2019-02-01"),
    placement="region",
    members={"sku": {"name": Choice(("Standard", "StandardV2"))}, "zones": [str]},
    properties={
        "idleTimeoutInMinutes": int,
        "nat64": Since("2025-01-01", object),
        "provisioningState": READ_ONLY,
        "publicIpAddresses": [Reference("Microsoft.Network/publicIPAddresses", "join/action")],
        "publicIpAddressesV6": Since("2024-07-01", [object]),
        "publicIpPrefixes": [Reference("Microsoft.Network/publicIPPrefixes", "join/action")],
        "publicIpPrefixesV6": Since("2024-07-01", [object]),
        "resourceGuid": READ_ONLY,
        "serviceGateway": Since("2025-01-01", object),
        "sourceVirtualNetwork": Since("2024-07-01", object),
        "subnets": READ_ONLY,
    },
    create_seconds=10,
    update_seconds=10,
    delete_seconds=10,
    reply="operation",
    etag="weak",
    render=_holders("subnets"),
    in_use=partial(exceptions.in_use, "InUseNatGatewayCannotBeDeleted", "NAT gateway"),
)

TYPES = (
    VIRTUAL_NETWORKS,
    SUBNETS,
    NETWORK_SECURITY_GROUPS,
    SECURITY_RULES,
    ROUTE_TABLES,
    ROUTES,
    PUBLIC_ADDRESSES,
    NAT_GATEWAYS,
    *load_balancers.TYPES,
    *interfaces.TYPES,
    *private_links.TYPES,
    *private_endpoints.TYPES,
)
