"""The errors of Microsoft.ContainerRegistry, in its own words."""

from emulator.core.errors import ServiceError
from emulator.core.sources import MEMORY, public_output, said


@said(public_output("an answer to `az acr create` in a published transcript"))
def already_in_use(name: str) -> ServiceError:
    """Build the 409 for a name that another registry has; names are unique in all of Azure."""
    return ServiceError(409, "AlreadyInUse", f"The registry DNS name {name.lower()}.azurecr.io is already in use.")


@said(MEMORY)
def scope_map_not_found(identifier: str) -> ServiceError:
    """Build the 400 for a token whose scope map does not exist."""
    return ServiceError(
        400, "ScopeMapNotFound", f"The scope map '{identifier}' that the token is associated with could not be found."
    )


@said(MEMORY)
def system_scope_map(name: str) -> ServiceError:
    """Build the 400 for changing or deleting a scope map that comes with the registry."""
    return ServiceError(400, "CannotModifySystemScopeMap", f"The system-defined scope map '{name}' cannot be changed.")


@said(MEMORY)
def scope_map_in_use(identifier: str, holders: list[str]) -> ServiceError:
    """Build the 409 for deleting a scope map that tokens use."""
    name = identifier.rsplit("/", 1)[-1]
    return ServiceError(
        409, "ScopeMapInUse", f"The scope map '{name}' is associated with the tokens {', '.join(holders)}."
    )


@said(MEMORY)
def token_not_found(identifier: object) -> ServiceError:
    """Build the 404 for generating credentials of a token that does not exist."""
    return ServiceError(404, "TokenNotFound", f"The token '{identifier}' could not be found in the registry.")


@said(MEMORY)
def invalid_parameter(name: str, value: object) -> ServiceError:
    """Build the 400 for a member whose value is not allowed."""
    return ServiceError(400, "InvalidParameter", f"The value '{value}' of '{name}' is invalid.")


@said(MEMORY)
def invalid_name(kind: str, shortest: int, longest: int) -> ServiceError:
    """Build the 400 for a name that a registry, scope map or token cannot have.

    Args:
        kind: what the name is of.
        shortest: how many characters it has at least.
        longest: how many characters it has at most.
    """
    return ServiceError(
        400,
        "InvalidResourceName",
        f"The {kind} name is invalid. It must be between {shortest} and {longest} characters long, and contain only "
        "allowed characters.",
    )


@said(MEMORY)
def invalid_sku(given: str) -> ServiceError:
    """Build the 400 for a SKU that does not exist."""
    return ServiceError(400, "SkuNotSupported", f"The SKU '{given}' is not supported for registries.")


@said(MEMORY)
def classic_retired() -> ServiceError:
    """Build the 400 for a registry with the retired SKU."""
    return ServiceError(400, "ClassicSkuNotSupported", "The Classic SKU is retired. Use Basic, Standard or Premium.")


@said(MEMORY)
def needs_premium(what: str, sku: str) -> ServiceError:
    """Build the 400 for what only the largest SKU has.

    Args:
        what: the member.
        sku: the registry's SKU.
    """
    return ServiceError(
        400, "FeatureNotSupportedForSku", f"The feature '{what}' is not supported for the SKU {sku}; it needs Premium."
    )


@said(MEMORY)
def invalid_action(given: str) -> ServiceError:
    """Build the 400 for an action that no scope map grants."""
    return ServiceError(
        400,
        "InvalidScopeMapAction",
        f"The action '{given}' is invalid. Actions are of the form repositories/<name>/content/read, content/write, "
        "content/delete, metadata/read or metadata/write.",
    )
