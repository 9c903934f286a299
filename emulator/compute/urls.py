"""The routes of Microsoft.Compute besides those that all resources have."""

from emulator.arm.call import Row
from emulator.compute import agreements, responses
from emulator.compute.versions import MACHINE_VERSIONS, SKU_VERSIONS

_PROVIDER = "/subscriptions/{subscription_id}/providers/Microsoft.Compute"
_LOCATION = _PROVIDER + "/locations/{location}"
_MACHINE = (
    "/subscriptions/{subscription_id}/resourcegroups/{group}/providers/Microsoft.Compute/virtualMachines/{machine}"
)
_MACHINES = "Microsoft.Compute/virtualMachines"
_VERSIONS = _LOCATION + "/publishers/{publisher}/artifacttypes/vmimage/offers/{offer}/skus/{sku}/versions"
_VERSIONS_TYPE = "Microsoft.Compute/locations/publishers/artifacttypes/offers/skus/versions"

ROWS = (
    Row("GET", _PROVIDER + "/skus", responses.list_skus, "Microsoft.Compute/skus", SKU_VERSIONS),
    Row("GET", _LOCATION + "/usages", responses.list_usages, "Microsoft.Compute/locations/usages", MACHINE_VERSIONS),
    Row("GET", _VERSIONS, responses.list_image_versions, _VERSIONS_TYPE, MACHINE_VERSIONS),
    Row("GET", _VERSIONS + "/{version}", responses.get_image_version, _VERSIONS_TYPE, MACHINE_VERSIONS),
    Row("GET", agreements.PATH, agreements.get_agreement, agreements.NAME, agreements.API_VERSIONS),
    Row("PUT", agreements.PATH, agreements.put_agreement, agreements.NAME, agreements.API_VERSIONS),
    Row("GET", _MACHINE, responses.get_machine, _MACHINES),
    Row("GET", _MACHINE + "/instanceView", responses.get_instance_view, f"{_MACHINES}/instanceView"),
)
