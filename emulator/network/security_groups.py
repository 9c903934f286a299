"""Network security groups and their rules."""

from uuid import NAMESPACE_URL, uuid5

from emulator.arm.ids import parse_resource
from emulator.arm.resources import Change, Reads, ResourceType
from emulator.arm.schema import READ_ONLY, Choice, Reference, Required, Rule, Since, between
from emulator.json_object import Json
from emulator.network import exceptions
from emulator.network.refusals import security_exceptions
from emulator.network.values.formats import is_address, is_own_range, is_range, is_tag
from emulator.network.versions import NETWORK_VERSIONS

LOWEST_PRIORITY, HIGHEST_PRIORITY = 100, 4096
HIGHEST_PORT = 65535
EVERYTHING = "*"


def _is_end(text: str) -> bool:
    """Tell whether a text may stand for the source or the destination of packets."""
    return text == EVERYTHING or is_address(text) or is_tag(text) or (is_range(text) and is_own_range(text))


def _is_port(text: str) -> bool:
    """Tell whether a text stands for a port, a range of ports, or all ports."""
    first, dash, last = text.partition("-")
    ends = (first, last) if dash else (first,)
    if not all(end.isascii() and end.isdecimal() for end in ends):
        return text == EVERYTHING
    numbers = [int(end) for end in ends]
    return numbers == sorted(numbers) and numbers[-1] <= HIGHEST_PORT


_PREFIX = Rule(str, _is_end, ("300.1.1.1", "10.0.0.1/24"), security_exceptions.INVALID_PREFIX)
_PORTS = Rule(str, _is_port, ("70000", "443-80", "80,443", "any", "-1"), security_exceptions.INVALID_PORT)
_GROUPS = [Reference("Microsoft.Network/applicationSecurityGroups", "joinIpConfiguration/action")]
RULE_PROPERTIES: Json = {
    "access": Required(Choice(("Allow", "Deny"))),
    "description": str,
    "destinationAddressPrefix": _PREFIX,
    "destinationAddressPrefixes": [_PREFIX],
    "destinationApplicationSecurityGroups": _GROUPS,
    "destinationPortRange": _PORTS,
    "destinationPortRanges": [_PORTS],
    "direction": Required(Choice(("Inbound", "Outbound"))),
    "priority": Required(between(LOWEST_PRIORITY, HIGHEST_PRIORITY, security_exceptions.INVALID_PRIORITY)),
    "protocol": Required(Choice(("*", "Tcp", "Udp", "Icmp", "Esp", "Ah"))),
    "provisioningState": READ_ONLY,
    "sourceAddressPrefix": _PREFIX,
    "sourceAddressPrefixes": [_PREFIX],
    "sourceApplicationSecurityGroups": _GROUPS,
    "sourcePortRange": _PORTS,
    "sourcePortRanges": [_PORTS],
}
# Each row: name, description, access, direction, priority, source, destination.
DEFAULT_RULES = (
    (
        "AllowVnetInBound",
        "Allow inbound traffic from all VMs in VNET",
        "Allow",
        "Inbound",
        65000,
        *["VirtualNetwork"] * 2,
    ),
    (
        "AllowAzureLoadBalancerInBound",
        "Allow inbound traffic from azure load balancer",
        "Allow",
        "Inbound",
        65001,
        "AzureLoadBalancer",
        "*",
    ),
    ("DenyAllInBound", "Deny all inbound traffic", "Deny", "Inbound", 65500, "*", "*"),
    (
        "AllowVnetOutBound",
        "Allow outbound traffic from all VMs to all VMs in VNET",
        "Allow",
        "Outbound",
        65000,
        *["VirtualNetwork"] * 2,
    ),
    (
        "AllowInternetOutBound",
        "Allow outbound traffic from all VMs to Internet",
        "Allow",
        "Outbound",
        65001,
        "*",
        "Internet",
    ),
    ("DenyAllOutBound", "Deny all outbound traffic", "Deny", "Outbound", 65500, "*", "*"),
)


def prepare_group(change: Change) -> None:
    """Give a group its guid. A PUT without rules means that the group has none."""
    change.properties.setdefault("securityRules", [])
    change.properties["resourceGuid"] = str(uuid5(NAMESPACE_URL, change.id.key))


def prepare_rule(change: Change) -> None:
    """Fill in the lists of a rule, and check that no other rule with its direction has its priority."""
    properties = change.properties
    for end in ("source", "destination"):
        for many in ("AddressPrefixes", "PortRanges"):
            properties.setdefault(end + many, [])
    for name, other in change.siblings:
        theirs = other["properties"]
        if (theirs["direction"], theirs["priority"]) == (properties["direction"], properties["priority"]):
            raise security_exceptions.RULE_CONFLICT(rule=change.id.name, other=name)


def render_group(arm: Reads, stored: Json) -> Json:
    """Show the default rules, and the subnets and interfaces that the group is attached to."""
    shown: Json = {
        "defaultSecurityRules": [
            {
                "id": f"{stored['id']}/defaultSecurityRules/{name}",
                "name": name,
                "type": "Microsoft.Network/networkSecurityGroups/defaultSecurityRules",
                "etag": f'W/"{stored["etag"]}"',
                "properties": {
                    "provisioningState": "Succeeded",
                    "description": description,
                    "protocol": "*",
                    "sourcePortRange": "*",
                    "destinationPortRange": "*",
                    "sourceAddressPrefix": source,
                    "destinationAddressPrefix": destination,
                    "access": access,
                    "priority": priority,
                    "direction": direction,
                },
            }
            for name, description, access, direction, priority, source, destination in DEFAULT_RULES
        ]
    }
    for holder in arm.holders(stored["id"]):
        member = "subnets" if parse_resource(holder).types[-1].lower() == "subnets" else "networkInterfaces"
        shown.setdefault(member, []).append({"id": holder})
    return shown


NETWORK_SECURITY_GROUPS = ResourceType(
    name="Microsoft.Network/networkSecurityGroups",
    api_versions=NETWORK_VERSIONS,
    placement="region",
    properties={
        "defaultSecurityRules": READ_ONLY,
        "flowLogs": READ_ONLY,
        "flushConnection": Since("2022-01-01", bool),
        "networkInterfaces": READ_ONLY,
        "provisioningState": READ_ONLY,
        "resourceGuid": READ_ONLY,
        "securityRules": [
            {
                "id": READ_ONLY,
                "name": Required(str),
                "type": READ_ONLY,
                "etag": READ_ONLY,
                "properties": Required(RULE_PROPERTIES),
            }
        ],
        "subnets": READ_ONLY,
    },
    inline={"securityRules": "Microsoft.Network/networkSecurityGroups/securityRules"},
    create_seconds=7,
    update_seconds=5,
    delete_seconds=10,
    reply="operation",
    etag="weak",
    prepare=prepare_group,
    render=render_group,
    in_use=security_exceptions.IN_USE_SECURITY_GROUP,
)
SECURITY_RULES = ResourceType(
    name="Microsoft.Network/networkSecurityGroups/securityRules",
    api_versions=NETWORK_VERSIONS,
    properties=RULE_PROPERTIES,
    create_seconds=4,
    update_seconds=4,
    delete_seconds=4,
    reply="operation",
    etag="weak",
    absent=exceptions.CHILD_NOT_FOUND,
    prepare=prepare_rule,
)
