"""Service endpoints of subnets, which network rules of other services need."""

from collections.abc import Sequence

from emulator.arm.ids import parse_resource
from emulator.arm.resources import Reads

SUBNET = "Microsoft.Network/virtualNetworks/subnets"


def subnets_without(arm: Reads, subnets: Sequence[str], service: str) -> list[str]:
    """Return the ids, among those of subnets, that have no endpoint of a service or do not exist.

    Args:
        arm: the model.
        subnets: ids of the subnets, as a request gives them.
        service: such as `Microsoft.Storage`; its endpoints in all regions count too.
    """
    return [subnet for subnet in subnets if not _has(arm, subnet, service)]


def _has(arm: Reads, subnet: str, service: str) -> bool:
    try:
        identifier = parse_resource(subnet)
    except ValueError:
        return False
    found = arm.load(identifier) if identifier.type.lower() == SUBNET.lower() else None
    endpoints = [] if found is None else found["properties"].get("serviceEndpoints") or []
    return service.lower() in [endpoint.get("service", "").lower().removesuffix(".global") for endpoint in endpoints]
