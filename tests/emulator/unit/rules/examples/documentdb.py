"""Examples of Microsoft.DocumentDB."""

from typing import Any

from emulator.entra.tokens import stable_id
from tests.emulator.unit.providers import WORLD
from tests.emulator.unit.rules.stage import Example
from tests.emulator.unit.rules.targets import SOMEBODY

ACCOUNTS = "Microsoft.DocumentDB/databaseAccounts"
ACCOUNT: dict[str, Any] = {
    "databaseAccountOfferType": "Standard",
    "locations": [{"locationName": "eastus", "failoverPriority": 0}],
}
PRINCIPAL = stable_id("principal", WORLD.tenant_id, SOMEBODY)
ROLE = "{id:database account}/sqlRoleDefinitions/00000000-0000-0000-0000-00000000000"

EXAMPLES = {
    "database account": Example(
        ACCOUNTS,
        {
            "location": "eastus",
            "kind": "GlobalDocumentDB",
            "tags": {"team": "one"},
            "properties": ACCOUNT
            | {
                "apiProperties": {},
                "capabilities": [],
                "consistencyPolicy": {
                    "defaultConsistencyLevel": "BoundedStaleness",
                    "maxIntervalInSeconds": 300,
                    "maxStalenessPrefix": 100_000,
                },
                "ipRules": [{"ipAddressOrRange": "8.8.8.8"}],
                "minimalTlsVersion": "Tls12",
                "publicNetworkAccess": "Enabled",
            },
        },
        name="database{n}",
        cheap=False,
    ),
    "serverless account": Example(
        ACCOUNTS,
        {"location": "eastus", "properties": ACCOUNT | {"capabilities": [{"name": "EnableServerless"}]}},
        name="serverless{n}",
        cheap=False,
    ),
    "database": Example(
        f"{ACCOUNTS}/sqlDatabases",
        {"properties": {"resource": {"id": "name{n}"}, "options": {"throughput": 400}}},
        parent="database account",
    ),
    "scaling database": Example(
        f"{ACCOUNTS}/sqlDatabases",
        {"properties": {"resource": {"id": "scaling{n}"}, "options": {"autoscaleSettings": {"maxThroughput": 1000}}}},
        name="scaling{n}",
        parent="database account",
    ),
    "serverless database": Example(
        f"{ACCOUNTS}/sqlDatabases",
        {"properties": {"resource": {"id": "name{n}"}}},
        parent="serverless account",
        supporting=True,
    ),
    "database container": Example(
        f"{ACCOUNTS}/sqlDatabases/containers",
        {
            "properties": {
                "resource": {
                    "id": "name{n}",
                    "defaultTtl": 60,
                    "partitionKey": {"paths": ["/id"], "kind": "Hash"},
                    "uniqueKeyPolicy": {"uniqueKeys": [{"paths": ["/name"]}]},
                },
                "options": {"throughput": 400, "autoscaleSettings": None},
            }
        },
        parent="database",
    ),
    "scaling container": Example(
        f"{ACCOUNTS}/sqlDatabases/containers",
        {
            "properties": {
                "resource": {"id": "scaling{n}", "partitionKey": {"paths": ["/id"]}},
                "options": {"autoscaleSettings": {"maxThroughput": 1000}},
            }
        },
        name="scaling{n}",
        parent="database",
    ),
    "database role": Example(
        f"{ACCOUNTS}/sqlRoleAssignments",
        {
            "properties": {
                "roleDefinitionId": f"{ROLE}1",
                "principalId": PRINCIPAL,
                "scope": "{id:database account}",
            }
        },
        name="{guid}",
        parent="database account",
    ),
}
