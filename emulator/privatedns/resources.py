"""Private DNS zones, their record sets, and the links that let virtual networks see them."""

from typing import Any
from uuid import NAMESPACE_URL, uuid5

from emulator.arm.resources import Change, Reads, ResourceType, Writes
from emulator.arm.schema import READ_ONLY, Choice, MapOf, Reference, Required, Since
from emulator.dns import records
from emulator.dns.exceptions import APEX_STAYS, INVALID_RECORD_NAME, INVALID_ZONE_NAME, RECORD_NOT_FOUND
from emulator.dns.records import APEX
from emulator.json_object import Json
from emulator.privatedns import exceptions

VERSIONS = ("2018-09-01", "2020-01-01", "2020-06-01", "2024-06-01")
ZONE = "Microsoft.Network/privateDnsZones"
LINK = f"{ZONE}/virtualNetworkLinks"
# By record type: the member that holds its records.
MEMBERS: dict[str, str] = {
    "A": "aRecords",
    "SOA": "soaRecord",
    "SRV": "srvRecords",
}


def _render_zone(arm: Reads, stored: Json) -> Json:
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


async def _make_apex(arm: Writes, stored: Json) -> None:
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


def _keep_linked(arm: Reads, stored: Json) -> None:
    links = [link["id"].partition("/providers/")[2] for link in arm.scan(f"{stored['id']}/virtualNetworkLinks/", LINK)]
    if links:
        raise exceptions.NESTED_RESOURCES(links)


# Record sets


def _prepare_record(change: Change) -> None:
    records.complete(change, MEMBERS)


def _table_of(kind: str) -> Any:
    """Return the kind of the member with the records of a type, which spells one member differently here."""
    table = records.table_of(kind)
    if kind != "SOA":
        return table
    return {"minimumTtl" if name == "minimumTTL" else name: member for name, member in table.items()}


def _render_record(_arm: Reads, stored: Json) -> Json:
    zone = stored["id"].split("/")[8]
    fqdn = f"{zone}." if stored["name"] == APEX else f"{stored['name']}.{zone}."
    return {"fqdn": fqdn, "isAutoRegistered": False}


def _keep_apex(_arm: Reads, stored: Json) -> None:
    if stored["type"].endswith("/SOA"):
        raise APEX_STAYS("SOA")


def _record(kind: str) -> ResourceType:
    return ResourceType(
        name=f"{ZONE}/{kind}",
        api_versions=VERSIONS,
        properties={
            "fqdn": READ_ONLY,
            "isAutoRegistered": READ_ONLY,
            "metadata": MapOf(str),
            "ttl": records.TTL,
            MEMBERS[kind]: _table_of(kind),
        },
        name_pattern=records.RECORD_NAME,
        name_refusal=INVALID_RECORD_NAME,
        absent=RECORD_NOT_FOUND,
        has_state=False,
        etag="bare",
        prepare=_prepare_record,
        render=_render_record,
        removable=_keep_apex,
    )


# Links


def _prepare_link(change: Change) -> None:
    """Check that a network sees only one zone with this name."""
    properties = change.properties
    network: str = properties["virtualNetwork"]["id"]
    properties.setdefault("registrationEnabled", False)
    for holder in change.arm.holders(network):
        link = change.arm.load(holder)
        if link is None or link["type"] != LINK or link["id"].lower() == change.id.key:
            continue
        zone = link["id"].split("/")[8]
        if zone.lower() == change.id.names[0].lower():
            raise exceptions.OVERLAPPING_ZONES(first=change.id.names[0], second=zone)


def is_complete(link: Json) -> bool:
    """Tell whether a link is in effect, which a new link is not until its creation is complete."""
    return "pending" not in link or link["created"] != link["changed"]


def _render_link(_arm: Reads, stored: Json) -> Json:
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
    name_pattern=records.ZONE_NAME,
    name_refusal=INVALID_ZONE_NAME,
    create_seconds=34,
    update_seconds=5,
    delete_seconds=15,
    reply="operation",
    etag="quoted",
    render=_render_zone,
    stored=_make_apex,
    removable=_keep_linked,
    collections={"ALL": tuple(f"{ZONE}/{kind}" for kind in MEMBERS)},
)
LINKS = ResourceType(
    name=LINK,
    api_versions=VERSIONS,
    placement="global",
    properties={
        "provisioningState": READ_ONLY,
        "registrationEnabled": bool,
        "resolutionPolicy": Since("2024-06-01", Choice(("Default", "NxDomainRedirect"))),
        "virtualNetwork": Required(
            Reference(
                "Microsoft.Network/virtualNetworks",
                "join/action",
                same_region=False,
                same_subscription=False,
                missing=exceptions.NETWORK_NOT_FOUND,
            )
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

TYPES = (ZONES, LINKS, *(_record(kind) for kind in MEMBERS))
