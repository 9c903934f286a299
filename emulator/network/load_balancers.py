"""Load balancers with their frontends, pools, probes and rules, which share one body and refer to each other."""

from typing import Any

from emulator.arm.resources import Change, ResourceType
from emulator.arm.schema import READ_ONLY, Choice, Reference, Required, Since
from emulator.json_object import Json
from emulator.network import exceptions, load_balancer_checks
from emulator.network.refusals import load_balancer_exceptions as refusals
from emulator.network.types import (
    FRONTEND,
    INTERFACE_CONFIGURATION,
    LOAD_BALANCER,
    OUTBOUND_RULE,
    POOL,
    PROBE,
    PUBLIC_ADDRESS,
    RULE,
    SUBNET,
    inline_child,
    show_holders,
)
from emulator.network.values.formats import ADDRESS, VERSION, nothing
from emulator.network.versions import NETWORK_VERSIONS

GATEWAY = nothing({"id": str}, "gateway load balancers", {"id": "/subscriptions/s"})
FRONTEND_PROPERTIES: Json = {
    "gatewayLoadBalancer": GATEWAY,
    "inboundNatPools": READ_ONLY,
    "inboundNatRules": READ_ONLY,
    "loadBalancingRules": READ_ONLY,
    "outboundRules": READ_ONLY,
    "privateIPAddress": ADDRESS,
    "privateIPAddressVersion": VERSION,
    "privateIPAllocationMethod": Choice(("Static", "Dynamic")),
    "privateLinkService": READ_ONLY,
    "provisioningState": READ_ONLY,
    "publicIPAddress": Reference(PUBLIC_ADDRESS, "join/action"),
    "publicIPPrefix": Reference("Microsoft.Network/publicIPPrefixes", "join/action"),
    "subnet": Reference(SUBNET, "join/action"),
}
POOL_PROPERTIES: Json = {
    "backendIPConfigurations": READ_ONLY,
    "drainPeriodInSeconds": int,
    "inboundNatRules": READ_ONLY,
    "loadBalancerBackendAddresses": nothing(
        [object],
        "backend address pools that list addresses",
        [{"name": "one", "properties": {"ipAddress": "10.0.0.9"}}],
    ),
    "loadBalancingRules": READ_ONLY,
    "location": str,
    "outboundRule": READ_ONLY,
    "outboundRules": READ_ONLY,
    "provisioningState": READ_ONLY,
    "syncMode": Choice(("Automatic", "Manual")),
    "tunnelInterfaces": nothing([object], "tunnel interfaces", [{"port": 10800}]),
    "virtualNetwork": Reference("Microsoft.Network/virtualNetworks"),
}
PROBE_PROPERTIES: Json = {
    "intervalInSeconds": int,
    "loadBalancingRules": READ_ONLY,
    "noHealthyBackendsBehavior": Since("2023-09-01", Choice(("AllProbedDown", "AllProbedUp"))),
    "numberOfProbes": int,
    "port": Required(int),
    "probeThreshold": Since("2022-05-01", int),
    "protocol": Required(Choice(("Http", "Tcp", "Https"))),
    "provisioningState": READ_ONLY,
    "requestPath": str,
}
RULE_PROPERTIES: Json = {
    "backendAddressPool": Reference(POOL),
    "backendAddressPools": Since("2021-02-01", [Reference(POOL)]),
    "backendPort": int,
    "disableOutboundSnat": bool,
    "enableConnectionTracking": Since("2024-07-01", bool),
    "enableFloatingIP": bool,
    "enableTcpReset": bool,
    "frontendIPConfiguration": Required(Reference(FRONTEND)),
    "frontendPort": Required(int),
    "idleTimeoutInMinutes": int,
    "loadDistribution": Choice(("Default", "SourceIP", "SourceIPProtocol")),
    "probe": Reference(PROBE),
    "protocol": Required(Choice(("Udp", "Tcp", "All"))),
    "provisioningState": READ_ONLY,
}
OUTBOUND_RULE_PROPERTIES: Json = {
    "allocatedOutboundPorts": int,
    "backendAddressPool": Required(Reference(POOL)),
    "enableTcpReset": bool,
    "frontendIPConfigurations": Required([Reference(FRONTEND)]),
    "idleTimeoutInMinutes": int,
    "protocol": Required(Choice(("Tcp", "Udp", "All"))),
    "provisioningState": READ_ONLY,
}


def _unchecked(_change: Change) -> None:
    """Check nothing: a pool has no rules across its members."""


def _part(
    name: str,
    properties: Json,
    prepare: Any,
    shown: dict[str, str],
    *,
    members: Json | None = None,
    alone: bool = False,
) -> ResourceType:
    return ResourceType(
        name=name,
        api_versions=NETWORK_VERSIONS,
        members=members or {},
        properties=properties,
        inline_only=not alone,
        create_seconds=3,
        update_seconds=3,
        delete_seconds=3 if alone else 0,
        reply="operation",
        etag="weak",
        prepare=prepare,
        render=show_holders(shown),
        absent=exceptions.CHILD_NOT_FOUND,
        in_use=refusals.in_use_part,
    )


LOAD_BALANCERS = ResourceType(
    name=LOAD_BALANCER,
    api_versions=NETWORK_VERSIONS,
    placement="region",
    members={
        "extendedLocation": object,
        "sku": {"name": Choice(("Basic", "Standard", "Gateway")), "tier": Choice(("Regional", "Global"))},
    },
    properties={
        "backendAddressPools": [inline_child(POOL_PROPERTIES)],
        "frontendIPConfigurations": [inline_child(FRONTEND_PROPERTIES, zones=[str])],
        "inboundNatPools": nothing([object], "inbound NAT pools", [{"name": "pool"}]),
        "inboundNatRules": nothing([object], "inbound NAT rules", [{"name": "rule"}]),
        "loadBalancingRules": [inline_child(RULE_PROPERTIES)],
        "outboundRules": [inline_child(OUTBOUND_RULE_PROPERTIES)],
        "probes": [inline_child(PROBE_PROPERTIES)],
        "provisioningState": READ_ONLY,
        "resourceGuid": READ_ONLY,
        "scope": Since("2025-01-01", Choice(("Public", "Private"))),
    },
    # Frontends come first, because rules are checked against them.
    inline=dict(zip(load_balancer_checks.PARTS, (FRONTEND, POOL, PROBE, RULE, OUTBOUND_RULE), strict=True)),
    create_seconds=4,
    update_seconds=4,
    delete_seconds=10,
    reply="operation",
    etag="weak",
    prepare=load_balancer_checks.prepare_load_balancer,
    removable=load_balancer_checks.keep_while_linked,
)
FRONTENDS = _part(
    FRONTEND,
    FRONTEND_PROPERTIES,
    load_balancer_checks.prepare_frontend,
    {"loadBalancingRules": RULE, "outboundRules": OUTBOUND_RULE},
    members={"zones": [str]},
)
POOLS = _part(
    POOL,
    POOL_PROPERTIES,
    _unchecked,
    {
        "backendIPConfigurations": INTERFACE_CONFIGURATION,
        "loadBalancingRules": RULE,
        "outboundRules": OUTBOUND_RULE,
    },
    alone=True,
)
PROBES = _part(PROBE, PROBE_PROPERTIES, load_balancer_checks.prepare_probe, {"loadBalancingRules": RULE})
RULES = _part(RULE, RULE_PROPERTIES, load_balancer_checks.prepare_rule, {})
OUTBOUND_RULES = _part(OUTBOUND_RULE, OUTBOUND_RULE_PROPERTIES, load_balancer_checks.prepare_outbound_rule, {})

TYPES = (LOAD_BALANCERS, FRONTENDS, POOLS, PROBES, RULES, OUTBOUND_RULES)
