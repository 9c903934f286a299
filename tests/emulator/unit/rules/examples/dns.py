"""Examples of public and private DNS zones."""

from typing import Any

from emulator.dns.resources import MEMBERS as PUBLIC_MEMBERS
from emulator.privatedns.resources import MEMBERS as PRIVATE_MEMBERS
from tests.emulator.unit.rules.stage import Example

PUBLIC, PRIVATE = "Microsoft.Network/dnsZones", "Microsoft.Network/privateDnsZones"
RECORDS: dict[str, Any] = {
    "A": [{"ipv4Address": "192.0.2.1"}],
    "NS": [{"nsdname": "ns1.example.com."}],
    "SOA": {"email": "admin.example.com"},
    "SRV": [{"priority": 1, "weight": 1, "port": 443, "target": "host.example.com"}],
}


def _record(zone: str, parent: str, kind: str, member: str, ttl: str) -> Example:
    properties = {ttl: 300, "metadata": {"team": "one"}, member: RECORDS[kind]}
    if zone == PUBLIC:
        properties |= {"targetResource": {}}
    name = "@" if kind == "SOA" else f"{kind.lower()}{{n}}"
    return Example(f"{zone}/{kind}", {"properties": properties}, name=name, parent=parent)


EXAMPLES = {
    "DNS zone": Example(PUBLIC, {"location": "global", "properties": {}}, name="zone{n}.example.com"),
    "private DNS zone": Example(PRIVATE, {"location": "global", "properties": {}}, name="zone{n}.example.com"),
    "link of a private DNS zone": Example(
        f"{PRIVATE}/virtualNetworkLinks",
        {
            "location": "global",
            "properties": {
                "registrationEnabled": True,
                "resolutionPolicy": "Default",
                "virtualNetwork": {"id": "{id:virtual network}"},
            },
        },
        parent="private DNS zone",
    ),
    **{f"{kind} record": _record(PUBLIC, "DNS zone", kind, member, "TTL") for kind, member in PUBLIC_MEMBERS.items()},
    **{
        f"private {kind} record": _record(PRIVATE, "private DNS zone", kind, member, "ttl")
        for kind, member in PRIVATE_MEMBERS.items()
    },
}
