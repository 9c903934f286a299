"""The types of Microsoft.Network, except DNS zones."""

from typing import Any

from emulator.arm.resources import Change, Reads, ResourceType
from emulator.arm.schema import READ_ONLY, Choice, Reference, Required, Rule, Since
from emulator.json_object import Json
from emulator.network import exceptions, interfaces, load_balancers, private_endpoints, private_links
from emulator.network.peerings import PEERINGS
from emulator.network.public_addresses import PUBLIC_ADDRESSES
from emulator.network.refusals import address_exceptions
from emulator.network.security_groups import NETWORK_SECURITY_GROUPS, SECURITY_RULES
from emulator.network.subnets import SUBNETS, VIRTUAL_NETWORKS
from emulator.network.values.formats import ADDRESS, is_own_range, is_range, is_tag
from emulator.network.versions import NETWORK_VERSIONS

_ROUTE_PREFIX = Rule(
    Rule(str, lambda text: is_range(text) or is_tag(text), ("10.0.0.4", "300.1.1.0/24"), exceptions.INVALID_PREFIX),
    is_own_range,
    ("10.0.0.1/24",),
    exceptions.invalid_cidr,
)
_ROUTE_PROPERTIES: Json = {
    "addressPrefix": Required(_ROUTE_PREFIX),
    "hasBgpOverride": READ_ONLY,
    "nextHop": Since("2024-10-01", object),
    "nextHopIpAddress": ADDRESS,
    "nextHopType": Required(
        Choice(("VirtualNetworkGateway", "VnetLocal", "Internet", "VirtualAppliance", "None", "VirtualApplianceEcmp"))
    ),
    "provisioningState": READ_ONLY,
}


def _holders(member: str) -> Any:
    """Return a render hook that lists, in this member, the resources that refer to the rendered one."""

    def render(arm: Reads, stored: Json) -> Json:
        holders = arm.holders(stored["id"])
        return {member: [{"id": holder} for holder in holders]} if holders else {}

    return render


def _prepare_route_table(change: Change) -> None:
    change.properties.setdefault("routes", [])
    change.properties.setdefault("disableBgpRoutePropagation", False)


def _prepare_nat_gateway(change: Change) -> None:
    """Check the public addresses of a gateway, and fill in its defaults."""
    change.body.setdefault("sku", {}).setdefault("name", "Standard")
    change.properties.setdefault("idleTimeoutInMinutes", 4)
    for reference in change.properties.get("publicIpAddresses", ()):
        for holder in change.arm.holders(reference["id"]):
            if holder.lower() != change.id.key:
                raise address_exceptions.PUBLIC_ADDRESS_IN_USE(
                    resource_id=str(change.id), address_id=reference["id"], holder=holder
                )


ROUTE_TABLES = ResourceType(
    name="Microsoft.Network/routeTables",
    api_versions=NETWORK_VERSIONS,
    placement="region",
    properties={
        "disableBgpRoutePropagation": bool,
        "disablePeeringRoute": Since("2024-05-01", Choice(("None", "All"))),
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
    in_use=exceptions.IN_USE_ROUTE_TABLE,
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
    absent=exceptions.CHILD_NOT_FOUND,
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
    prepare=_prepare_nat_gateway,
    render=_holders("subnets"),
    in_use=exceptions.IN_USE_NAT_GATEWAY,
)

TYPES = (
    VIRTUAL_NETWORKS,
    SUBNETS,
    PEERINGS,
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
