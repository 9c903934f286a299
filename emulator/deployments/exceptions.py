"""The errors of deployments, with ARM's codes and words."""

from typing import Any

from emulator.core.exceptions import repeated
from emulator.core.refusals import Refusal
from emulator.core.service_error import ServiceError
from emulator.core.sources import MEMORY, OWN, documentation, public_output
from emulator.core.store import Document

_FUNCTIONS = documentation("https://learn.microsoft.com/azure/azure-functions/functions-infrastructure-as-code")

# fmt: off
NOT_SUPPORTED = Refusal(400, "NotSupportedByLocalAzure", OWN, "The local Azure does not have {what}.")
INVALID_CONTENT = Refusal(400, "InvalidRequestContent", MEMORY,
    "The request content was invalid and could not be deserialized: '{reason}'.")
INVALID_TEMPLATE = Refusal(400, "InvalidTemplate", _FUNCTIONS, "Deployment template validation failed: '{reason}'.")
INVALID_EXPRESSION = Refusal(400, "InvalidTemplate", MEMORY,
    "Unable to process template language expressions for resource '{resource_id}'. '{reason}'")
REFERENCE_NOT_FOUND = Refusal(400, "InvalidTemplate",
    public_output("https://github.com/MicrosoftDocs/azure-docs/issues/112757"),
    "Deployment template validation failed: 'The template reference '{name}' is not valid: could not find template "
    "resource or resource copy with this name. Please see https://aka.ms/arm-function-reference for usage details.'.")
NOT_IN_TEMPLATE = Refusal(400, "InvalidTemplate", _FUNCTIONS,
    "Deployment template validation failed: 'The resource '{name}' is not defined in the template. Please see "
    "https://aka.ms/arm-template for usage details.'.")
INVALID_VARIABLE = Refusal(400, "InvalidTemplate",
    public_output("a deployment whose variables read deployment().properties.templateLink of a local template"),
    "Deployment template validation failed: 'The template variable '{name}' is not valid: {reason}. Please see "
    "https://aka.ms/arm-functions for usage details.'.")
DEPLOYMENT_NOT_FOUND = Refusal(404, "DeploymentNotFound", MEMORY, "Deployment '{name}' could not be found.")
OPERATION_NOT_FOUND = Refusal(404, "DeploymentOperationNotFound", MEMORY,
    "The deployment operation '{operation_id}' of deployment '{name}' could not be found.")
RESOURCE_GROUP_NOT_FOUND = Refusal(404, "ResourceGroupNotFound", MEMORY, "Resource group '{name}' could not be found.")
DEPLOYMENT_ACTIVE = Refusal(409, "DeploymentActive", MEMORY,
    "Unable to edit or replace deployment '{name}': previous deployment from '{since}' is still active (expiration "
    "time is '{until}'). Please see https://aka.ms/arm-deploy-resources for usage details.")
LOCATION_MISSING = Refusal(400, "InvalidDeployment",
    public_output("https://github.com/Azure/azure-monitor-baseline-alerts/issues/230"),
    "The 'location' property must be specified for '{name}'. Please see https://aka.ms/arm-deployment-subscription "
    "for usage details.")
LOCATION_NOT_ALLOWED = Refusal(400, "InvalidDeployment", MEMORY,
    "The 'location' property is not allowed for '{name}' at resource group scope. Please see "
    "https://aka.ms/deploy-to-subscription for usage details.")
LOCATION_CHANGED = Refusal(409, "InvalidDeploymentLocation",
    public_output("https://github.com/mddazure/azure-route-server-lab/issues/1"),
    "Invalid deployment location '{wanted}'. The deployment '{name}' already exists in location '{current}'.")
CANNOT_BE_CANCELLED = Refusal(409, "DeploymentCannotBeCancelled", MEMORY,
    "The deployment '{name}' cannot be cancelled because its provisioning state is '{state}'.")
CANNOT_BE_DELETED = Refusal(409, "DeploymentCannotBeDeleted", MEMORY,
    "The deployment '{name}' cannot be deleted because it is running. Cancel it first.")
INVALID_NAME = Refusal(400, "InvalidDeploymentName", MEMORY,
    "The deployment name '{name}' is not valid: it has 1 to 64 letters, digits, or characters of '-', '.', '_', '(' "
    "and ')'.")
NULL_PARAMETER = Refusal(400, "InvalidDeploymentParameterValue", MEMORY,
    "The value of deployment parameter '{name}' is null. Please specify the value or use the parameter reference. "
    "Please see https://aka.ms/resource-manager-parameter-files for details.")
NO_TEMPLATE = Refusal(400, "InvalidDeployment", MEMORY,
    "The request to deploy has no 'template'; links to templates are not read by the local Azure.")
CROSS_TENANT = Refusal(400, "CrossTenantDeploymentNotPermitted",
    public_output("a deployment by the Azure Developer CLI to subscriptions of two tenants"),
    "The template deployment tries to deploy resources to subscription '{subscription_id}'. However, the current "
    "tenant '{tenant_id}' is not authorized to deploy resources to that subscription. Please see "
    "https://aka.ms/arm-template/#resources for usage details.")
# A valid template whose resources the caller may not write. The reasons are those of the resources, so that a caller sees
# `AuthorizationFailed` in `details`.
INVALID_TEMPLATE_DEPLOYMENT = Refusal(403, "InvalidTemplateDeployment", MEMORY,
    "Deployment failed {how}: '{reasons:', '}'", details="{details!v}")
NOT_ALLOWED = Refusal(403, "{error.code}", MEMORY,
    "Authorization failed for template resource '{name}' of type '{kind}'. {error.message}", "{resource_id}")
# Resources that policies would refuse.
POLICY_VIOLATION = Refusal(400, "InvalidTemplateDeployment",
    documentation("MicrosoftDocs/azure-docs: Azure Automanage, troubleshooting of onboarding"),
    "The template deployment failed because of policy violation. Please see details for more information.",
    details="{details!v}")
# Resources that their provider would refuse.
PREFLIGHT_FAILED = Refusal(400, "InvalidTemplateDeployment", MEMORY,
    "The template deployment '{name}' is not valid according to the validation procedure. The tracking id is "
    "'{tracking_id}'. See inner errors for details.", details="{details!v}")
# A resource whose PUT was accepted and whose operation then failed, or was cancelled.
RESOURCE_FAILED = Refusal(409, "ResourceDeploymentFailure", MEMORY,
    "The resource write operation failed to complete successfully, because it reached terminal provisioning state "
    "'{state}'.", details="{details!v}")
# fmt: on


def invalid_template_deployment(failures: list[ServiceError]) -> ServiceError:
    """Return the 403 for a valid template whose resources the caller may not write."""
    return INVALID_TEMPLATE_DEPLOYMENT(
        how="with multiple errors" if len(failures) > 1 else "with error",
        reasons=[failure.message for failure in failures],
        details=[failure.body() for failure in failures],
    )


def nested_failure(record: Document) -> ServiceError:
    """Return the 409 for a nested deployment that did not succeed, with its errors."""
    error = record.get("error")
    details = [] if error is None else [repeated(409, error, target=record["id"]).body()]
    return RESOURCE_FAILED(state=record["provisioningState"], details=details)


def deployment_failed(details: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the error for a deployment whose resources failed."""
    return {
        "code": "DeploymentFailed",
        "message": "At least one resource deployment operation failed. Please list deployment operations for details. "
        "Please see https://aka.ms/arm-deployment-operations for usage details.",
        "details": details,
    }
