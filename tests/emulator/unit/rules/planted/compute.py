"""Mistakes with Microsoft.Compute."""

from typing import Any

from emulator.compute import exceptions
from emulator.compute.placement import check_size
from emulator.compute.quotas import Quotas
from emulator.compute.responses import places_of, region_of
from tests.emulator.unit.rules.generated import Case
from tests.emulator.unit.rules.planted.making import ABSENT, action, later, refused, second, wrong
from tests.emulator.unit.rules.stage import Stage
from tests.emulator.unit.rules.targets import LocalTarget

SIZE, OS, OS_DISK = "properties.hardwareProfile.vmSize", "properties.osProfile", "properties.storageProfile.osDisk"
IMAGE, DATA = "properties.storageProfile.imageReference", "properties.storageProfile.dataDisks"
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


CASES: tuple[Case, ...] = (
    wrong("machine", "a size that does not exist", exceptions.invalid_size, {SIZE: "Standard_D7s_v5"}),
    wrong("machine", "a size that is not emulated", exceptions.size_not_emulated, {SIZE: "Standard_DS1_v2"}),
    refused(
        "machine",
        "a size that its region lacks",
        exceptions.size_not_in_region,
        lambda _: check_size("westus", "Standard_D8s_v6", ""),
    ),
    wrong("machine", "a size kept from the subscription", exceptions.sku_not_available, {SIZE: "Standard_E104is_v5"}),
    wrong(
        "machine",
        "a size kept from its zone",
        exceptions.sku_not_available,
        {SIZE: "Standard_M128ms", "zones": ["3"]},
    ),
    wrong("machine", "two zones", exceptions.several_zones, {"zones": ["1", "2"]}),
    wrong("disk", "two zones", exceptions.several_zones, {"zones": ["1", "2"]}),
    later("machine", "another zone later", exceptions.change_not_allowed, {"zones": ["2"]}),
    later("disk", "another zone later", exceptions.change_not_allowed, {"zones": ["2"]}),
    later(
        "machine",
        "other keys later",
        exceptions.change_not_allowed,
        {f"{OS}.linuxConfiguration.ssh.publicKeys[0].keyData": "ssh-rsa AAAA"},
    ),
    later("machine", "another password later", exceptions.change_not_allowed, {f"{OS}.adminPassword": "Another-one1"}),
    later("machine", "other customData later", exceptions.change_not_allowed, {f"{OS}.customData": "AAAA"}),
    refused("machine", "more cores than the quota", exceptions.quota_exceeded, _ask_for_too_much),
    refused(
        "machine",
        "machines that together exceed the quota",
        exceptions.quota_exceeded_together,
        _ask_for_too_much_together,
    ),
    wrong(
        "machine",
        "encryption at host without the feature",
        exceptions.feature_not_enabled,
        {"properties.securityProfile.encryptionAtHost": True},
    ),
    wrong(
        "machine",
        "encryption at host by a size without it",
        exceptions.encryption_not_supported,
        {"properties.securityProfile.encryptionAtHost": True, SIZE: "Standard_L4s"},
    ),
    wrong(
        "machine", "an eviction policy without Spot", exceptions.eviction_without_spot, {"properties.priority": ABSENT}
    ),
    wrong("machine", "no size", exceptions.missing, {SIZE: ABSENT}),
    wrong("machine", "no profile of the system", exceptions.missing, {OS: ABSENT}),
    wrong("machine", "no user", exceptions.missing, {f"{OS}.adminUsername": ABSENT}),
    wrong("machine", "no interface", exceptions.missing, {INTERFACES: []}),
    wrong("machine", "no image", exceptions.missing, {IMAGE: ABSENT}),
    wrong("machine", "an image without a version", exceptions.image_incomplete, {f"{IMAGE}.version": ABSENT}),
    wrong("machine", "an unknown image", exceptions.image_not_found, {f"{IMAGE}.sku": "aro_499"}),
    wrong(
        "machine", "a version of another release", exceptions.image_not_found, {f"{IMAGE}.version": "418.94.20250101"}
    ),
    wrong("machine", "an unknown publisher", exceptions.image_not_found, {f"{IMAGE}.publisher": "nobody"}),
    wrong(
        "machine", "a publisher that Azure has", exceptions.not_here, {f"{IMAGE}.publisher": "MicrosoftWindowsServer"}
    ),
    wrong(
        "machine",
        "Windows",
        exceptions.not_here,
        {f"{OS}.linuxConfiguration": ABSENT, f"{OS}.windowsConfiguration": {"provisionVMAgent": True}},
    ),
    wrong(
        "machine",
        "a computer name of Windows with 16 characters",
        exceptions.invalid_windows_name,
        {f"{OS}.windowsConfiguration": {}, f"{OS}.computerName": "n" * 16},
    ),
    wrong(
        "machine",
        "neither a password nor a key",
        exceptions.no_login,
        {f"{OS}.adminPassword": ABSENT, f"{OS}.linuxConfiguration.ssh": ABSENT},
    ),
    wrong(
        "machine",
        "a key in another place",
        exceptions.key_elsewhere,
        {f"{OS}.linuxConfiguration.ssh.publicKeys[0].path": "/root/.ssh/authorized_keys"},
    ),
    wrong("machine", "a disk smaller than its image", exceptions.smaller_than_image, {f"{OS_DISK}.diskSizeGB": 10}),
    wrong("machine", "an empty system disk", exceptions.create_option, {f"{OS_DISK}.createOption": "Empty"}),
    wrong("machine", "a data disk without a size", exceptions.missing, {DATA: [{"createOption": "Empty", "lun": 1}]}),
    wrong(
        "machine", "an image with an existing disk", exceptions.image_for_existing_disk, {OS_DISK: ATTACHED, OS: ABSENT}
    ),
    wrong(
        "machine", "a user with an existing disk", exceptions.not_allowed, {OS_DISK: ATTACHED, IMAGE: ABSENT, DATA: []}
    ),
    wrong("machine", "two disks at one LUN", exceptions.lun_taken, {DATA: [EMPTY, EMPTY | {"name": "other"}]}),
    wrong("machine", "two disks of one name", exceptions.disk_named_twice, {DATA: [EMPTY, EMPTY | {"lun": 2}]}),
    wrong(
        "machine",
        "more disks than its size can have",
        exceptions.too_many_disks,
        {DATA: [EMPTY | {"lun": lun, "name": f"disk{lun}"} for lun in range(17)]},
    ),
    wrong(
        "machine",
        "a disk that exists already",
        exceptions.disk_exists,
        {DATA: [EMPTY | {"name": "name{n}"}], "tags.disk": "{id:disk}"},
    ),
    second(
        "machine",
        "a disk of another machine",
        exceptions.disk_owned,
        {f"{OS_DISK}.name": "another{n}", INTERFACES: [{"id": "{id:second interface}"}]},
    ),
    wrong("machine", "a disk of another zone", exceptions.disk_elsewhere, {"zones": ["2"]}),
    second(
        "machine",
        "an interface of another machine",
        exceptions.interface_in_use,
        {f"{OS_DISK}.name": "another{n}", DATA: []},
    ),
    wrong(
        "machine",
        "two interfaces and no primary one",
        exceptions.one_primary_interface,
        {INTERFACES: [{"id": "{id:machine's interface}"}, {"id": "{id:second interface}"}]},
    ),
    wrong(
        "machine",
        "no account for the serial log",
        exceptions.account_not_found,
        {DIAGNOSTICS: {"enabled": True, "storageUri": "https://none.blob.core.windows.net/"}},
    ),
    wrong(
        "machine",
        "no address of an account for the serial log",
        exceptions.no_blob_address,
        {DIAGNOSTICS: {"enabled": True, "storageUri": "https://example.com/"}},
    ),
    action("machine", "its serial log", exceptions.not_here, "retrieveBootDiagnosticsData", {}),
    action(
        "machine without a log", "its serial log", exceptions.diagnostics_disabled, "retrieveBootDiagnosticsData", {}
    ),
    refused(
        "disk", "a list of SKUs by another member", exceptions.unknown_filter, lambda _: places_of("size eq 'one'")
    ),
    wrong("disk", "no size", exceptions.missing, {"properties.diskSizeGB": ABSENT}),
    wrong("disk", "a size that only larger kinds have", exceptions.disk_size, {"properties.diskSizeGB": 32_768}),
    later("disk", "a smaller size later", exceptions.disk_shrinks, {"properties.diskSizeGB": 64}),
    wrong("disk", "a copy", exceptions.not_here, {"properties.creationData": {"createOption": "Copy"}}),
    action(
        "machine with a log",
        "its serial log for two days",
        exceptions.expiration_out_of_range,
        "retrieveBootDiagnosticsData",
        {"sasUriExpirationTimeInMinutes": 2880},
    ),
    refused(
        "machine",
        "the sizes of a region that does not exist",
        exceptions.region_not_found,
        lambda _: region_of("atlantis", "2024-07-01", "usages"),
    ),
)
