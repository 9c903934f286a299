"""Zones of a cluster's machines, decided once from Azure's offers to the subscription."""

from activities.checks import size_offers, vm_sizes
from activities.runtime.executor import Executor
from activities.runtime.step import Step
from shared.arm.errors import raise_all
from shared.documents import ClusterDocument

# If a region has more zones than these, it offers them for few sizes, and the installer knows only these.
_ZONES = frozenset({"1", "2", "3"})


def _decide_zones(step: Step) -> None:
    """Store three zones if masters and workers can have them, otherwise none.

    Either both masters and workers have zones, or neither. A second run finds the decision and asks nobody.

    Raises:
        CloudError: `InvalidParameter`, for the customer: a size is not offered in this region to this subscription.

    Source: ARO-RP `pkg/util/computeskus`, `pkg/cluster/zones.go`.
    """
    if "zones" in step.properties:
        return
    zones = _zones(step)

    def change(document: ClusterDocument) -> bool:
        properties = document["openShiftCluster"]["properties"]
        if "zones" in properties:
            return False
        properties["zones"] = zones
        return True

    step.decide(change)


def _zones(step: Step) -> list[str]:
    raise_all(vm_sizes.problems(step))
    offers = size_offers.offers(step)
    common = sorted(
        _ZONES.intersection(*(offers[size.lower()].zones for size in size_offers.wanted_sizes(step).values()))
    )
    return common if len(common) == len(_ZONES) else []


decide_zones = Executor(run=_decide_zones)
