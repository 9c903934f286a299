"""Decides whether a machine's connections leave its network, by the ways that Azure has, in Azure's order.

The order is: the default route of the subnet's route table, NAT gateway, public address of the machine, outbound rule of
a load balancer, SNAT by a load balancing rule, default outbound access. A virtual appliance or gateway counts as a way
out: nothing here knows what it forwards.

https://learn.microsoft.com/azure/load-balancer/load-balancer-outbound-connections
https://learn.microsoft.com/azure/virtual-network/ip-services/default-outbound-access
"""

from collections.abc import Iterator
from typing import Any

from emulator.arm.resources import Reads
from emulator.json_object import Json
from emulator.network.interfaces import configurations_of
from emulator.network.types import OUTBOUND_RULE, RULE

EVERYWHERE = "0.0.0.0/0"
# The next hops that lead outside by themselves. `Internet` only needs one of the other ways.
FORWARDING = ("VirtualAppliance", "VirtualApplianceEcmp", "VirtualNetworkGateway")


def no_way_out(arm: Reads, interface: Json) -> str:
    """Return why a machine's connections do not leave its network, as a clause, or "" if they do."""
    primary = configurations_of(arm, interface)[0]["properties"]
    subnet = arm.load(primary["subnet"]["id"]) or {"id": primary["subnet"]["id"], "properties": {}}
    hop = _next_hop(arm, subnet["properties"].get("routeTable", {}).get("id", ""))
    if hop in FORWARDING:
        return ""
    if hop not in ("", "Internet"):
        return f"the default route of subnet {subnet['id']} has the next hop {hop}"
    if subnet["properties"].get("natGateway") or primary.get("publicIPAddress"):
        return ""
    return _without_own_way(arm, interface["id"], subnet, primary.get("loadBalancerBackendAddressPools", ()))


def _next_hop(arm: Reads, table_id: str) -> str:
    """Return the type of the next hop of a table's default route, or "" if Azure's own route applies."""
    routes = arm.scan(f"{table_id}/routes/", "Microsoft.Network/routeTables/routes") if table_id else ()
    return next(
        (
            str(route["properties"]["nextHopType"])
            for route in routes
            if route["properties"]["addressPrefix"] == EVERYWHERE
        ),
        "",
    )


def _without_own_way(arm: Reads, interface_id: str, subnet: Json, pools: Any) -> str:
    """Return why a machine without a way of its own does not get out through load balancers, or by default."""
    standard = False
    for pool in pools:
        balancer = arm.load(pool["id"].rsplit("/", 2)[0])
        standard = standard or (balancer is not None and balancer["sku"]["name"] == "Standard")
        if any(_leads_out(arm, rule) for rule in _rules(arm, pool["id"])):
            return ""
    if standard:
        return (
            f"no load balancer of {interface_id} has an outbound rule, and a Standard one ends default outbound access"
        )
    if subnet["properties"].get("defaultOutboundAccess") is False:
        return f"subnet {subnet['id']} has no default outbound access"
    return ""


def _rules(arm: Reads, pool_id: str) -> Iterator[Json]:
    for holder in arm.holders(pool_id):
        found = arm.load(holder)
        if found is not None and found["type"] in (OUTBOUND_RULE, RULE):
            yield found


def _leads_out(arm: Reads, rule: Json) -> bool:
    """Tell whether machines of a rule's pool send from a public address of the rule's frontend."""
    if rule["type"] == OUTBOUND_RULE:
        return bool(rule["properties"]["frontendIPConfigurations"])
    frontend = arm.load(rule["properties"]["frontendIPConfiguration"]["id"])
    public = frontend is not None and bool(frontend["properties"].get("publicIPAddress"))
    return public and not rule["properties"]["disableOutboundSnat"]
