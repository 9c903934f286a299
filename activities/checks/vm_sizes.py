"""The machine sizes that Azure offers to the customer's subscription.

The list of a region is long, and three rows need it in the same seconds, so they share one reading per operation. The
check of the sizes itself always reads from Azure.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock
from typing import Any

from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.resource.resources import ResourceManagementClient

from activities.runtime.executor import Executor
from activities.runtime.step import Step
from shared.arm.errors import CloudError, invalid_parameter, summarize
from shared.arm.names import normal_location, same_location
from shared.azure import lists
from shared.clusters.checks.vm_sizes import MASTER_SIZES, WORKER_SIZES, close_matches

_MASTER = "properties.masterProfile"
_FEATURE = "Microsoft.Compute/EncryptionAtHost"
_FEATURES_VERSION = _SKUS_VERSION = "2021-07-01"


@dataclass(frozen=True)
class Offer:
    """One size in the cluster's region.

    Attributes:
        name: in Azure's spelling.
        family: name of its quota.
        cores: vCPUs.
        zones: zones in which the subscription may use it; empty in a region without zones.
        closed: why the subscription may not use it anywhere in the region, or "".
        encrypts_at_host: whether its host can encrypt what it writes.
    """

    name: str
    family: str
    cores: int
    zones: frozenset[str]
    closed: str
    encrypts_at_host: bool


@dataclass
class _Reading:
    """The reading of one operation: the first row reads, the others wait for it."""

    lock: Lock = field(default_factory=Lock)
    offers: dict[str, Offer] | None = None


@lru_cache(maxsize=32)
def _reading(_operation_id: str) -> _Reading:
    return _Reading()


def offers(step: Step) -> dict[str, Offer]:
    """Return the region's offers of the sizes that clusters may have, including this cluster's, by lower-case name."""
    reading = _reading(step.call["operationId"])
    with reading.lock:
        if reading.offers is None:
            reading.offers = _read(step)
        return reading.offers


def _read_anew(step: Step) -> None:
    """Read the current offers, even if a row of this operation has read them before."""
    reading = _reading(step.call["operationId"])
    with reading.lock:
        reading.offers = _read(step)


def _read(step: Step) -> dict[str, Offer]:
    sizes = {size.lower() for size in (*WORKER_SIZES, *wanted(step).values())}
    location = normal_location(step.cluster["location"])
    skus = lists.entries(
        step.customer(ComputeManagementClient),
        f"/subscriptions/{step.subscription_id}/providers/Microsoft.Compute/skus",
        api_version=_SKUS_VERSION,
        **{"$filter": f"location eq '{location}'"},
    )
    found = (sku for sku in skus if sku["resourceType"] == "virtualMachines" and sku["name"].lower() in sizes)
    return {sku["name"].lower(): _offer(sku, location) for sku in found}


def _offer(sku: dict[str, Any], location: str) -> Offer:
    zones = {
        zone
        for info in sku.get("locationInfo") or []
        if same_location(info["location"], location)
        for zone in info.get("zones") or []
    }
    closed = ""
    for restriction in sku.get("restrictions") or []:
        if restriction["type"] == "Location":
            closed = restriction["reasonCode"]
        else:
            zones -= set((restriction.get("restrictionInfo") or {}).get("zones") or [])
    capabilities = {each["name"]: each["value"] for each in sku.get("capabilities") or []}
    return Offer(
        name=sku["name"],
        family=sku.get("family") or "",
        cores=int(capabilities.get("vCPUs", 0)),
        zones=frozenset(zones),
        closed=closed,
        encrypts_at_host=capabilities.get("EncryptionAtHostSupported") == "True",
    )


def wanted(step: Step) -> dict[str, str]:
    """Return each size that the cluster wants, by its path in the request."""
    workers = {
        f'properties.workerProfiles["{profile["name"]}"].vmSize': profile["vmSize"]
        for profile in step.properties["workerProfiles"]
    }
    return {f"{_MASTER}.vmSize": step.properties["masterProfile"]["vmSize"]} | workers


def problems(step: Step) -> list[CloudError]:
    """Return why machines cannot have their sizes, one error for each."""
    offered = offers(step)
    found = []
    for target, size in wanted(step).items():
        offer = offered.get(size.lower())
        if offer is None:
            found.append(_not_offered(step, target, size, "is not offered in {location}"))
        elif offer.closed:
            closed = f"is closed to subscription '{step.subscription_id}' in {{location}} ({offer.closed})"
            found.append(_not_offered(step, target, size, closed))
    return found


def _not_offered(step: Step, target: str, size: str, why: str) -> CloudError:
    location = step.cluster["location"]
    may = MASTER_SIZES if target.startswith(_MASTER) else WORKER_SIZES
    open_sizes = frozenset(offer.name for offer in offers(step).values() if not offer.closed)
    close = close_matches(size, may & open_sizes)
    hint = f"Choose for example {' or '.join(close)}, or one" if close else "Choose one"
    return invalid_parameter(
        target,
        f"The VM size '{size}' {why.format(location=location)}. {hint} that this command lists without restrictions: "
        f"az vm list-skus --location {location} --resource-type virtualMachines --all",
    )


def _validate_vm_sizes(step: Step) -> None:
    """Check that the subscription may use every size in the cluster's region, with the features that its machines need.

    `decide_zones` decides the zones later; if a size is not offered in all three, the machines get no zones.

    Raises:
        CloudError: `InvalidParameter`, for the customer, with an entry for each size.

    Source: ARO-RP `pkg/validate/dynamic/sku.go`.
    """
    _read_anew(step)
    if found := [*problems(step), *_encryption_problems(step)]:
        raise summarize(found)


def _encryption_problems(step: Step) -> list[CloudError]:
    """Return what prevents encryption at host, if the cluster wants it: the size, or the subscription."""
    profiles = {_MASTER: step.properties["masterProfile"]} | {
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
