"""Deployments to subscriptions and what-if as the SDK sees them, with nested templates."""

from typing import Any
from uuid import uuid4

import pytest
from azure.core.exceptions import HttpResponseError
from azure.mgmt.resource.deployments.models import (
    Deployment,
    DeploymentParameter,
    DeploymentProperties,
    DeploymentWhatIf,
    DeploymentWhatIfProperties,
    DeploymentWhatIfSettings,
)

from emulator.core.faults import Fault
from tests.emulator.integration.deployments.stage import NSG, Stage, deployment, group_of_rules, template
from tests.local_azure import wait_for

SCHEMA = "https://schema.management.azure.com/schemas/2018-05-01/subscriptionDeploymentTemplate.json#"


def _landing_zone(group: str) -> dict[str, Any]:
    """Return a subscription template: a group, and security rules in it by a nested template."""
    inner = template(
        group_of_rules("[parameters('name')]", location="[resourceGroup().location]"),
        parameters={"name": {"type": "string"}},
        outputs={"id": {"type": "string", "value": f"[resourceId('{NSG}', parameters('name'))]"}},
    )
    nested = {
        "type": "Microsoft.Resources/deployments",
        "apiVersion": "2025-04-01",
        "name": "rules",
        "resourceGroup": group,
        "dependsOn": [f"[resourceId('Microsoft.Resources/resourceGroups', '{group}')]"],
        "properties": {
            "mode": "Incremental",
            "expressionEvaluationOptions": {"scope": "inner"},
            "parameters": {"name": {"value": "[parameters('name')]"}},
            "template": inner,
        },
    }
    made = {
        "type": "Microsoft.Resources/resourceGroups",
        "apiVersion": "2024-11-01",
        "name": group,
        "location": "[deployment().location]",
    }
    return template(
        made,
        nested,
        parameters={"name": {"type": "string"}},
        outputs={"id": {"type": "string", "value": "[reference('rules').outputs.id.value]"}},
    ) | {"$schema": SCHEMA}


def _body(document: dict[str, Any], **given: Any) -> Deployment:
    return Deployment(location="eastus", properties=_properties(DeploymentProperties, document, given))


def _properties(kind: Any, document: dict[str, Any], given: dict[str, Any], **more: Any) -> Any:
    parameters = {name: DeploymentParameter(value=value) for name, value in given.items()}
    return kind(mode="Incremental", template=document, parameters=parameters, **more)


def test_a_deployment_to_the_subscription_is_validated_made_shown_and_removed(stage: Stage) -> None:
    """The CLI's flow: validate, PUT, poll, GET; then its operations, its template, and DELETE."""
    client, group, name = stage.client(), f"rg-{uuid4().hex[:8]}", f"zone-{uuid4().hex[:8]}"
    document = _landing_zone(group)
    valid = client.deployments.begin_validate_at_subscription_scope(name, _body(document, name="n")).result()
    rules = f"/subscriptions/{stage.subscription_id}/resourceGroups/{group}/providers/{NSG}/n"
    assert valid.properties is not None
    assert rules in [made.id for made in valid.properties.validated_resources or []]
    assert stage.arm.resource_group(stage.subscription_id, group) is None
    done = client.deployments.begin_create_or_update_at_subscription_scope(name, _body(document, name="n")).result()
    assert done.location == "eastus"
    assert done.properties is not None
    assert done.properties.outputs == {"id": {"type": "String", "value": rules}}
    assert rules in [made.id for made in done.properties.output_resources or []]
    found = client.deployments.get_at_subscription_scope(name)
    assert found.id == f"/subscriptions/{stage.subscription_id}/providers/Microsoft.Resources/deployments/{name}"
    assert name in [listed.name for listed in client.deployments.list_at_subscription_scope()]
    assert [listed.name for listed in client.deployments.list_by_resource_group(group)] == ["rules"]
    operations = list(client.deployment_operations.list_at_subscription_scope(name))
    targets = [
        operation.properties.target_resource.resource_type
        for operation in operations
        if operation.properties and operation.properties.target_resource
    ]
    assert targets == ["Microsoft.Resources/resourceGroups", "Microsoft.Resources/deployments"]
    assert client.deployments.check_existence_at_subscription_scope(name) is True
    client.deployments.begin_delete_at_subscription_scope(name).result()
    assert client.deployments.check_existence_at_subscription_scope(name) is False
    assert stage.arm.get_resource(rules, "2019-07-01") is not None


def test_a_failure_inside_is_told_with_its_cause(stage: Stage) -> None:
    """The SDK's exception has the error of the outer deployment; its details lead to the resource."""
    client, group = stage.client(), stage.group()
    document = _landing_zone(group)
    poller = client.deployments.begin_create_or_update_at_subscription_scope(
        f"bad-{uuid4().hex[:8]}", _body(document, name="bad name")
    )
    with pytest.raises(HttpResponseError) as failure:
        poller.result()
    assert failure.value.error is not None
    assert failure.value.error.code == "DeploymentFailed"
    assert "InvalidResourceName" in str(failure.value)


def test_a_deployment_to_the_subscription_can_be_cancelled(stage: Stage) -> None:
    """What is nested in it ends too."""
    client, name, group = stage.client(), f"stop-{uuid4().hex[:8]}", f"rg-{uuid4().hex[:8]}"
    # Neither deployment ends by itself before the cancel.
    slow = stage.platform.faults.add(Fault(service="arm", operation=f"PUT {NSG}", kind="hold", delay_seconds=3600))
    body = _body(_landing_zone(group), name="n")
    client.deployments.begin_create_or_update_at_subscription_scope(name, body, polling=False)
    wait_for(lambda: client.deployments.check_existence(group, "rules"), "the nested deployment")
    client.deployments.cancel_at_subscription_scope(name)
    stage.platform.faults.clear(slow.id)
    for record in (client.deployments.get_at_subscription_scope(name), client.deployments.get(group, "rules")):
        assert record.properties is not None
        assert record.properties.provisioning_state == "Canceled"


def test_what_if_tells_the_changes_of_a_group(stage: Stage) -> None:
    """Create, Modify, NoChange and Ignore, with the differences."""
    client, group = stage.client(), stage.group()
    before = template(group_of_rules("same"), group_of_rules("changed", tags={"a": "1"}), group_of_rules("left"))
    client.deployments.begin_create_or_update(group, "d", deployment(before)).result()
    after = template(group_of_rules("same"), group_of_rules("changed", tags={"a": "2"}), group_of_rules("new"))
    body = DeploymentWhatIf(properties=_properties(DeploymentWhatIfProperties, after, {}))
    result = client.deployments.begin_what_if(group, "d", body).result()
    assert result.status == "Succeeded"
    changes = {(change.resource_id or "").rsplit("/", 1)[-1]: change for change in result.changes or []}
    assert {name: change.change_type for name, change in changes.items()} == {
        "same": "NoChange",
        "changed": "Modify",
        "new": "Create",
        "left": "Ignore",
    }
    assert [
        (delta.path, delta.property_change_type, delta.before, delta.after) for delta in changes["changed"].delta or []
    ] == [("tags.a", "Modify", "1", "2")]


def test_what_if_tells_the_changes_of_a_subscription(stage: Stage) -> None:
    """Nested templates are expanded, and nothing is made."""
    client, group = stage.client(), f"rg-{uuid4().hex[:8]}"
    settings = DeploymentWhatIfSettings(result_format="ResourceIdOnly")
    properties = _properties(DeploymentWhatIfProperties, _landing_zone(group), {"name": "n"}, what_if_settings=settings)
    body = DeploymentWhatIf(location="eastus", properties=properties)
    result = client.deployments.begin_what_if_at_subscription_scope("d", body).result()
    assert [(change.change_type, (change.resource_id or "").rsplit("/", 1)[-1]) for change in result.changes or []] == [
        ("Create", group),
        ("Create", "n"),
    ]
    assert stage.arm.resource_group(stage.subscription_id, group) is None


def test_what_if_of_a_wrong_template_is_a_result_with_an_error(stage: Stage) -> None:
    """The operation ends, and its status is Failed."""
    document = template(group_of_rules("[nope()]"))
    body = DeploymentWhatIf(properties=_properties(DeploymentWhatIfProperties, document, {}))
    result = stage.client().deployments.begin_what_if(stage.group(), "d", body).result()
    assert result.status == "Failed"
    assert result.error is not None
    assert result.error.code == "InvalidTemplate"
