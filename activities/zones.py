"""The availability zones of a cluster's machines, decided once from what Azure offers to the customer's subscription."""

from activities import vm_sizes
from activities.executor import Executor
from activities.step import Step
from shared.arm.errors import raise_all
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
    raise_all(vm_sizes.problems(step))
    offers = vm_sizes.offers(step)
    common = sorted(_ZONES.intersection(*(offers[size.lower()].zones for size in vm_sizes.wanted(step).values())))
    zones = common if len(common) == len(_ZONES) else []

    def change(document: Document) -> bool:
        properties = document["openShiftCluster"]["properties"]
        if "zones" in properties:
            return False
        properties["zones"] = zones
        return True

    step.decide(change)


decide_zones = Executor(run=_decide_zones)
