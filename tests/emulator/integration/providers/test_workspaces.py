"""Workspaces over the wire: deleted for a while, or by force."""

from uuid import uuid4

from tests.emulator.integration.providers.stage import Stage

VERSION = "2025-02-01"


def test_a_workspace_deleted_by_force_does_not_come_back(stage: Stage) -> None:
    """Without force it is listed among the deleted ones, and a PUT of its name recovers it."""
    path = f"Microsoft.OperationalInsights/workspaces/logs-{uuid4().hex[:8]}"
    deleted = f"{stage.group}/providers/Microsoft.OperationalInsights/deletedWorkspaces"
    body = {"location": "eastus", "properties": {"sku": {"name": "PerGB2018"}, "retentionInDays": 30}}
    first = stage.make(path, VERSION, body)["properties"]["customerId"]
    assert stage.call("DELETE", path, VERSION).status_code == 200
    listed = stage.call("GET", deleted, VERSION).json()["value"]
    assert [found["properties"]["customerId"] for found in listed] == [first]
    assert stage.make(path, VERSION, body)["properties"]["customerId"] == first
    assert stage.call("DELETE", path, VERSION, force="true").status_code == 200
    assert stage.call("GET", deleted, VERSION).json()["value"] == []
    assert stage.make(path, VERSION, body)["properties"]["customerId"] != first
