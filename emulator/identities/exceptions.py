"""The errors of Microsoft.ManagedIdentity, in its own words."""

from emulator.core.refusals import Refusal
from emulator.core.sources import MEMORY, OWN, public_output

# fmt: off
INVALID_NAME = Refusal(400, "InvalidResourceName", MEMORY,
    "The resource name '{name}' is invalid. It must have 3 to 128 letters, digits, hyphens and underscores, and begin "
    "with a letter or digit.")
# Federated credentials
CREDENTIAL_NAME = Refusal(400, "InvalidResourceName", MEMORY,
    "The resource name '{name}' is invalid. It must have 3 to 120 letters, digits, hyphens and underscores, and begin "
    "with a letter or digit.")
INCOMPLETE_CREDENTIAL = Refusal(400, "BadRequest",
    public_output("https://github.com/zioproto/istio-aks-example/issues/6"),
    "The request format was unexpected. Federated Identity Credential must specify 'issuer', 'subject' and 'audience'.")
# The source has the text; status and code are from memory.
CREDENTIAL_EXISTS = Refusal(409, "Conflict",
    public_output("https://github.com/Azure/bicep-types-az/issues/2054"),
    "Issuer and subject combination already exists for this Managed Identity.")
CONCURRENT_CREDENTIALS = Refusal(409, "ConcurrentFederatedIdentityCredentialsWritesForSingleManagedIdentity",
    public_output("https://github.com/Azure/bicep-registry-modules/issues/1447"),
    "Too many Federated Identity Credentials are written concurrently for the managed identity '{identity}'. Concurrent "
    "Federated Identity Credentials writes under the same managed identity are not supported.")
TOO_MANY_CREDENTIALS = Refusal(400, "BadRequest", MEMORY,
    "Too many Federated Identity Credentials exist for this Managed Identity. The maximum is {most}.")
# Identities of other resources
KIND_NOT_SUPPORTED = Refusal(400, "NotSupportedByLocalAzure", OWN,
    "The local Azure does not support identities of the type {kind} of {type_name}.")
NO_IDENTITIES = Refusal(400, "MissingIdentityIds",
    public_output("https://github.com/hashicorp/terraform-provider-azurerm/issues/17082"),
    "The identity ids must not be null or empty for '{kind}' identity type.")
NOT_AN_IDENTITY = Refusal(400, "InvalidResourceIdentifier", MEMORY,
    "'{name}' is not the id of a user-assigned identity.")
IDENTITIES_NOT_EXPECTED = Refusal(400, "FailedIdentityOperation",
    public_output("https://github.com/Azure/azure-rest-api-specs/issues/17650"),
    "Identity operation for resource '{resource}' failed with error 'Failed to perform resource identity operation. "
    "Status: 'BadRequest'. Response: '{{\"error\":{{\"code\":\"BadRequest\",\"message\":\"The request format was "
    "unexpected, a non-UserAssigned identity type should not contain: userAssignedIdentities\"}}}}'.'.")
# fmt: on
