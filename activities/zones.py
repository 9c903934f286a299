"""The availability zones of a cluster's machines, decided once from what Azure offers to the customer's subscription."""

from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.compute.models import ResourceSku

from activities.executor import Executor
from activities.step import Step
from shared.arm.errors import CloudError, invalid_parameter, raise_all
from shared.store import Document

# Regions with more zones than these offer them to few sizes, and the installer knows none beyond.
_ZONES = frozenset({"1", "2", "3"})


def _decide_zones(step: Step) -> None:
    """Store three zones where masters and workers can have them, and none where one of them cannot.

    Masters and workers are both zonal or both regional. A second run finds the decision and asks nobody.

    Raises:
        CloudError: `InvalidParameter`, for the customer: a size is not offered in this region to this subscription.

    Source: ARO-RP `pkg/util/computeskus`, `pkg/cluster/zones.go`.
    """
    if "zones" in step.properties:
        return
    sizes = _sizes(step)
    offered = _offered(step, {size.lower() for size in sizes.values()})
    raise_all([_not_offered(step, target, size) for target, size in sizes.items() if size.lower() not in offered])
    common = sorted(_ZONES.intersection(*offered.values()))
    zones = common if len(common) == len(_ZONES) else []

    def change(document: Document) -> bool:
        properties = document["openShiftCluster"]["properties"]
        if "zones" in properties:
            return False
        properties["zones"] = zones
        return True

    step.decide(change)


def _sizes(step: Step) -> dict[str, str]:
    """Return each size that the cluster wants, by its place in the request."""
    workers = {
        f'properties.workerProfiles["{profile["name"]}"].vmSize': profile["vmSize"]
        for profile in step.properties["workerProfiles"]
    }
    return {"properties.masterProfile.vmSize": step.properties["masterProfile"]["vmSize"]} | workers


def _offered(step: Step, sizes: set[str]) -> dict[str, set[str]]:
    """Return the zones of those sizes that the subscription may have in the cluster's region.

    The list holds everything that Azure sells there, so it is read page by page and only while something is missing.
    """
    location = step.cluster["location"].lower()
    offered: dict[str, set[str]] = {}
    asked = set(sizes)
    for sku in step.customer(ComputeManagementClient).resource_skus.list(filter=f"location eq '{location}'"):
        name = str(sku.name).lower()
        if sku.resource_type != "virtualMachines" or name not in asked:
            continue
        asked.remove(name)
        if (zones := _zones(sku, location)) is not None:
            offered[name] = zones
        if not asked:
            break
    return offered


def _zones(sku: ResourceSku, location: str) -> set[str] | None:
    """Return the zones that a size is offered in; None when the whole region is closed to the subscription."""
    zones = {
        zone for info in sku.location_info or [] if str(info.location).lower() == location for zone in info.zones or []
    }
    for restriction in sku.restrictions or []:
        if restriction.type == "Location":
            return None
        if restriction.restriction_info is not None:
            zones -= set(restriction.restriction_info.zones or [])
    return zones


def _not_offered(step: Step, target: str, size: str) -> CloudError:
    return invalid_parameter(
        target,
        f"The VM size '{size}' is not offered in {step.cluster['location']} to subscription '{step.subscription_id}'. "
        f"Choose one that this command lists without restrictions: "
        f"az vm list-skus --location {step.cluster['location']} --resource-type virtualMachines --all",
    )


decide_zones = Executor(run=_decide_zones)
