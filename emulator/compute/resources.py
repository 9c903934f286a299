"""The resource types of Microsoft.Compute."""

from emulator.arm.resources import Action, ResourceType
from emulator.arm.schema import READ_ONLY, Choice, Reference, Required, Rule, Since, matching
from emulator.compute import diagnostics, exceptions, galleries, machines, power
from emulator.compute.disks import (
    DISK_ENCRYPTION_SET,
    DISKS,
    LONGEST_NAME,
    NAME_PATTERN,
    SKU,
)
from emulator.compute.encryption_sets import DISK_ENCRYPTION_SETS
from emulator.compute.operating_systems import OS_PROFILE
from emulator.compute.placement import kept
from emulator.compute.preflight import check_deployment
from emulator.compute.versions import MACHINE_VERSIONS
from emulator.identities.resource_identity import BOTH, identifiable

LONGEST_MACHINE_NAME = 64


def _disk_name(entity: str) -> Rule:
    return matching(
        NAME_PATTERN,
        ("-start", "end.", "two words"),
        lambda _: exceptions.INVALID_NAME(entity=entity, most=LONGEST_NAME - 1),
    )


_CREATE_OPTION = Choice(("FromImage", "Empty", "Attach"))
_DISK = {
    "caching": Choice(("None", "ReadOnly", "ReadWrite")),
    "createOption": Required(_CREATE_OPTION),
    "deleteOption": Choice(("Delete", "Detach")),
    "diskSizeGB": int,
    "managedDisk": {
        "diskEncryptionSet": DISK_ENCRYPTION_SET,
        "id": Reference("Microsoft.Compute/disks", bare=True),
        "securityProfile": object,
        "storageAccountType": SKU,
    },
    "name": _disk_name("dataDisk.name"),
    "writeAcceleratorEnabled": bool,
}
MACHINES = ResourceType(
    name="Microsoft.Compute/virtualMachines",
    api_versions=MACHINE_VERSIONS,
    placement="region",
    name_pattern=r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,62}[A-Za-z0-9_])?",
    name_refusal=lambda _: exceptions.INVALID_NAME(entity="vmName", most=LONGEST_MACHINE_NAME - 1),
    members={
        "extendedLocation": object,
        "managedBy": READ_ONLY,
        "plan": object,
        "resources": READ_ONLY,
        "zones": [str],
    },
    properties={
        "additionalCapabilities": object,
        "availabilitySet": Reference("Microsoft.Compute/availabilitySets"),
        "billingProfile": object,
        "diagnosticsProfile": {"bootDiagnostics": {"enabled": bool, "storageUri": str}},
        "evictionPolicy": Choice(("Deallocate", "Delete")),
        "extensionsTimeBudget": str,
        "hardwareProfile": {"vmSize": str, "vmSizeProperties": Since("2021-07-01", object)},
        "instanceView": READ_ONLY,
        "licenseType": str,
        "networkProfile": {
            "networkInterfaces": [
                {
                    "id": Required(Reference("Microsoft.Network/networkInterfaces", "join/action", bare=True)),
                    "properties": {"deleteOption": Choice(("Delete", "Detach")), "primary": bool},
                }
            ]
        },
        "osProfile": OS_PROFILE,
        "platformFaultDomain": int,
        "priority": Choice(("Regular", "Low", "Spot")),
        "provisioningState": READ_ONLY,
        "scheduledEventsProfile": object,
        "securityProfile": {
            "encryptionAtHost": bool,
            "encryptionIdentity": Since("2023-09-01", object),
            "proxyAgentSettings": Since("2024-03-01", object),
            "securityType": Choice(("TrustedLaunch", "ConfidentialVM", "Standard")),
            "uefiSettings": object,
        },
        "storageProfile": {
            "dataDisks": [_DISK | {"lun": Required(int), "toBeDetached": bool}],
            "diskControllerType": Choice(("SCSI", "NVMe")),
            "imageReference": {
                "exactVersion": READ_ONLY,
                "id": str,
                "offer": kept(str, "other", "imageReference.offer"),
                "publisher": kept(str, "other", "imageReference.publisher"),
                "sku": kept(str, "other", "imageReference.sku"),
                "version": kept(str, "1.0.0", "imageReference.version"),
            },
            "osDisk": _DISK
            | {
                "createOption": Required(kept(_CREATE_OPTION, "Empty", "osDisk.createOption")),
                "diffDiskSettings": object,
                "diskSizeGB": int,
                "name": kept(_disk_name("osDisk.name"), "other", "osDisk.name"),
                "osType": kept(Choice(("Linux", "Windows")), "Windows", "osDisk.osType"),
            },
        },
        "timeCreated": READ_ONLY,
        "userData": Since("2021-03-01", str),
        "vmId": READ_ONLY,
    },
    # Azure's own share of the time; the guest takes the rest.
    create_seconds=27,
    update_seconds=5,
    delete_seconds=machines.DELETE_SECONDS,
    reply="operation",
    writing_state="Creating",
    prepare=machines.prepare,
    preflight=check_deployment,
    stored=machines.stored,
    removed=machines.removed,
    outcome=machines.outcome,
    actions=power.ACTIONS | {"retrieveBootDiagnosticsData": Action(diagnostics.retrieve)},
)

TYPES = (identifiable(MACHINES, BOTH), DISKS, identifiable(DISK_ENCRYPTION_SETS, BOTH), *galleries.TYPES)
