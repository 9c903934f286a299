"""Decides whether network security groups let a packet through to an interface."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from ipaddress import ip_address, ip_network

from emulator.arm.resources import Reads
from emulator.json_object import Json
from emulator.network.security_groups import DEFAULT_RULES

EVERYTHING = ("*", "any", "0.0.0.0/0")
INTERNET, NETWORK, BALANCER = "Internet", "VirtualNetwork", "AzureLoadBalancer"


@dataclass(frozen=True)
class Packet:
    """The first packet of a connection over TCP.

    Args:
        source: service tag of its source.
        address: private address of its destination.
        port: port of its destination.
        source_address: address of its source, "" for any address that the tag covers.
    """

    source: str
    address: str
    port: int
    source_address: str = ""


def denial(arm: Reads, interface: Json, subnet_id: str, packet: Packet) -> str:
    """Return why a packet does not reach an interface, or "" if it does.

    The groups of the subnet and of the interface must both allow it. Without any group, packets from the network itself
    pass, and packets from outside through Standard addresses do not.
    """
    subnet = arm.load(subnet_id) or {"properties": {}}
    attached = [holder["properties"].get("networkSecurityGroup", {}).get("id") for holder in (subnet, interface)]
    groups = [group for group in attached if group]
    if not groups and packet.source == INTERNET:
        return f"no network security group allows port {packet.port}: {interface['id']} and its subnet have none"
    for group in groups:
        name, access = _decide(arm, group, packet)
        if access == "Deny":
            return f"rule {name} of network security group {group} denies {packet.source} port {packet.port}"
    return ""


def _decide(arm: Reads, group_id: str, packet: Packet) -> tuple[str, str]:
    """Return the name and the access of the first rule that matches."""
    for name, rule in sorted(_inbound(arm, group_id), key=lambda item: int(item[1]["priority"])):
        if _fits(rule, packet):
            return name, str(rule["access"])
    return "DenyAllInBound", "Deny"


def _inbound(arm: Reads, group_id: str) -> Iterator[tuple[str, Json]]:
    rules = arm.scan(f"{group_id}/securityRules/", "Microsoft.Network/networkSecurityGroups/securityRules")
    yield from ((rule["name"], rule["properties"]) for rule in rules if rule["properties"]["direction"] == "Inbound")
    for name, _, access, direction, priority, source, destination in DEFAULT_RULES:
        if direction == "Inbound":
            yield (
                str(name),
                {
                    "access": access,
                    "priority": priority,
                    "protocol": "*",
                    "sourceAddressPrefix": source,
                    "destinationAddressPrefix": destination,
                    "destinationPortRange": "*",
                },
            )


def _fits(rule: Json, packet: Packet) -> bool:
    sources, destinations = _all(rule, "sourceAddressPrefix"), _all(rule, "destinationAddressPrefix")
    return (
        rule["protocol"] in ("*", "Tcp")
        and any(_covers(source, packet.source, packet.source_address) for source in sources)
        and any(_covers(destination, NETWORK, packet.address) for destination in destinations)
        and any(_in_range(text, packet.port) for text in _all(rule, "destinationPortRange"))
    )


def _all(rule: Json, member: str) -> Iterable[str]:
    many = member.replace("Prefix", "Prefixes") if member.endswith("Prefix") else f"{member}s"
    return [text for text in (rule.get(member), *rule.get(many, ())) if text]


def _covers(prefix: str, tag: str, address: str) -> bool:
    """Tell whether an address prefix or service tag of a rule covers an address, or the service tag of that address."""
    if prefix.lower() in EVERYTHING or prefix.lower() == tag.lower():
        return True
    try:
        return bool(address) and ip_address(address) in ip_network(prefix, strict=False)
    except ValueError:
        # Another service tag, which stands for Azure's own addresses.
        return False


def _in_range(text: str, port: int) -> bool:
    first, _, last = text.partition("-")
    return text == "*" or (first.isdecimal() and int(first) <= port <= int(last or first))
