"""The errors of Microsoft.ContainerRegistry, in its own words."""

from emulator.core.errors import ServiceError


def already_in_use(name: str) -> ServiceError:
    """Return the 409 for a name that another registry has; names are unique in all of Azure."""
    return ServiceError(409, "AlreadyInUse", f"The registry DNS name {name}.azurecr.io is already in use.")


def scope_map_not_found(identifier: str) -> ServiceError:
    """Return the 400 for a token whose scope map does not exist."""
    return ServiceError(
        400, "ScopeMapNotFound", f"The scope map '{identifier}' that the token is associated with could not be found."
    )


def system_scope_map(name: str) -> ServiceError:
    """Return the 400 for changing or deleting a scope map that comes with the registry."""
    return ServiceError(400, "CannotModifySystemScopeMap", f"The system-defined scope map '{name}' cannot be changed.")


def scope_map_in_use(identifier: str, holders: list[str]) -> ServiceError:
    """Return the 409 for deleting a scope map that tokens use."""
    name = identifier.rsplit("/", 1)[-1]
    return ServiceError(
        409, "ScopeMapInUse", f"The scope map '{name}' is associated with the tokens {', '.join(holders)}."
    )


def token_not_found(identifier: object) -> ServiceError:
    """Return the 404 for generating credentials of a token that does not exist."""
    return ServiceError(404, "TokenNotFound", f"The token '{identifier}' could not be found in the registry.")


def invalid_parameter(name: str, value: object) -> ServiceError:
    """Return the 400 for a member whose value is not allowed."""
    return ServiceError(400, "InvalidParameter", f"The value '{value}' of '{name}' is invalid.")
