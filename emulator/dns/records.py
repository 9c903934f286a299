"""Record sets: the rules that public and private zones share. Each record type is a resource type of its own."""

from collections.abc import Mapping
from ipaddress import AddressValueError, IPv4Address
from typing import Any

from emulator.arm.resources import Change
from emulator.arm.schema import Required, Rule, matching
from emulator.dns import exceptions
from emulator.json_object import Json

APEX = "@"
LABEL = r"[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
ZONE_NAME = rf"(?=.{{1,253}}$){LABEL}(\.{LABEL})+"
RECORD_NAME = rf"@|(\*|{LABEL})(\.{LABEL})*"
TTL = Required(int)

_DOMAIN = rf"(?=.{{1,254}}$)({LABEL}(\.{LABEL})*\.?|\.)"


def _is_address(text: str) -> bool:
    try:
        IPv4Address(text)
    except AddressValueError:
        return False
    return True


def _domain() -> Required:
    return Required(matching(_DOMAIN, ("two words", "-.example.com", "a..b"), exceptions.INVALID_DOMAIN))


# By record type: one record. A list of these is a record set, except for SOA, which has one record.
RECORDS: Mapping[str, Json] = {
    "A": {"ipv4Address": Required(Rule(str, _is_address, ("10.0.0", "300.1.1.1", "::1"), exceptions.INVALID_ADDRESS))},
    "NS": {"nsdname": _domain()},
    "SOA": {
        "host": str,
        "email": str,
        "serialNumber": int,
        "refreshTime": int,
        "retryTime": int,
        "expireTime": int,
        "minimumTTL": int,
    },
    "SRV": {"priority": Required(int), "weight": Required(int), "port": Required(int), "target": _domain()},
}


def table_of(kind: str) -> Any:
    """Return the kind of the member with the records of a type."""
    return RECORDS[kind] if kind == "SOA" else [RECORDS[kind]]


def complete(change: Change, members: Mapping[str, str]) -> None:
    """Complete a record set, which may have no records."""
    kind, properties = change.id.types[-1].upper(), change.properties
    properties.setdefault("metadata", {})
    if kind == "SOA":
        # The host stays if the body leaves it out.
        before = (change.existing or {}).get("properties", {}).get(members[kind], {"host": ""})
        properties.setdefault(members[kind], {}).setdefault("host", before["host"])
    else:
        properties.setdefault(members[kind], [])
