"""The errors of Microsoft.DocumentDB, in its own words."""

from emulator.core.refusals import Refusal
from emulator.core.sources import MEMORY, OWN, public_output

# fmt: off
NOT_SUPPORTED = Refusal(400, "NotSupportedByLocalAzure", OWN, "The local Azure does not have {what}.")

# Accounts
INVALID_NAME = Refusal(400, "BadRequest", MEMORY,
    "The account name '{name}' is invalid. The name can contain only lowercase letters, numbers, and the hyphen (-) "
    "character. It must be 3-44 characters.")
NAME_TAKEN = Refusal(400, "BadRequest", MEMORY,
    "Dns record for {name} under zone Document is already taken. Please use a different name for the account.")

# Databases and containers
NO_THROUGHPUT = Refusal(400, "BadRequest",
    public_output("published answers to containers with throughput in serverless accounts"),
    "Setting offer throughput or autopilot on {kind} is not supported for serverless accounts.")

# Roles
UNKNOWN_ROLE = Refusal(400, "BadRequest", MEMORY,
    "The role definition '{identifier}' does not exist. The account has {known:, }.")
WRONG_SCOPE = Refusal(400, "BadRequest", MEMORY,
    "The scope '{scope}' is invalid: it must be the fully qualified '{account_id}' or a part of it.")
UNKNOWN_PRINCIPAL = Refusal(400, "BadRequest", MEMORY,
    "The provided principal ID [{principal_id}] was not found in the AAD tenant(s) [{tenant_id}] which are associated "
    "with the customer's subscription.")
# fmt: on
