"""How many resources of each type of Microsoft.Network a subscription has, and may have, in a region."""

from collections.abc import Iterator
from dataclasses import dataclass

from starlette.responses import Response

from emulator.arm.call import Call, Row, page
from emulator.arm.exceptions import LOCATION_NOT_AVAILABLE
from emulator.arm.groups import LOCATIONS, normal_location
from emulator.arm.quotas import Limits
from emulator.arm.resources import Change, Reads
from emulator.json_object import Json
from emulator.network.refusals import address_exceptions as exceptions
from emulator.network.types import (
    ENDPOINT,
    INTERFACE,
    LINK_SERVICE,
    LOAD_BALANCER,
    NAT_GATEWAY,
    PUBLIC_ADDRESS,
    SECURITY_GROUP,
)
from emulator.network.versions import NETWORK_VERSIONS


@dataclass(frozen=True)
class Usage:
    """A row of the usages, and the resources that it counts.

    Args:
        label: its name for people.
        type: type of the resources that count.
        limit: Azure's limit for a subscription that did not ask for another.
        sku: SKU of the resources that count, "" for any.
        allocation: allocation method of the addresses that count, "" for any.
    """

    label: str
    type: str
    limit: int
    sku: str = ""
    allocation: str = ""

    def counts(self, body: Json) -> bool:
        """Tell whether a resource of the type counts."""
        return self.sku in ("", body.get("sku", {}).get("name")) and self.allocation in (
            "",
            body["properties"].get("publicIPAllocationMethod"),
        )


USAGES = {
    "VirtualNetworks": Usage("Virtual Networks", "Microsoft.Network/virtualNetworks", 1000),
    "StaticPublicIPAddresses": Usage("Static Public IP Addresses", PUBLIC_ADDRESS, 1000, allocation="Static"),
    "NetworkSecurityGroups": Usage("Network Security Groups", SECURITY_GROUP, 5000),
    "PublicIPAddresses": Usage("Public IP Addresses", PUBLIC_ADDRESS, 1000),
    "NetworkInterfaces": Usage("Network Interfaces", INTERFACE, 65536),
    "PrivateEndpoints": Usage("Private Endpoints", ENDPOINT, 65536),
    "PrivateLinkServices": Usage("Private Link Services", LINK_SERVICE, 800),
    "LoadBalancers": Usage("Load Balancers", LOAD_BALANCER, 1000),
    "RouteTables": Usage("Route Tables", "Microsoft.Network/routeTables", 200),
    "NatGateways": Usage("NAT Gateways", NAT_GATEWAY, 1000),
    "StandardSkuLoadBalancers": Usage("Standard Sku Load Balancers", LOAD_BALANCER, 1000, sku="Standard"),
    "StandardSkuPublicIpAddresses": Usage("Standard Sku Public IP Addresses", PUBLIC_ADDRESS, 1000, sku="Standard"),
}
_PATH = "/subscriptions/{subscription_id}/providers/Microsoft.Network/locations/{location}/usages"
_ACTION = "Microsoft.Network/locations/usages/read"


def check_public_address(change: Change) -> None:
    """Check that the subscription may have a new public address in the region.

    Raises:
        ServiceError: 400 with the first limit that the address would exceed.
    """
    place = change.id.subscription_id, change.location
    limits, found = Limits(change.arm.platform), list(_in_region(change.arm, *place, PUBLIC_ADDRESS))
    for name, usage in USAGES.items():
        limit = limits.get(*place, name, usage.limit)
        if usage.type == PUBLIC_ADDRESS and usage.counts(change.body) and sum(map(usage.counts, found)) >= limit:
            raise (exceptions.TOO_MANY_STATIC_ADDRESSES if usage.allocation else exceptions.TOO_MANY_ADDRESSES)(limit)


async def list_usages(call: Call) -> Response:
    """Answer a GET of a region's usages."""
    subscription_id = call.params["subscription_id"]
    call.arm.subscriptions.for_caller(subscription_id, call.caller)
    call.arm.authorize(call.caller, _ACTION, f"/subscriptions/{subscription_id}")
    call.arm.subscriptions.require_registered(subscription_id, "Microsoft.Network")
    location = normal_location(call.params["location"])
    if location not in LOCATIONS:
        raise LOCATION_NOT_AVAILABLE(
            location=location, resource_type="Microsoft.Network/locations/usages", available=",".join(LOCATIONS)
        )
    shown = usages(call.arm, subscription_id, location)
    return page(call, [{"id": f"{call.path}/{usage['name']['value']}", **usage} for usage in shown])


def usages(arm: Reads, subscription_id: str, location: str) -> Iterator[Json]:
    """Yield the usages of a region, without ids. Reads each type once, for all of its rows."""
    types = {usage.type for usage in USAGES.values()}
    found = {kind: list(_in_region(arm, subscription_id, location, kind)) for kind in types}
    limits = Limits(arm.platform)
    for name, usage in USAGES.items():
        yield {
            "name": {"value": name, "localizedValue": usage.label},
            "currentValue": sum(map(usage.counts, found[usage.type])),
            "limit": limits.get(subscription_id, location, name, usage.limit),
            "unit": "Count",
        }


def _in_region(arm: Reads, subscription_id: str, location: str, kind: str) -> Iterator[Json]:
    return (stored for stored in arm.scan(f"/subscriptions/{subscription_id}/", kind) if stored["location"] == location)


ROWS = (Row("GET", _PATH, list_usages, "Microsoft.Network/locations/usages", NETWORK_VERSIONS),)
