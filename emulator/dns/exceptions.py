"""The errors of Microsoft.Network/dnsZones, in its words."""

from emulator.core.errors import ServiceError


def bad_request(message: str) -> ServiceError:
    """A zone or record set that cannot be."""
    return ServiceError(400, "BadRequest", message)


def cname_conflict(name: str) -> ServiceError:
    """A CNAME shares its name with other records."""
    return ServiceError(
        400,
        "BadRequest",
        f"The record set '{name}' could not be created because a CNAME record set cannot exist with the same name as "
        "another record set.",
    )
