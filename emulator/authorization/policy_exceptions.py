"""The errors of policy definitions and assignments."""

from emulator.core.refusals import Refusal
from emulator.core.sources import MEMORY, OWN

# fmt: off
NOT_EMULATED = Refusal(400, "NotSupportedByLocalAzure", OWN, "The local Azure does not support {what}.")
DEFINITION_NOT_FOUND = Refusal(404, "PolicyDefinitionNotFound", MEMORY,
    "The policy definition '{name}' could not be found.")
ASSIGNED_DEFINITION_NOT_FOUND = Refusal(400, "PolicyDefinitionNotFound", MEMORY,
    "The policy assignment '{name}' create request is invalid. Policy definition '{definition}' could not be found.")
INVALID_RULE = Refusal(400, "InvalidPolicyRule", MEMORY,
    "Failed to parse policy rule of the policy definition '{name}': '{reason}'.")
DEFINITION_IN_USE = Refusal(400, "InvalidDeletePolicyDefinitionRequest", MEMORY,
    "The policy definition '{name}' cannot be deleted because it is assigned by: '{holders:, }'.")
PARAMETER_MISSING = Refusal(400, "MissingPolicyParameter", MEMORY,
    "The policy assignment '{name}' is missing the parameter(s) '{parameter}' as defined in the policy definition "
    "'{definition}'. Please either provide the values or assign default values for these parameters.")
# fmt: on
