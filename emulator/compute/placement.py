"""Where a virtual machine or a disk may be placed: the zones of regions, and the sizes that these have."""

from emulator.arm.resources import Change
from emulator.compute import exceptions, sizes


def check_zones(change: Change) -> str:
    """Return the zone of a resource, or "" if it is in none.

    Raises:
        ServiceError: 400 for several zones, or for one that the region does not have.
    """
    zones = change.body.get("zones") or []
    if not zones:
        change.body.pop("zones", None)
        return ""
    known = sizes.zones_of(change.location)
    if not known:
        raise exceptions.zones_not_supported(str(change.id), change.location)
    if len(zones) > 1:
        raise exceptions.invalid_parameter(
            "zones", f"The resource {change.id} can be in one zone, not in {len(zones)}."
        )
    zone = str(zones[0])
    if zone not in known:
        raise exceptions.unknown_zone(str(change.id), zone, change.location, known)
    return zone


def check_size(location: str, name: str, zone: str) -> sizes.Size:
    """Return the size of a virtual machine, after checking that the region and the zone have it.

    Args:
        location: name of the region.
        name: name of the size, in any case.
        zone: the machine's zone, or "".

    Raises:
        ServiceError: 400 for an unknown size; 409 `SkuNotAvailable`.
    """
    size = sizes.find(name)
    if size is None:
        known = [found.name for found in sizes.in_location(location)]
        raise exceptions.invalid_size(name, location, known)
    if not sizes.offered(size, location):
        raise exceptions.sku_not_available(size.name, location)
    restriction = sizes.restricted(size, location)
    if restriction is not None and not restriction.zones:
        raise exceptions.sku_not_available(size.name, location)
    if restriction is not None and zone in restriction.zones:
        raise exceptions.sku_not_available(size.name, location, zone)
    return size
