"""The errors of Microsoft.Network/privateDnsZones, in its words."""

from collections.abc import Sequence

from emulator.core.errors import ServiceError


def bad_request(message: str) -> ServiceError:
    """A zone, record set or link that cannot be."""
    return ServiceError(400, "BadRequest", message)


def cname_conflict(name: str) -> ServiceError:
    """A CNAME shares its name with other records."""
    return bad_request(
        f"The record set '{name}' could not be created because a CNAME record set cannot exist with the same name as "
        "another record set."
    )


def overlapping_zones(first: str, second: str) -> ServiceError:
    """A network has a zone of this name already."""
    return bad_request(
        "A virtual network cannot be linked to multiple zones with overlapping namespaces. You tried to link virtual "
        f"network with '{first}' and '{second}' zones."
    )


def second_registration(network: str) -> ServiceError:
    """A network registers its machines in one zone only."""
    return bad_request(
        f"A virtual network can only be linked to 1 Private DNS zone(s) with auto-registration enabled; {network} is."
    )


def network_is_fixed(link: str) -> ServiceError:
    """A link stays with its network."""
    return bad_request(f"The virtual network of link '{link}' cannot be changed.")


def nested_resources(identifiers: Sequence[str]) -> ServiceError:
    """A zone with links cannot go."""
    nested = ", ".join(f"'{identifier.partition('/providers/')[2]}'" for identifier in identifiers)
    return ServiceError(
        409,
        "CannotDeleteResource",
        f"Cannot delete resource while nested resources exist. Some existing nested resource IDs include: {nested}. "
        "Please delete all nested resources before deleting this resource.",
    )
