"""Checks the parts of a load balancer, each alone and against the others, and fills in their defaults."""

from collections.abc import Iterator
from uuid import NAMESPACE_URL, uuid5

from emulator.arm import exceptions as arm_exceptions
from emulator.arm import zones
from emulator.arm.resources import Change, Reads
from emulator.json_object import Json
from emulator.network.addresses import assign_private_address
from emulator.network.public_addresses import claim_public_address
from emulator.network.refusals import load_balancer_exceptions as exceptions
from emulator.network.types import FRONTEND, LINK_SERVICE, LOAD_BALANCER

LEAST_IDLE_MINUTES = 4
# The lists of a load balancer. A list that the body lacks is empty.
PARTS = (
    "frontendIPConfigurations",
    "backendAddressPools",
    "probes",
    "loadBalancingRules",
    "outboundRules",
)


def prepare_load_balancer(change: Change) -> None:
    """Fill in the defaults of a load balancer, and check its parts against each other."""
    change.body["sku"] = {"name": "Basic", "tier": "Regional"} | change.body.get("sku", {})
    change.properties["resourceGuid"] = str(uuid5(NAMESPACE_URL, change.id.key))
    for member in PARTS:
        change.properties.setdefault(member, [])
    _check_references(change)


def _named(change: Change, member: str) -> Iterator[tuple[str, Json]]:
    """Yield (id, properties) of the body's parts of one kind."""
    for part in change.properties[member]:
        yield f"{change.id}/{member}/{part['name']}", part.get("properties", {})


def _check_references(change: Change) -> None:
    """Check that rules refer to parts of their own load balancer."""
    own = f"{change.id.key}/"
    for member in ("loadBalancingRules", "outboundRules"):
        for _, rule in _named(change, member):
            one = (rule.get(end) or {} for end in ("frontendIPConfiguration", "backendAddressPool", "probe"))
            for part in (*one, *rule.get("frontendIPConfigurations", ()), *rule.get("backendAddressPools", ())):
                wanted = part.get("id", "").lower()
                if f"/{LOAD_BALANCER}/".lower() in wanted and not wanted.startswith(own):
                    raise arm_exceptions.REFERENCED_RESOURCE_MISSING(holder=change.id, target=part["id"])


def prepare_frontend(change: Change) -> None:
    """Give a frontend its address."""
    properties = change.properties
    zones.check(change.id, change.location, change.body)
    if properties.get("subnet"):
        assign_private_address(change)
        return
    properties.setdefault("privateIPAllocationMethod", "Dynamic")
    if properties.get("publicIPAddress"):
        claim_public_address(change)


def prepare_probe(change: Change) -> None:
    """Fill in the defaults of a probe."""
    properties = change.properties
    properties.setdefault("intervalInSeconds", 15)
    properties.setdefault("numberOfProbes", 2)


def prepare_rule(change: Change) -> None:
    """Fill in the defaults of a load balancing rule."""
    properties = change.properties
    properties.setdefault("backendPort", properties["frontendPort"])
    properties.setdefault("enableFloatingIP", False)
    properties.setdefault("enableTcpReset", False)
    properties.setdefault("disableOutboundSnat", False)
    properties.setdefault("loadDistribution", "Default")
    properties.setdefault("idleTimeoutInMinutes", LEAST_IDLE_MINUTES)


def prepare_outbound_rule(change: Change) -> None:
    """Fill in the defaults of an outbound rule."""
    properties = change.properties
    properties.setdefault("enableTcpReset", False)
    properties.setdefault("allocatedOutboundPorts", 0)
    properties.setdefault("idleTimeoutInMinutes", LEAST_IDLE_MINUTES)


def keep_while_linked(arm: Reads, stored: Json) -> None:
    """Refuse to delete a load balancer that a private link service uses."""
    for frontend in arm.scan(f"{stored['id']}/frontendIPConfigurations/", FRONTEND):
        for holder in arm.holders(frontend["id"]):
            if (found := arm.load(holder)) is not None and found["type"] == LINK_SERVICE:
                raise exceptions.LOAD_BALANCER_WITH_LINK_SERVICE(balancer_id=stored["id"], service_id=holder)
