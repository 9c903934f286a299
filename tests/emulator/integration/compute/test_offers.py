"""What Microsoft.Compute lists: sizes by region, usage and quotas, and images."""

from typing import Any

import pytest
import requests
from azure.core.exceptions import HttpResponseError, ResourceNotFoundError

from tests.emulator.integration.compute.stage import Stage, changed


def _skus(compute: Any, location: str) -> dict[str, Any]:
    listed = compute.resource_skus.list(filter=f"location eq '{location}'")
    return {sku.name: sku for sku in listed if sku.resource_type == "virtualMachines"}


def test_skus_tell_zones_and_restrictions(compute: Any) -> None:
    """The list of SKUs shows each size's family, capabilities, zones and restrictions."""
    east, west = _skus(compute, "eastus"), _skus(compute, "westus")
    size = east["Standard_D8s_v5"]
    assert size.family == "standardDSv5Family"
    assert {capability.name: capability.value for capability in size.capabilities}["vCPUs"] == "8"
    assert size.location_info[0].zones == ["1", "2", "3"]
    assert east["Standard_E104is_v5"].restrictions[0].type == "Location"
    assert east["Standard_M128ms"].restrictions[0].restriction_info.zones == ["3"]
    assert west["Standard_D8s_v5"].location_info[0].zones == []
    assert "Standard_D8s_v6" not in west


def test_skus_of_all_regions_are_listed_without_a_filter(compute: Any) -> None:
    """Each size has one entry per region, as in Azure; a filter other than by location is refused."""
    regions = {sku.locations[0] for sku in compute.resource_skus.list() if sku.name == "Standard_D8s_v5"}
    assert {"eastus", "westus"} <= regions
    with pytest.raises(HttpResponseError, match="location eq"):
        list(compute.resource_skus.list(filter="name eq 'x'"))


def test_usages_count_machines_cores_and_disks(stage: Stage, compute: Any, group: str) -> None:
    """Cores count by family and in total; a deleted machine no longer counts, but the disk it leaves does."""

    def used(name: str) -> int:
        usage = next(usage for usage in compute.usage.list("eastus") if usage.name.value == name)
        return int(usage.current_value)

    names = ("cores", "standardDSv5Family", "virtualMachines", "PremiumDiskCount")
    before = {name: used(name) for name in names}
    compute.virtual_machines.begin_create_or_update(group, "vm", stage.machine(group), polling=False)
    assert [used(name) - before[name] for name in names] == [8, 8, 1, 1]
    compute.virtual_machines.begin_delete(group, "vm", polling=False)
    assert [used(name) - before[name] for name in names] == [0, 0, 0, 1]


def test_a_quota_of_the_control_service_stops_a_machine(stage: Stage, compute: Any, group: str) -> None:
    """The error names the family, the limit, the current usage and the cores required; a smaller size passes."""
    control = f"http://localhost:{stage.platform.ports['control']}/quotas"
    quota = {"subscription": stage.subscription_id, "location": "eastus", "family": "standardESv4Family", "limit": 10}
    body = stage.machine(group, hardwareProfile__vmSize="Standard_E16s_v4")
    with requests.Session() as session:
        assert session.put(control, json=quota).json() == quota
        listed = session.get(control, params={"subscription": stage.subscription_id, "location": "eastus"}).json()
        refused = session.put(control, json=quota | {"family": "standardXFamily"})
    assert [usage["limit"] for usage in listed["value"] if usage["name"]["value"] == "standardESv4Family"] == [10]
    assert refused.status_code == 400
    assert "standardXFamily" in refused.json()["error"]["message"]
    with pytest.raises(HttpResponseError) as failure:
        compute.virtual_machines.begin_create_or_update(group, "vm", body)
    assert failure.value.status_code == 409
    assert failure.value.error is not None
    assert failure.value.error.code == "OperationNotAllowed"
    assert (
        "exceeding approved standardESv4Family Cores quota. Additional details - Deployment Model: Resource Manager, "
        "Location: eastus, Current Limit: 10, Current Usage: 0, Additional Required: 16, (Minimum) New Limit Required: "
        "16." in str(failure.value.error.message)
    )
    compute.virtual_machines.begin_create_or_update(
        group, "vm", changed(body, hardwareProfile__vmSize="Standard_E8s_v4"), polling=False
    )


def test_the_versions_of_an_image_are_found(compute: Any) -> None:
    """A version shows the generation of the machines that boot from it, and exists for whoever knows its name."""
    images = compute.virtual_machine_images
    of_openshift = ("eastus", "azureopenshift", "aro4", "aro_419")
    [listed] = images.list(*of_openshift)
    for version in (listed.name, "419.94.20991231"):
        image = images.get(*of_openshift, version)
        assert (image.name, image.hyper_v_generation, image.architecture) == (version, "V1", "x64")
        assert image.os_disk_image.operating_system == "Linux"
    newer = ("eastus", "Canonical", "ubuntu-24_04-lts", "server")
    assert images.get(*newer, images.list(*newer)[0].name).hyper_v_generation == "V2"


@pytest.mark.parametrize(("sku", "version"), [("aro_421", "421.6.20260101"), ("aro_419", "4.19")])
def test_a_version_that_does_not_exist_is_not_found(compute: Any, sku: str, version: str) -> None:
    """Neither of a SKU that does not exist, nor of a form that the SKU's versions do not have."""
    with pytest.raises(ResourceNotFoundError):
        compute.virtual_machine_images.get("eastus", "azureopenshift", "aro4", sku, version)


def test_extended_locations_may_be_left_out_of_the_skus(compute: Any) -> None:
    """There are none here, so the list is the same either way."""
    lists = [
        [
            sku.name
            for sku in compute.resource_skus.list(filter="location eq 'eastus'", include_extended_locations=extended)
        ]
        for extended in ("false", "true")
    ]
    assert lists[0] == lists[1] != []
