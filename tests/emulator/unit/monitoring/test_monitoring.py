"""Log Analytics workspaces and Application Insights components as resources."""

from typing import Any

import pytest

from emulator.core.service_error import ServiceError
from tests.emulator.unit.providers import Azure

VERSION = "2025-02-01"
WORKSPACE = "Microsoft.OperationalInsights/workspaces/logs"
COMPONENT = "Microsoft.Insights/components/insights"
COMPONENT_VERSION = "2020-02-02"


def _workspace(location: str = "eastus", **properties: Any) -> dict[str, Any]:
    return {"location": location, "properties": {"sku": {"name": "PerGB2018"}, "retentionInDays": 60} | properties}


def _component(azure: Azure, **properties: Any) -> dict[str, Any]:
    given = {"Application_Type": "web", "WorkspaceResourceId": azure.id(WORKSPACE), "DisableLocalAuth": True}
    return {"location": "eastus", "kind": "web", "properties": given | properties}


@pytest.mark.parametrize(
    ("properties", "want_message"),
    [
        ({"retentionInDays": 20}, "doesn't match the SKU limits"),
        ({"retentionInDays": 731}, "doesn't match the SKU limits"),
        ({"color": "blue"}, "Could not find member 'color'"),
    ],
)
def test_wrong_workspaces_are_refused(azure: Azure, properties: dict[str, Any], want_message: str) -> None:
    """The retention is 30 to 730 days."""
    with pytest.raises(ServiceError, match=want_message):
        azure.put(WORKSPACE, VERSION, _workspace(**properties))


def test_a_component_has_a_connection_string_of_its_own(azure: Azure) -> None:
    """A repeated PUT keeps it."""
    azure.make(WORKSPACE, VERSION, _workspace())
    shown = azure.make(COMPONENT, COMPONENT_VERSION, _component(azure))["properties"]
    assert shown["ConnectionString"].startswith(f"InstrumentationKey={shown['InstrumentationKey']};IngestionEndpoint=")
    assert shown["ConnectionString"].endswith(f"ApplicationId={shown['AppId']}")
    assert azure.make(COMPONENT, COMPONENT_VERSION, _component(azure))["properties"] == shown


def test_a_component_needs_a_workspace_that_exists(azure: Azure) -> None:
    """The local Azure makes none by itself."""
    with pytest.raises(ServiceError, match="InvalidResourceReference"):
        azure.put(COMPONENT, COMPONENT_VERSION, _component(azure))
    with pytest.raises(ServiceError, match="needs a WorkspaceResourceId"):
        azure.put(COMPONENT, COMPONENT_VERSION, _component(azure, WorkspaceResourceId=None))
