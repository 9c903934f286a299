"""Zones and image of a cluster's machines, decided once from Azure's offers to the subscription and the catalogue."""

from activities.checks import size_offers, vm_sizes
from activities.machines import graph_inputs
from activities.runtime.executor import Executor
from activities.runtime.step import Step
from shared.arm.errors import raise_all
from shared.documents import ClusterDocument

# If a region has more zones than these, it offers them for few sizes, and the installer knows only these.
_ZONES = frozenset({"1", "2", "3"})


def _decide_zones(step: Step) -> None:
    """Store the machines' image, and three zones if masters and workers can have them, otherwise none.

    Either both masters and workers have zones, or neither. Every machine of this cluster boots the image that its
    version has now, whatever the catalogue says later. If the catalogue names none, the release is asked once there is
    a token for its registry (`activities/machines/machine_image.py`). A second run finds the decisions and asks nobody.

    Raises:
        CloudError: `InvalidParameter`, for the customer: a size is not offered in this region to this subscription.
            `InternalServerError`, for the operator: the catalogue has no image for this version.

    Source: ARO-RP `pkg/util/computeskus`, `pkg/cluster/zones.go`.
    """
    zones = step.properties["zones"] if "zones" in step.properties else _zones(step)
    image = graph_inputs.image(step)

    def change(document: ClusterDocument) -> bool:
        properties = document["openShiftCluster"]["properties"]
        changed = False
        if "zones" not in properties:
            properties["zones"], changed = zones, True
        if image and "rhcosImage" not in properties:
            properties["rhcosImage"], changed = image, True
        return changed

    step.decide(change)


def _zones(step: Step) -> list[str]:
    raise_all(vm_sizes.problems(step))
    offers = size_offers.offers(step)
    common = sorted(_ZONES.intersection(*(offers[size.lower()].zones for size in size_offers.wanted(step).values())))
    return common if len(common) == len(_ZONES) else []


decide_zones = Executor(run=_decide_zones)
