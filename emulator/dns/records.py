"""Record sets: the rules that public and private zones share. Each record type is a resource type of its own."""

from collections.abc import Mapping
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Any

from emulator.arm.resources import Change
from emulator.arm.schema import Fixed, Required, Rule, between, matching
from emulator.dns import exceptions

Json = dict[str, Any]

APEX = "@"
MOST_RECORDS = 20
LONGEST_TEXT = 255
LABEL = r"[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
ZONE_NAME = rf"(?=.{{1,253}}$){LABEL}(\.{LABEL})+"
RECORD_NAME = rf"@|(\*|{LABEL})(\.{LABEL})*"
TTL = Required(between(1, 2**31 - 1, exceptions.INVALID_TTL))

_DOMAIN = rf"(?=.{{1,254}}$)({LABEL}(\.{LABEL})*\.?|\.)"


def _is(version: type[IPv4Address] | type[IPv6Address], text: str) -> bool:
    try:
        version(text)
    except AddressValueError:
        return False
    return True


def _domain() -> Required:
    return Required(matching(_DOMAIN, ("two words", "-.example.com", "a..b"), exceptions.INVALID_DOMAIN))


def _number(highest: int) -> Required:
    return Required(between(0, highest, exceptions.invalid_number))


_TEXT = Rule(str, lambda text: len(text) <= LONGEST_TEXT, ("x" * (LONGEST_TEXT + 1),), exceptions.long_text)
_TAG = matching(r"[A-Za-z0-9]+", ("not a tag",), exceptions.INVALID_TAG)
# By record type: one record. A list of these is a record set, except for CNAME and SOA, which have one record.
RECORDS: Mapping[str, Json] = {
    "A": {
        "ipv4Address": Required(
            Rule(str, lambda text: _is(IPv4Address, text), ("10.0.0", "300.1.1.1", "::1"), exceptions.INVALID_ADDRESS)
        )
    },
    "AAAA": {
        "ipv6Address": Required(
            Rule(str, lambda text: _is(IPv6Address, text), ("10.0.0.4", "fd00::g"), exceptions.INVALID_ADDRESS)
        )
    },
    "CAA": {"flags": _number(255), "tag": Required(_TAG), "value": Required(str)},
    "CNAME": {"cname": _domain()},
    "MX": {"preference": _number(65535), "exchange": _domain()},
    "NS": {"nsdname": _domain()},
    "PTR": {"ptrdname": _domain()},
    "SOA": {
        "host": Fixed(str, "ns1.example.com.", exceptions.SOA_HOST_FIXED),
        "email": str,
        "serialNumber": int,
        "refreshTime": int,
        "retryTime": int,
        "expireTime": int,
        "minimumTTL": int,
    },
    "SRV": {"priority": _number(65535), "weight": _number(65535), "port": _number(65535), "target": _domain()},
    "TXT": {"value": Required([_TEXT])},
}
SINGLE = ("CNAME", "SOA")


def table_of(kind: str) -> Any:
    """Return the kind of the member with the records of a type."""
    return RECORDS[kind] if kind in SINGLE else [RECORDS[kind]]


def check(change: Change, members: Mapping[str, str]) -> None:
    """Check a record set against the others of its name, and its records against each other; it may have none.

    Args:
        change: the PUT.
        members: the member with the records of each type.

    Raises:
        ServiceError: 400 or 409 for the first mistake.
    """
    kind = change.id.types[-1].upper()
    if kind == "SOA":
        _keep_host(change, members[kind])
    if kind == "CNAME" and change.id.name == APEX:
        raise exceptions.CNAME_AT_APEX()
    others = [other for other in members if other != kind and _exists(change, other)]
    if kind == "CNAME" and others:
        raise exceptions.NAME_HAS_RECORDS()
    if "CNAME" in others:
        raise exceptions.name_has_cname()
    if kind not in SINGLE:
        records = change.properties.setdefault(members[kind], [])
        if len(records) > MOST_RECORDS:
            raise exceptions.TOO_MANY_RECORDS(identifier=change.id, most=MOST_RECORDS)
        if any(record in records[:index] for index, record in enumerate(records)):
            raise exceptions.DUPLICATE_RECORD(change.id)


def _keep_host(change: Change, member: str) -> None:
    """Check that an SOA record is its zone's own, and keep its host if the body leaves that out."""
    if change.existing is None:
        raise exceptions.NEW_SOA()
    before = change.existing["properties"][member]
    change.properties.setdefault(member, {}).setdefault("host", before["host"])


def _exists(change: Change, kind: str) -> bool:
    return change.arm.load(f"{change.id.parent}/{kind}/{change.id.name}") is not None
