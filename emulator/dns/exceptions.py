"""The errors of Microsoft.Network/dnsZones, in its own words."""

from emulator.core.errors import ServiceError


def bad_request(message: str) -> ServiceError:
    """Return the 400 for an invalid zone or record set."""
    return ServiceError(400, "BadRequest", message)


def cname_conflict(name: str) -> ServiceError:
    """Return the 400 for a CNAME that shares its name with other records."""
    return ServiceError(
        400,
        "BadRequest",
        f"The record set '{name}' could not be created because a CNAME record set cannot exist with the same name as "
        "another record set.",
    )
