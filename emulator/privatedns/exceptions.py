"""The errors of Microsoft.Network/privateDnsZones, in Azure's wording; those of its records are `emulator.dns`'s."""

from emulator.core.refusals import Refusal
from emulator.core.sources import MEMORY, public_output

# fmt: off
OVERLAPPING_ZONES = Refusal(400, "BadRequest", MEMORY,
    "A virtual network cannot be linked to multiple zones with overlapping namespaces. You tried to link virtual "
    "network with '{first}' and '{second}' zones.")
NETWORK_NOT_FOUND = Refusal(400, "BadRequest", public_output("https://github.com/Azure/azure-cli/issues/23351"),
    "Virtual network resource not found for '{target}'")
NESTED_RESOURCES = Refusal(409, "CannotDeleteResource", MEMORY,
    "Cannot delete resource while nested resources exist. Some existing nested resource IDs include: '{nested:', '}'. "
    "Please delete all nested resources before deleting this resource.")
# fmt: on
