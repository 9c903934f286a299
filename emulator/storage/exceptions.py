"""The errors of Microsoft.Storage, in Azure's wording."""

from emulator.core.errors import ServiceError


def already_taken(name: str) -> ServiceError:
    """Return the error for a name that another account has. Names are unique in all of Azure."""
    return ServiceError(409, "StorageAccountAlreadyTaken", f"The storage account named {name} is already taken.")


def in_another_group(name: str) -> ServiceError:
    """Return the error for an account that the subscription already has in another resource group."""
    return ServiceError(
        409,
        "StorageAccountInAnotherResourceGroup",
        f"The account {name} is already in another resource group in this subscription.",
    )


def invalid_name(name: str) -> ServiceError:
    """Return the error for a name that an account cannot have."""
    return ServiceError(
        400,
        "AccountNameInvalid",
        f"{name} is not a valid storage account name. Storage account name must be between 3 and 24 characters in "
        "length and use numbers and lower-case letters only.",
    )


def operation_in_progress(name: str) -> ServiceError:
    """Return the error for a write to an account that is still being created."""
    return ServiceError(
        409,
        "StorageAccountOperationInProgress",
        f"An operation is currently performing on the storage account {name} that requires exclusive access.",
    )


def not_provisioned() -> ServiceError:
    """Return the error for a call that requires the finished account."""
    return ServiceError(
        409,
        "StorageAccountIsNotProvisioned",
        "The storage account provisioning state must be 'Succeeded' before executing the operation.",
    )


def invalid_value(name: str, value: object) -> ServiceError:
    """Return the error for a member of a request with an invalid value."""
    return ServiceError(
        400, "InvalidValuesForRequestParameters", f"Values for request parameters are invalid: {name} ({value})."
    )
