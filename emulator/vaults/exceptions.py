"""The errors of Microsoft.KeyVault, in its own words."""

from emulator.core.errors import ServiceError


def invalid_name(name: str) -> ServiceError:
    """Return the 400 for a name that a vault cannot have."""
    return ServiceError(
        400,
        "VaultNameNotValid",
        f"The vault name '{name}' is invalid. A vault's name must be between 3-24 alphanumeric characters. The name must "
        "begin with a letter, end with a letter or digit, and not contain consecutive hyphens. Follow this link for more "
        "information: https://go.microsoft.com/fwlink/?linkid=2147742",
    )


def already_exists(name: str) -> ServiceError:
    """Return the 409 for a name that another vault has, perhaps a deleted one. Names are unique in all of Azure."""
    return ServiceError(
        409,
        "VaultAlreadyExists",
        f"The vault name '{name}' is already in use. Vault names are globally unique so it is possible that the name is "
        "already taken. If you are sure that the vault name was not taken then it is possible that a vault with the same "
        "name was recently deleted but not purged after being placed in a recoverable state. If the vault is in a "
        "recoverable state then the vault will need to be purged before reusing the name. For more information about "
        "VaultAlreadyExists, soft delete and purging a vault follow this link "
        "https://go.microsoft.com/fwlink/?linkid=2147740.",
    )


def in_deleted_state() -> ServiceError:
    """Return the 409 for creating a vault that the subscription has in deleted state."""
    return ServiceError(
        409,
        "ConflictError",
        "A vault with the same name already exists in deleted state. You need to either recover or purge existing key "
        "vault. Follow this link https://go.microsoft.com/fwlink/?linkid=2149745 for more information on soft delete.",
    )


def deleted_not_found(name: str) -> ServiceError:
    """Return the 404 for a vault that is not among the deleted ones."""
    return ServiceError(404, "DeletedVaultNotFound", f"The specified deleted vault '{name}' does not exist.")


def purge_not_allowed() -> ServiceError:
    """Return the 405 for purging a vault with purge protection."""
    return ServiceError(405, "MethodNotAllowed", "Operation 'DeletedVaultPurge' is not allowed.")


def bad_request(message: str) -> ServiceError:
    """Return a 400."""
    return ServiceError(400, "BadRequest", message)


def irreversible(name: str, meaning: str) -> ServiceError:
    """Return the 400 for switching off what cannot be switched off.

    Args:
        name: the property.
        meaning: what switching it on enables.
    """
    return bad_request(
        f'The property "{name}" cannot be set to false. Enabling the {meaning} for a vault is an irreversible action.'
    )


def retention_set() -> ServiceError:
    """Return the 400 for another retention than the vault has."""
    return bad_request('The property "softDeleteRetentionInDays" has been set already and it can\'t be modified.')


def retention_out_of_range(days: int) -> ServiceError:
    """Return the 400 for a retention that no vault can have."""
    return bad_request(
        f'The property "softDeleteRetentionInDays" has the value {days}. It must be between 7 and 90 days.'
    )


def missing_policies() -> ServiceError:
    """Return the 400 for a vault without roles whose access policies are not given."""
    return bad_request("The parameter accessPolicies is not specified.")
