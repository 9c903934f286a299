"""The errors of deployments, with ARM's codes and words."""

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from emulator.core.errors import ServiceError
from emulator.core.store import Document
from emulator.deployments.positions import Path, Position, path_text


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


def not_supported(what: str) -> ServiceError:
    """Return the 400 for a part of Azure that the local Azure does not have."""
    return ServiceError(400, "NotSupportedByLocalAzure", f"The local Azure does not have {what}.")


def deployment_not_found(name: str) -> ServiceError:
    """Return the 404 for a deployment that does not exist."""
    return ServiceError(404, "DeploymentNotFound", f"Deployment '{name}' could not be found.")


def operation_not_found(operation_id: str, name: str) -> ServiceError:
    """Return the 404 for an operation that the deployment does not have."""
    return ServiceError(
        404,
        "DeploymentOperationNotFound",
        f"The deployment operation '{operation_id}' of deployment '{name}' could not be found.",
    )


def resource_group_not_found(name: str) -> ServiceError:
    """Return the 404 for a resource group that does not exist."""
    return ServiceError(404, "ResourceGroupNotFound", f"Resource group '{name}' could not be found.")


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


def location_missing(name: str) -> ServiceError:
    """Return the 400 for a deployment to a subscription without a location.

    Source: the error in issue 230 of Azure/azure-monitor-baseline-alerts.
    """
    return ServiceError(
        400,
        "InvalidDeployment",
        f"The 'location' property must be specified for '{name}'. Please see "
        "https://aka.ms/arm-deployment-subscription for usage details.",
    )


def location_not_allowed(name: str) -> ServiceError:
    """Return the 400 for a deployment to a resource group with a location."""
    return ServiceError(
        400,
        "InvalidDeployment",
        f"The 'location' property is not allowed for '{name}' at resource group scope. "
        "Please see https://aka.ms/deploy-to-subscription for usage details.",
    )


def location_not_for_deployments(location: str, available: Sequence[str]) -> ServiceError:
    """Return the 400 for a location that stores no deployments."""
    return ServiceError(
        400,
        "LocationNotAvailableForDeployment",
        f"The provided location '{location}' is not available for deployment. List of available regions is "
        f"'{','.join(available)}'.",
    )


def location_changed(name: str, wanted: str, current: str) -> ServiceError:
    """Return the 409 for a deployment whose name exists at the subscription in another location.

    Args:
        name: name of the deployment.
        wanted: the location in the request.
        current: the location of the existing deployment.

    Source: the error in issue 1 of mddazure/azure-route-server-lab.
    """
    return ServiceError(
        409,
        "InvalidDeploymentLocation",
        f"Invalid deployment location '{wanted}'. The deployment '{name}' already exists in location '{current}'.",
    )


def cannot_be_cancelled(name: str, state: str) -> ServiceError:
    """Return the 409 for cancelling a deployment that does not run."""
    return ServiceError(
        409,
        "DeploymentCannotBeCancelled",
        f"The deployment '{name}' cannot be cancelled because its provisioning state is '{state}'.",
    )


def cannot_be_deleted(name: str) -> ServiceError:
    """Return the 409 for deleting a deployment that runs."""
    return ServiceError(
        409,
        "DeploymentCannotBeDeleted",
        f"The deployment '{name}' cannot be deleted because it is running. Cancel it first.",
    )


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


def preflight_failed(name: str, failures: list[ServiceError]) -> ServiceError:
    """Return the 400 for a template with resources that their provider would refuse."""
    return ServiceError(
        400,
        "InvalidTemplateDeployment",
        f"The template deployment '{name}' is not valid according to the validation procedure. The tracking id is "
        f"'{uuid4()}'. See inner errors for details.",
        details=[failure.body() for failure in failures],
    )


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
    inner = ServiceError(409, error["code"], error["message"], target=record["id"], details=error.get("details") or ())
    return resource_deployment_failure(inner, state)


def deployment_failed(details: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the error for a deployment whose resources failed."""
    return {
        "code": "DeploymentFailed",
        "message": "At least one resource deployment operation failed. Please list deployment operations for details. "
        "Please see https://aka.ms/arm-deployment-operations for usage details.",
        "details": details,
    }
