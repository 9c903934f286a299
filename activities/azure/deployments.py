"""ARM template deployments: how to begin, poll and cancel them, and how to explain their failures.

Each step has one deployment, whose name is known, so nothing about it is stored. It carries a digest of what was sent,
so that a repeated step recognizes its own finished deployment and sends nothing.
"""

from collections.abc import Callable

from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.mgmt.resource.deployments import DeploymentsMgmtClient
from azure.mgmt.resource.deployments.models import (
    Deployment,
    DeploymentExtended,
    DeploymentParameter,
    DeploymentProperties,
)

from activities.runtime.executor import Executor, Outcome, Rendered, TryAgain, wait
from activities.runtime.step import Step
from shared.arm.async_operations import ENDED
from shared.arm.errors import CloudError, CloudErrorBody, ErrorCode, Owner
from shared.azure import azure_errors, templates
from shared.azure.sdk_values import text
from shared.azure.templates import Parameters
from shared.steps import RetryClass

DIGEST = "aro-template"
# Codes of a failed deployment that pass by themselves: roles that have not spread yet, and trouble inside Azure.
_PASSING = {
    "AuthorizationFailed": RetryClass.AUTHORIZATION,
    "LinkedAuthorizationFailed": RetryClass.AUTHORIZATION,
    "PrincipalNotFound": RetryClass.AUTHORIZATION,
    "TooManyRequests": RetryClass.GIVEN_UP,
    "InternalServerError": RetryClass.GIVEN_UP,
    "InternalError": RetryClass.GIVEN_UP,
    # Of the storage service, https://learn.microsoft.com/rest/api/storageservices/common-rest-api-error-codes.
    "ServerBusy": RetryClass.GIVEN_UP,
    "OperationTimedOut": RetryClass.GIVEN_UP,
    "ServerTimeout": RetryClass.GIVEN_UP,
    "ServiceUnavailable": RetryClass.GIVEN_UP,
    "RetryableError": RetryClass.GIVEN_UP,
    "AnotherOperationInProgress": RetryClass.GIVEN_UP,
    # No capacity in this part of the region at the moment, which changes by the minute.
    "AllocationFailed": RetryClass.GIVEN_UP,
    "ZonalAllocationFailed": RetryClass.GIVEN_UP,
}


def _nothing_more(_step: Step) -> None:
    """Store nothing about a deployment."""


def executor(
    name: str,
    parameters: Callable[[Step], Parameters],
    validate: Callable[[Step], list[str]],
    store: Callable[[Step], None] = _nothing_more,
    rendered_parameters: Callable[[Step], Parameters] | None = None,
) -> Executor[Step]:
    """Return the executor that deploys a template.

    Args:
        name: name of the template and the deployment.
        parameters: returns the parameters for a step; none of them secret, because they are rendered.
        validate: returns what is missing before the deployment can begin, one sentence each.
        store: stores what the deployment has made, once it has succeeded. It may run twice.
        rendered_parameters: returns the parameters for a dry run, where the cluster's group may not exist yet; by
            default those of the step.
    """

    def stored(step: Step, outcome: Outcome | None) -> Outcome | None:
        if outcome is None:
            store(step)
        return outcome

    def render_it(step: Step) -> list[Rendered]:
        values = (rendered_parameters or parameters)(step)
        return [dict(render(name, values, templates.digest(name, values)))]

    return Executor(
        run=lambda step: stored(step, begin(step, name, parameters(step))),
        status=lambda step: stored(step, status(step, name, parameters)),
        cancel=lambda step: cancel(step, name),
        validate=validate,
        render=render_it,
    )


def begin(step: Step, name: str, parameters: Parameters, clear: Callable[[Step], None] | None = None) -> Outcome | None:
    """Begin the deployment of a template of the same name, unless it runs or has succeeded with the same content.

    Args:
        step: the step; its cluster's resource group is the target.
        name: name of the template and the deployment.
        parameters: name to value; none of them secret, because the deployment carries their digest.
        clear: removes leftovers of an earlier deployment that this one could not fix; raises while that takes time.
    """
    digest = templates.digest(name, parameters)
    existing = _find(step, name)
    if existing is not None and state(existing) not in ENDED:
        return wait(f"deployment '{name}' is {state(existing)}")
    if existing is not None and state(existing) == "Succeeded" and (existing.tags or {}).get(DIGEST) == digest:
        return None
    if existing is not None and clear is not None:
        clear(step)
    try:
        _client(step).deployments.begin_create_or_update(
            step.resource_group, name, render(name, parameters, digest), polling=False
        )
    except HttpResponseError as error:
        # Somebody, most likely this step's own first delivery, has begun it between our two calls.
        if azure_errors.azure_code(error) != "DeploymentActive":
            raise
    return wait(f"deployment '{name}' has begun")


def render(name: str, parameters: Parameters, digest: str) -> Deployment:
    """Return the body that is sent to Azure.

    Args:
        name: name of the template.
        parameters: name to value.
        digest: tag by which the deployment is recognized.
    """
    return Deployment(
        properties=DeploymentProperties(
            mode="Incremental",
            template=templates.load(name),
            parameters={key: DeploymentParameter(value=value) for key, value in parameters.items()},
        ),
        tags={DIGEST: digest},
    )


def status(
    step: Step, name: str, parameters: Callable[[Step], Parameters], clear: Callable[[Step], None] | None = None
) -> Outcome | None:
    """Tell whether a deployment is done. If another one of its name has ended, begin the one that is wanted.

    That one may have run when this row began: an earlier attempt or update began it, and this row waited for its end.

    Args:
        step: as in `begin`.
        name: as there.
        parameters: returns them; they may be long to read, and are needed only at the end.
        clear: as there.

    Raises:
        CloudError: if it failed for a reason that somebody has to fix.
        TryAgain: if it failed for a reason that may pass.
    """
    deployment = _find(step, name)
    if deployment is None:
        gone = CloudError(500, ErrorCode.DEPLOYMENT_FAILED, f"The deployment '{name}' has disappeared.")
        raise TryAgain(gone, RetryClass.GIVEN_UP)
    found = state(deployment)
    if found not in ENDED:
        return wait(f"deployment '{name}' is {found}")
    wanted = parameters(step)
    if (deployment.tags or {}).get(DIGEST) != templates.digest(name, wanted):
        return begin(step, name, wanted, clear)
    if found == "Succeeded":
        return None
    raise _explain(step, deployment)


def cancel(step: Step, name: str) -> Outcome | None:
    """Cancel a running deployment, and wait until it has ended."""
    deployment = _find(step, name)
    return cancel_running(step, [deployment] if deployment is not None else [])


def cancel_all(step: Step) -> Outcome | None:
    """Cancel everything that runs in the cluster's resource group, and wait until all of it has ended."""
    return cancel_running(step, list(_client(step).deployments.list_by_resource_group(step.resource_group)))


def cancel_running(step: Step, deployments: list[DeploymentExtended]) -> Outcome | None:
    """Cancel those of the deployments that run."""
    running = [deployment for deployment in deployments if state(deployment) not in ENDED]
    for deployment in running:
        try:
            _client(step).deployments.cancel(step.resource_group, str(deployment.name))
        except HttpResponseError as error:
            # It has ended, or is being cancelled already; the next poll tells.
            if error.status_code != 409:  # noqa: PLR2004 - Conflict
                raise
    return wait(f"deployment '{running[0].name}' is being cancelled") if running else None


def _find(step: Step, name: str) -> DeploymentExtended | None:
    try:
        return _client(step).deployments.get(step.resource_group, name)
    except ResourceNotFoundError:
        return None


def _client(step: Step) -> DeploymentsMgmtClient:
    return step.customer(DeploymentsMgmtClient)


def state(deployment: DeploymentExtended) -> str:
    """Return the state of a deployment, in Azure's word."""
    return text(deployment.properties.provisioning_state if deployment.properties else "")


def _explain(step: Step, deployment: DeploymentExtended) -> Exception:
    """Build the error of a failed deployment from its operations, which name the resources and the causes."""
    name, properties = str(deployment.name), deployment.properties
    causes = _failed_operations(step, name)
    whole = getattr(properties, "error", None)
    if not causes:
        ended = CloudErrorBody(code=state(deployment), message=f"It is {state(deployment)}.")
        causes = [azure_errors.body_of(whole) if whole is not None else ended]
    failures = [azure_errors.our_error(400, cause) for cause in causes]
    # If several resources failed, the one whose cause somebody can fix comes first; the others often failed because of
    # it.
    error = next((each for each in failures if _is_known(each)), failures[0])
    resource = error.details[0].get("target", "")
    error.message = f"The deployment '{name}' failed: {error.message}"
    error.details = [
        *causes,
        *([CloudErrorBody(code="AzureResource", message=resource)] if resource else []),
        CloudErrorBody(code="AzureCorrelationId", message=str(getattr(properties, "correlation_id", ""))),
    ]
    retry_class = next((found for code in codes(causes) if (found := _PASSING.get(code))), RetryClass.NONE)
    return TryAgain(error, retry_class) if retry_class != RetryClass.NONE else error


def _is_known(error: CloudError) -> bool:
    return error.code != ErrorCode.DEPLOYMENT_FAILED or error.owner != Owner.AZURE


def _failed_operations(step: Step, name: str) -> list[CloudErrorBody]:
    causes = []
    for operation in _client(step).deployment_operations.list(step.resource_group, name):
        properties = operation.properties
        if properties is None or properties.provisioning_state != "Failed":
            continue
        told = getattr(properties.status_message, "error", None)
        cause = (
            azure_errors.body_of(told)
            if told
            else CloudErrorBody(code=str(properties.status_code), message="It failed.")
        )
        target = getattr(properties.target_resource, "id", None)
        causes.append(cause | CloudErrorBody(target=str(target)) if target else cause)
    return causes


def codes(causes: list[CloudErrorBody]) -> list[str]:
    """Return every code in these causes, including the innermost."""
    return [code for cause in causes for code in [cause["code"], *codes(cause.get("details", []))]]
