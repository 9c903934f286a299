"""Examples of Microsoft.Compute, with an interface for a machine."""

import base64
from dataclasses import replace
from typing import Any

from tests.emulator.unit.rules.stage import Example

COMPUTE = "Microsoft.Compute"
KEY = "ssh-rsa AAAAB3NzaC1yc2E= somebody@home"
DATA = base64.b64encode(b"data").decode()

MACHINE: dict[str, Any] = {
    "location": "eastus",
    "properties": {
        "hardwareProfile": {"vmSize": "Standard_D2s_v5"},
        "networkProfile": {"networkInterfaces": [{"id": "{id:machine's interface}"}]},
        "osProfile": {"adminUsername": "core", "adminPassword": "Long-enough-1"},
        "storageProfile": {
            "imageReference": {
                "offer": "aro4",
                "publisher": "azureopenshift",
                "sku": "aro_419",
                "version": "419.6.20250523",
            },
            "osDisk": {"createOption": "FromImage"},
        },
    },
}
LOGGED: Any = MACHINE["properties"] | {
    "diagnosticsProfile": {"bootDiagnostics": {"enabled": True, "storageUri": "https://log{n}.blob.core.windows.net/"}}
}
INTERFACE = Example(
    "Microsoft.Network/networkInterfaces",
    {
        "location": "eastus",
        "properties": {
            "ipConfigurations": [
                {"name": "ip", "properties": {"subnet": {"id": "{id:machines' network}/subnets/machines"}}}
            ]
        },
    },
    supporting=True,
)
EXAMPLES = {
    "machines' network": Example(
        "Microsoft.Network/virtualNetworks",
        {
            "location": "eastus",
            "properties": {
                "addressSpace": {"addressPrefixes": ["10.0.0.0/16"]},
                "subnets": [{"name": "machines", "properties": {"addressPrefix": "10.0.0.0/24"}}],
            },
        },
        supporting=True,
    ),
    "machine's interface": INTERFACE,
    "second interface": replace(INTERFACE, name="second{n}"),
    "machine without a log": Example(f"{COMPUTE}/virtualMachines", MACHINE, supporting=True, cheap=False),
    "log's account": Example(
        "Microsoft.Storage/storageAccounts",
        {"location": "eastus", "kind": "StorageV2", "sku": {"name": "Standard_LRS"}, "properties": {}},
        name="log{n}",
        supporting=True,
    ),
    "machine with a log": Example(
        f"{COMPUTE}/virtualMachines",
        MACHINE | {"tags": {"account": "{id:log's account}"}, "properties": LOGGED},
        supporting=True,
        cheap=False,
    ),
    "disk encryption set": Example(
        f"{COMPUTE}/diskEncryptionSets",
        {
            "location": "eastus",
            "properties": {
                "activeKey": {
                    "keyUrl": "https://vault.vault.azure.net/keys/one/0123456789abcdef",
                    "sourceVault": {"id": "{group}/providers/Microsoft.KeyVault/vaults/vault"},
                },
                "encryptionType": "EncryptionAtRestWithCustomerKey",
            },
        },
        cheap=False,
    ),
    "disk": Example(
        f"{COMPUTE}/disks",
        {
            "location": "eastus",
            "sku": {"name": "Premium_LRS"},
            "zones": ["1"],
            "properties": {
                "creationData": {"createOption": "Empty"},
                "diskSizeGB": 128,
                "encryption": {
                    "diskEncryptionSetId": "{id:disk encryption set}",
                    "type": "EncryptionAtRestWithCustomerKey",
                },
                "hyperVGeneration": "V1",
                "maxShares": 1,
                "networkAccessPolicy": "AllowAll",
                "publicNetworkAccess": "Enabled",
                "tier": "P10",
            },
        },
    ),
    "machine": Example(
        f"{COMPUTE}/virtualMachines",
        {
            "location": "eastus",
            "zones": ["1"],
            "properties": {
                "diagnosticsProfile": {"bootDiagnostics": {"enabled": True}},
                "evictionPolicy": "Deallocate",
                "hardwareProfile": {"vmSize": "Standard_D8s_v5"},
                "licenseType": "RHEL_BYOS",
                "networkProfile": {
                    "networkInterfaces": [
                        {"id": "{id:machine's interface}", "properties": {"deleteOption": "Detach", "primary": True}}
                    ]
                },
                "osProfile": {
                    "adminPassword": "Long-enough-1",
                    "adminUsername": "core",
                    "computerName": "machine",
                    "customData": DATA,
                    "linuxConfiguration": {
                        "disablePasswordAuthentication": False,
                        "ssh": {"publicKeys": [{"keyData": KEY, "path": "/home/core/.ssh/authorized_keys"}]},
                    },
                },
                "priority": "Spot",
                "securityProfile": {"securityType": "Standard"},
                "storageProfile": {
                    "dataDisks": [
                        {
                            "caching": "None",
                            "createOption": "Attach",
                            "deleteOption": "Detach",
                            "lun": 0,
                            "managedDisk": {"id": "{id:disk}", "diskEncryptionSet": {"id": "{id:disk encryption set}"}},
                        }
                    ],
                    "imageReference": {
                        "offer": "aro4",
                        "publisher": "azureopenshift",
                        "sku": "aro_419",
                        "version": "419.6.20250523",
                    },
                    "osDisk": {
                        "caching": "ReadOnly",
                        "createOption": "FromImage",
                        "deleteOption": "Delete",
                        "diskSizeGB": 1024,
                        "managedDisk": {
                            "diskEncryptionSet": {"id": "{id:disk encryption set}"},
                            "storageAccountType": "Premium_LRS",
                        },
                        "name": "os{n}",
                        "osType": "Linux",
                    },
                },
                "userData": DATA,
            },
        },
        cheap=False,
    ),
    "gallery": Example(f"{COMPUTE}/galleries", {"location": "eastus", "properties": {"description": "images"}}),
    "gallery's image": Example(
        f"{COMPUTE}/galleries/images",
        {
            "location": "eastus",
            "properties": {
                "architecture": "x64",
                "features": [{"name": "DiskControllerTypes", "value": "SCSI, NVMe"}],
                "hyperVGeneration": "V1",
                "identifier": {"offer": "rhcos", "publisher": "RedHat", "sku": "basic{n}"},
                "osState": "Generalized",
                "osType": "Linux",
            },
        },
        parent="gallery",
    ),
    "image": Example(
        f"{COMPUTE}/images", {"location": "eastus", "properties": {"hyperVGeneration": "V2", "storageProfile": {}}}
    ),
    "image's version": Example(
        f"{COMPUTE}/galleries/images/versions",
        {
            "location": "eastus",
            "properties": {
                "publishingProfile": {
                    "replicationMode": "Full",
                    "targetRegions": [{"name": "eastus", "regionalReplicaCount": 1}],
                },
                "storageProfile": {"source": {"id": "{id:image}"}},
            },
        },
        name="1.0.0",
        parent="gallery's image",
        cheap=False,
    ),
}
