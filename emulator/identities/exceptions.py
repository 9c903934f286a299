"""The errors of Microsoft.ManagedIdentity, in its own words."""

from emulator.core.errors import ServiceError
from emulator.core.sources import MEMORY, said


@said(MEMORY)
def invalid_name(name: str) -> ServiceError:
    """Build the 400 for a name that an identity cannot have."""
    return ServiceError(
        400,
        "InvalidResourceName",
        f"The resource name '{name}' is invalid. It must have 3 to 128 letters, digits, hyphens and underscores, and begin "
        "with a letter or digit.",
    )
