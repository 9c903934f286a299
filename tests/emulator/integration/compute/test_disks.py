"""Managed disks with `azure-mgmt-compute`."""

from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError

from tests.emulator.integration.compute.stage import Stage, changed

KEPT: Any = {
    "location": "eastus",
    "sku": {"name": "Premium_LRS"},
    "properties": {"creationData": {"createOption": "Empty"}, "diskSizeGB": 200},
}


def _attached(disk_id: str, lun: int = 0) -> dict[str, Any]:
    return {"lun": lun, "createOption": "Attach", "managedDisk": {"id": disk_id}}


def test_a_disk_can_be_attached_detached_and_deleted(stage: Stage, compute: Any, group: str) -> None:
    """A disk belongs to one machine at a time; a machine may also create empty disks."""
    disk = compute.disks.begin_create_or_update(group, "data", KEPT).result()
    assert (disk.properties.disk_state, disk.properties.tier, disk.managed_by) == ("Unattached", "P15", None)
    empty = {"lun": 1, "createOption": "Empty", "name": "scratch", "diskSizeGB": 32}
    body = stage.machine(group, "first", storageProfile__dataDisks=[_attached(disk.id), empty])
    compute.virtual_machines.begin_create_or_update(group, "first", body, polling=False)
    owner = stage.id(group, "Microsoft.Compute/virtualMachines/first")
    assert {disk.name: disk.managed_by for disk in compute.disks.list_by_resource_group(group)} == dict.fromkeys(
        ("data", "scratch", "first_OSDisk"), owner
    )
    other = stage.machine(group, "second", storageProfile__dataDisks=[_attached(disk.id)])
    with pytest.raises(HttpResponseError, match="already owned by VM"):
        compute.virtual_machines.begin_create_or_update(group, "second", other)
    compute.virtual_machines.begin_create_or_update(
        group, "first", changed(body, storageProfile__dataDisks=[]), polling=False
    )
    assert compute.disks.get(group, "data").managed_by is None
    compute.virtual_machines.begin_create_or_update(group, "second", other, polling=False)
    assert compute.disks.get(group, "data").properties.disk_state == "Attached"


def test_a_disk_that_outlived_its_machine_can_be_the_disk_of_another(stage: Stage, compute: Any, group: str) -> None:
    """The disk already holds an operating system, so the new machine takes neither an image nor an `osProfile`."""
    compute.virtual_machines.begin_create_or_update(group, "old", stage.machine(group, "old"), polling=False)
    disk_id = compute.disks.get(group, "old_OSDisk").id
    compute.virtual_machines.begin_delete(group, "old").result()
    disk = {"createOption": "Attach", "osType": "Linux", "managedDisk": {"id": disk_id}}
    body = stage.machine(group, "new", storageProfile={"osDisk": disk})
    compute.virtual_machines.begin_create_or_update(group, "new", changed(body, osProfile=None), polling=False)
    assert compute.virtual_machines.get(group, "new").properties.storage_profile.os_disk.name == "old_OSDisk"
    assert compute.virtual_machines.instance_view(group, "new").disks[0].name == "old_OSDisk"


def test_disks_can_be_encrypted_with_a_set_that_is_there(stage: Stage, compute: Any, group: str) -> None:
    """The disk encryption set must exist, and it cannot be deleted while a machine refers to it."""
    vault = stage.id(group, "Microsoft.KeyVault/vaults/v")
    key = {"keyUrl": "https://v.vault.azure.net/keys/k/1", "sourceVault": {"id": vault}}
    encryption = stage.put(
        group,
        "Microsoft.Compute/diskEncryptionSets/set",
        {"location": "eastus", "properties": {"activeKey": key}},
        "2024-03-02",
    )
    managed = {"storageAccountType": "Premium_LRS", "diskEncryptionSet": {"id": encryption}}
    body = stage.machine(group, storageProfile__osDisk__managedDisk=managed)
    compute.virtual_machines.begin_create_or_update(group, "vm", body, polling=False)
    shown = compute.disks.get(group, "vm_OSDisk").properties.encryption
    assert shown.as_dict() == {"type": "EncryptionAtRestWithCustomerKey", "diskEncryptionSetId": encryption}
    with pytest.raises(HttpResponseError, match="in use by"):
        compute.disk_encryption_sets.begin_delete(group, "set")
    missing = managed | {"diskEncryptionSet": {"id": f"{encryption}-none"}}
    other = stage.machine(group, "other", storageProfile__osDisk__managedDisk=missing)
    with pytest.raises(HttpResponseError, match="InvalidResourceReference"):
        compute.virtual_machines.begin_create_or_update(group, "other", other)
