"""The errors of policy definitions, assignments and exemptions."""

from collections.abc import Sequence

from emulator.core.errors import ServiceError
from emulator.core.sources import MEMORY, OWN, public_output, said


@said(OWN)
def not_emulated(what: str) -> ServiceError:
    """Return the 400 for a part of Azure Policy that the local Azure lacks."""
    return ServiceError(400, "NotSupportedByLocalAzure", f"The local Azure does not support {what}.")


@said(MEMORY)
def definition_not_found(name: str) -> ServiceError:
    """Return the 404 for a policy definition that does not exist."""
    return ServiceError(404, "PolicyDefinitionNotFound", f"The policy definition '{name}' could not be found.")


@said(MEMORY)
def assigned_definition_not_found(name: str, definition: str) -> ServiceError:
    """Return the 400 for the assignment of a policy definition that does not exist."""
    return ServiceError(
        400,
        "PolicyDefinitionNotFound",
        f"The policy assignment '{name}' create request is invalid. Policy definition '{definition}' could not be found.",
    )


@said(MEMORY)
def invalid_rule(name: str, reason: str) -> ServiceError:
    """Return the 400 for a policy rule that is wrong."""
    return ServiceError(
        400, "InvalidPolicyRule", f"Failed to parse policy rule of the policy definition '{name}': '{reason}'."
    )


@said(public_output("https://github.com/Azure/Community-Policy/issues/402"))
def undefined_parameter(name: str, parameter: str) -> ServiceError:
    """Return the 400 for a rule with a parameter that its definition lacks. The code is from memory."""
    return ServiceError(
        400,
        "InvalidPolicyRule",
        f"A function or parameter in policy '{name}' could not be validated. If using template functions, try following "
        "the tips in: https://aka.ms/policy-avoiding-template-failures. The inner exception 'The policy "
        f"'{name}' has undefined parameter '{parameter}' which is used in the policy rule. Please either define it in policy "
        "definition or remove the reference in policy rule.'.",
    )


@said(public_output("https://github.com/Azure/azure-monitor-baseline-alerts/issues/311"))
def unused_parameters(name: str, parameters: Sequence[str]) -> ServiceError:
    """Return the 400 for a definition with parameters that its rule never uses. The code is from memory."""
    return ServiceError(
        400,
        "UnusedPolicyParameters",
        f"The policy '{name}' has defined parameters '{','.join(parameters)}' which are not used in the policy rule. "
        "Please either remove these parameters from the definition or ensure that they are used in the policy rule.",
    )


@said(public_output("https://github.com/hashicorp/terraform-provider-azurerm/issues/13991"))
def parameters_removed(before: int, after: int) -> ServiceError:
    """Return the 400 for a definition that loses parameters.

    Args:
        before: how many it has.
        after: how many it would have.
    """
    return ServiceError(
        400,
        "InvalidPolicyParameterUpdate",
        f"The existing policy has '{before}' parameter(s) which is greater than the count of parameter(s) '{after}' in the "
        "policy being added. Policy parameters cannot be removed during policy update.",
    )


@said(public_output("https://github.com/Azure/azure-monitor-baseline-alerts/issues/335"))
def parameters_renamed(names: Sequence[str]) -> ServiceError:
    """Return the 400 for a definition whose parameters get other names."""
    return ServiceError(
        400,
        "InvalidPolicyParameterUpdate",
        f"The existing policy parameter(s) '{','.join(names)}' were not found in the policy being updated. The parameter "
        "names can not be changed.",
    )


@said(public_output("https://github.com/Azure/ALZ-Bicep/issues/391"))
def parameters_without_default(names: Sequence[str]) -> ServiceError:
    """Return the 400 for a definition that gets parameters without a default. The answer is about a policy set."""
    return ServiceError(
        400,
        "InvalidPolicyParameterUpdate",
        f"The policy contains new parameter(s) '{','.join(names)}' which are not present in the existing policy and have no "
        "default value. New parameters may be added to a policy only if they have a default value.",
    )


@said(public_output("https://github.com/MicrosoftDocs/azure-docs/pull/119057"))
def default_of_another_type(parameter: str, expected: str, actual: str) -> ServiceError:
    """Return the 400 for a default that is no value of its parameter's type. The code is from memory.

    Args:
        parameter: name of the parameter.
        expected: its type.
        actual: the type of the default.
    """
    return ServiceError(
        400,
        "InvalidPolicyParameterType",
        f"The policy parameter '{parameter}' default value does not match the expected parameter type defined in the "
        f"policy definition. Details 'The expected policy parameter type: '{expected}'. The actual policy parameter type "
        f"'{actual}'.'.",
    )


@said(MEMORY)
def value_of_another_type(name: str, parameter: str, expected: str, actual: str) -> ServiceError:
    """Return the 400 for the value of a parameter in an assignment that is of another type.

    Args:
        name: name of the assignment.
        parameter: name of the parameter.
        expected: its type.
        actual: the type of the value.
    """
    return ServiceError(
        400,
        "InvalidPolicyParameterType",
        f"The policy assignment '{name}' has a value of the parameter '{parameter}' that does not match the type in the "
        f"policy definition. Details 'The expected policy parameter type: '{expected}'. The actual policy parameter type "
        f"'{actual}'.'.",
    )


@said(public_output("https://github.com/Azure/Enterprise-Scale/issues/1535"))
def no_array(name: str, value: object, actual: str) -> ServiceError:
    """Return the 400 for a condition that compares with something else than the array that it needs.

    Args:
        name: name of the definition.
        value: what stands in the rule.
        actual: its type.
    """
    return ServiceError(
        400,
        "InvalidPolicyParameters",
        f"A function or parameter in policy '{name}' could not be validated. If using template functions, try following "
        f"the tips in: https://aka.ms/policy-avoiding-template-failures. The inner exception 'Evaluation result of "
        f"language expression '{value}' is type '{actual}', expected type is 'Array'.'.",
    )


@said(public_output("https://github.com/gettek/terraform-azurerm-policy-as-code/issues/47"))
def unknown_parameters(name: str, parameters: Sequence[str], definition: str) -> ServiceError:
    """Return the 400 for the assignment of a policy with parameters that its definition lacks.

    Args:
        name: name of the assignment.
        parameters: names of the parameters.
        definition: name of the policy definition.
    """
    return ServiceError(
        400,
        "UndefinedPolicyParameter",
        f"The policy assignment '{name}' is attempting to assign the parameter(s) '{','.join(parameters)}' which are not "
        f"defined in the policy definition '{definition}'.",
    )


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


@said(MEMORY)
def identity_required(name: str) -> ServiceError:
    """Return the 400 for the assignment of a policy that changes resources without an identity that does so."""
    return ServiceError(
        400,
        "ResourceIdentityRequired",
        f"The policy definition specified in policy assignment '{name}' requires a managed identity. Please see "
        "https://aka.ms/azurepolicyremediation for usage details.",
    )


@said(MEMORY)
def definition_in_use(name: str, holders: Sequence[str]) -> ServiceError:
    """Return the 400 for the deletion of a policy definition with assignments."""
    return ServiceError(
        400,
        "InvalidDeletePolicyDefinitionRequest",
        f"The policy definition '{name}' cannot be deleted because it is assigned by: '{', '.join(holders)}'.",
    )


@said(MEMORY)
def assignment_not_found(name: str, assignment: str) -> ServiceError:
    """Return the 400 for an exemption from an assignment that does not exist."""
    return ServiceError(
        400,
        "InvalidCreatePolicyExemptionRequest",
        f"The policy exemption '{name}' create request is invalid. The policy assignment '{assignment}' could not be found.",
    )


@said(MEMORY)
def exemption_elsewhere(name: str, assignment: str) -> ServiceError:
    """Return the 400 for an exemption at a scope that its assignment does not reach."""
    return ServiceError(
        400,
        "InvalidCreatePolicyExemptionRequest",
        f"The policy exemption '{name}' create request is invalid. Its scope is not within the scope of the policy "
        f"assignment '{assignment}'.",
    )
