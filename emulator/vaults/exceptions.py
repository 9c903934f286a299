"""The errors of Microsoft.KeyVault, in its own words."""

from collections.abc import Sequence

from emulator.core.errors import ServiceError
from emulator.core.sources import MEMORY, documentation, public_output, said

CODES = documentation("https://learn.microsoft.com/azure/key-vault/general/common-error-codes")


@said(CODES)
def invalid_name(name: str) -> ServiceError:
    """Build the 400 for a name that a vault cannot have."""
    return ServiceError(
        400,
        "VaultNameNotValid",
        f"The vault name '{name}' is invalid. A vault's name must be between 3-24 alphanumeric characters. The name must "
        "begin with a letter, end with a letter or digit, and not contain consecutive hyphens. Follow this link for more "
        "information: https://go.microsoft.com/fwlink/?linkid=2147742",
    )


@said(CODES)
def already_exists(name: str) -> ServiceError:
    """Build the 409 for a name that another vault has, perhaps a deleted one. Names are unique in all of Azure."""
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


@said(MEMORY)
def in_deleted_state() -> ServiceError:
    """Build the 409 for creating a vault that the subscription has in deleted state."""
    return ServiceError(
        409,
        "ConflictError",
        "A vault with the same name already exists in deleted state. You need to either recover or purge existing key "
        "vault. Follow this link https://go.microsoft.com/fwlink/?linkid=2149745 for more information on soft delete.",
    )


@said(MEMORY)
def deleted_not_found(name: str) -> ServiceError:
    """Build the 404 for a vault that is not among the deleted ones."""
    return ServiceError(404, "DeletedVaultNotFound", f"The specified deleted vault '{name}' does not exist.")


@said(MEMORY)
def purge_not_allowed() -> ServiceError:
    """Build the 405 for purging a vault with purge protection."""
    return ServiceError(405, "MethodNotAllowed", "Operation 'DeletedVaultPurge' is not allowed.")


@said(public_output("published descriptions of failed deployments with `enablePurgeProtection` set to false"))
def irreversible(name: str, meaning: str) -> ServiceError:
    """Build the 400 for switching off what cannot be switched off.

    Args:
        name: the property.
        meaning: what switching it on enables.
    """
    return ServiceError(
        400,
        "BadRequest",
        f'The property "{name}" cannot be set to false. Enabling the {meaning} for a vault is an irreversible action.',
    )


@said(public_output("hashicorp/terraform-provider-azurerm: a comment of the key vault resource quotes the answer"))
def retention_set() -> ServiceError:
    """Build the 400 for another retention than the vault has."""
    return ServiceError(
        400,
        "BadRequest",
        'The property "softDeleteRetentionInDays" has been set already and it can\'t be modified.',
    )


@said(MEMORY)
def retention_out_of_range(days: int) -> ServiceError:
    """Build the 400 for a retention that no vault can have."""
    return ServiceError(
        400,
        "BadRequest",
        f'The property "softDeleteRetentionInDays" has the value {days}. It must be between 7 and 90 days.',
    )


@said(public_output("an answer to `pulumi up` in a published article"))
def missing_policies() -> ServiceError:
    """Build the 400 for a vault without roles whose access policies are not given."""
    return ServiceError(400, "BadRequest", "The parameter accessPolicies is not specified.")


@said(public_output("Azure/azure-cli: tests of `az keyvault set-policy` expect this answer"))
def invalid_value(name: str) -> ServiceError:
    """Build the 400 for a member with a value that it cannot have."""
    return ServiceError(400, "BadRequest", f"An invalid value was provided for '{name}'.")


@said(MEMORY)
def tenant_changed() -> ServiceError:
    """Build the 400 for moving a vault to another tenant than the subscription's."""
    return ServiceError(
        400, "BadRequest", "The tenant ID of the vault must be the tenant of the subscription that it is in."
    )


@said(MEMORY)
def too_many_policies(most: int) -> ServiceError:
    """Build the 400 for more access policies than a vault can have."""
    return ServiceError(400, "BadRequest", f"The number of access policies exceeds the limit of {most}.")


@said(public_output("an answer to New-AzKeyVault in a published script"))
def no_service_endpoint(subnets: Sequence[str], service: str) -> ServiceError:
    """Build the error for network rules with subnets that are missing, or lack a service endpoint.

    Args:
        subnets: ids of the subnets.
        service: such as `Microsoft.KeyVault`.
    """
    names = ", ".join(subnet.rsplit("/", 1)[-1] for subnet in subnets)
    network = subnets[0].rpartition("/subnets/")[0]
    return ServiceError(
        400,
        "VirtualNetworkNotValid",
        "Operation on Virtual Network could not be performed. StatusCode: 400 (BadRequest). Error Code: "
        f"SubnetsHaveNoServiceEndpointsConfigured. Error Message: Subnets {names} of virtual network {network} do not "
        f"have ServiceEndpoints for {service} resources configured. Add {service} to subnet's ServiceEndpoints "
        f"collection before trying to ACL {service} resources to these subnets..",
    )
