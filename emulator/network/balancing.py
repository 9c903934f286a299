"""Checks the parts of a load balancer, each alone and against the others, and fills in their defaults."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from emulator.arm import exceptions as arm_exceptions
from emulator.arm import zones
from emulator.arm.resources import Change, Reads
from emulator.network.addresses import assign_private_address
from emulator.network.public_addresses import claim_public_address, keep_sku, keep_zones
from emulator.network.refusals import balancing_exceptions as exceptions
from emulator.network.types import FRONTEND, LINK_SERVICE, LOAD_BALANCER

Json = dict[str, Any]

STANDARD = "Standard"
LEAST_IDLE_MINUTES = 4
# What gives a frontend its address.
ENDS = ("subnet", "publicIPAddress", "publicIPPrefix")
# The lists of a load balancer. A list that the body lacks is empty.
PARTS = (
    "frontendIPConfigurations",
    "backendAddressPools",
    "probes",
    "loadBalancingRules",
    "outboundRules",
    "inboundNatRules",
)


def prepare_load_balancer(change: Change) -> None:
    """Fill in the defaults of a load balancer, and check its parts against each other."""
    change.body["sku"] = {"name": "Basic", "tier": "Regional"} | change.body.get("sku", {})
    keep_sku(change)
    change.properties["resourceGuid"] = str(uuid5(NAMESPACE_URL, change.id.key))
    for member in PARTS:
        change.properties.setdefault(member, [])
    _check_frontends(change)
    _check_references(change)
    _check_rules(change)
    _check_nat_ports(change)
    _check_outbound_rules(change)


def _named(change: Change, member: str) -> Iterator[tuple[str, Json]]:
    """Yield (id, properties) of the body's parts of one kind."""
    for part in change.properties[member]:
        yield f"{change.id}/{member}/{part['name']}", part.get("properties", {})


def _check_frontends(change: Change) -> None:
    """Check that all frontends are public, or all in subnets."""
    if len({"subnet" in frontend for _, frontend in _named(change, "frontendIPConfigurations") if frontend}) > 1:
        raise exceptions.MIXED_FRONTENDS(str(change.id))


def _check_references(change: Change) -> None:
    """Check that rules refer to parts of their own load balancer."""
    own = f"{change.id.key}/"
    for member in ("loadBalancingRules", "outboundRules", "inboundNatRules"):
        for _, rule in _named(change, member):
            one = (rule.get(end) or {} for end in ("frontendIPConfiguration", "backendAddressPool", "probe"))
            for part in (*one, *rule.get("frontendIPConfigurations", ()), *rule.get("backendAddressPools", ())):
                wanted = part.get("id", "").lower()
                if f"/{LOAD_BALANCER}/".lower() in wanted and not wanted.startswith(own):
                    raise arm_exceptions.referenced_resource_missing(change.id, part["id"])


def _check_nat_ports(change: Change) -> None:
    """Check that inbound NAT rules share no port of a frontend with each other or with a load balancing rule."""
    balanced, translated = (list(_named(change, member)) for member in ("loadBalancingRules", "inboundNatRules"))
    for (first, one), (second, other) in combinations([*balanced, *translated], 2):
        if second.split("/")[-2] != "inboundNatRules" or first == second:
            continue
        protocols = {one.get("protocol", "Tcp"), other.get("protocol", "Tcp")}
        same_frontend = _target(one, "frontendIPConfiguration") == _target(other, "frontendIPConfiguration")
        shared = set(_frontend_ports(one)) & set(_frontend_ports(other))
        if same_frontend and shared and (len(protocols) == 1 or "All" in protocols):
            raise exceptions.SAME_FRONTEND_PORT(
                first=first, second=second, port=min(shared), protocol=one.get("protocol", "Tcp")
            )


def _frontend_ports(rule: Json) -> range:
    """Return the ports of its frontend that a rule takes; port 0, which stands for all, is like any other here."""
    first = rule.get("frontendPortRangeStart") or rule.get("frontendPort", 0)
    return range(first, (rule.get("frontendPortRangeEnd") or first) + 1)


def _check_rules(change: Change) -> None:
    """Check that no two rules use the same port of a frontend or pool, and that only rules inside have all ports."""
    public = {
        frontend_id.lower()
        for frontend_id, frontend in _named(change, "frontendIPConfigurations")
        if "subnet" not in frontend
    }
    for rule_id, rule in _named(change, "loadBalancingRules"):
        if rule["protocol"] == "All" and (rule["frontendPort"] or rule.get("backendPort")):
            raise exceptions.NOT_ALL_PORTS(rule_id)
        if rule["protocol"] == "All" and _target(rule, "frontendIPConfiguration") in public:
            raise exceptions.ALL_PORTS_OUTSIDE(rule_id)
    for (first, one), (second, other) in combinations(_named(change, "loadBalancingRules"), 2):
        if one["protocol"] != other["protocol"] and "All" not in (one["protocol"], other["protocol"]):
            continue
        if _target(one, "frontendIPConfiguration") == _target(other, "frontendIPConfiguration") and (
            one["frontendPort"] == other["frontendPort"]
        ):
            raise exceptions.SAME_FRONTEND_PORT(
                first=first, second=second, port=one["frontendPort"], protocol=one["protocol"]
            )
        floating = one.get("enableFloatingIP") or other.get("enableFloatingIP")
        if not floating and _pools(one) & _pools(other) and _backend_port(one) == _backend_port(other):
            raise exceptions.SAME_BACKEND_PORT(
                first=first, second=second, port=_backend_port(one), protocol=one["protocol"]
            )


def _check_outbound_rules(change: Change) -> None:
    """Check that outbound rules are of a Standard load balancer, on public frontends without SNAT by other rules."""
    rules = list(_named(change, "loadBalancingRules"))
    for outbound_id, outbound in _named(change, "outboundRules"):
        if change.body["sku"]["name"] != STANDARD:
            raise exceptions.OUTBOUND_ON_BASIC(rule_id=outbound_id, balancer_id=str(change.id))
        frontends = {item["id"].lower() for item in outbound["frontendIPConfigurations"] if "id" in item}
        for frontend_id, frontend in _named(change, "frontendIPConfigurations"):
            if frontend_id.lower() in frontends and "subnet" in frontend and "publicIPAddress" not in frontend:
                raise exceptions.OUTBOUND_INSIDE(rule_id=outbound_id, frontend_id=frontend_id)
        for rule_id, rule in rules:
            if _target(rule, "frontendIPConfiguration") in frontends and not rule.get("disableOutboundSnat"):
                raise exceptions.SNAT_BESIDE_OUTBOUND(rule_id=rule_id, outbound_id=outbound_id)


def _target(part: Json, member: str) -> str:
    return str(part.get(member, {}).get("id", "")).lower()


def _pools(rule: Json) -> set[str]:
    many = [rule.get("backendAddressPool", {}), *rule.get("backendAddressPools", ())]
    return {pool["id"].lower() for pool in many if "id" in pool}


def _backend_port(rule: Json) -> int:
    port: int = rule.get("backendPort") or rule["frontendPort"]
    return port


def _is_standard(change: Change) -> bool:
    return bool((change.parent or {}).get("sku", {}).get("name") == STANDARD)


def prepare_frontend(change: Change) -> None:
    """Give a frontend its address, and check that the SKU of a public address matches the load balancer's."""
    properties = change.properties
    ends = [member for member in ENDS if member in properties]
    if len(ends) != 1:
        raise exceptions.wrong_ends(str(change.id), ends)
    zones.check(change.id, change.location, change.body)
    keep_zones(change)
    if properties.get("subnet"):
        assign_private_address(change)
        return
    properties.setdefault("privateIPAllocationMethod", "Dynamic")
    if properties.get("publicIPAddress"):
        address = claim_public_address(change)
        sku = "Standard" if _is_standard(change) else "Basic"
        if address["sku"]["name"].removesuffix("V2") != sku:
            raise exceptions.ADDRESS_OF_OTHER_SKU(
                balancer_id=str(change.id.parent), sku=sku, address_id=address["id"], address_sku=address["sku"]["name"]
            )


def prepare_probe(change: Change) -> None:
    """Check a probe's protocol and path, and fill in its defaults."""
    properties = change.properties
    protocol, path = properties["protocol"], properties.get("requestPath")
    if protocol == "Tcp" and path:
        raise exceptions.PATH_NOT_ALLOWED(probe_id=str(change.id), path=path)
    if protocol != "Tcp" and not path:
        raise exceptions.PATH_NEEDED(probe_id=str(change.id), protocol=protocol)
    if protocol == "Https" and not _is_standard(change):
        raise exceptions.HTTPS_ON_BASIC(str(change.id))
    properties.setdefault("intervalInSeconds", 15)
    properties.setdefault("numberOfProbes", 2)


def prepare_rule(change: Change) -> None:
    """Fill in the defaults of a load balancing rule, and check its ports."""
    properties = change.properties
    properties.setdefault("backendPort", properties["frontendPort"])
    properties.setdefault("enableFloatingIP", False)
    properties.setdefault("enableTcpReset", False)
    properties.setdefault("disableOutboundSnat", False)
    properties.setdefault("loadDistribution", "Default")
    _check_ports(change)
    properties.setdefault("idleTimeoutInMinutes", LEAST_IDLE_MINUTES)


def prepare_outbound_rule(change: Change) -> None:
    """Fill in the defaults of an outbound rule."""
    properties = change.properties
    properties.setdefault("enableTcpReset", False)
    properties.setdefault("allocatedOutboundPorts", 0)
    properties.setdefault("idleTimeoutInMinutes", LEAST_IDLE_MINUTES)


def prepare_nat_rule(change: Change) -> None:
    """Fill in the defaults of a NAT rule, and check its ports."""
    properties = change.properties
    if "backendPort" not in properties:
        raise exceptions.NO_BACKEND_PORT(str(change.id))
    start, end = properties.get("frontendPortRangeStart"), properties.get("frontendPortRangeEnd")
    if start or end:
        single = properties.get("frontendPort") or not properties.get("backendAddressPool")
        if single or not start or not end or end < start:
            raise exceptions.WRONG_PORT_RANGE(str(change.id))
    properties.setdefault("protocol", "Tcp")
    properties.setdefault("enableFloatingIP", False)
    properties.setdefault("enableTcpReset", False)
    _check_ports(change)
    properties.setdefault("idleTimeoutInMinutes", LEAST_IDLE_MINUTES)


def _check_ports(change: Change) -> None:
    """Check that only a rule for all protocols has port 0."""
    for member in ("frontendPort", "backendPort"):
        if change.properties.get(member) == 0 and change.properties["protocol"] != "All":
            raise exceptions.NO_PORT(part_id=str(change.id), member=member)


def keep_while_linked(arm: Reads, stored: Json) -> None:
    """Refuse to delete a load balancer that a private link service uses."""
    for frontend in arm.scan(f"{stored['id']}/frontendIPConfigurations/", FRONTEND):
        for holder in arm.holders(frontend["id"]):
            if (found := arm.load(holder)) is not None and found["type"] == LINK_SERVICE:
                raise exceptions.LOAD_BALANCER_WITH_LINK_SERVICE(balancer_id=stored["id"], service_id=holder)
