"""The resource providers that a cluster's resources need in the customer's subscription."""

from azure.mgmt.resource.resources import ResourceManagementClient

from activities.runtime.executor import Executor, TryAgain
from activities.runtime.step import Step
from shared.arm.errors import CloudError, ErrorCode, summarize
from shared.azure.sdk_values import text
from shared.steps import RetryClass

_PROVIDERS = ("Microsoft.Authorization", "Microsoft.Compute", "Microsoft.Network", "Microsoft.Storage")


def _validate_providers(step: Step) -> None:
    """Check that the subscription has registered every provider.

    Raises:
        CloudError: `ResourceProviderNotRegistered`, for the customer, with an entry for each.
        TryAgain: if a registration is in progress, and none is missing.

    Source: ARO-RP `pkg/validate/providers.go`.
    """
    providers = step.customer(ResourceManagementClient).providers
    states = {name: text(providers.get(name).registration_state) for name in _PROVIDERS}
    missing = {name: state for name, state in states.items() if state != "Registered"}
    if not missing:
        return
    error = summarize([_not_registered(step, name, state) for name, state in missing.items()])
    if set(missing.values()) == {"Registering"}:
        raise TryAgain(error, RetryClass.BUSY)
    raise error


def _not_registered(step: Step, name: str, state: str) -> CloudError:
    return CloudError(
        400,
        ErrorCode.RESOURCE_PROVIDER_NOT_REGISTERED,
        f"The resource provider '{name}' is '{state}' in subscription '{step.subscription_id}', not 'Registered'. "
        f"Register it with: az provider register --namespace {name} --subscription {step.subscription_id} --wait",
    )


validate_providers = Executor(run=_validate_providers)
