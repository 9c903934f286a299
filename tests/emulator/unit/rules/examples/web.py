"""Examples of Microsoft.Web."""

from typing import Any

from tests.emulator.unit.rules.stage import Example

WEB = "Microsoft.Web"
STORAGE: dict[str, Any] = {
    "type": "blobContainer",
    "value": "https://account.blob.core.windows.net/packages",
    "authentication": {
        "type": "UserAssignedIdentity",
        "userAssignedIdentityResourceId": "{id:identity}",
    },
}

EXAMPLES = {
    "plan": Example(
        f"{WEB}/serverfarms",
        {
            "location": "eastus",
            "sku": {"name": "EP1", "tier": "ElasticPremium", "capacity": 1},
            "properties": {"maximumElasticWorkerCount": 2, "reserved": True},
        },
        cheap=False,
    ),
    "Flex plan": Example(
        f"{WEB}/serverfarms",
        {"location": "eastus", "sku": {"name": "FC1", "tier": "FlexConsumption"}, "properties": {"reserved": True}},
        name="flex{n}",
        supporting=True,
        cheap=False,
    ),
    "site": Example(
        f"{WEB}/sites",
        {
            "location": "eastus",
            "kind": "functionapp,linux",
            "identity": {"type": "UserAssigned", "userAssignedIdentities": {"{id:identity}": {}}},
            "properties": {
                "clientCertMode": "Required",
                "httpsOnly": True,
                "serverFarmId": "{id:plan}",
                "siteConfig": {
                    "appSettings": [{"name": "ONE", "value": "1"}],
                    "ftpsState": "Disabled",
                    "linuxFxVersion": "Python|3.12",
                    "minTlsVersion": "1.2",
                },
                "virtualNetworkSubnetId": "{id:sites' network}/subnets/premium",
            },
        },
        name="site{n}",
        cheap=False,
    ),
    "Flex site": Example(
        f"{WEB}/sites",
        {
            "location": "eastus",
            "kind": "functionapp,linux",
            "identity": {"type": "UserAssigned", "userAssignedIdentities": {"{id:identity}": {}}},
            "properties": {
                "functionAppConfig": {
                    "deployment": {"storage": STORAGE},
                    "runtime": {"name": "python", "version": "3.12"},
                    "scaleAndConcurrency": {
                        "alwaysReady": [{"name": "http", "instanceCount": 1}],
                        "instanceMemoryMB": 2048,
                        "maximumInstanceCount": 40,
                    },
                },
                "serverFarmId": "{id:Flex plan}",
            },
        },
        name="flexsite{n}",
        cheap=False,
    ),
    "sites' network": Example(
        "Microsoft.Network/virtualNetworks",
        {
            "location": "eastus",
            "properties": {
                "addressSpace": {"addressPrefixes": ["10.0.0.0/16"]},
                "subnets": [
                    {
                        "name": name,
                        "properties": {
                            "addressPrefix": prefix,
                            "delegations": [{"name": "one", "properties": {"serviceName": service}}] if service else [],
                        },
                    }
                    for name, prefix, service in (
                        ("premium", "10.0.0.0/24", "Microsoft.Web/serverFarms"),
                        ("small", "10.0.1.0/29", "Microsoft.Web/serverFarms"),
                        ("plain", "10.0.2.0/24", ""),
                        ("with_underscore", "10.0.3.0/24", "Microsoft.App/environments"),
                    )
                ],
            },
        },
        supporting=True,
    ),
}
