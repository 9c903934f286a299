"""The errors of Microsoft.Storage, in Azure's wording."""

from emulator.core.refusals import Refusal
from emulator.core.sources import MEMORY, documentation, public_output

NAMES = documentation(
    "https://learn.microsoft.com/azure/azure-resource-manager/troubleshooting/error-storage-account-name"
)
CODES = documentation("Error Codes for Create Storage Account and for Update Storage Account, of the Storage REST API")

# fmt: off
ALREADY_TAKEN = Refusal(409, "StorageAccountAlreadyTaken", NAMES, "The storage account named {name} is already taken.")
IN_ANOTHER_GROUP = Refusal(409, "StorageAccountInAnotherResourceGroup", NAMES,
    "The account {name} is already in another resource group in this subscription.")
INVALID_NAME = Refusal(400, "AccountNameInvalid", NAMES,
    "{name} is not a valid storage account name. Storage account name must be between 3 and 24 characters in length "
    "and use numbers and lower-case letters only.")
OPERATION_IN_PROGRESS = Refusal(409, "StorageAccountOperationInProgress", MEMORY,
    "An operation is currently performing on the storage account {name} that requires exclusive access.")
NOT_PROVISIONED = Refusal(409, "StorageAccountIsNotProvisioned", MEMORY,
    "The storage account provisioning state must be 'Succeeded' before executing the operation.")
INVALID_ADDRESS = Refusal(400, "InvalidValuesForRequestParameters",
    public_output("an answer to Update-AzStorageAccountNetworkRuleSet in a published article"),
    "Values for request parameters are invalid: networkAcls.ipRule[*].value. For more information, see - "
    "https://aka.ms/storagenetworkruleset")
VALUE_NOT_ALLOWED = Refusal(400, "InvalidRequestPropertyValue",
    public_output("hashicorp/terraform-provider-azurerm: a comment of the storage account resource quotes the answer"),
    "The value '{value}' is not allowed for property {name}.")
INVALID_SKU = Refusal(400, "InvalidAccountType", CODES, "The AccountType {name} is invalid.")
UNKNOWN_KEY_SOURCE = Refusal(400, "UnknownEncryptionKeySource", CODES,
    "Encryption KeySource given is unknown: {value}.")
INVALID_VALUES = Refusal(400, "InvalidValuesForRequestParameters",
    public_output("Azure/azure-sdk-for-net: tests of account SAS expect this answer"),
    "Values for request parameters are invalid: {name}.")
# For network rules with subnets that are missing, or lack a service endpoint.
NO_SERVICE_ENDPOINT = Refusal(400, "NetworkAclsValidationFailure",
    public_output("an answer to New-AzKeyVault with the same check, in a published script"),
    "Validation of network acls failure: SubnetsHaveNoServiceEndpointsConfigured:Subnets {subnets!n:, } of virtual network "
    "{network} do not have ServiceEndpoints for {service} resources configured. Add {service} to subnet's "
    "ServiceEndpoints collection before trying to ACL {service} resources to these subnets..")
# fmt: on
