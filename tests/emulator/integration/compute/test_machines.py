"""Virtual machines with `azure-mgmt-compute`."""

import json
from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError, ResourceNotFoundError

from emulator.core.faults import Fault
from emulator.core.service_error import ServiceError
from emulator.json_object import Json
from tests.emulator.integration.compute.stage import NETWORK_VERSION, Stage, changed, encoded, image
from tests.local_azure import wait_for

TIMED_OUT = ServiceError(
    409, "OSProvisioningTimedOut", "OS Provisioning for VM 'vm' did not finish in the allotted time."
)


def test_a_machine_comes_with_its_disk_and_shows_no_secret(stage: Stage, compute: Any, group: str) -> None:
    """The guest receives customData; responses and logs show neither customData nor the password."""
    made = compute.virtual_machines.begin_create_or_update(group, "vm", stage.machine(group)).result()
    assert made.properties.provisioning_state == "Succeeded"
    assert made.properties.storage_profile.image_reference.exact_version == "419.6.20250523"
    assert stage.guests.told == [("on", "vm")]
    assert stage.guests.booted["vm"]["private"]["customData"] == encoded("secret pointer")
    shown = json.dumps(compute.virtual_machines.get(group, "vm", expand="instanceView").as_dict())
    journal = "".join(path.read_text() for path in (stage.platform.root / "logs").iterdir())
    for secret in (encoded("secret pointer"), "NotActuallyApplied"):
        assert secret not in shown + journal
    disk = compute.disks.get(group, "vm_OSDisk")
    assert disk.managed_by == made.id
    assert (disk.properties.disk_state, disk.properties.tier) == ("Attached", "P30")
    interface = stage.arm.get_resource(stage.id(group, "Microsoft.Network/networkInterfaces/vm-nic"), "2024-05-01")
    assert interface is not None
    assert interface["properties"]["virtualMachine"]["id"] == made.id


def test_a_machine_is_made_when_its_guest_says_so(stage: Stage, compute: Any, group: str) -> None:
    """The operation ends when the guest reports, however much time has passed."""
    stage.guests.outcomes["vm"] = "waiting"
    poller = compute.virtual_machines.begin_create_or_update(group, "vm", stage.machine(group))
    stage.local.run(stage.platform.clock.sleep(30))
    assert compute.virtual_machines.get(group, "vm").properties.provisioning_state == "Creating"
    assert not poller.done()
    stage.guests.outcomes["vm"] = "done"
    assert poller.result().properties.provisioning_state == "Succeeded"


def test_a_guest_that_never_reports_fails_its_machine(stage: Stage, compute: Any, group: str) -> None:
    """The machine stays in state Failed until a later PUT succeeds."""
    stage.guests.outcomes["vm"] = TIMED_OUT
    body = stage.machine(group)
    with pytest.raises(HttpResponseError) as failure:
        compute.virtual_machines.begin_create_or_update(group, "vm", body).result()
    assert failure.value.error is not None
    assert failure.value.error.code == "OSProvisioningTimedOut"
    machine = compute.virtual_machines.get(group, "vm", expand="instanceView")
    assert machine.properties.provisioning_state == "Failed"
    assert machine.properties.instance_view.statuses[0].code == "ProvisioningState/failed/OSProvisioningTimedOut"
    stage.guests.outcomes["vm"] = "done"
    again = compute.virtual_machines.begin_create_or_update(group, "vm", body).result()
    assert again.properties.provisioning_state == "Succeeded"


def test_a_put_of_the_same_boots_nothing(stage: Stage, compute: Any, group: str) -> None:
    """A deployment may be repeated, and what GET answered may be put back."""
    body = stage.machine(group, zones=["2"])
    first = compute.virtual_machines.begin_create_or_update(group, "vm", body).result()
    second = compute.virtual_machines.begin_create_or_update(group, "vm", body).result()
    third = compute.virtual_machines.begin_create_or_update(group, "vm", second).result()
    assert first.properties.vm_id == third.properties.vm_id
    assert stage.guests.told == [("on", "vm")]


@pytest.mark.parametrize(
    ("path", "value", "target"),
    [
        ("osProfile__customData", encoded("other"), "osProfile.customData"),
        ("osProfile__adminPassword", "Another1!", "osProfile.adminPassword"),
        ("osProfile__computerName", "other", "osProfile.computerName"),
        ("storageProfile__imageReference", image("aro_418", "418.94.20250122"), "imageReference.sku"),
        ("storageProfile__osDisk__name", "other", "osDisk.name"),
        ("zones", ["2"], "zones"),
    ],
)
def test_what_a_machine_keeps_for_its_life_cannot_change(  # noqa: PLR0917 - fixtures, then one row of the table
    stage: Stage, compute: Any, group: str, path: str, value: Any, target: str
) -> None:
    """409 PropertyChangeNotAllowed names the property."""
    body = stage.machine(group, zones=["1"])
    compute.virtual_machines.begin_create_or_update(group, "vm", body, polling=False)
    with pytest.raises(HttpResponseError) as failure:
        compute.virtual_machines.begin_create_or_update(group, "vm", changed(body, **{path: value}))
    assert failure.value.status_code == 409
    assert failure.value.error is not None
    assert (failure.value.error.code, failure.value.error.message) == (
        "PropertyChangeNotAllowed",
        f"Changing property '{target}' is not allowed.",
    )


REFUSED: list[tuple[str, Json, int, str, str]] = [
    (
        "a size kept from the subscription",
        {"hardwareProfile__vmSize": "Standard_E104is_v5"},
        409,
        "SkuNotAvailable",
        "eastus",
    ),
    ("an unknown SKU", {"storageProfile__imageReference": image("aro_499")}, 404, "PlatformImageNotFound", "aro_499"),
    ("a member that does not exist", {"hardwareProfile__size": "big"}, 400, "BadRequest", "size"),
]


@pytest.mark.parametrize(
    ("changes", "status", "code", "words"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_a_machine_that_azure_would_refuse_is_refused(  # noqa: PLR0917 - fixtures, then one row of the table
    stage: Stage, compute: Any, group: str, changes: Json, status: int, code: str, words: str
) -> None:
    """The error has Azure's code and words, and neither a machine nor a disk is created."""
    with pytest.raises(HttpResponseError) as failure:
        compute.virtual_machines.begin_create_or_update(group, "vm", stage.machine(group, **changes))
    assert failure.value.error is not None
    assert (failure.value.status_code, failure.value.error.code) == (status, code)
    assert words in str(failure.value.error.message)
    assert list(compute.virtual_machines.list(group)) == []
    assert list(compute.disks.list_by_resource_group(group)) == []


def test_an_interface_must_be_there_and_free(stage: Stage, compute: Any, group: str) -> None:
    """A machine needs an interface that exists and that no other machine uses."""
    first, second = stage.machine(group, "first"), stage.machine(group, "second")
    second["properties"]["networkProfile"] = first["properties"]["networkProfile"]
    compute.virtual_machines.begin_create_or_update(group, "first", first, polling=False)
    with pytest.raises(HttpResponseError, match="NicInUse"):
        compute.virtual_machines.begin_create_or_update(group, "second", second)
    missing = [{"id": stage.id(group, "Microsoft.Network/networkInterfaces/none")}]
    with pytest.raises(HttpResponseError, match="InvalidResourceReference"):
        compute.virtual_machines.begin_create_or_update(
            group, "second", changed(second, networkProfile__networkInterfaces=missing)
        )


def test_the_power_of_a_machine_can_be_switched(stage: Stage, compute: Any, group: str) -> None:
    """Each action reaches the guest and shows in the instance view."""
    compute.virtual_machines.begin_create_or_update(group, "vm", stage.machine(group), polling=False)
    for action, power, told in (
        (compute.virtual_machines.begin_power_off, "PowerState/stopped", [("stopped", "vm")]),
        (compute.virtual_machines.begin_start, "PowerState/running", [("on", "vm")]),
        (compute.virtual_machines.begin_restart, "PowerState/running", [("stopped", "vm"), ("on", "vm")]),
        (compute.virtual_machines.begin_deallocate, "PowerState/deallocated", [("stopped", "vm")]),
    ):
        stage.guests.told.clear()
        action(group, "vm").result()
        assert stage.guests.told == told
        assert compute.virtual_machines.instance_view(group, "vm").statuses[1].code == power


def test_a_start_fails_for_want_of_a_host(stage: Stage, compute: Any, group: str) -> None:
    """The operation fails, not the call; the machine keeps its state, and the next start succeeds."""
    compute.virtual_machines.begin_create_or_update(group, "vm", stage.machine(group), polling=False)
    compute.virtual_machines.begin_deallocate(group, "vm").result()
    stage.platform.faults.add(Fault(service="machines", operation="start vm", message="Allocation failed."))

    with pytest.raises(HttpResponseError) as failure:
        compute.virtual_machines.begin_start(group, "vm").result()

    assert failure.value.error is not None
    assert (failure.value.error.code, failure.value.error.message) == ("AllocationFailed", "Allocation failed.")
    assert compute.virtual_machines.instance_view(group, "vm").statuses[1].code == "PowerState/deallocated"
    compute.virtual_machines.begin_start(group, "vm").result()
    assert compute.virtual_machines.instance_view(group, "vm").statuses[1].code == "PowerState/running"


def test_a_machine_a_disk_and_an_interface_go_in_that_order_only(stage: Stage, compute: Any, group: str) -> None:
    """A disk or an interface cannot be deleted while a machine uses it; both outlive the machine."""
    compute.virtual_machines.begin_create_or_update(group, "vm", stage.machine(group), polling=False)
    with pytest.raises(HttpResponseError, match="is attached to VM") as failure:
        compute.disks.begin_delete(group, "vm_OSDisk")
    assert failure.value.status_code == 409
    interface = stage.id(group, "Microsoft.Network/networkInterfaces/vm-nic")
    with pytest.raises(ServiceError, match="NicInUse"):
        stage.local.run(stage.arm.delete_resource(stage.owner, interface, NETWORK_VERSION))
    compute.virtual_machines.begin_delete(group, "vm").result()
    stage.local.run(stage.arm.delete_resource(stage.owner, interface, NETWORK_VERSION))
    wait_for(lambda: stage.arm.get_resource(interface, NETWORK_VERSION) is None, "the end of the interface")
    assert stage.guests.told[-1] == ("deleted", "vm")
    with pytest.raises(ResourceNotFoundError):
        compute.virtual_machines.get(group, "vm")
    with pytest.raises(HttpResponseError, match=r"Only CreateOption\.Attach is supported"):
        compute.virtual_machines.begin_create_or_update(group, "vm", stage.machine(group))
    assert compute.disks.get(group, "vm_OSDisk").properties.disk_state == "Unattached"
    compute.disks.begin_delete(group, "vm_OSDisk").result()
    assert list(compute.disks.list_by_resource_group(group)) == []


def test_what_is_to_go_with_a_machine_goes(stage: Stage, compute: Any, group: str) -> None:
    """A disk or an interface with `deleteOption` Delete is deleted with its machine."""
    body = stage.machine(group, storageProfile__osDisk__deleteOption="Delete")
    body["properties"]["networkProfile"]["networkInterfaces"][0]["properties"] = {"deleteOption": "Delete"}
    compute.virtual_machines.begin_create_or_update(group, "vm", body, polling=False)
    compute.virtual_machines.begin_delete(group, "vm").result()
    interface = stage.id(group, "Microsoft.Network/networkInterfaces/vm-nic")
    wait_for(lambda: list(compute.disks.list_by_resource_group(group)) == [], "the end of the disks")
    wait_for(lambda: stage.arm.get_resource(interface, NETWORK_VERSION) is None, "the end of the interface")


def test_a_machine_can_be_deleted_while_it_is_being_made(stage: Stage, compute: Any, group: str) -> None:
    """The operation that was creating the machine fails with OperationPreempted."""
    stage.guests.outcomes["vm"] = "waiting"
    poller = compute.virtual_machines.begin_create_or_update(group, "vm", stage.machine(group))
    compute.virtual_machines.begin_delete(group, "vm").result()
    with pytest.raises(HttpResponseError, match="OperationPreempted"):
        poller.result()


def test_a_group_goes_with_machines_disks_and_interfaces(stage: Stage, compute: Any, group: str) -> None:
    """Deleting the group also deletes a machine that is still being created, and tells its guest."""
    stage.guests.outcomes["vm"] = "waiting"
    compute.virtual_machines.begin_create_or_update(group, "vm", stage.machine(group), polling=False)
    operation = stage.local.run(stage.arm.delete_group(stage.subscription_id, group))
    stage.local.run(stage.arm.operations.wait(operation))
    assert stage.guests.told[-1] == ("deleted", "vm")
    assert stage.arm.groups.find(stage.subscription_id, group) is None
    assert [machine for machine in compute.virtual_machines.list_all() if group in machine.id] == []


def test_a_larger_size_restarts_the_machine(stage: Stage, compute: Any, group: str) -> None:
    """As in Azure, a resize switches the machine off and on again."""
    body = stage.machine(group)
    compute.virtual_machines.begin_create_or_update(group, "vm", body, polling=False)
    compute.virtual_machines.begin_create_or_update(
        group, "vm", changed(body, hardwareProfile__vmSize="Standard_D16s_v5"), polling=False
    )
    assert stage.guests.told == [("on", "vm"), ("stopped", "vm"), ("on", "vm")]
