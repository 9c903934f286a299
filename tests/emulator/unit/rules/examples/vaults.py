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
                "accessPolicies": [],
                "enableRbacAuthorization": True,
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
