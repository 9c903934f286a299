"""The errors of deployments, with ARM's codes and words."""

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from emulator.core.errors import ServiceError
from emulator.core.exceptions import repeated
from emulator.core.sources import MEMORY, OWN, documentation, public_output, said
from emulator.core.store import Document
from emulator.deployments.positions import Path, Position, path_text


@said(documentation("https://learn.microsoft.com/azure/azure-functions/functions-infrastructure-as-code"))
def invalid_template(message: str, position: Position | None = None, path: Path = ()) -> ServiceError:
    """Return the 400 for a template that breaks a rule; `additionalInfo` has the place too.

    Args:
        message: which rule it breaks.
        position: line and column in the request, if known.
        path: path in the request.
    """
    place = position or Position()
    info = {"lineNumber": place.line, "linePosition": place.column, "path": path_text(path)}
    return ServiceError(
        400,
        "InvalidTemplate",
        f"Deployment template validation failed: '{message}'.",
        extra={"additionalInfo": [{"type": "TemplateViolation", "info": info}]},
    )


@said(MEMORY)
def invalid_expression(resource_id: str, reason: str, position: Position, path: Path) -> ServiceError:
    """Return the 400 for an expression in a resource's body that cannot be evaluated.

    Args:
        resource_id: the resource.
        reason: what is wrong.
        position: line and column of the resource in the request.
        path: path of the resource in the template.
    """
    info = {"lineNumber": position.line, "linePosition": position.column, "path": path_text(path)}
    return ServiceError(
        400,
        "InvalidTemplate",
        f"Unable to process template language expressions for resource '{resource_id}' at line '{position.line}' and "
        f"column '{position.column}'. '{reason}'",
        extra={"additionalInfo": [{"type": "TemplateViolation", "info": info}]},
    )


@said(MEMORY)
def invalid_content(reason: str, position: Position | None = None, path: Path = ()) -> ServiceError:
    """Return the 400 for a body that is not a deployment: not JSON, an unknown member, or a value of a wrong type.

    Args:
        reason: what is wrong.
        position: line and column in the request, if known.
        path: path in the request.
    """
    where = f" Path '{path_text(path)}', line {position.line}, position {position.column}." if position else ""
    return ServiceError(
        400,
        "InvalidRequestContent",
        f"The request content was invalid and could not be deserialized: '{reason}{where}'.",
    )


@said(OWN)
def not_supported(what: str) -> ServiceError:
    """Return the 400 for a part of Azure that the local Azure does not have."""
    return ServiceError(400, "NotSupportedByLocalAzure", f"The local Azure does not have {what}.")


@said(MEMORY)
def deployment_not_found(name: str) -> ServiceError:
    """Return the 404 for a deployment that does not exist."""
    return ServiceError(404, "DeploymentNotFound", f"Deployment '{name}' could not be found.")


@said(MEMORY)
def operation_not_found(operation_id: str, name: str) -> ServiceError:
    """Return the 404 for an operation that the deployment does not have."""
    return ServiceError(
        404,
        "DeploymentOperationNotFound",
        f"The deployment operation '{operation_id}' of deployment '{name}' could not be found.",
    )


@said(MEMORY)
def resource_group_not_found(name: str) -> ServiceError:
    """Return the 404 for a resource group that does not exist."""
    return ServiceError(404, "ResourceGroupNotFound", f"Resource group '{name}' could not be found.")


@said(MEMORY)
def deployment_active(name: str, since: str, until: str) -> ServiceError:
    """Return the 409 for a PUT while a deployment with this name runs.

    Args:
        name: name of the deployment.
        since: when it began, RFC 3339.
        until: when Azure would give it up, RFC 3339.
    """
    return ServiceError(
        409,
        "DeploymentActive",
        f"Unable to edit or replace deployment '{name}': previous deployment from '{since}' is still active "
        f"(expiration time is '{until}'). Please see https://aka.ms/arm-deploy-resources for usage details.",
    )


@said(public_output("https://github.com/Azure/azure-monitor-baseline-alerts/issues/230"))
def location_missing(name: str) -> ServiceError:
    """Return the 400 for a deployment to a subscription without a location."""
    return ServiceError(
        400,
        "InvalidDeployment",
        f"The 'location' property must be specified for '{name}'. Please see "
        "https://aka.ms/arm-deployment-subscription for usage details.",
    )


@said(MEMORY)
def location_not_allowed(name: str) -> ServiceError:
    """Return the 400 for a deployment to a resource group with a location."""
    return ServiceError(
        400,
        "InvalidDeployment",
        f"The 'location' property is not allowed for '{name}' at resource group scope. "
        "Please see https://aka.ms/deploy-to-subscription for usage details.",
    )


@said(MEMORY)
def location_not_for_deployments(location: str, available: Sequence[str]) -> ServiceError:
    """Return the 400 for a location that stores no deployments."""
    return ServiceError(
        400,
        "LocationNotAvailableForDeployment",
        f"The provided location '{location}' is not available for deployment. List of available regions is "
        f"'{','.join(available)}'.",
    )


@said(public_output("https://github.com/mddazure/azure-route-server-lab/issues/1"))
def location_changed(name: str, wanted: str, current: str) -> ServiceError:
    """Return the 409 for a deployment whose name exists at the subscription in another location.

    Args:
        name: name of the deployment.
        wanted: the location in the request.
        current: the location of the existing deployment.
    """
    return ServiceError(
        409,
        "InvalidDeploymentLocation",
        f"Invalid deployment location '{wanted}'. The deployment '{name}' already exists in location '{current}'.",
    )


@said(MEMORY)
def cannot_be_cancelled(name: str, state: str) -> ServiceError:
    """Return the 409 for cancelling a deployment that does not run."""
    return ServiceError(
        409,
        "DeploymentCannotBeCancelled",
        f"The deployment '{name}' cannot be cancelled because its provisioning state is '{state}'.",
    )


@said(MEMORY)
def cannot_be_deleted(name: str) -> ServiceError:
    """Return the 409 for deleting a deployment that runs."""
    return ServiceError(
        409,
        "DeploymentCannotBeDeleted",
        f"The deployment '{name}' cannot be deleted because it is running. Cancel it first.",
    )


@said(MEMORY)
def invalid_template_deployment(failures: list[ServiceError]) -> ServiceError:
    """Return the error for a valid template whose resources the caller may not write.

    The status and the reasons are those of the resources, so that a caller sees `AuthorizationFailed` in `details`.
    """
    reasons = "', '".join(failure.message for failure in failures)
    several = "with multiple errors" if len(failures) > 1 else "with error"
    return ServiceError(
        max(failure.status_code for failure in failures),
        "InvalidTemplateDeployment",
        f"Deployment failed {several}: '{reasons}'",
        details=[failure.body() for failure in failures],
    )


@said(documentation("MicrosoftDocs/azure-docs: Azure Automanage, troubleshooting of onboarding"))
def policy_violation(failures: list[ServiceError]) -> ServiceError:
    """Return the 400 for a template with resources that policies would refuse."""
    return ServiceError(
        400,
        "InvalidTemplateDeployment",
        "The template deployment failed because of policy violation. Please see details for more information.",
        details=[failure.body() for failure in failures],
    )


@said(MEMORY)
def preflight_failed(name: str, failures: list[ServiceError]) -> ServiceError:
    """Return the 400 for a template with resources that their provider would refuse."""
    return ServiceError(
        400,
        "InvalidTemplateDeployment",
        f"The template deployment '{name}' is not valid according to the validation procedure. The tracking id is "
        f"'{uuid4()}'. See inner errors for details.",
        details=[failure.body() for failure in failures],
    )


@said(MEMORY)
def resource_deployment_failure(error: ServiceError | None, state: str = "Failed") -> ServiceError:
    """Return the 409 for a resource whose PUT was accepted and whose operation then failed, or was cancelled."""
    return ServiceError(
        409,
        "ResourceDeploymentFailure",
        "The resource write operation failed to complete successfully, because it reached terminal provisioning state "
        f"'{state}'.",
        details=[] if error is None else [error.body()],
    )


def nested_failure(record: Document) -> ServiceError:
    """Return the 409 for a nested deployment that did not succeed, with its errors."""
    state, error = record["provisioningState"], record.get("error")
    if error is None:
        return resource_deployment_failure(None, state)
    return resource_deployment_failure(repeated(409, error, target=record["id"]), state)


def deployment_failed(details: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the error for a deployment whose resources failed."""
    return {
        "code": "DeploymentFailed",
        "message": "At least one resource deployment operation failed. Please list deployment operations for details. "
        "Please see https://aka.ms/arm-deployment-operations for usage details.",
        "details": details,
    }


@said(MEMORY)
def invalid_name(name: str) -> ServiceError:
    """Return the 400 for a name that no deployment can have."""
    return ServiceError(
        400,
        "InvalidDeploymentName",
        f"The deployment name '{name}' is not valid: it has 1 to 64 letters, digits, or characters of "
        "'-', '.', '_', '(' and ')'.",
    )


@said(MEMORY)
def no_template() -> ServiceError:
    """Return the 400 for a deployment without a template."""
    return ServiceError(
        400,
        "InvalidDeployment",
        "The request to deploy has no 'template'; links to templates are not read by the local Azure.",
    )


@said(MEMORY)
def empty_parameter_key() -> ServiceError:
    """Return the 400 for a parameter without a name."""
    return ServiceError(
        400,
        "InvalidDeploymentParameterKey",
        "One of the deployment parameters has an empty key. "
        "Please see https://aka.ms/resource-manager-parameter-files for details.",
    )


@said(MEMORY)
def null_parameter(name: str) -> ServiceError:
    """Return the 400 for a parameter without a value."""
    return ServiceError(
        400,
        "InvalidDeploymentParameterValue",
        f"The value of deployment parameter '{name}' is null. Please specify the value or use the parameter "
        "reference. Please see https://aka.ms/resource-manager-parameter-files for details.",
    )


@said(MEMORY)
def resource_not_allowed(error: ServiceError, name: str, kind: str, resource_id: str) -> ServiceError:
    """Return the error for a resource of a template that the caller may not write.

    Args:
        error: why not.
        name: name of the resource.
        kind: its type.
        resource_id: its id.
    """
    return ServiceError(
        error.status_code,
        error.code,
        f"Authorization failed for template resource '{name}' of type '{kind}'. {error.message}",
        target=resource_id,
    )


@said(public_output("https://github.com/MicrosoftDocs/azure-docs/issues/112757"))
def reference_not_found(name: str) -> ServiceError:
    """Return the 400 for a bare name, in an expression or in `dependsOn`, that no resource of the template has."""
    return invalid_template(
        f"The template reference '{name}' is not valid: could not find template resource or resource copy with this "
        "name. Please see https://aka.ms/arm-function-reference for usage details."
    )


@said(documentation("https://learn.microsoft.com/azure/azure-functions/functions-infrastructure-as-code"))
def not_in_template(name: str) -> ServiceError:
    """Return the 400 for an entry of `dependsOn` that is no resource of the template.

    Args:
        name: type and name, as `resourceId` ends.
    """
    return invalid_template(
        f"The resource '{name}' is not defined in the template. Please see https://aka.ms/arm-template for usage details."
    )


@said(public_output("a deployment whose variables read deployment().properties.templateLink of a local template"))
def invalid_variable(name: str, reason: Exception) -> ServiceError:
    """Return the 400 for a variable that cannot be evaluated, used or not.

    Args:
        name: name of the variable.
        reason: what is wrong.
    """
    return invalid_template(
        f"The template variable '{name}' is not valid: {reason}. Please see https://aka.ms/arm-functions for usage details."
    )


@said(public_output("a deployment of a template with the schema 2020-01-01/deploymentTemplate.json"))
def schema_not_supported(schema: str) -> ServiceError:
    """Return the 400 for a template whose `$schema` is not one of a template."""
    return invalid_template(
        f"Template schema '{schema}' is not supported. Supported versions are "
        "'2014-04-01-preview,2015-01-01,2018-05-01,2019-04-01,2019-08-01'. Please see https://aka.ms/arm-template for "
        "usage details."
    )


@said(public_output("a deployment of 2,187 resources, as its author tells it; of the other sections from memory"))
def too_many(what: str, section: str, limit: int, count: int) -> ServiceError:
    """Return the 400 for a template with too many resources, parameters, variables or outputs.

    Args:
        what: what there is too much of, in ARM's words.
        section: the section of the template.
        limit: how many there can be.
        count: how many there are.
    """
    return invalid_template(
        f"The number of {what} limit exceeded. Limit: '{limit}' and actual: '{count}'. Please see "
        f"https://aka.ms/arm-template/#{section} for usage details."
    )


@said(public_output("a deployment by the Azure Developer CLI to subscriptions of two tenants"))
def cross_tenant(subscription_id: str, tenant_id: str) -> ServiceError:
    """Return the 400 for a nested deployment to a subscription of another tenant.

    Args:
        subscription_id: the subscription.
        tenant_id: the tenant of whoever deploys.
    """
    return ServiceError(
        400,
        "CrossTenantDeploymentNotPermitted",
        f"The template deployment tries to deploy resources to subscription '{subscription_id}'. However, the current "
        f"tenant '{tenant_id}' is not authorized to deploy resources to that subscription. Please see "
        "https://aka.ms/arm-template/#resources for usage details.",
    )
