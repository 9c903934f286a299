"""DNS zones and their record sets. Each record type is a resource type, such as `Microsoft.Network/dnsZones/A`."""

from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Any
from zlib import crc32

from emulator.arm.models import ArmModel
from emulator.arm.resources import Change, ResourceType
from emulator.arm.schema import READ_ONLY, Choice, MapOf, Required
from emulator.dns import exceptions

Json = dict[str, Any]

VERSIONS = (
    "2015-05-04-preview",
    "2016-04-01",
    "2017-09-01",
    "2017-10-01",
    "2018-03-01-preview",
    "2018-05-01",
    "2023-07-01-preview",
)
MAX_TTL = 2**31 - 1
APEX = "@"
ZONE = "Microsoft.Network/dnsZones"
ZONE_NAME = (
    r"(?=.{1,253}$)[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?)+"
)
RECORD_NAME = (
    r"@|(\*|[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?)(\.[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?)*"
)

# By record type: the member that holds its records, and the schema of that member.
RECORDS: dict[str, tuple[str, Any]] = {
    "A": ("ARecords", [{"ipv4Address": Required(str)}]),
    "AAAA": ("AAAARecords", [{"ipv6Address": Required(str)}]),
    "CAA": ("caaRecords", [{"flags": int, "tag": str, "value": str}]),
    "CNAME": ("CNAMERecord", {"cname": Required(str)}),
    "MX": ("MXRecords", [{"preference": Required(int), "exchange": Required(str)}]),
    "NS": ("NSRecords", [{"nsdname": Required(str)}]),
    "PTR": ("PTRRecords", [{"ptrdname": Required(str)}]),
    "SOA": (
        "SOARecord",
        {
            "host": str,
            "email": str,
            "serialNumber": int,
            "refreshTime": int,
            "retryTime": int,
            "expireTime": int,
            "minimumTTL": int,
        },
    ),
    "SRV": (
        "SRVRecords",
        [{"priority": Required(int), "weight": Required(int), "port": Required(int), "target": Required(str)}],
    ),
    "TXT": ("TXTRecords", [{"value": Required([str])}]),
}


def _name_servers(zone: str) -> list[str]:
    pool = crc32(zone.lower().encode()) % 40 + 1
    return [
        f"ns{number}-{pool:02}.azure-dns.{domain}." for number, domain in enumerate(("com", "net", "org", "info"), 1)
    ]


def _prepare_zone(change: Change) -> None:
    change.properties.setdefault("zoneType", "Public")


def _render_zone(arm: ArmModel, stored: Json) -> Json:
    return {
        "maxNumberOfRecordSets": 10000,
        "maxNumberOfRecordsPerRecordSet": None,
        "nameServers": _name_servers(stored["name"]),
        "numberOfRecordSets": sum(1 for _ in arm.scan(f"{stored['id']}/")),
    }


async def _make_apex(arm: ArmModel, stored: Json) -> None:
    """Create the NS and SOA records of a new zone."""
    servers = _name_servers(stored["name"])
    soa = {
        "host": servers[0],
        "email": "azuredns-hostmaster.microsoft.com",
        "serialNumber": 1,
        "refreshTime": 3600,
        "retryTime": 300,
        "expireTime": 2419200,
        "minimumTTL": 300,
    }
    apex = (
        ("NS", {"TTL": 172800, "NSRecords": [{"nsdname": name} for name in servers]}),
        ("SOA", {"TTL": 3600, "SOARecord": soa}),
    )
    for kind, properties in apex:
        identifier = f"{stored['id']}/{kind}/{APEX}"
        if arm.load(identifier) is None:
            arm.documents.put(
                {"id": identifier, "name": APEX, "type": f"{ZONE}/{kind}", "properties": {"metadata": {}} | properties}
            )


def _prepare_record(change: Change) -> None:
    kind, properties = change.id.types[-1].upper(), change.properties
    member, _ = RECORDS[kind]
    if not 0 < properties["TTL"] <= MAX_TTL:
        raise exceptions.bad_request(f"The TTL '{properties['TTL']}' is invalid; it must be between 1 and {MAX_TTL}.")
    if kind == "SOA" and change.existing is None:
        raise exceptions.bad_request("Record sets of type 'SOA' cannot be created; they come with their zone.")
    _check_neighbours(change, kind)
    for record in properties.get(member, ()) if kind in ("A", "AAAA") else ():
        _check_address(kind, next(iter(record.values())))
    if isinstance(RECORDS[kind][1], list):
        properties.setdefault(member, [])
    properties.setdefault("metadata", {})


def _check_neighbours(change: Change, kind: str) -> None:
    if kind == "CNAME" and change.id.name == APEX:
        raise exceptions.bad_request("The record set '@' of type 'CNAME' is invalid: a CNAME cannot be at the apex.")
    zone = f"{change.id.parent}/"
    for other in RECORDS:
        if (
            other != kind
            and "CNAME" in (other, kind)
            and change.arm.load(f"{zone}{other}/{change.id.name}") is not None
        ):
            raise exceptions.cname_conflict(change.id.name)


def _check_address(kind: str, address: str) -> None:
    try:
        (IPv4Address if kind == "A" else IPv6Address)(address)
    except AddressValueError as error:
        raise exceptions.bad_request(f"The address '{address}' of the {kind} record is invalid.") from error


def _render_record(_arm: ArmModel, stored: Json) -> Json:
    zone = stored["id"].split("/")[8]
    fqdn = f"{zone}." if stored["name"] == APEX else f"{stored['name']}.{zone}."
    return {"fqdn": fqdn, "targetResource": stored["properties"].get("targetResource", {})}


def _keep_apex(_arm: ArmModel, stored: Json) -> None:
    kind = stored["type"].rsplit("/", 1)[-1]
    if stored["name"] == APEX and kind in ("NS", "SOA"):
        raise exceptions.bad_request(f"The record set '@' of type '{kind}' cannot be deleted.")


def _record(kind: str) -> ResourceType:
    member, table = RECORDS[kind]
    return ResourceType(
        name=f"{ZONE}/{kind}",
        api_versions=VERSIONS,
        properties={
            "metadata": MapOf(str),
            "TTL": Required(int),
            "fqdn": READ_ONLY,
            "provisioningState": READ_ONLY,
            "targetResource": {"id": str},
            "trafficManagementProfile": object,
            member: table,
        },
        name_pattern=RECORD_NAME,
        etag="bare",
        prepare=_prepare_record,
        render=_render_record,
        removable=_keep_apex,
    )


ZONES = ResourceType(
    name=ZONE,
    api_versions=VERSIONS,
    placement="global",
    properties={
        "maxNumberOfRecordSets": READ_ONLY,
        "maxNumberOfRecordsPerRecordSet": READ_ONLY,
        "nameServers": READ_ONLY,
        "numberOfRecordSets": READ_ONLY,
        "registrationVirtualNetworks": [object],
        "resolutionVirtualNetworks": [object],
        "signingKeys": READ_ONLY,
        "zoneType": Choice(("Public", "Private")),
    },
    name_pattern=ZONE_NAME,
    delete_seconds=15,
    reply="operation",
    has_state=False,
    etag="bare",
    prepare=_prepare_zone,
    render=_render_zone,
    stored=_make_apex,
    collections={
        "recordsets": tuple(f"{ZONE}/{kind}" for kind in RECORDS),
        "all": tuple(f"{ZONE}/{kind}" for kind in RECORDS),
    },
)

TYPES = (ZONES, *(_record(kind) for kind in RECORDS))
