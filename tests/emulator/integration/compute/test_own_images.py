"""Images of one's own, in galleries and alone, and images that are bought."""

from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError
from azure.core.rest import HttpRequest

from tests.emulator.integration.compute.stage import Stage, image

BOUGHT = {"publisher": "redhat", "offer": "rh-ocp-worker", "sku": "rh-ocp-worker-gen1", "version": "413.92.2023101700"}
PLAN = {"name": BOUGHT["sku"], "product": BOUGHT["offer"], "publisher": BOUGHT["publisher"]}


def lay_image(stage: Stage, group: str, generation: str, controllers: str) -> str:
    """Create a gallery with one image; return the id of the image's version."""
    path, version = "Microsoft.Compute/galleries/images_of_mine", "2022-03-03"
    stage.put(group, path, {"location": "eastus", "properties": {}}, version)
    definition: dict[str, Any] = {
        "location": "eastus",
        "properties": {
            "hyperVGeneration": generation,
            "features": [{"name": "DiskControllerTypes", "value": controllers}],
            "identifier": {"publisher": "RedHat", "offer": "rhcos", "sku": "basic"},
            "osState": "Generalized",
            "osType": "Linux",
        },
    }
    stage.put(group, f"{path}/images/rhcos", definition, version)
    source = {"id": stage.id(group, "Microsoft.Compute/images/source")}
    content = {"location": "eastus", "properties": {"storageProfile": {"source": source}}}
    return stage.put(group, f"{path}/images/rhcos/versions/1.0.0", content, version)


def test_a_machine_boots_an_image_of_ones_own(stage: Stage, compute: Any, group: str) -> None:
    """Its disk names where it comes from, and a size with NVMe disks alone needs an image with their driver."""
    own = lay_image(stage, group, "V2", "SCSI, NVMe")
    for name, size in (("old", "Standard_D8s_v5"), ("new", "Standard_D8s_v6")):
        reference = {"storageProfile__imageReference": {"id": own}, "hardwareProfile__vmSize": size}
        body = stage.machine(group, name, **reference)
        compute.virtual_machines.begin_create_or_update(group, name, body, polling=False)
        made = compute.virtual_machines.get(group, name)
        assert made.storage_profile.image_reference.id == own
        disk = compute.disks.get(group, f"{name}_OSDisk")
        assert disk.creation_data.gallery_image_reference.id == own


@pytest.mark.parametrize(
    ("image_of", "message"),
    [(("V1", "SCSI, NVMe"), "Hypervisor Generation '1'"), (("V2", "SCSI"), "disk controller types")],
)
def test_a_size_that_cannot_boot_an_image_is_refused(
    stage: Stage, compute: Any, group: str, image_of: tuple[str, str], message: str
) -> None:
    """With the words of Azure."""
    own = lay_image(stage, group, *image_of)
    reference: dict[str, Any] = {
        "storageProfile__imageReference": {"id": own},
        "hardwareProfile__vmSize": "Standard_D8s_v6",
    }
    with pytest.raises(HttpResponseError, match=message):
        compute.virtual_machines.begin_create_or_update(group, "vm", stage.machine(group, **reference))


def agreement(compute: Any, method: str, accepted: bool = False) -> Any:
    """Read or write the terms of a plan, as `az vm image terms` does."""
    path = (
        f"/subscriptions/{compute._config.subscription_id}/providers/Microsoft.MarketplaceOrdering/offerTypes/"
        f"virtualmachine/publishers/{PLAN['publisher']}/offers/{PLAN['product']}/plans/{PLAN['name']}/agreements/current"
    )
    body = {"properties": {"accepted": accepted}} if method == "PUT" else None
    request = HttpRequest(method, f"https://management.azure.com{path}?api-version=2021-01-01", json=body)
    answered = compute._client.send_request(request)
    answered.raise_for_status()
    return answered.json()["properties"]["accepted"]


def test_an_image_that_is_bought_needs_its_plan_and_its_terms(stage: Stage, compute: Any, group: str) -> None:
    """The version of the image says which plan it is; a subscription accepts its terms once."""
    shown = compute.virtual_machine_images.get("eastus", *BOUGHT.values())
    assert shown.plan.as_dict() == PLAN
    assert compute.virtual_machine_images.get("eastus", *image().values()).plan is None
    body = stage.machine(group, storageProfile__imageReference=BOUGHT)
    with pytest.raises(HttpResponseError, match="VMMarketplaceInvalidInput"):
        compute.virtual_machines.begin_create_or_update(group, "vm", body)
    assert agreement(compute, "GET") is False
    with pytest.raises(HttpResponseError, match="MarketplacePurchaseEligibilityFailed"):
        compute.virtual_machines.begin_create_or_update(group, "vm", body | {"plan": PLAN})
    assert agreement(compute, "PUT", accepted=True) is True
    compute.virtual_machines.begin_create_or_update(group, "vm", body | {"plan": PLAN}, polling=False)
    assert compute.virtual_machines.get(group, "vm").plan.name == PLAN["name"]
    assert agreement(compute, "PUT", accepted=False) is False
