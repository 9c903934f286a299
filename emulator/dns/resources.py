"""DNS zones and their record sets. Each record type is a resource type, such as `Microsoft.Network/dnsZones/A`."""

from typing import Any
from zlib import crc32

from emulator.arm.resources import Change, Reads, ResourceType, Writes
from emulator.arm.schema import READ_ONLY, Choice, MapOf, Rule
from emulator.dns import exceptions, records
from emulator.dns.records import APEX
from emulator.json_object import Json

VERSIONS = (
    "2015-05-04-preview",
    "2016-04-01",
    "2017-09-01",
    "2017-10-01",
    "2018-03-01-preview",
    "2018-05-01",
    "2023-07-01-preview",
)
ZONE = "Microsoft.Network/dnsZones"
# By record type: the member that holds its records.
MEMBERS: dict[str, str] = {
    "A": "ARecords",
    "NS": "NSRecords",
    "SOA": "SOARecord",
}


def _name_servers(zone: str) -> list[str]:
    pool = crc32(zone.lower().encode()) % 40 + 1
    return [
        f"ns{number}-{pool:02}.azure-dns.{domain}." for number, domain in enumerate(("com", "net", "org", "info"), 1)
    ]


def _prepare_zone(change: Change) -> None:
    change.properties.setdefault("zoneType", "Public")


def _render_zone(arm: Reads, stored: Json) -> Json:
    return {
        "maxNumberOfRecordSets": 10000,
        "maxNumberOfRecordsPerRecordSet": None,
        "nameServers": _name_servers(stored["name"]),
        "numberOfRecordSets": sum(1 for _ in arm.scan(f"{stored['id']}/")),
    }


async def _make_apex(arm: Writes, stored: Json) -> None:
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
    records.complete(change, MEMBERS)


def _render_record(_arm: Reads, stored: Json) -> Json:
    zone = stored["id"].split("/")[8]
    fqdn = f"{zone}." if stored["name"] == APEX else f"{stored['name']}.{zone}."
    return {"fqdn": fqdn, "targetResource": stored["properties"].get("targetResource", {})}


def _keep_apex(_arm: Reads, stored: Json) -> None:
    kind = stored["type"].rsplit("/", 1)[-1]
    if stored["name"] == APEX and kind in ("NS", "SOA"):
        raise exceptions.APEX_STAYS(kind)


def _alias(kind: Any, wrong: Any) -> Rule:
    """Return the rule for a member that makes a record set an alias: it must be empty."""
    return Rule(kind, lambda value: not value, (wrong,), exceptions.ALIAS_NOT_EMULATED)


def _record(kind: str) -> ResourceType:
    return ResourceType(
        name=f"{ZONE}/{kind}",
        api_versions=VERSIONS,
        properties={
            "metadata": MapOf(str),
            "TTL": records.TTL,
            "fqdn": READ_ONLY,
            "provisioningState": READ_ONLY,
            "targetResource": {"id": _alias(str, "/subscriptions/s/a target")},
            "trafficManagementProfile": _alias(object, {"id": "/subscriptions/s/a profile"}),
            MEMBERS[kind]: records.table_of(kind),
        },
        name_pattern=records.RECORD_NAME,
        name_refusal=exceptions.INVALID_RECORD_NAME,
        absent=exceptions.RECORD_NOT_FOUND,
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
    name_pattern=records.ZONE_NAME,
    name_refusal=exceptions.INVALID_ZONE_NAME,
    delete_seconds=15,
    reply="operation",
    has_state=False,
    etag="bare",
    prepare=_prepare_zone,
    render=_render_zone,
    stored=_make_apex,
    collections={
        "recordsets": tuple(f"{ZONE}/{kind}" for kind in MEMBERS),
        "all": tuple(f"{ZONE}/{kind}" for kind in MEMBERS),
    },
)

TYPES = (ZONES, *(_record(kind) for kind in MEMBERS))
