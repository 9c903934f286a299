"""Examples of Microsoft.ManagedIdentity, Microsoft.OperationalInsights, Microsoft.Insights, Microsoft.ContainerRegistry."""

from tests.emulator.unit.rules.stage import Example

REGISTRY = "Microsoft.ContainerRegistry/registries"

EXAMPLES = {
    "identity": Example(
        "Microsoft.ManagedIdentity/userAssignedIdentities",
        {"location": "eastus", "tags": {"team": "one"}, "properties": {"isolationScope": "None"}},
    ),
    "federated credential": Example(
        "Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials",
        {
            "properties": {
                "issuer": "https://issuer.example/one",
                "subject": "system:serviceaccount:space:{n}",
                "audiences": ["openshift"],
            }
        },
        parent="identity",
    ),
    "workspace": Example(
        "Microsoft.OperationalInsights/workspaces",
        {
            "location": "eastus",
            "properties": {
                "publicNetworkAccessForIngestion": "Enabled",
                "publicNetworkAccessForQuery": "Enabled",
                "retentionInDays": 30,
                "sku": {"name": "CapacityReservation", "capacityReservationLevel": 100},
                "workspaceCapping": {"dailyQuotaGb": 1},
            },
        },
        cheap=False,
    ),
    "component": Example(
        "Microsoft.Insights/components",
        {
            "location": "eastus",
            "kind": "web",
            "properties": {
                "Application_Type": "web",
                "RetentionInDays": 90,
                "SamplingPercentage": 50,
                "WorkspaceResourceId": "{id:workspace}",
            },
        },
        cheap=False,
    ),
    "diagnostic setting": Example(
        "Microsoft.Insights/diagnosticSettings",
        {
            "properties": {
                "workspaceId": "{id:workspace}",
                "logAnalyticsDestinationType": "Dedicated",
                "logs": [{"category": "AuditEvent", "enabled": True}],
                "metrics": [{"category": "AllMetrics", "enabled": False}],
            },
        },
        cheap=False,
    ),
    "registry": Example(
        REGISTRY,
        {
            "location": "eastus",
            "sku": {"name": "Premium"},
            "properties": {"adminUserEnabled": False, "publicNetworkAccess": "Enabled", "zoneRedundancy": "Disabled"},
        },
        name="registry{n}",
        cheap=False,
    ),
    "other registry": Example(
        REGISTRY,
        {"location": "eastus", "sku": {"name": "Basic"}},
        name="other{n}",
        supporting=True,
        cheap=False,
    ),
    "token": Example(
        f"{REGISTRY}/tokens",
        {"properties": {"scopeMapId": "{id:registry}/scopeMaps/_repositories_pull", "status": "enabled"}},
        parent="registry",
    ),
}
