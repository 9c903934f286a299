"""The errors of Microsoft.Storage, in Azure's wording."""

from collections.abc import Sequence

from emulator.core.errors import ServiceError
from emulator.core.sources import MEMORY, documentation, public_output, said

NAMES = documentation(
    "https://learn.microsoft.com/azure/azure-resource-manager/troubleshooting/error-storage-account-name"
)
CODES = documentation("Error Codes for Create Storage Account and for Update Storage Account, of the Storage REST API")


@said(NAMES)
def already_taken(name: str) -> ServiceError:
    """Build the error for a name that another account has. Names are unique in all of Azure."""
    return ServiceError(409, "StorageAccountAlreadyTaken", f"The storage account named {name} is already taken.")


@said(NAMES)
def in_another_group(name: str) -> ServiceError:
    """Build the error for an account that the subscription already has in another resource group."""
    return ServiceError(
        409,
        "StorageAccountInAnotherResourceGroup",
        f"The account {name} is already in another resource group in this subscription.",
    )


@said(NAMES)
def invalid_name(name: str) -> ServiceError:
    """Build the error for a name that an account cannot have."""
    return ServiceError(
        400,
        "AccountNameInvalid",
        f"{name} is not a valid storage account name. Storage account name must be between 3 and 24 characters in "
        "length and use numbers and lower-case letters only.",
    )


@said(MEMORY)
def operation_in_progress(name: str) -> ServiceError:
    """Build the error for a write to an account that is still being created."""
    return ServiceError(
        409,
        "StorageAccountOperationInProgress",
        f"An operation is currently performing on the storage account {name} that requires exclusive access.",
    )


@said(MEMORY)
def not_provisioned() -> ServiceError:
    """Build the error for a call that requires the finished account."""
    return ServiceError(
        409,
        "StorageAccountIsNotProvisioned",
        "The storage account provisioning state must be 'Succeeded' before executing the operation.",
    )


@said(public_output("Azure/azure-sdk-for-net: tests of account SAS expect this answer"))
def invalid_values(*names: str) -> ServiceError:
    """Build the error for members of a request with invalid values."""
    return ServiceError(
        400, "InvalidValuesForRequestParameters", f"Values for request parameters are invalid: {', '.join(names)}."
    )


@said(public_output("a comment of a public Terraform module for storage accounts quotes the answer"))
def unsuitable_kind() -> ServiceError:
    """Build the error for a kind of account that its SKU does not have."""
    return ServiceError(
        400,
        "InvalidValuesForRequestParameters",
        "Values for request parameters are invalid: kind, sku. For more information, see - "
        "https://aka.ms/storageaccounttypes",
    )


@said(public_output("an answer to Update-AzStorageAccountNetworkRuleSet in a published article"))
def invalid_address() -> ServiceError:
    """Build the error for a network rule that is not a public IPv4 address or range."""
    return ServiceError(
        400,
        "InvalidValuesForRequestParameters",
        "Values for request parameters are invalid: networkAcls.ipRule[*].value. For more information, see - "
        "https://aka.ms/storagenetworkruleset",
    )


@said(
    public_output("hashicorp/terraform-provider-azurerm: a comment of the storage account resource quotes the answer")
)
def value_not_allowed(name: str, value: object) -> ServiceError:
    """Build the error for a property with a value that it cannot have."""
    return ServiceError(
        400,
        "InvalidRequestPropertyValue",
        f"The value '{value}' is not allowed for property {name}.",
    )


@said(CODES)
def invalid_sku(name: str) -> ServiceError:
    """Build the error for a SKU that does not exist."""
    return ServiceError(400, "InvalidAccountType", f"The AccountType {name} is invalid.")


@said(CODES)
def sku_conversion() -> ServiceError:
    """Build the error for another SKU than the account can change to."""
    return ServiceError(
        400, "StorageAccountTypeConversionNotAllowed", "The storage account does not support SKU conversion."
    )


@said(CODES)
def tier_not_allowed() -> ServiceError:
    """Build the error for an access tier that the account's kind does not have."""
    return ServiceError(400, "InvalidAccessTier", "The access tier is not allowed for this account kind.")


@said(CODES)
def unknown_key_source(value: object) -> ServiceError:
    """Build the error for keys of encryption from an unknown place."""
    return ServiceError(400, "UnknownEncryptionKeySource", f"Encryption KeySource given is unknown: {value}.")


@said(public_output("https://github.com/cloudfoundry/bosh-azure-cpi-release/issues/415"))
def cannot_be_updated(name: str) -> ServiceError:
    """Build the error for changing a property that an account keeps for life."""
    return ServiceError(
        400,
        "AccountPropertyCannotBeUpdated",
        f"The property '{name}' was specified in the input, but it cannot be updated as it is read-only. For more "
        "information, see - https://aka.ms/storageaccountupdate",
    )


@said(public_output("an answer to New-AzKeyVault with the same check, in a published script"))
def no_service_endpoint(subnets: Sequence[str], service: str) -> ServiceError:
    """Build the error for network rules with subnets that are missing, or lack a service endpoint.

    Args:
        subnets: ids of the subnets.
        service: such as `Microsoft.Storage`.
    """
    names = ", ".join(subnet.rsplit("/", 1)[-1] for subnet in subnets)
    network = subnets[0].rpartition("/subnets/")[0]
    return ServiceError(
        400,
        "NetworkAclsValidationFailure",
        "Validation of network acls failure: SubnetsHaveNoServiceEndpointsConfigured:Subnets "
        f"{names} of virtual network {network} do not have ServiceEndpoints for {service} resources configured. Add "
        f"{service} to subnet's ServiceEndpoints collection before trying to ACL {service} resources to these subnets..",
    )


@said(MEMORY)
def invalid_container_name() -> ServiceError:
    """Build the error for a name with characters that a container cannot have."""
    return ServiceError(400, "ContainerOperationFailure", "The specifed resource name contains invalid characters.")


@said(MEMORY)
def container_name_length() -> ServiceError:
    """Build the error for a name that is too short or too long for a container."""
    return ServiceError(
        400,
        "ContainerOperationFailure",
        "The specified resource name length is not within the permissible limits.",
    )


@said(MEMORY)
def public_access_off() -> ServiceError:
    """Build the error for a public container in an account that permits none."""
    return ServiceError(409, "PublicAccessNotPermitted", "Public access is not permitted on this storage account.")
