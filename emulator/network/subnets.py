"""Virtual networks and their subnets: address ranges, and the resources attached to a subnet."""

from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network, ip_network
from uuid import NAMESPACE_URL, uuid5

from emulator.arm.ids import parse_resource
from emulator.arm.resources import Change, Reads, ResourceType
from emulator.arm.schema import READ_ONLY, Choice, Reference, Required, Since
from emulator.json_object import Json
from emulator.network import exceptions, peerings
from emulator.network.values.formats import DNS_SERVERS, PREFIX, nothing
from emulator.network.versions import NETWORK_VERSIONS

# From this version on, a PUT of a network without `subnets` leaves its subnets alone.
KEEPS_SUBNETS = "2023-09-01"

# The services that have service endpoints.
ENDPOINT_SERVICES = (
    "Microsoft.AzureActiveDirectory",
    "Microsoft.AzureCosmosDB",
    "Microsoft.CognitiveServices",
    "Microsoft.ContainerRegistry",
    "Microsoft.EventHub",
    "Microsoft.KeyVault",
    "Microsoft.ServiceBus",
    "Microsoft.Sql",
    "Microsoft.Storage",
    "Microsoft.Storage.Global",
    "Microsoft.Web",
)

SUBNET_PROPERTIES: Json = {
    "addressPrefix": PREFIX,
    "addressPrefixes": [PREFIX],
    "applicationGatewayIPConfigurations": [object],
    "defaultOutboundAccess": Since("2023-09-01", bool),
    "delegations": [
        {
            "id": READ_ONLY,
            "name": Required(str),
            "type": READ_ONLY,
            "etag": READ_ONLY,
            "properties": Required(
                {"serviceName": Required(str), "actions": READ_ONLY, "provisioningState": READ_ONLY}
            ),
        }
    ],
    "ipAllocations": [object],
    "ipamPoolPrefixAllocations": Since("2023-11-01", [object]),
    "ipConfigurationProfiles": READ_ONLY,
    "ipConfigurations": READ_ONLY,
    "natGateway": Since("2019-02-01", Reference("Microsoft.Network/natGateways", "join/action")),
    "networkSecurityGroup": Reference("Microsoft.Network/networkSecurityGroups", "join/action"),
    "privateEndpointNetworkPolicies": Choice(
        ("Enabled", "Disabled", "NetworkSecurityGroupEnabled", "RouteTableEnabled")
    ),
    "privateEndpoints": READ_ONLY,
    "privateLinkServiceNetworkPolicies": Choice(("Enabled", "Disabled")),
    "provisioningState": READ_ONLY,
    "purpose": READ_ONLY,
    "resourceNavigationLinks": READ_ONLY,
    "routeTable": Reference("Microsoft.Network/routeTables", "join/action"),
    "serviceAssociationLinks": READ_ONLY,
    "serviceEndpointPolicies": nothing([object], "service endpoint policies", [{"id": "/subscriptions/s"}]),
    "serviceEndpoints": [
        {
            "service": Required(Choice(ENDPOINT_SERVICES)),
            "locations": [str],
            "networkIdentifier": Since("2024-03-01", object),
            "provisioningState": READ_ONLY,
        }
    ],
    "serviceGateway": Since("2025-01-01", object),
    "sharingScope": Since("2024-01-01", Choice(("Tenant", "DelegatedServices"))),
}
INLINE_SUBNET: Json = {
    "id": READ_ONLY,
    "name": Required(str),
    "type": READ_ONLY,
    "etag": READ_ONLY,
    "properties": SUBNET_PROPERTIES,
}


def prefixes(properties: Json) -> list[str]:
    """Return the ranges of a subnet, which may be given as one prefix or as a list."""
    many: list[str] = properties.get("addressPrefixes") or []
    return many or ([properties["addressPrefix"]] if properties.get("addressPrefix") else [])


def _networks(texts: Iterable[str]) -> list[IPv4Network | IPv6Network]:
    return [ip_network(text) for text in texts]


def _inside(part: IPv4Network | IPv6Network, whole: IPv4Network | IPv6Network) -> bool:
    return part.version == whole.version and whole.supernet_of(part)  # type: ignore[arg-type]  # both of one version


def prepare_network(change: Change) -> None:
    """Check a network's own ranges, and that they contain the subnets that it already has."""
    space = change.properties.get("addressSpace") or {}
    ranges = _networks(space.get("addressPrefixes") or [])
    peerings.check_inline(change)
    if change.properties.get("subnets") is None:
        if change.api_version < KEEPS_SUBNETS:
            change.properties["subnets"] = []
        else:
            for subnet in change.arm.scan(f"{change.id}/subnets/", SUBNETS.name):
                _require_inside(subnet["name"], subnet["properties"], change.id.name, ranges)
    change.properties["resourceGuid"] = str(uuid5(NAMESPACE_URL, change.id.key))
    change.properties.setdefault("enableDdosProtection", False)


def prepare_subnet(change: Change) -> None:
    """Check a subnet against its network and its neighbours, and fill in its defaults."""
    properties, name = change.properties, change.id.name
    parent = change.parent or {"properties": {}}
    network = change.id.names[0]
    space = parent["properties"].get("addressSpace", {}).get("addressPrefixes", [])
    own = _networks(prefixes(properties))
    _require_inside(name, properties, network, _networks(space))
    for _, other in change.siblings:
        for theirs in _networks(prefixes(other["properties"])):
            if any(mine.version == theirs.version and mine.overlaps(theirs) for mine in own):
                raise exceptions.SUBNET_RANGES_OVERLAP(name=name, network=network)
    _complete_delegations(change)
    properties.setdefault("privateEndpointNetworkPolicies", "Disabled")
    properties.setdefault("privateLinkServiceNetworkPolicies", "Enabled")
    for endpoint in properties.get("serviceEndpoints", ()):
        endpoint.setdefault("locations", ["*"])
        endpoint["provisioningState"] = "Succeeded"


def _complete_delegations(change: Change) -> None:
    """Complete the entries of the services to which a subnet is delegated."""
    for delegation in change.properties.setdefault("delegations", []):
        delegation |= {
            "id": f"{change.id}/delegations/{delegation['name']}",
            "type": f"{SUBNETS.name}/delegations",
            "properties": {
                "serviceName": delegation["properties"]["serviceName"],
                "actions": ["Microsoft.Network/virtualNetworks/subnets/action"],
                "provisioningState": "Succeeded",
            },
        }


def _delegated(arm: Reads, identifier: str) -> list[str]:
    """Return the ids of the resources that a delegated service has in a subnet."""
    holders = arm.holders(identifier)
    return [holder for holder in holders if parse_resource(holder).namespace.lower() != "microsoft.network"]


def _require_inside(name: str, properties: Json, network: str, ranges: list[IPv4Network | IPv6Network]) -> None:
    for mine in _networks(prefixes(properties)):
        if not any(_inside(mine, whole) for whole in ranges):
            raise exceptions.SUBNET_OUTSIDE(name=name, network=network)


def render_subnet(arm: Reads, stored: Json) -> Json:
    """Show the IP configurations, private endpoints and delegated resources in a subnet, which refer to it."""
    shown: Json = {}
    delegated = _delegated(arm, stored["id"])
    if delegated:
        shown["serviceAssociationLinks"] = [_association(stored, holder) for holder in delegated]
    for holder in arm.holders(stored["id"]):
        if holder in delegated:
            continue
        kind = parse_resource(holder).types[0].lower()
        member = "privateEndpoints" if kind == "privateendpoints" else "ipConfigurations"
        shown.setdefault(member, []).append({"id": holder})
    return shown


def _association(stored: Json, holder: str) -> Json:
    services = [delegation["properties"]["serviceName"] for delegation in stored["properties"].get("delegations", ())]
    name = holder.rsplit("/", 1)[-1]
    return {
        "id": f"{stored['id']}/serviceAssociationLinks/{name}",
        "name": name,
        "properties": {
            "linkedResourceType": services[0] if services else "",
            "link": holder,
            "provisioningState": "Succeeded",
        },
    }


VIRTUAL_NETWORKS = ResourceType(
    name="Microsoft.Network/virtualNetworks",
    api_versions=NETWORK_VERSIONS,
    placement="region",
    members={"extendedLocation": object},
    properties={
        "addressSpace": {"addressPrefixes": [PREFIX], "ipamPoolPrefixAllocations": [object]},
        "bgpCommunities": object,
        "ddosProtectionPlan": Reference("Microsoft.Network/ddosProtectionPlans", "join/action"),
        "defaultPublicNatGateway": READ_ONLY,
        "dhcpOptions": {"dnsServers": DNS_SERVERS},
        "enableDdosProtection": bool,
        "enableVmProtection": bool,
        "encryption": Since(
            "2021-05-01",
            {"enabled": Required(bool), "enforcement": Choice(("DropUnencrypted", "AllowUnencrypted"))},
        ),
        "flowLogs": READ_ONLY,
        "flowTimeoutInMinutes": Since("2021-02-01", int),
        "ipAllocations": [object],
        "privateEndpointVNetPolicies": Since("2024-01-01", Choice(("Disabled", "Basic"))),
        "provisioningState": READ_ONLY,
        "resourceGuid": READ_ONLY,
        "subnets": [INLINE_SUBNET],
        "virtualNetworkPeerings": [object],
    },
    inline={"subnets": "Microsoft.Network/virtualNetworks/subnets"},
    create_seconds=5,
    update_seconds=5,
    delete_seconds=10,
    reply="operation",
    etag="weak",
    locks=True,
    prepare=prepare_network,
    render=peerings.shown_in,
    name_pattern=r"[A-Za-z0-9][A-Za-z0-9_.-]{0,62}[A-Za-z0-9_]",
    name_refusal=exceptions.INVALID_NETWORK_NAME,
)
SUBNETS = ResourceType(
    name="Microsoft.Network/virtualNetworks/subnets",
    api_versions=NETWORK_VERSIONS,
    properties=SUBNET_PROPERTIES,
    create_seconds=4,
    update_seconds=4,
    delete_seconds=10,
    reply="operation",
    etag="weak",
    locks=True,
    absent=exceptions.CHILD_NOT_FOUND,
    prepare=prepare_subnet,
    render=render_subnet,
    in_use=exceptions.IN_USE_SUBNET,
)
