"""Private DNS zones, their record sets, and the links that let virtual networks see them."""

from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from emulator.arm.models import ArmModel
from emulator.arm.resources import Change, ResourceType
from emulator.arm.schema import READ_ONLY, MapOf, Reference, Required, Since
from emulator.privatedns import exceptions

Json = dict[str, Any]

VERSIONS = ("2018-09-01", "2020-01-01", "2020-06-01", "2024-06-01")
ZONE = "Microsoft.Network/privateDnsZones"
LINK = f"{ZONE}/virtualNetworkLinks"
APEX = "@"
MAX_TTL = 2**31 - 1

_LABEL = r"[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
ZONE_NAME = rf"(?=.{{1,253}}$){_LABEL}(\.{_LABEL})+"
RECORD_NAME = rf"@|(\*|{_LABEL})(\.{_LABEL})*"

# For each type of record: the member with the records, and its schema.
RECORDS: dict[str, tuple[str, Any]] = {
    "A": ("aRecords", [{"ipv4Address": Required(str)}]),
    "AAAA": ("aaaaRecords", [{"ipv6Address": Required(str)}]),
    "CNAME": ("cnameRecord", {"cname": Required(str)}),
    "MX": ("mxRecords", [{"preference": Required(int), "exchange": Required(str)}]),
    "PTR": ("ptrRecords", [{"ptrdname": Required(str)}]),
    "SOA": (
        "soaRecord",
        {
            "host": str,
            "email": str,
            "serialNumber": int,
            "refreshTime": int,
            "retryTime": int,
            "expireTime": int,
            "minimumTtl": int,
        },
    ),
    "SRV": (
        "srvRecords",
        [{"priority": Required(int), "weight": Required(int), "port": Required(int), "target": Required(str)}],
    ),
    "TXT": ("txtRecords", [{"value": Required([str])}]),
}


def _render_zone(arm: ArmModel, stored: Json) -> Json:
    links = list(arm.scan(f"{stored['id']}/virtualNetworkLinks/", LINK))
    registering = [link for link in links if link["properties"]["registrationEnabled"]]
    return {
        "internalId": str(uuid5(NAMESPACE_URL, stored["id"].lower())),
        "maxNumberOfRecordSets": 25000,
        "maxNumberOfVirtualNetworkLinks": 1000,
        "maxNumberOfVirtualNetworkLinksWithRegistration": 100,
        "numberOfRecordSets": sum(1 for found in arm.scan(f"{stored['id']}/") if found["type"] != LINK),
        "numberOfVirtualNetworkLinks": len(links),
        "numberOfVirtualNetworkLinksWithRegistration": len(registering),
    }


async def _make_apex(arm: ArmModel, stored: Json) -> None:
    """Give a new zone its SOA record."""
    identifier = f"{stored['id']}/SOA/{APEX}"
    soa = {
        "host": "azureprivatedns.net",
        "email": "azureprivatedns-host.microsoft.com",
        "serialNumber": 1,
        "refreshTime": 3600,
        "retryTime": 300,
        "expireTime": 2419200,
        "minimumTtl": 10,
    }
    if arm.load(identifier) is None:
        arm.documents.put(
            {
                "id": identifier,
                "name": APEX,
                "type": f"{ZONE}/SOA",
                "properties": {"metadata": {}, "ttl": 3600, "soaRecord": soa},
            }
        )


def _keep_linked(arm: ArmModel, stored: Json) -> None:
    links = [link["id"] for link in arm.scan(f"{stored['id']}/virtualNetworkLinks/", LINK)]
    if links:
        raise exceptions.nested_resources(links)


# Record sets


def _prepare_record(change: Change) -> None:
    kind, properties = change.id.types[-1].upper(), change.properties
    member, table = RECORDS[kind]
    if not 0 < properties["ttl"] <= MAX_TTL:
        raise exceptions.bad_request(f"The TTL '{properties['ttl']}' is invalid; it must be between 1 and {MAX_TTL}.")
    if kind == "SOA" and change.existing is None:
        raise exceptions.bad_request("Record sets of type 'SOA' cannot be created; they come with their zone.")
    if kind == "CNAME" and change.id.name == APEX:
        raise exceptions.bad_request("The record set '@' of type 'CNAME' is invalid: a CNAME cannot be at the apex.")
    _check_neighbours(change, kind)
    if isinstance(table, list) and not properties.get(member):
        raise exceptions.bad_request(f"The record set '{change.id.name}' of type '{kind}' has no records.")
    for record in properties[member] if kind in ("A", "AAAA") else ():
        _check_address(kind, next(iter(record.values())))
    properties.setdefault("metadata", {})


def _check_neighbours(change: Change, kind: str) -> None:
    for other in RECORDS:
        neighbour = f"{change.id.parent}/{other}/{change.id.name}"
        if other != kind and "CNAME" in (other, kind) and change.arm.load(neighbour) is not None:
            raise exceptions.cname_conflict(change.id.name)


def _check_address(kind: str, address: str) -> None:
    try:
        (IPv4Address if kind == "A" else IPv6Address)(address)
    except AddressValueError as error:
        raise exceptions.bad_request(f"The address '{address}' of the {kind} record is invalid.") from error


def _render_record(_arm: ArmModel, stored: Json) -> Json:
    zone = stored["id"].split("/")[8]
    fqdn = f"{zone}." if stored["name"] == APEX else f"{stored['name']}.{zone}."
    return {"fqdn": fqdn, "isAutoRegistered": False}


def _keep_apex(_arm: ArmModel, stored: Json) -> None:
    if stored["type"].endswith("/SOA"):
        raise exceptions.bad_request("The record set '@' of type 'SOA' cannot be deleted.")


def _record(kind: str) -> ResourceType:
    member, table = RECORDS[kind]
    return ResourceType(
        name=f"{ZONE}/{kind}",
        api_versions=VERSIONS,
        properties={
            "fqdn": READ_ONLY,
            "isAutoRegistered": READ_ONLY,
            "metadata": MapOf(str),
            "ttl": Required(int),
            member: table,
        },
        name_pattern=RECORD_NAME,
        has_state=False,
        etag="bare",
        prepare=_prepare_record,
        render=_render_record,
        removable=_keep_apex,
    )


# Links


def _prepare_link(change: Change) -> None:
    """Check that a network sees only one zone with this name, and registers its machines in only one zone."""
    properties = change.properties
    network: str = properties["virtualNetwork"]["id"]
    before = (change.existing or {}).get("properties", {}).get("virtualNetwork", {}).get("id", network)
    if before.lower() != network.lower():
        raise exceptions.network_is_fixed(change.id.name)
    properties.setdefault("registrationEnabled", False)
    for holder in change.arm.documents.references.holders(change.arm, network):
        link = change.arm.load(holder)
        if link is None or link["type"] != LINK or link["id"].lower() == change.id.key:
            continue
        zone = link["id"].split("/")[8]
        if zone.lower() == change.id.names[0].lower():
            raise exceptions.overlapping_zones(change.id.names[0], zone)
        if properties["registrationEnabled"] and link["properties"]["registrationEnabled"]:
            raise exceptions.second_registration(network)


def is_complete(link: Json) -> bool:
    """Tell whether a link is in effect, which a new link is not until its creation is complete."""
    return "pending" not in link or link["created"] != link["changed"]


def _render_link(_arm: ArmModel, stored: Json) -> Json:
    return {"virtualNetworkLinkState": "Completed" if is_complete(stored) else "InProgress"}


ZONES = ResourceType(
    name=ZONE,
    api_versions=VERSIONS,
    placement="global",
    properties={
        "internalId": READ_ONLY,
        "maxNumberOfRecordSets": READ_ONLY,
        "maxNumberOfVirtualNetworkLinks": READ_ONLY,
        "maxNumberOfVirtualNetworkLinksWithRegistration": READ_ONLY,
        "numberOfRecordSets": READ_ONLY,
        "numberOfVirtualNetworkLinks": READ_ONLY,
        "numberOfVirtualNetworkLinksWithRegistration": READ_ONLY,
        "provisioningState": READ_ONLY,
    },
    name_pattern=ZONE_NAME,
    create_seconds=34,
    update_seconds=5,
    delete_seconds=15,
    reply="operation",
    etag="quoted",
    render=_render_zone,
    stored=_make_apex,
    removable=_keep_linked,
    collections={"ALL": tuple(f"{ZONE}/{kind}" for kind in RECORDS)},
)
LINKS = ResourceType(
    name=LINK,
    api_versions=VERSIONS,
    placement="global",
    properties={
        "provisioningState": READ_ONLY,
        "registrationEnabled": bool,
        "resolutionPolicy": Since("2024-06-01", str),
        "virtualNetwork": Required(
            Reference("Microsoft.Network/virtualNetworks", "join/action", same_region=False, same_subscription=False)
        ),
        "virtualNetworkLinkState": READ_ONLY,
    },
    # Estimated, because no figure is known.
    create_seconds=45,
    update_seconds=10,
    delete_seconds=20,
    reply="operation",
    etag="quoted",
    prepare=_prepare_link,
    render=_render_link,
)

TYPES = (ZONES, LINKS, *(_record(kind) for kind in RECORDS))
