"""Mistakes with Microsoft.Compute."""

from typing import Any, cast

from emulator.arm.resources import ActionCall
from emulator.compute import exceptions, power
from emulator.compute.agreements import find_plan
from emulator.compute.placement import check_size
from emulator.compute.quotas import Quotas
from emulator.compute.responses import places_of, region_of
from emulator.core.faults import Fault
from tests.emulator.unit.rules.generated_cases import Case
from tests.emulator.unit.rules.planted.mistake import ABSENT, action, later, refused, second, wrong
from tests.emulator.unit.rules.stage import Stage
from tests.emulator.unit.rules.targets import LocalTarget

SIZE, OS, OS_DISK = "properties.hardwareProfile.vmSize", "properties.osProfile", "properties.storageProfile.osDisk"
IMAGE, DATA = "properties.storageProfile.imageReference", "properties.storageProfile.dataDisks"
BOUGHT = {
    "offer": "rh-ocp-worker",
    "publisher": "redhat",
    "sku": "rh-ocp-worker-gen1",
    "version": "413.92.2023101700",
}
PLAN = {"name": BOUGHT["sku"], "product": BOUGHT["offer"], "publisher": BOUGHT["publisher"]}
INTERFACES = "properties.networkProfile.networkInterfaces"
DIAGNOSTICS = "properties.diagnosticsProfile.bootDiagnostics"
EMPTY = {"createOption": "Empty", "diskSizeGB": 4, "lun": 1, "name": "one{n}"}
ATTACHED = {"createOption": "Attach", "osType": "Linux", "managedDisk": {"id": "{id:disk}"}}


def _arm(stage: Stage) -> Any:
    assert isinstance(stage.target, LocalTarget)
    return stage.target.azure.arm


def _ask_for_too_much(stage: Stage) -> None:
    subscription = stage.target.subscription.rsplit("/", 1)[-1]
    quotas = _arm(stage).platform.model(Quotas)
    quotas.check(subscription, "eastus", "", {"standardMSFamily": 10_000})


def _ask_for_too_much_together(stage: Stage) -> None:
    body = stage.fill(stage.examples["machine"].body)
    body["properties"]["hardwareProfile"]["vmSize"] = "Standard_M128ms"
    preflight = _arm(stage).types["microsoft.compute/virtualmachines"].preflight
    raise preflight(_arm(stage), [(f"{stage.id('machine')}{number}", body) for number in range(50)])[0]


def _start_without_room(stage: Stage) -> object:
    arm, nobody = _arm(stage), cast("Any", None)
    arm.platform.faults.add(Fault(power.FAULTS, "start full", message="There is no room."))
    return power.ACTIONS["start"].run(
        ActionCall(arm, nobody, nobody, "", {"name": "full", "private": {"power": power.RUNNING}}, {})
    )


CASES: tuple[Case, ...] = (
    refused("machine", "a start for which a zone has no room", exceptions.ALLOCATION_FAILED, _start_without_room),
    wrong("machine", "a size that does not exist", exceptions.INVALID_SIZE, {SIZE: "Standard_D7s_v5"}),
    refused(
        "machine",
        "a size that its region lacks",
        exceptions.SIZE_NOT_IN_REGION,
        lambda _: check_size("westus", "Standard_D8s_v6", ""),
    ),
    wrong("machine", "a size kept from the subscription", exceptions.SKU_NOT_AVAILABLE, {SIZE: "Standard_E104is_v5"}),
    wrong(
        "machine",
        "a size kept from its zone",
        exceptions.SKU_NOT_AVAILABLE,
        {SIZE: "Standard_M128ms", "zones": ["3"]},
    ),
    later("machine", "another zone later", exceptions.CHANGE_NOT_ALLOWED, {"zones": ["2"]}),
    later("disk", "another zone later", exceptions.CHANGE_NOT_ALLOWED, {"zones": ["2"]}),
    later(
        "machine",
        "other keys later",
        exceptions.CHANGE_NOT_ALLOWED,
        {f"{OS}.linuxConfiguration.ssh.publicKeys[0].keyData": "ssh-rsa AAAA"},
    ),
    later("machine", "another password later", exceptions.CHANGE_NOT_ALLOWED, {f"{OS}.adminPassword": "Another-one1"}),
    later("machine", "other customData later", exceptions.CHANGE_NOT_ALLOWED, {f"{OS}.customData": "AAAA"}),
    refused("machine", "more cores than the quota", exceptions.QUOTA_EXCEEDED, _ask_for_too_much),
    refused(
        "machine",
        "machines that together exceed the quota",
        exceptions.QUOTA_EXCEEDED_TOGETHER,
        _ask_for_too_much_together,
    ),
    wrong(
        "machine",
        "encryption at host without the feature",
        exceptions.FEATURE_NOT_ENABLED,
        {"properties.securityProfile.encryptionAtHost": True},
    ),
    wrong(
        "machine",
        "encryption at host by a size without it",
        exceptions.ENCRYPTION_NOT_SUPPORTED,
        {"properties.securityProfile.encryptionAtHost": True, SIZE: "Standard_L4s"},
    ),
    wrong("machine", "no size", exceptions.MISSING, {SIZE: ABSENT}),
    wrong("machine", "no profile of the system", exceptions.MISSING, {OS: ABSENT}),
    wrong("machine", "no user", exceptions.MISSING, {f"{OS}.adminUsername": ABSENT}),
    wrong("machine", "no interface", exceptions.MISSING, {INTERFACES: []}),
    wrong("machine", "no image", exceptions.MISSING, {IMAGE: ABSENT}),
    wrong("machine", "an unknown image", exceptions.IMAGE_NOT_FOUND, {f"{IMAGE}.sku": "aro_499"}),
    wrong(
        "machine", "a version of another release", exceptions.IMAGE_NOT_FOUND, {f"{IMAGE}.version": "418.94.20250122"}
    ),
    wrong("machine", "an unknown publisher", exceptions.NOT_HERE, {f"{IMAGE}.publisher": "MicrosoftWindowsServer"}),
    wrong(
        "machine",
        "an image of one's own that does not exist",
        exceptions.OWN_IMAGE_NOT_FOUND,
        {IMAGE: {"id": "{id:gallery's image}/versions/9.9.9"}},
    ),
    wrong(
        "machine",
        "a size that boots no machines of the first generation",
        exceptions.GENERATION,
        {SIZE: "Standard_D8s_v6"},
    ),
    wrong(
        "machine",
        "a size with NVMe disks and an image without their driver",
        exceptions.DISK_CONTROLLER,
        {SIZE: "Standard_D8s_v6", IMAGE: {"id": "{id:image}"}},
    ),
    wrong("machine", "an image that is bought, without its plan", exceptions.PLAN_MISSING, {IMAGE: BOUGHT}),
    wrong(
        "machine",
        "an image whose terms nobody has accepted",
        exceptions.TERMS_NOT_ACCEPTED,
        {IMAGE: BOUGHT, "plan": PLAN},
    ),
    refused("machine", "terms of a plan that has none", exceptions.NO_TERMS, lambda _: find_plan("redhat", "x", "y")),
    wrong(
        "machine",
        "Windows",
        exceptions.NOT_HERE,
        {f"{OS}.linuxConfiguration": ABSENT, f"{OS}.windowsConfiguration": {"provisionVMAgent": True}},
    ),
    wrong(
        "machine",
        "neither a password nor a key",
        exceptions.NO_LOGIN,
        {f"{OS}.adminPassword": ABSENT, f"{OS}.linuxConfiguration.ssh": ABSENT},
    ),
    wrong("machine", "a disk smaller than its image", exceptions.SMALLER_THAN_IMAGE, {f"{OS_DISK}.diskSizeGB": 10}),
    wrong("machine", "a data disk without a size", exceptions.MISSING, {DATA: [{"createOption": "Empty", "lun": 1}]}),
    wrong(
        "machine",
        "a disk that exists already",
        exceptions.DISK_EXISTS,
        {DATA: [EMPTY | {"name": "name{n}"}], "tags.disk": "{id:disk}"},
    ),
    second(
        "machine",
        "a disk of another machine",
        exceptions.DISK_OWNED,
        {f"{OS_DISK}.name": "another{n}", INTERFACES: [{"id": "{id:second interface}"}]},
    ),
    second(
        "machine",
        "an interface of another machine",
        exceptions.INTERFACE_IN_USE,
        {f"{OS_DISK}.name": "another{n}", DATA: []},
    ),
    wrong(
        "machine",
        "no account for the serial log",
        exceptions.ACCOUNT_NOT_FOUND,
        {DIAGNOSTICS: {"enabled": True, "storageUri": "https://none.blob.core.windows.net/"}},
    ),
    wrong(
        "machine",
        "no address of an account for the serial log",
        exceptions.NO_BLOB_ADDRESS,
        {DIAGNOSTICS: {"enabled": True, "storageUri": "https://example.com/"}},
    ),
    action("machine", "its serial log", exceptions.NOT_HERE, "retrieveBootDiagnosticsData", {}),
    action(
        "machine without a log", "its serial log", exceptions.DIAGNOSTICS_DISABLED, "retrieveBootDiagnosticsData", {}
    ),
    refused(
        "disk", "a list of SKUs by another member", exceptions.UNKNOWN_FILTER, lambda _: places_of("size eq 'one'")
    ),
    wrong("disk", "no size", exceptions.MISSING, {"properties.diskSizeGB": ABSENT}),
    wrong("disk", "a copy", exceptions.NOT_HERE, {"properties.creationData": {"createOption": "Copy"}}),
    refused(
        "machine",
        "the sizes of a region that does not exist",
        exceptions.REGION_NOT_FOUND,
        lambda _: region_of("atlantis", "2024-07-01", "usages"),
    ),
)
