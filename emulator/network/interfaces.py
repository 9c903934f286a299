"""Network interfaces of machines, and those that come with private endpoints and private link services."""

from uuid import NAMESPACE_URL, uuid5

from emulator.arm.resources import Change, Reads, ResourceType, Writes
from emulator.arm.schema import READ_ONLY, Choice, Reference, Since
from emulator.json_object import Json
from emulator.network.addresses import assign_private_address, draw_private_address
from emulator.network.exceptions import CHILD_NOT_FOUND
from emulator.network.public_addresses import claim_public_address
from emulator.network.refusals import load_balancer_exceptions as exceptions
from emulator.network.types import (
    ENDPOINT,
    INTERFACE,
    INTERFACE_CONFIGURATION,
    POOL,
    PUBLIC_ADDRESS,
    SECURITY_GROUP,
    SUBNET,
    inline_child,
)
from emulator.network.values.formats import ADDRESS, DNS_SERVERS, VERSION, nothing
from emulator.network.versions import NETWORK_VERSIONS

MACHINE = "Microsoft.Compute/virtualMachines"

CONFIGURATION_PROPERTIES: Json = {
    "applicationGatewayBackendAddressPools": nothing([object], "application gateways", [{"id": "/subscriptions/s"}]),
    "applicationSecurityGroups": [
        Reference("Microsoft.Network/applicationSecurityGroups", "joinIpConfiguration/action")
    ],
    "gatewayLoadBalancer": nothing({"id": str}, "gateway load balancers", {"id": "/subscriptions/s"}),
    "loadBalancerBackendAddressPools": [Reference(POOL, "join/action")],
    "loadBalancerInboundNatRules": nothing([object], "inbound NAT rules", [{"id": "/subscriptions/s"}]),
    "primary": bool,
    "privateIPAddress": ADDRESS,
    "privateIPAddressPrefixLength": Since("2023-09-01", int),
    "privateIPAddressVersion": VERSION,
    "privateIPAllocationMethod": Choice(("Static", "Dynamic")),
    "privateLinkConnectionProperties": READ_ONLY,
    "provisioningState": READ_ONLY,
    "publicIPAddress": Reference(PUBLIC_ADDRESS, "join/action"),
    "subnet": Reference(SUBNET, "join/action"),
    "virtualNetworkTaps": nothing([object], "virtual network taps", [{"id": "/subscriptions/s"}]),
}


def prepare_interface(change: Change) -> None:
    """Check that an interface has configurations, exactly one of them primary, and that no other resource owns it."""
    if owner := _owner(change.existing or {}):
        raise exceptions.owned_interface(str(change.id), owner)
    properties = change.properties
    configurations = properties.get("ipConfigurations") or []
    if not configurations:
        raise exceptions.NO_CONFIGURATION(str(change.id))
    bodies = [configuration.setdefault("properties", {}) for configuration in configurations]
    if not any(body.get("primary") for body in bodies):
        bodies[0]["primary"] = True
    properties.setdefault("enableAcceleratedNetworking", False)
    properties.setdefault("enableIPForwarding", False)
    properties.setdefault("nicType", "Standard")
    properties.setdefault("dnsSettings", {}).setdefault("dnsServers", [])
    properties["resourceGuid"] = str(uuid5(NAMESPACE_URL, change.id.key))


def prepare_configuration(change: Change) -> None:
    """Give a configuration its addresses."""
    properties = change.properties
    if not properties.get("subnet"):
        raise exceptions.NO_SUBNET(str(change.id))
    properties.setdefault("primary", False)
    assign_private_address(change)
    if properties.get("publicIPAddress"):
        claim_public_address(change)


def _owner(stored: Json) -> str:
    return str(stored.get("private", {}).get("owner", ""))


def render_interface(arm: Reads, stored: Json) -> Json:
    """Show the owner of an interface, and its hardware address once a machine has it."""
    shown: Json = {
        "hostedWorkloads": [],
        "tapConfigurations": [],
        "dnsSettings": stored["properties"].get("dnsSettings", {"dnsServers": []}) | {"appliedDnsServers": []},
    }
    owner = _owner(stored)
    if owner:
        found = arm.load(owner)
        kind = "privateEndpoint" if found is not None and found["type"] == ENDPOINT else "privateLinkService"
        return shown | {kind: {"id": owner}}
    machines = _machines(arm, stored["id"])
    if machines:
        digest = uuid5(NAMESPACE_URL, stored["id"].lower()).hex[:6].upper()
        # 00-0D-3A is one of Microsoft's prefixes.
        shown["macAddress"] = "-".join(("00", "0D", "3A", digest[:2], digest[2:4], digest[4:]))
        shown |= {"primary": True, "virtualMachine": {"id": machines[0]}}
    return shown


def _machines(arm: Reads, interface_id: str) -> list[str]:
    holders = arm.holders(interface_id)
    return [holder for holder in holders if (found := arm.load(holder)) is not None and found["type"] == MACHINE]


def keep_owned(_arm: Reads, stored: Json) -> None:
    """Refuse to delete an interface that belongs to another resource."""
    if owner := _owner(stored):
        raise exceptions.owned_interface(stored["id"], owner)


# Interfaces of others


def ensure_owned_interface(arm: Writes, owner: Json, subnet_id: str, *, configuration: str) -> str:
    """Ensure that a private endpoint or private link service has its interface; return the interface's id."""
    guid = uuid5(NAMESPACE_URL, owner["id"].lower())
    identifier = f"{owner['id'].split('/providers/')[0]}/providers/{INTERFACE}/{owner['name']}.nic.{guid}"
    if arm.load(identifier) is not None:
        return identifier
    address = draw_private_address(arm, subnet_id)
    name = f"{configuration}.{guid}"
    arm.documents.put(
        {
            "id": f"{identifier}/ipConfigurations/{name}",
            "name": name,
            "type": INTERFACE_CONFIGURATION,
            "properties": {
                "primary": True,
                "privateIPAddress": address,
                "privateIPAddressVersion": "IPv4",
                "privateIPAllocationMethod": "Dynamic",
                "subnet": {"id": subnet_id},
            },
            "references": [subnet_id.lower()],
        }
    )
    arm.documents.put(
        {
            "id": identifier,
            "name": identifier.rsplit("/", 1)[-1],
            "type": INTERFACE,
            "location": owner["location"],
            "properties": {
                "enableAcceleratedNetworking": False,
                "enableIPForwarding": False,
                "nicType": "Standard",
                "resourceGuid": str(guid),
            },
            "private": {"owner": owner["id"]},
        }
    )
    return identifier


def owned_interface(arm: Reads, owner: Json) -> Json | None:
    """Return the interface that came with a private endpoint or private link service."""
    guid = uuid5(NAMESPACE_URL, owner["id"].lower())
    return arm.load(f"{owner['id'].split('/providers/')[0]}/providers/{INTERFACE}/{owner['name']}.nic.{guid}")


async def drop_owned_interface(arm: Writes, owner: Json) -> None:
    """Remove the interface that came with a resource."""
    found = owned_interface(arm, owner)
    if found is not None:
        arm.documents.drop(found)


def configurations_of(arm: Reads, interface: Json) -> list[Json]:
    """Return the IP configurations of an interface, the primary one first."""
    found = list(arm.scan(f"{interface['id']}/ipConfigurations/", INTERFACE_CONFIGURATION))
    return sorted(found, key=lambda item: not item["properties"].get("primary"))


INTERFACES = ResourceType(
    name=INTERFACE,
    api_versions=NETWORK_VERSIONS,
    placement="region",
    members={"extendedLocation": object},
    properties={
        "auxiliaryMode": Since("2022-05-01", Choice(("None", "MaxConnections", "Floating", "AcceleratedConnections"))),
        "auxiliarySku": Since("2023-04-01", Choice(("None", "A1", "A2", "A4", "A8"))),
        "defaultOutboundConnectivityEnabled": READ_ONLY,
        "disableTcpStateTracking": Since("2022-11-01", bool),
        "dnsSettings": {
            "appliedDnsServers": READ_ONLY,
            "dnsServers": DNS_SERVERS,
            "internalDnsNameLabel": str,
            "internalDomainNameSuffix": READ_ONLY,
            "internalFqdn": READ_ONLY,
        },
        "dscpConfiguration": READ_ONLY,
        "enableAcceleratedNetworking": bool,
        "enableIPForwarding": bool,
        "hostedWorkloads": READ_ONLY,
        "ipConfigurations": [inline_child(CONFIGURATION_PROPERTIES)],
        "macAddress": READ_ONLY,
        "migrationPhase": READ_ONLY,
        "networkSecurityGroup": Reference(SECURITY_GROUP, "join/action"),
        "nicType": Choice(("Standard", "Elastic")),
        "primary": READ_ONLY,
        "privateEndpoint": READ_ONLY,
        "privateLinkService": READ_ONLY,
        "provisioningState": READ_ONLY,
        "resourceGuid": READ_ONLY,
        "tapConfigurations": READ_ONLY,
        "virtualMachine": READ_ONLY,
        "vnetEncryptionSupported": READ_ONLY,
        "workloadType": str,
    },
    inline={"ipConfigurations": INTERFACE_CONFIGURATION},
    create_seconds=5,
    update_seconds=5,
    delete_seconds=8,
    reply="operation",
    etag="weak",
    prepare=prepare_interface,
    render=render_interface,
    in_use=exceptions.IN_USE_INTERFACE,
    removable=keep_owned,
)
CONFIGURATIONS = ResourceType(
    name=INTERFACE_CONFIGURATION,
    api_versions=NETWORK_VERSIONS,
    properties=CONFIGURATION_PROPERTIES,
    inline_only=True,
    absent=CHILD_NOT_FOUND,
    etag="weak",
    prepare=prepare_configuration,
)

TYPES = (INTERFACES, CONFIGURATIONS)
