"""What a resource logs to a workspace. The local Azure keeps the settings, and logs nothing."""

from emulator.arm.resources import ResourceType
from emulator.arm.schema import Choice, Reference, Required
from emulator.monitoring.workspaces import WORKSPACES_NAME

DIAGNOSTIC_SETTINGS = ResourceType(
    name="Microsoft.Insights/diagnosticSettings",
    api_versions=("2017-05-01-preview", "2021-05-01-preview"),
    properties={
        "workspaceId": Required(Reference(WORKSPACES_NAME, same_region=False, bare=True, same_subscription=False)),
        "logAnalyticsDestinationType": Choice(("Dedicated", "AzureDiagnostics")),
        "logs": [{"category": str, "categoryGroup": str, "enabled": Required(bool)}],
        "metrics": [{"category": str, "enabled": Required(bool)}],
    },
    has_state=False,
    created_status=200,
)
