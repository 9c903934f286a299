"""Where a virtual machine or a disk may be placed, and what it then keeps: its zone, and other members."""

from typing import Any

from emulator.arm.resources import Change
from emulator.arm.schema import Fixed, Kind
from emulator.compute import exceptions, sizes


def kept(kind: Kind, other: Any, label: str) -> Fixed:
    """Return the kind of a member that a resource keeps for life."""
    return Fixed(kind, other, lambda _: exceptions.CHANGE_NOT_ALLOWED(label))


def only_zone(change: Change) -> str:
    """Return the zone of a resource, which it keeps for life, or "" if it is in none.

    Raises:
        ServiceError: 400 for several zones; 409 for another zone than before.
    """
    before = None if change.existing is None else change.existing.get("zones", [])
    zones = change.body.get("zones") or before or []
    if before is not None and zones != before:
        raise exceptions.CHANGE_NOT_ALLOWED("zones")
    if zones:
        change.body["zones"] = zones
    return str(zones[0]) if zones else ""


def check_size(location: str, name: str, zone: str) -> sizes.Size:
    """Return the size of a virtual machine, after checking that the region and the zone have it.

    Raises:
        ServiceError: 400 for an unknown size; 409 `SkuNotAvailable`.
    """
    size = sizes.find(name)
    known = [found.name for found in sizes.in_location(location)]
    if size is None:
        raise exceptions.INVALID_SIZE(size=name, known=known)
    if size.name not in known:
        raise exceptions.SIZE_NOT_IN_REGION(size=size.name, known=known)
    restriction = sizes.restricted(size, location)
    if restriction is not None and not restriction.zones:
        raise exceptions.SKU_NOT_AVAILABLE(size=size.name, where=f"'{location}'")
    if restriction is not None and zone in restriction.zones:
        raise exceptions.SKU_NOT_AVAILABLE(size=size.name, where=f"'{location}' in zone '{zone}'")
    return size
