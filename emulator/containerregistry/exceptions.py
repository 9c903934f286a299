"""The errors of Microsoft.ContainerRegistry, in its own words."""

from emulator.core.refusals import Refusal
from emulator.core.sources import MEMORY, public_output

# fmt: off
SCOPE_MAP_NOT_FOUND = Refusal(400, "ScopeMapNotFound", MEMORY,
    "The scope map '{identifier}' that the token is associated with could not be found.")
TOKEN_NOT_FOUND = Refusal(404, "TokenNotFound", MEMORY, "The token '{identifier}' could not be found in the registry.")
INVALID_PARAMETER = Refusal(400, "InvalidParameter", MEMORY, "The value '{value}' of '{name}' is invalid.")
INVALID_NAME = Refusal(400, "InvalidResourceName", MEMORY,
    "The {kind} name is invalid. It must be between {shortest} and {longest} characters long, and contain only "
    "allowed characters.")
INVALID_SKU = Refusal(400, "SkuNotSupported", MEMORY, "The SKU '{given}' is not supported for registries.")
ALREADY_IN_USE = Refusal(409, "AlreadyInUse", public_output("an answer to `az acr create` in a published transcript"),
    "The registry DNS name {name}.azurecr.io is already in use.")
# fmt: on
