"""Network security groups and their rules."""

from typing import Any
from uuid import NAMESPACE_URL, uuid5

from emulator.arm.ids import parse_resource
from emulator.arm.models import ArmModel
from emulator.arm.resources import Change, ResourceType
from emulator.arm.schema import READ_ONLY, Choice, Required, Since
from emulator.core.errors import ServiceError
from emulator.network import exceptions
from emulator.network.versions import NETWORK_VERSIONS

Json = dict[str, Any]

LOWEST_PRIORITY, HIGHEST_PRIORITY = 100, 4096

RULE_PROPERTIES: Json = {
    "access": Required(Choice(("Allow", "Deny"))),
    "description": str,
    "destinationAddressPrefix": str,
    "destinationAddressPrefixes": [str],
    "destinationApplicationSecurityGroups": [object],
    "destinationPortRange": str,
    "destinationPortRanges": [str],
    "direction": Required(Choice(("Inbound", "Outbound"))),
    "priority": Required(int),
    "protocol": Required(Choice(("*", "Tcp", "Udp", "Icmp", "Esp", "Ah"))),
    "provisioningState": READ_ONLY,
    "sourceAddressPrefix": str,
    "sourceAddressPrefixes": [str],
    "sourceApplicationSecurityGroups": [object],
    "sourcePortRange": str,
    "sourcePortRanges": [str],
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
    """Check a rule's priority, its ends, and that no other rule with its direction has that priority."""
    properties = change.properties
    if not LOWEST_PRIORITY <= properties["priority"] <= HIGHEST_PRIORITY:
        raise _invalid(
            "SecurityRuleInvalidPriority",
            f"Security rule has invalid Priority. Value provided: {properties['priority']} Allowed range "
            f"{LOWEST_PRIORITY}-{HIGHEST_PRIORITY}.",
        )
    for end in ("source", "destination"):
        for what, many in (("AddressPrefix", "AddressPrefixes"), ("PortRange", "PortRanges")):
            groups = properties.get(f"{end}ApplicationSecurityGroups") if what == "AddressPrefix" else None
            if not (properties.get(end + what) or properties.get(end + many) or groups):
                raise _invalid(
                    "SecurityRuleParameterContainsUnspecifiedValue",
                    f"Required security rule parameters are missing for security rule with Id: {change.id}. Security "
                    f"rule must specify {end}{what} or {end}{many}.",
                )
            properties.setdefault(end + many, [])
    for name, other in change.siblings:
        theirs = other["properties"]
        if (theirs["direction"], theirs["priority"]) == (properties["direction"], properties["priority"]):
            raise _invalid(
                "SecurityRuleConflict",
                f"Security rule {change.id.name} conflicts with rule {name}. Rules cannot have the same Priority and "
                "Direction.",
            )


def render_group(arm: ArmModel, stored: Json) -> Json:
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
    for holder in arm.documents.references.holders(arm, stored["id"]):
        member = "subnets" if parse_resource(holder).types[-1].lower() == "subnets" else "networkInterfaces"
        shown.setdefault(member, []).append({"id": holder})
    return shown


def _invalid(code: str, message: str) -> ServiceError:
    return ServiceError(400, code, message)


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
    in_use=exceptions.in_use_security_group,
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
    prepare=prepare_rule,
)
