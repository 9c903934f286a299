"""Checks the parts of a load balancer, each alone and against the others, and fills in their defaults."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from emulator.arm.models import ArmModel
from emulator.arm.resources import Change
from emulator.core.errors import ServiceError
from emulator.network import exceptions
from emulator.network.addresses import assign_private_address
from emulator.network.public_addresses import claim_public_address
from emulator.network.types import FRONTEND, LINK_SERVICE

Json = dict[str, Any]

STANDARD = "Standard"
LOWEST_PROBE_INTERVAL = 5
HIGHEST_PORT = 65535
IDLE_MINUTES = range(4, 101)
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
    before = (change.existing or {}).get("sku")
    if before is not None and before["name"] != change.body["sku"]["name"]:
        raise ServiceError(
            400,
            "LoadBalancerSkuCannotBeChanged",
            f"Load balancer {change.id} has sku {before['name']}, which cannot be changed to "
            f"{change.body['sku']['name']}.",
        )
    change.properties["resourceGuid"] = str(uuid5(NAMESPACE_URL, change.id.key))
    for member in PARTS:
        change.properties.setdefault(member, [])
    _check_frontends(change)
    _check_rules(change)
    _check_outbound_rules(change)


def _named(change: Change, member: str) -> Iterator[tuple[str, Json]]:
    """Yield (id, properties) of the body's parts of one kind."""
    for part in change.properties[member]:
        yield f"{change.id}/{member}/{part['name']}", part.get("properties", {})


def _check_frontends(change: Change) -> None:
    """Check that each frontend has one address, and that all are public or all are in subnets."""
    kinds = set()
    for identifier, frontend in _named(change, "frontendIPConfigurations"):
        ends = [member for member in ("subnet", "publicIPAddress", "publicIPPrefix") if frontend.get(member)]
        if len(ends) != 1:
            raise ServiceError(
                400,
                "FrontendIPConfigurationMustHaveEitherSubnetOrPublicIPAddress",
                f"Frontend IP configuration {identifier} must reference either a subnet or a public IP address, and "
                f"not both. It references: {', '.join(ends) or 'none'}.",
            )
        kinds.add(ends[0] == "subnet")
    if len(kinds) > 1:
        raise ServiceError(
            400,
            "LoadBalancerFrontendIPConfigurationsMustBeAllPublicOrAllPrivate",
            f"Load balancer {change.id} has frontend IP configurations with public IP addresses and others in subnets.",
        )


def _check_rules(change: Change) -> None:
    """Check that no two rules use the same port of a frontend, or of a pool."""
    for (first, one), (second, other) in combinations(_named(change, "loadBalancingRules"), 2):
        if one["protocol"] != other["protocol"] and "All" not in (one["protocol"], other["protocol"]):
            continue
        if _target(one, "frontendIPConfiguration") == _target(other, "frontendIPConfiguration") and (
            one["frontendPort"] == other["frontendPort"]
        ):
            raise _port_conflict("RulesUseSameFrontendPortProtocolAndIPConfig", first, second, "frontend", one)
        floating = one.get("enableFloatingIP") or other.get("enableFloatingIP")
        if not floating and _pools(one) & _pools(other) and _backend_port(one) == _backend_port(other):
            raise _port_conflict("RulesUseSameBackendPortProtocolAndPool", first, second, "backend", one)


def _check_outbound_rules(change: Change) -> None:
    """Check that outbound rules are of a Standard load balancer, on public frontends without SNAT by other rules."""
    rules = list(_named(change, "loadBalancingRules"))
    for outbound_id, outbound in _named(change, "outboundRules"):
        if change.body["sku"]["name"] != STANDARD:
            raise exceptions.sku_mismatch(
                "OutboundRulesNotSupportedForBasicSku",
                f"Outbound rule {outbound_id} cannot be on load balancer {change.id} of sku Basic.",
            )
        frontends = {item["id"].lower() for item in outbound["frontendIPConfigurations"] if "id" in item}
        for frontend_id, frontend in _named(change, "frontendIPConfigurations"):
            if frontend_id.lower() in frontends and frontend.get("subnet"):
                raise ServiceError(
                    400,
                    "OutboundRuleFrontendMustBePublic",
                    f"Outbound rule {outbound_id} references frontend IP configuration {frontend_id}, which is in a "
                    "subnet: only public frontends lead outside.",
                )
        for rule_id, rule in rules:
            if _target(rule, "frontendIPConfiguration") in frontends and not rule.get("disableOutboundSnat"):
                raise ServiceError(
                    400,
                    "LoadBalancingRuleMustDisableSNATSinceSameFrontendIPConfigurationIsReferencedByOutboundRule",
                    f"Load balancing rule {rule_id} must disable SNAT since the same frontend IP configuration is "
                    f"referenced by outbound rule {outbound_id}.",
                )


def _port_conflict(code: str, first: str, second: str, end: str, rule: Json) -> ServiceError:
    port = rule["frontendPort"] if end == "frontend" else _backend_port(rule)
    return ServiceError(
        400,
        code,
        f"Load balancing rules {first} and {second} use the same {end} port {port} and protocol {rule['protocol']} "
        f"with the same {'frontend IP configuration' if end == 'frontend' else 'backend address pool'}.",
    )


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
    if properties.get("subnet"):
        assign_private_address(change)
        return
    properties.setdefault("privateIPAllocationMethod", "Dynamic")
    if properties.get("publicIPAddress"):
        address = claim_public_address(change)
        sku = "Standard" if _is_standard(change) else "Basic"
        if address["sku"]["name"].removesuffix("V2") != sku:
            raise exceptions.sku_mismatch(
                "PublicIPAndLBSkuDoNotMatch",
                f"{sku} sku load balancer {change.id.parent} cannot reference {address['sku']['name']} sku publicIP "
                f"{address['id']}.",
            )


def prepare_pool(change: Change) -> None:
    """Refuse a list of addresses, because here the members of a pool are the interfaces that refer to it."""
    if change.properties.get("loadBalancerBackendAddresses"):
        raise ServiceError(
            400,
            "NotSupported",
            f"Backend address pool {change.id} lists addresses. The local Azure knows pools whose members are network "
            "interfaces only.",
        )


def prepare_probe(change: Change) -> None:
    """Check a probe's protocol, path, port and interval, and fill in its defaults."""
    properties = change.properties
    protocol, path = properties["protocol"], properties.get("requestPath")
    if (protocol == "Tcp") == bool(path):
        rule = "must not be set for protocol Tcp" if path else f"is required for protocol {protocol}"
        raise ServiceError(
            400, "LoadBalancerProbeRequestPathInvalid", f"RequestPath of probe {change.id} {rule}. Value: {path}."
        )
    if protocol == "Https" and not _is_standard(change):
        raise exceptions.sku_mismatch(
            "HttpsProbeNotSupportedForBasicSku",
            f"Probe {change.id} with protocol Https cannot be on a load balancer of sku Basic.",
        )
    _check_port(change, "port")
    if properties.setdefault("intervalInSeconds", 15) < LOWEST_PROBE_INTERVAL:
        raise ServiceError(
            400,
            "LoadBalancerProbeIntervalOutOfRange",
            f"IntervalInSeconds of probe {change.id} is {properties['intervalInSeconds']}; the least is "
            f"{LOWEST_PROBE_INTERVAL}.",
        )
    properties.setdefault("numberOfProbes", 2)


def prepare_rule(change: Change) -> None:
    """Fill in the defaults of a load balancing rule, and check its ports and idle timeout."""
    properties = change.properties
    properties.setdefault("backendPort", properties["frontendPort"])
    properties.setdefault("enableFloatingIP", False)
    properties.setdefault("enableTcpReset", False)
    properties.setdefault("disableOutboundSnat", False)
    properties.setdefault("loadDistribution", "Default")
    _check_port(change, "frontendPort")
    _check_port(change, "backendPort")
    _check_idle(change)


def prepare_outbound_rule(change: Change) -> None:
    """Fill in the defaults of an outbound rule, and check its idle timeout."""
    properties = change.properties
    properties.setdefault("enableTcpReset", False)
    properties.setdefault("allocatedOutboundPorts", 0)
    _check_idle(change)


def prepare_nat_rule(change: Change) -> None:
    """Fill in the defaults of a NAT rule, and check its idle timeout."""
    change.properties.setdefault("enableFloatingIP", False)
    change.properties.setdefault("enableTcpReset", False)
    _check_idle(change)


def _check_port(change: Change, member: str) -> None:
    port = change.properties[member]
    # In a rule for all protocols, port 0 means all ports.
    lowest = 0 if change.properties["protocol"] == "All" else 1
    if not lowest <= port <= HIGHEST_PORT:
        raise ServiceError(
            400,
            "InvalidPortNumber",
            f"{member[0].upper()}{member[1:]} of {change.id} is {port}; it must be between {lowest} and "
            f"{HIGHEST_PORT}.",
        )


def _check_idle(change: Change) -> None:
    minutes = change.properties.setdefault("idleTimeoutInMinutes", IDLE_MINUTES.start)
    if minutes not in IDLE_MINUTES:
        raise ServiceError(
            400,
            "InvalidIdleTimeout",
            f"IdleTimeoutInMinutes of {change.id} is {minutes}; it must be between {IDLE_MINUTES.start} and "
            f"{IDLE_MINUTES.stop - 1}.",
        )


def keep_while_linked(arm: ArmModel, stored: Json) -> None:
    """Refuse to delete a load balancer that a private link service uses."""
    for frontend in arm.scan(f"{stored['id']}/frontendIPConfigurations/", FRONTEND):
        for holder in arm.documents.references.holders(arm, frontend["id"]):
            if (found := arm.load(holder)) is not None and found["type"] == LINK_SERVICE:
                raise exceptions.load_balancer_with_link_service(stored["id"], holder)
