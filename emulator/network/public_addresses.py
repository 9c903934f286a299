"""Public addresses: drawn once, kept for the life of the resource, held by one IP configuration at a time."""

from ipaddress import IPv4Address
from zlib import crc32

from emulator.arm.resources import Change, Reads, ResourceType
from emulator.arm.schema import READ_ONLY, Choice, Reference, Since
from emulator.json_object import Json
from emulator.network.refusals import address_exceptions as exceptions
from emulator.network.types import NAT_GATEWAY, PUBLIC_ADDRESS
from emulator.network.usages import check_public_address
from emulator.network.values.formats import VERSION, nothing
from emulator.network.versions import NETWORK_VERSIONS


def _prepare_public_address(change: Change) -> None:
    """Draw the address from 127.0.0.0/8, so that a connection to it never leaves this machine."""
    properties = change.properties
    change.body["sku"] = {"name": "Basic", "tier": "Regional"} | change.body.get("sku", {})
    standard = change.body["sku"]["name"] == "Standard"
    properties.setdefault("publicIPAllocationMethod", "Static" if standard else "Dynamic")
    if change.existing is None:
        check_public_address(change)
    properties.setdefault("publicIPAddressVersion", "IPv4")
    properties.setdefault("idleTimeoutInMinutes", 4)
    before = (change.existing or {}).get("properties", {}).get("ipAddress")
    if properties["publicIPAllocationMethod"] == "Static":
        properties["ipAddress"] = before or _draw(change)
    _name(change)


def _name(change: Change) -> None:
    """Give an address with a label its domain name."""
    settings = change.properties.get("dnsSettings") or {}
    if label := settings.get("domainNameLabel"):
        settings["fqdn"] = f"{label}.{change.location}.cloudapp.azure.com"


def _draw(change: Change) -> str:
    taken = {
        stored["properties"].get("ipAddress")
        for stored in change.arm.scan("/subscriptions/", "Microsoft.Network/publicIPAddresses")
    }
    # 127.1.0.0 to 127.127.255.255, because 127.0.0.0/16 is for servers that listen on this machine.
    offset = crc32(change.id.key.encode())
    while True:
        address = str(IPv4Address((127 << 24) + (1 << 16) + offset % (127 << 16)))
        if address not in taken and not address.endswith((".0", ".255")):
            return address
        offset += 1


def claim_public_address(change: Change) -> Json:
    """Return the public address that an IP configuration refers to, if no other IP configuration has it.

    Raises:
        ServiceError: 400 `PublicIPAddressInUse`.
    """
    identifier: str = change.properties["publicIPAddress"]["id"]
    found = change.arm.load(identifier)
    if found is None:
        raise LookupError(f"{identifier} went away while {change.id} was written")
    siblings = [
        f"{change.id.parent}/{change.id.types[-1]}/{name}"
        for name, sibling in change.siblings
        if sibling["properties"].get("publicIPAddress", {}).get("id", "").lower() == identifier.lower()
    ]
    stored = [
        holder
        for holder in change.arm.holders(identifier)
        if not holder.lower().startswith(f"{change.id.parent}/".lower())
    ]
    for holder in (*siblings, *stored):
        raise exceptions.PUBLIC_ADDRESS_IN_USE(resource_id=str(change.id), address_id=found["id"], holder=holder)
    return found


def _render_public_address(arm: Reads, stored: Json) -> Json:
    """Show the IP configuration or NAT gateway that has the address."""
    holders = arm.holders(stored["id"])
    if not holders:
        return {}
    found = arm.load(holders[0])
    gateway = found is not None and found["type"] == NAT_GATEWAY
    return {"natGateway" if gateway else "ipConfiguration": {"id": holders[0]}}


_SCOPE = Choice(("TenantReuse", "SubscriptionReuse", "ResourceGroupReuse", "NoReuse"))
PUBLIC_ADDRESSES = ResourceType(
    name=PUBLIC_ADDRESS,
    api_versions=NETWORK_VERSIONS,
    placement="region",
    members={
        "extendedLocation": object,
        "sku": {"name": Choice(("Basic", "Standard", "StandardV2")), "tier": Choice(("Regional", "Global"))},
        "zones": [str],
    },
    properties={
        "ddosSettings": {
            "protectionMode": Choice(("VirtualNetworkInherited", "Enabled", "Disabled")),
            "ddosProtectionPlan": Reference("Microsoft.Network/ddosProtectionPlans", "join/action"),
            "ddosCustomPolicy": object,
        },
        "deleteOption": Choice(("Delete", "Detach")),
        "dnsSettings": {
            "domainNameLabel": str,
            "domainNameLabelScope": Since("2023-04-01", nothing(_SCOPE, "scopes of domain name labels", "TenantReuse")),
            "fqdn": READ_ONLY,
            "reverseFqdn": str,
        },
        "idleTimeoutInMinutes": int,
        "ipAddress": READ_ONLY,
        "ipConfiguration": READ_ONLY,
        "ipTags": [object],
        "natGateway": READ_ONLY,
        "provisioningState": READ_ONLY,
        "publicIPAddressVersion": VERSION,
        "publicIPAllocationMethod": Choice(("Static", "Dynamic")),
        "publicIPPrefix": Reference("Microsoft.Network/publicIPPrefixes", "join/action"),
        "resourceGuid": READ_ONLY,
    },
    create_seconds=4,
    update_seconds=4,
    delete_seconds=10,
    reply="operation",
    etag="weak",
    prepare=_prepare_public_address,
    render=_render_public_address,
    in_use=exceptions.IN_USE_PUBLIC_ADDRESS,
)
