"""Examples of Microsoft.Storage."""

from tests.emulator.unit.rules.stage import Example

ACCOUNTS = "Microsoft.Storage/storageAccounts"

EXAMPLES = {
    "endpoints' network": Example(
        "Microsoft.Network/virtualNetworks",
        {
            "location": "eastus",
            "properties": {
                "addressSpace": {"addressPrefixes": ["10.0.0.0/16"]},
                "subnets": [
                    {
                        "name": "endpoints",
                        "properties": {
                            "addressPrefix": "10.0.0.0/24",
                            "serviceEndpoints": [{"service": "Microsoft.Storage"}, {"service": "Microsoft.KeyVault"}],
                        },
                    },
                    {"name": "plain", "properties": {"addressPrefix": "10.0.1.0/24"}},
                ],
            },
        },
        supporting=True,
    ),
    "storage account": Example(
        ACCOUNTS,
        {
            "location": "eastus",
            "kind": "StorageV2",
            "sku": {"name": "Standard_LRS"},
            "tags": {"team": "one"},
            "properties": {
                "accessTier": "Cool",
                "allowBlobPublicAccess": False,
                "allowSharedKeyAccess": True,
                "allowedCopyScope": "AAD",
                "dnsEndpointType": "Standard",
                "encryption": {
                    "keySource": "Microsoft.Storage",
                    "services": {"blob": {"enabled": True, "keyType": "Account"}},
                },
                "isHnsEnabled": False,
                "keyPolicy": {"keyExpirationPeriodInDays": 30},
                "largeFileSharesState": "Enabled",
                "minimumTlsVersion": "TLS1_2",
                "networkAcls": {
                    "bypass": "Logging, Metrics, AzureServices",
                    "defaultAction": "Deny",
                    "ipRules": [{"action": "Allow", "value": "8.8.8.8"}],
                    "virtualNetworkRules": [{"action": "Allow", "id": "{id:endpoints' network}/subnets/endpoints"}],
                },
                "publicNetworkAccess": "Enabled",
                "supportsHttpsTrafficOnly": True,
            },
        },
        name="account{n}",
    ),
    "blob service": Example(
        f"{ACCOUNTS}/blobServices",
        {
            "properties": {
                "containerDeleteRetentionPolicy": {"days": 7, "enabled": True},
                "deleteRetentionPolicy": {"days": 7, "enabled": True},
                "isVersioningEnabled": True,
                "staticWebsite": {"enabled": True, "indexDocument": "index.html"},
            }
        },
        name="default",
        parent="storage account",
    ),
    "blob container": Example(
        f"{ACCOUNTS}/blobServices/containers",
        {"properties": {"metadata": {"team": "one"}, "publicAccess": "None"}},
        name="container{n}",
        parent="blob service",
    ),
}
