"""Availability zones: which ones a region has, and the check that Azure Resource Manager makes for every type with zones."""

from typing import Any

from emulator.arm import exceptions
from emulator.arm.groups import LOCATIONS
from emulator.arm.ids import ResourceId

ZONES = ("1", "2", "3")
WITHOUT_ZONES = ("westus",)


def zones_of(location: str) -> tuple[str, ...]:
    """Return the zones of a region."""
    return () if location in WITHOUT_ZONES or location not in LOCATIONS else ZONES


def check(identifier: ResourceId, location: str, body: dict[str, Any]) -> None:
    """Check the zones of a resource.

    Raises:
        ServiceError: 400 for a region without zones, or a zone that the region does not have.
    """
    if not body.get("zones"):
        body.pop("zones", None)
        return
    known = zones_of(location)
    if not known:
        raise exceptions.NO_ZONES(identifier=identifier, location=location)
    if not set(body["zones"]) <= set(known):
        raise exceptions.UNKNOWN_ZONES(identifier=identifier, given=body["zones"], location=location, known=known)
