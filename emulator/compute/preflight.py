"""Preflight of a deployment: refuses unavailable sizes, and machines that together exceed a quota."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from emulator.arm.groups import normal_location
from emulator.arm.resources import Reads
from emulator.compute.exceptions import QUOTA_EXCEEDED_TOGETHER
from emulator.compute.placement import check_size
from emulator.compute.quotas import Quotas, of_machine
from emulator.core.service_error import ServiceError
from emulator.json_object import Json


def check_deployment(arm: Reads, machines: Sequence[tuple[str, Json]]) -> list[ServiceError]:
    """Return why the new ones of these virtual machines cannot be created; values not known yet are not checked."""
    failures: list[ServiceError] = []
    demand: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for identifier, body in machines:
        size, location, zone = _placement(body)
        if not size or not location or arm.load(identifier) is not None:
            continue
        try:
            found = check_size(location, size, zone)
        except ServiceError as error:
            failures.append(error)
            continue
        demand[identifier.split("/")[2], location].update(of_machine(found))
    for (subscription_id, location), wanted in demand.items():
        try:
            arm.platform.model(Quotas).check(subscription_id, location, "", wanted)
        except ServiceError as error:
            failures.append(QUOTA_EXCEEDED_TOGETHER(error.message))
    return failures


def _placement(body: Json) -> tuple[str, str, str]:
    """Return size, region and zone of a machine; "" for each that its body does not give as a string."""
    properties, zones = body.get("properties"), body.get("zones")
    hardware = properties.get("hardwareProfile") if isinstance(properties, dict) else None
    size = hardware.get("vmSize") if isinstance(hardware, dict) else None
    zone = zones[0] if isinstance(zones, list) and zones else ""
    size, location, zone = (value if isinstance(value, str) else "" for value in (size, body.get("location"), zone))
    return size, normal_location(location), zone
