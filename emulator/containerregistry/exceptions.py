"""The errors of Microsoft.ContainerRegistry, in its own words."""

from emulator.core.errors import ServiceError
from emulator.core.refusals import Refusal
from emulator.core.sources import MEMORY, public_output, said


@said(public_output("an answer to `az acr create` in a published transcript"))
def already_in_use(name: str) -> ServiceError:
    """Build the 409 for a name that another registry has; names are unique in all of Azure."""
    return ServiceError(409, "AlreadyInUse", f"The registry DNS name {name.lower()}.azurecr.io is already in use.")


# fmt: off
SCOPE_MAP_NOT_FOUND = Refusal(400, "ScopeMapNotFound", MEMORY,
    "The scope map '{identifier}' that the token is associated with could not be found.")
TOKEN_NOT_FOUND = Refusal(404, "TokenNotFound", MEMORY, "The token '{identifier}' could not be found in the registry.")
INVALID_PARAMETER = Refusal(400, "InvalidParameter", MEMORY, "The value '{value}' of '{name}' is invalid.")
INVALID_NAME = Refusal(400, "InvalidResourceName", MEMORY,
    "The {kind} name is invalid. It must be between {shortest} and {longest} characters long, and contain only "
    "allowed characters.")
INVALID_SKU = Refusal(400, "SkuNotSupported", MEMORY, "The SKU '{given}' is not supported for registries.")
# fmt: on


@said(MEMORY)
def scope_map_in_use(identifier: str, holders: list[str]) -> ServiceError:
    """Build the 409 for deleting a scope map that tokens use."""
    name = identifier.rsplit("/", 1)[-1]
    return ServiceError(
        409, "ScopeMapInUse", f"The scope map '{name}' is associated with the tokens {', '.join(holders)}."
    )
