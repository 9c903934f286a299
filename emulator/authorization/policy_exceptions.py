"""The errors of policy definitions, assignments and exemptions."""

from collections.abc import Sequence

from emulator.core.errors import ServiceError
from emulator.core.refusals import Refusal
from emulator.core.sources import MEMORY, OWN, public_output, said

# fmt: off
NOT_EMULATED = Refusal(400, "NotSupportedByLocalAzure", OWN, "The local Azure does not support {what}.")
DEFINITION_NOT_FOUND = Refusal(404, "PolicyDefinitionNotFound", MEMORY,
    "The policy definition '{name}' could not be found.")
ASSIGNED_DEFINITION_NOT_FOUND = Refusal(400, "PolicyDefinitionNotFound", MEMORY,
    "The policy assignment '{name}' create request is invalid. Policy definition '{definition}' could not be found.")
INVALID_RULE = Refusal(400, "InvalidPolicyRule", MEMORY,
    "Failed to parse policy rule of the policy definition '{name}': '{reason}'.")
UNDEFINED_PARAMETER = Refusal(400, "InvalidPolicyRule",
    public_output("https://github.com/Azure/Community-Policy/issues/402"),
    "A function or parameter in policy '{name}' could not be validated. If using template functions, try following "
    "the tips in: https://aka.ms/policy-avoiding-template-failures. The inner exception 'The policy '{name}' has "
    "undefined parameter '{parameter}' which is used in the policy rule. Please either define it in policy definition "
    "or remove the reference in policy rule.'.")
UNUSED_PARAMETERS = Refusal(400, "UnusedPolicyParameters",
    public_output("https://github.com/Azure/azure-monitor-baseline-alerts/issues/311"),
    "The policy '{name}' has defined parameters '{parameters:,}' which are not used in the policy rule. Please either "
    "remove these parameters from the definition or ensure that they are used in the policy rule.")
PARAMETERS_REMOVED = Refusal(400, "InvalidPolicyParameterUpdate",
    public_output("https://github.com/hashicorp/terraform-provider-azurerm/issues/13991"),
    "The existing policy has '{before}' parameter(s) which is greater than the count of parameter(s) '{after}' in the "
    "policy being added. Policy parameters cannot be removed during policy update.")
PARAMETERS_RENAMED = Refusal(400, "InvalidPolicyParameterUpdate",
    public_output("https://github.com/Azure/azure-monitor-baseline-alerts/issues/335"),
    "The existing policy parameter(s) '{names:,}' were not found in the policy being updated. The parameter names can "
    "not be changed.")
PARAMETERS_WITHOUT_DEFAULT = Refusal(400, "InvalidPolicyParameterUpdate",
    public_output("https://github.com/Azure/ALZ-Bicep/issues/391"),
    "The policy contains new parameter(s) '{names:,}' which are not present in the existing policy and have no "
    "default value. New parameters may be added to a policy only if they have a default value.")
DEFAULT_OF_ANOTHER_TYPE = Refusal(400, "InvalidPolicyParameterType",
    public_output("https://github.com/MicrosoftDocs/azure-docs/pull/119057"),
    "The policy parameter '{parameter}' default value does not match the expected parameter type defined in the "
    "policy definition. Details 'The expected policy parameter type: '{expected}'. The actual policy parameter type "
    "'{actual}'.'.")
VALUE_OF_ANOTHER_TYPE = Refusal(400, "InvalidPolicyParameterType", MEMORY,
    "The policy assignment '{name}' has a value of the parameter '{parameter}' that does not match the type in the "
    "policy definition. Details 'The expected policy parameter type: '{expected}'. The actual policy parameter type "
    "'{actual}'.'.")
NO_ARRAY = Refusal(400, "InvalidPolicyParameters",
    public_output("https://github.com/Azure/Enterprise-Scale/issues/1535"),
    "A function or parameter in policy '{name}' could not be validated. If using template functions, try following "
    "the tips in: https://aka.ms/policy-avoiding-template-failures. The inner exception 'Evaluation result of "
    "language expression '{value}' is type '{actual}', expected type is 'Array'.'.")
UNKNOWN_PARAMETERS = Refusal(400, "UndefinedPolicyParameter",
    public_output("https://github.com/gettek/terraform-azurerm-policy-as-code/issues/47"),
    "The policy assignment '{name}' is attempting to assign the parameter(s) '{parameters:,}' which are not defined "
    "in the policy definition '{definition}'.")
IDENTITY_REQUIRED = Refusal(400, "ResourceIdentityRequired", MEMORY,
    "The policy definition specified in policy assignment '{name}' requires a managed identity. Please see "
    "https://aka.ms/azurepolicyremediation for usage details.")
DEFINITION_IN_USE = Refusal(400, "InvalidDeletePolicyDefinitionRequest", MEMORY,
    "The policy definition '{name}' cannot be deleted because it is assigned by: '{holders:, }'.")
ASSIGNMENT_NOT_FOUND = Refusal(400, "InvalidCreatePolicyExemptionRequest", MEMORY,
    "The policy exemption '{name}' create request is invalid. The policy assignment '{assignment}' could not be found.")
EXEMPTION_ELSEWHERE = Refusal(400, "InvalidCreatePolicyExemptionRequest", MEMORY,
    "The policy exemption '{name}' create request is invalid. Its scope is not within the scope of the policy "
    "assignment '{assignment}'.")
# fmt: on


@said(MEMORY)
def parameter_not_allowed(name: str, parameter: str, value: object, allowed: Sequence[object]) -> ServiceError:
    """Return the 400 for the value of a parameter that is not among those that the definition allows.

    Args:
        name: name of the assignment.
        parameter: name of the parameter.
        value: its value.
        allowed: the allowed values.
    """
    return ServiceError(
        400,
        "PolicyParameterValueNotAllowed",
        f"The policy assignment '{name}' has the value '{value}' for the parameter '{parameter}', which is not one of the "
        f"allowed values '{', '.join(map(str, allowed))}'.",
    )
