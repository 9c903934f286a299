"""Azure Resource Manager: front door, subscriptions, resource groups, resources, access checks."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from emulator.core.platform import Platform, Service


def create(platform: "Platform") -> "Service":
    """Build the service and make its model known."""
    # The service folders whose rows it gathers stand on this package: at the top this import would be a circle.
    from emulator.arm import service  # noqa: PLC0415 - see above

    return service.create(platform)
