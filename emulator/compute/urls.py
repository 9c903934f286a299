"""The routes of Microsoft.Compute besides those that all resources have."""

from emulator.arm.call import Row
from emulator.compute import responses
from emulator.compute.versions import MACHINE_VERSIONS, SKU_VERSIONS

_PROVIDER = "/subscriptions/{subscription_id}/providers/Microsoft.Compute"
_LOCATION = _PROVIDER + "/locations/{location}"
_MACHINE = (
    "/subscriptions/{subscription_id}/resourcegroups/{group}/providers/Microsoft.Compute/virtualMachines/{machine}"
)
_PUBLISHERS = _LOCATION + "/publishers"
_OFFERS = _PUBLISHERS + "/{publisher}/artifacttypes/vmimage/offers"
_SKUS = _OFFERS + "/{offer}/skus"
_VERSIONS = _SKUS + "/{sku}/versions"
_MACHINES = "Microsoft.Compute/virtualMachines"

ROWS = (
    Row("GET", _PROVIDER + "/skus", responses.list_skus, "Microsoft.Compute/skus", SKU_VERSIONS),
    Row("GET", _LOCATION + "/usages", responses.list_usages, "Microsoft.Compute/locations/usages", MACHINE_VERSIONS),
    Row("GET", _LOCATION + "/vmSizes", responses.list_sizes, "Microsoft.Compute/locations/vmSizes", MACHINE_VERSIONS),
    *(
        Row("GET", path, responses.list_images, "Microsoft.Compute/locations/publishers", MACHINE_VERSIONS)
        for path in (_PUBLISHERS, _OFFERS, _SKUS, _VERSIONS)
    ),
    Row(
        "GET", _VERSIONS + "/{version}", responses.get_image, "Microsoft.Compute/locations/publishers", MACHINE_VERSIONS
    ),
    Row("GET", _MACHINE, responses.get_machine, _MACHINES),
    Row("GET", _MACHINE + "/instanceView", responses.get_instance_view, f"{_MACHINES}/instanceView"),
)
