"""Examples of Microsoft.KeyVault."""

from emulator.core.world import World
from tests.emulator.unit.rules.stage import Example

TENANT = World().tenant_id

EXAMPLES = {
    "vault": Example(
        "Microsoft.KeyVault/vaults",
        {
            "location": "eastus",
            "tags": {"team": "one"},
            "properties": {
                "accessPolicies": [
                    {
                        "tenantId": TENANT,
                        "objectId": "00000000-0000-4000-8000-000000000001",
                        "applicationId": "00000000-0000-4000-8000-000000000002",
                        "permissions": {
                            "keys": ["get"],
                            "secrets": ["get", "list"],
                            "certificates": ["get"],
                            "storage": ["get"],
                        },
                    }
                ],
                "enablePurgeProtection": True,
                "enableSoftDelete": True,
                "networkAcls": {
                    "bypass": "AzureServices",
                    "defaultAction": "Deny",
                    "ipRules": [{"value": "8.8.8.8"}],
                    "virtualNetworkRules": [{"id": "{id:endpoints' network}/subnets/endpoints"}],
                },
                "publicNetworkAccess": "Enabled",
                "sku": {"family": "A", "name": "standard"},
                "softDeleteRetentionInDays": 7,
                "tenantId": TENANT,
            },
        },
        name="vault{n}",
        # Its tenant is the one of the local Azure.
        cheap=False,
    ),
}
