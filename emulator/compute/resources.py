"""The resource types of Microsoft.Compute."""

from emulator.arm.resources import Action, ResourceType
from emulator.arm.schema import READ_ONLY, Choice, Reference, Required, Since
from emulator.compute import diagnostics, machines, power
from emulator.compute.disks import DISK_ENCRYPTION_SET, DISKS, SKUS
from emulator.compute.encryption_sets import DISK_ENCRYPTION_SETS
from emulator.compute.preflight import check_deployment
from emulator.compute.versions import MACHINE_VERSIONS

_DISK = {
    "caching": Choice(("None", "ReadOnly", "ReadWrite")),
    "createOption": Required(Choice(("FromImage", "Empty", "Attach"))),
    "deleteOption": Choice(("Delete", "Detach")),
    "diffDiskSettings": object,
    "diskSizeGB": int,
    "managedDisk": {
        "diskEncryptionSet": DISK_ENCRYPTION_SET,
        "id": Reference("Microsoft.Compute/disks", bare=True),
        "securityProfile": object,
        "storageAccountType": Choice(SKUS),
    },
    "name": str,
    "writeAcceleratorEnabled": bool,
}
MACHINES = ResourceType(
    name="Microsoft.Compute/virtualMachines",
    api_versions=MACHINE_VERSIONS,
    placement="region",
    name_pattern=r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,78}[A-Za-z0-9_])?",
    members={
        "extendedLocation": object,
        "identity": object,
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
        "osProfile": {
            "adminPassword": str,
            "adminUsername": str,
            "allowExtensionOperations": bool,
            "computerName": str,
            "customData": str,
            "linuxConfiguration": {
                "disablePasswordAuthentication": bool,
                "enableVMAgentPlatformUpdates": bool,
                "patchSettings": object,
                "provisionVMAgent": bool,
                "ssh": {"publicKeys": [{"keyData": str, "path": str}]},
            },
            "requireGuestProvisionSignal": bool,
            "secrets": [object],
            "windowsConfiguration": object,
        },
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
            "diskControllerType": str,
            "imageReference": {
                "exactVersion": READ_ONLY,
                "id": str,
                "offer": str,
                "publisher": str,
                "sku": str,
                "version": str,
            },
            "osDisk": _DISK | {"osType": Choice(("Linux", "Windows"))},
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

TYPES = (MACHINES, DISKS, DISK_ENCRYPTION_SETS)
