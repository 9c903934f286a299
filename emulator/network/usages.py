"""How many resources of each type of Microsoft.Network a subscription has in a region, of how many."""

from starlette.responses import Response

from emulator.arm.call import Call, Row, page
from emulator.arm.exceptions import location_not_available
from emulator.arm.groups import LOCATIONS, normal_location
from emulator.network.types import INTERFACE, LINK_SERVICE, LOAD_BALANCER, PUBLIC_ADDRESS, SECURITY_GROUP
from emulator.network.versions import NETWORK_VERSIONS

# Each row: name, what people call it, type, how many Azure lets a subscription have unless asked, SKU where one counts.
USAGES = (
    ("VirtualNetworks", "Virtual Networks", "Microsoft.Network/virtualNetworks", 1000, ""),
    ("StaticPublicIPAddresses", "Static Public IP Addresses", PUBLIC_ADDRESS, 1000, ""),
    ("NetworkSecurityGroups", "Network Security Groups", SECURITY_GROUP, 5000, ""),
    ("PublicIPAddresses", "Public IP Addresses", PUBLIC_ADDRESS, 1000, ""),
    ("NetworkInterfaces", "Network Interfaces", INTERFACE, 65536, ""),
    ("PrivateEndpoints", "Private Endpoints", "Microsoft.Network/privateEndpoints", 65536, ""),
    ("PrivateLinkServices", "Private Link Services", LINK_SERVICE, 800, ""),
    ("LoadBalancers", "Load Balancers", LOAD_BALANCER, 1000, ""),
    ("RouteTables", "Route Tables", "Microsoft.Network/routeTables", 200, ""),
    ("NatGateways", "NAT Gateways", "Microsoft.Network/natGateways", 1000, ""),
    ("StandardSkuLoadBalancers", "Standard Sku Load Balancers", LOAD_BALANCER, 1000, "Standard"),
    ("StandardSkuPublicIpAddresses", "Standard Sku Public IP Addresses", PUBLIC_ADDRESS, 1000, "Standard"),
)
_PATH = "/subscriptions/{subscription_id}/providers/Microsoft.Network/locations/{location}/usages"
_ACTION = "Microsoft.Network/locations/usages/read"


async def list_usages(call: Call) -> Response:
    """GET usages of a region."""
    subscription_id = call.params["subscription_id"]
    call.arm.subscriptions.for_caller(subscription_id, call.caller)
    call.arm.authorize(call.caller, _ACTION, f"/subscriptions/{subscription_id}")
    call.arm.subscriptions.require_registered(subscription_id, "Microsoft.Network")
    location = normal_location(call.params["location"])
    if location not in LOCATIONS:
        raise location_not_available(location, "Microsoft.Network/locations/usages", ",".join(LOCATIONS))
    shown = []
    for name, label, kind, limit, sku in USAGES:
        found = [
            stored
            for stored in call.arm.scan(f"/subscriptions/{subscription_id}/", kind)
            if stored["location"] == location and sku in ("", stored.get("sku", {}).get("name"))
        ]
        shown.append(
            {
                "id": f"{call.path}/{name}",
                "name": {"value": name, "localizedValue": label},
                "currentValue": len(found),
                "limit": limit,
                "unit": "Count",
            }
        )
    return page(call, shown)


ROWS = (Row("GET", _PATH, list_usages, "Microsoft.Network/locations/usages", NETWORK_VERSIONS),)
