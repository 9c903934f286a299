"""The errors of Microsoft.Network/privateDnsZones, in Azure's wording; those of its records are `emulator.dns`'s."""

from collections.abc import Sequence

from emulator.arm.ids import ResourceId
from emulator.core.errors import ServiceError
from emulator.core.refusals import Refusal
from emulator.core.sources import MEMORY, public_output, said

# fmt: off
OVERLAPPING_ZONES = Refusal(400, "BadRequest", MEMORY,
    "A virtual network cannot be linked to multiple zones with overlapping namespaces. You tried to link virtual "
    "network with '{first}' and '{second}' zones.")
# fmt: on


@said(public_output("https://github.com/Azure/azure-cli/issues/23351"))
def network_not_found(_link: ResourceId, network_id: str) -> ServiceError:
    """Return the error for a link to a network that does not exist."""
    return ServiceError(400, "BadRequest", f"Virtual network resource not found for '{network_id}'")


@said(MEMORY)
def nested_resources(identifiers: Sequence[str]) -> ServiceError:
    """Return the error for deleting a zone that has links."""
    nested = ", ".join(f"'{identifier.partition('/providers/')[2]}'" for identifier in identifiers)
    return ServiceError(
        409,
        "CannotDeleteResource",
        f"Cannot delete resource while nested resources exist. Some existing nested resource IDs include: {nested}. "
        "Please delete all nested resources before deleting this resource.",
    )
