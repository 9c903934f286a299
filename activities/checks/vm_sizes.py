"""Checks the machine sizes that a cluster wants: whether the subscription may use them, and what they can do."""

from typing import Any

from azure.mgmt.resource.resources import ResourceManagementClient

from activities.checks import machine_images, size_offers
from activities.checks.size_offers import MASTER, offers, wanted_sizes
from activities.runtime.executor import Executor
from activities.runtime.step import Step
from shared.arm.errors import CloudError, invalid_parameter, summarize

_FEATURE = "Microsoft.Compute/EncryptionAtHost"
_FEATURES_VERSION = "2021-07-01"


def problems(step: Step) -> list[CloudError]:
    """Return why machines cannot have their sizes, one error for each."""
    offered = offers(step)
    found = []
    for target, size in wanted_sizes(step).items():
        offer = offered.get(size.lower())
        if offer is None:
            found.append(_not_offered(step, target, size, "is not offered in {location}"))
        elif offer.closed:
            closed = f"is closed to subscription '{step.subscription_id}' in {{location}} ({offer.closed})"
            found.append(_not_offered(step, target, size, closed))
    return found


def _not_offered(step: Step, target: str, size: str, why: str) -> CloudError:
    reason = why.format(location=step.cluster["location"])
    return invalid_parameter(target, f"The VM size '{size}' {reason}. {size_offers.advice(step, target, size)}")


def _validate_vm_sizes(step: Step) -> None:
    """Check that the subscription may use every size in the cluster's region, with the features that its machines need.

    The machines of each size must be able to boot the image. If that has to be read from the release,
    `decide_machine_image` checks it later. `decide_zones` decides the zones later; if a size is not offered in all
    three, the machines get no zones.

    Raises:
        CloudError: `InvalidParameter`, for the customer, with an entry for each size and for terms that nobody has
            accepted. `InternalServerError`, for the operator: the catalogue names no image, or one that is not there.

    Source: ARO-RP `pkg/validate/dynamic/sku.go`.
    """
    size_offers.read_anew(step)
    if found := [*problems(step), *_encryption_problems(step), *_image_problems(step)]:
        raise summarize(found)


def _image_problems(step: Step) -> list[CloudError]:
    try:
        image = machine_images.known_image(step)
    except CloudError as error:
        return [error]
    return [*machine_images.problems(step, image, machine_images.facts(step, image))] if image else []


def _encryption_problems(step: Step) -> list[CloudError]:
    """Return what prevents encryption at host, if the cluster wants it: the size, or the subscription."""
    profiles = {MASTER: step.properties["masterProfile"]} | {
        f'properties.workerProfiles["{profile["name"]}"]': profile for profile in step.properties["workerProfiles"]
    }
    wishes = {path: each["vmSize"] for path, each in profiles.items() if each.get("encryptionAtHost") == "Enabled"}
    found = []
    for path, size in wishes.items():
        offer = offers(step).get(size.lower())
        if offer is not None and not offer.encrypts_at_host:
            message = f"The VM size '{size}' does not support encryption at host. Choose another, or disable it."
            found.append(invalid_parameter(f"{path}.encryptionAtHost", message))
    if wishes and (state := _feature_state(step)) != "Registered":
        message = (
            f"The feature '{_FEATURE}' is '{state}' in subscription '{step.subscription_id}', not 'Registered', and "
            "Azure encrypts at host with it alone. Register it with: az feature register --namespace Microsoft.Compute "
            f"--name EncryptionAtHost --subscription {step.subscription_id}"
        )
        found.append(invalid_parameter(f"{next(iter(wishes))}.encryptionAtHost", message))
    return found


def _feature_state(step: Step) -> str:
    provider, name = _FEATURE.split("/")
    # The SDK puts the first slash before it.
    path = f"subscriptions/{step.subscription_id}/providers/Microsoft.Features/providers/{provider}/features/{name}"
    found = step.customer(ResourceManagementClient).resources.get_by_id(path, api_version=_FEATURES_VERSION)
    properties: dict[str, Any] = found.properties or {}
    return str(properties.get("state"))


validate_vm_sizes = Executor(run=_validate_vm_sizes)
