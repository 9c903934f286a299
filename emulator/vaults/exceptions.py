"""The errors of Microsoft.KeyVault, in its own words."""

from emulator.core.refusals import Refusal
from emulator.core.sources import MEMORY, OWN, documentation, public_output

CODES = documentation("https://learn.microsoft.com/azure/key-vault/general/common-error-codes")

# fmt: off
INVALID_NAME = Refusal(400, "VaultNameNotValid", CODES,
    "The vault name '{name}' is invalid. A vault's name must be between 3-24 alphanumeric characters. The name must "
    "begin with a letter, end with a letter or digit, and not contain consecutive hyphens. Follow this link for more "
    "information: https://go.microsoft.com/fwlink/?linkid=2147742")
ALREADY_EXISTS = Refusal(409, "VaultAlreadyExists", CODES,
    "The vault name '{name}' is already in use. Vault names are globally unique so it is possible that the name is "
    "already taken. If you are sure that the vault name was not taken then it is possible that a vault with the same "
    "name was recently deleted but not purged after being placed in a recoverable state. If the vault is in a "
    "recoverable state then the vault will need to be purged before reusing the name. For more information about "
    "VaultAlreadyExists, soft delete and purging a vault follow this link "
    "https://go.microsoft.com/fwlink/?linkid=2147740.")
IN_DELETED_STATE = Refusal(409, "ConflictError", MEMORY,
    "A vault with the same name already exists in deleted state. You need to either recover or purge existing key "
    "vault. Follow this link https://go.microsoft.com/fwlink/?linkid=2149745 for more information on soft delete.")
DELETED_NOT_FOUND = Refusal(404, "DeletedVaultNotFound", MEMORY, "The specified deleted vault '{name}' does not exist.")
PURGE_NOT_ALLOWED = Refusal(405, "MethodNotAllowed", MEMORY, "Operation 'DeletedVaultPurge' is not allowed.")
IRREVERSIBLE = Refusal(400, "BadRequest",
    public_output("published descriptions of failed deployments with `enablePurgeProtection` set to false"),
    'The property "{name}" cannot be set to false. Enabling the {meaning} for a vault is an irreversible action.')
RETENTION_SET = Refusal(400, "BadRequest",
    public_output("hashicorp/terraform-provider-azurerm: a comment of the key vault resource quotes the answer"),
    "The property \"softDeleteRetentionInDays\" has been set already and it can't be modified.")
NOT_EMULATED = Refusal(400, "NotSupportedByLocalAzure", OWN,
    "The local Azure has no access policies: set enableRbacAuthorization to true.")
INVALID_VALUE = Refusal(400, "BadRequest",
    public_output("Azure/azure-cli: tests of `az keyvault set-policy` expect this answer"),
    "An invalid value was provided for '{name}'.")
# fmt: on
