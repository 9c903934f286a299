"""The errors of Microsoft.Storage, in its words."""

from emulator.core.errors import ServiceError


def already_taken(name: str) -> ServiceError:
    """Names of accounts are unique in all of Azure."""
    return ServiceError(409, "StorageAccountAlreadyTaken", f"The storage account named {name} is already taken.")


def in_another_group(name: str) -> ServiceError:
    """The subscription has the account elsewhere."""
    return ServiceError(
        409,
        "StorageAccountInAnotherResourceGroup",
        f"The account {name} is already in another resource group in this subscription.",
    )


def invalid_name(name: str) -> ServiceError:
    """Not a name that an account can have."""
    return ServiceError(
        400,
        "AccountNameInvalid",
        f"{name} is not a valid storage account name. Storage account name must be between 3 and 24 characters in "
        "length and use numbers and lower-case letters only.",
    )


def operation_in_progress(name: str) -> ServiceError:
    """The account is being created."""
    return ServiceError(
        409,
        "StorageAccountOperationInProgress",
        f"An operation is currently performing on the storage account {name} that requires exclusive access.",
    )


def not_provisioned() -> ServiceError:
    """A call that needs the finished account."""
    return ServiceError(
        409,
        "StorageAccountIsNotProvisioned",
        "The storage account provisioning state must be 'Succeeded' before executing the operation.",
    )


def invalid_value(name: str, value: object) -> ServiceError:
    """A member of a request cannot have this value."""
    return ServiceError(
        400, "InvalidValuesForRequestParameters", f"Values for request parameters are invalid: {name} ({value})."
    )
