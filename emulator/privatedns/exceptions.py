"""The errors of Microsoft.Network/privateDnsZones, in Azure's wording."""

from collections.abc import Sequence

from emulator.core.errors import ServiceError


def bad_request(message: str) -> ServiceError:
    """Return the error for an invalid zone, record set or link."""
    return ServiceError(400, "BadRequest", message)


def cname_conflict(name: str) -> ServiceError:
    """Return the error for a CNAME that shares its name with other records."""
    return bad_request(
        f"The record set '{name}' could not be created because a CNAME record set cannot exist with the same name as "
        "another record set."
    )


def overlapping_zones(first: str, second: str) -> ServiceError:
    """Return the error for a second zone with the same name in a network."""
    return bad_request(
        "A virtual network cannot be linked to multiple zones with overlapping namespaces. You tried to link virtual "
        f"network with '{first}' and '{second}' zones."
    )


def second_registration(network: str) -> ServiceError:
    """Return the error for a second zone in which a network would register its machines."""
    return bad_request(
        f"A virtual network can only be linked to 1 Private DNS zone(s) with auto-registration enabled; {network} is."
    )


def network_is_fixed(link: str) -> ServiceError:
    """Return the error for changing the network of a link."""
    return bad_request(f"The virtual network of link '{link}' cannot be changed.")


def nested_resources(identifiers: Sequence[str]) -> ServiceError:
    """Return the error for deleting a zone that has links."""
    nested = ", ".join(f"'{identifier.partition('/providers/')[2]}'" for identifier in identifiers)
    return ServiceError(
        409,
        "CannotDeleteResource",
        f"Cannot delete resource while nested resources exist. Some existing nested resource IDs include: {nested}. "
        "Please delete all nested resources before deleting this resource.",
    )
