"""Deployments as the SDK sees them: azure-mgmt-resource-deployments, through the proxy, with ARM's host name."""

from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError, ResourceExistsError, ResourceNotFoundError

from emulator.arm.access.roles import NETWORK_CONTRIBUTOR, READER
from emulator.arm.policy.policies import ASSIGNMENTS
from emulator.core.faults import Fault
from tests.emulator.integration.deployments.stage import NSG, Stage, deployment, group_of_rules, template

VNET = "Microsoft.Network/virtualNetworks"


def test_a_deployment_makes_its_resources_in_order_and_answers_outputs(stage: Stage) -> None:
    """Parameters, variables, copies, conditions, references and outputs work together."""
    client, group = stage.client(), stage.group()
    document = template(
        group_of_rules("[concat(parameters('name'), '-', copyIndex())]", copy={"name": "nsgs", "count": 2}),
        group_of_rules("never", condition="[not(equals(parameters('name'), 'a'))]"),
        {
            "type": VNET,
            "apiVersion": "2019-07-01",
            "name": "vnet",
            "location": "[resourceGroup().location]",
            "dependsOn": ["nsgs"],
            "properties": {
                "addressSpace": {"addressPrefixes": ["[variables('range')]"]},
                "subnets": [
                    {
                        "name": "s",
                        "properties": {
                            "addressPrefix": "[variables('range')]",
                            "networkSecurityGroup": {"id": f"[resourceId('{NSG}', 'a-1')]"},
                        },
                    }
                ],
            },
        },
        parameters={"name": {"type": "string"}},
        variables={"range": "10.0.0.0/24"},
        outputs={"guid": {"type": "string", "value": "[reference('vnet').subnets[0].id]"}},
    )
    done = client.deployments.begin_create_or_update(group, "d", deployment(document, name="a")).result()
    assert done.properties is not None
    assert done.properties.provisioning_state == "Succeeded"
    names = [(made.id or "").rsplit("/", 1)[-1] for made in done.properties.output_resources or []]
    assert names == ["a-0", "a-1", "vnet"]
    assert done.properties.outputs == {
        "guid": {"type": "String", "value": f"{_scope(stage, group)}/providers/{VNET}/vnet/subnets/s"}
    }
    assert stage.arm.get_resource(f"{_scope(stage, group)}/providers/{NSG}/never", "2019-07-01") is None
    operations = list(client.deployment_operations.list(group, "d"))
    assert [operation.properties.provisioning_operation for operation in operations if operation.properties] == [
        "Create",
        "Create",
        "Create",
        "EvaluateDeploymentOutput",
    ]
    again = client.deployments.begin_create_or_update(group, "d", deployment(document, name="a")).result()
    assert again.properties is not None
    assert again.properties.provisioning_state == "Succeeded"


def _scope(stage: Stage, group: str) -> str:
    return f"/subscriptions/{stage.subscription_id}/resourceGroups/{group}"


def test_a_failing_resource_stops_what_needs_it_and_nothing_else(stage: Stage) -> None:
    """The deployment fails with the resource's own error and names the resource."""
    client, group = stage.client(), stage.group()
    rule = {"name": "r", "properties": {"priority": 1, "access": "Allow"}}
    document = template(
        group_of_rules("bad", properties={"securityRules": [rule]}),
        group_of_rules("after", dependsOn=["bad"]),
        group_of_rules("sibling"),
    )
    poller = client.deployments.begin_create_or_update(group, "d", deployment(document))
    with pytest.raises(HttpResponseError) as failure:
        poller.result()
    assert failure.value.error is not None
    assert failure.value.error.code == "DeploymentFailed"
    record = client.deployments.get(group, "d")
    assert record.properties is not None
    assert record.properties.error is not None
    [detail] = record.properties.error.details or []
    assert detail.target == f"{_scope(stage, group)}/providers/{NSG}/bad"
    states = {
        operation.properties.target_resource.resource_name: (
            operation.properties.provisioning_state,
            operation.properties.status_code,
        )
        for operation in client.deployment_operations.list(group, "d")
        if operation.properties and operation.properties.target_resource
    }
    assert states == {"bad": ("Failed", "BadRequest"), "sibling": ("Succeeded", "OK")}


def test_a_secure_parameter_is_seen_nowhere(stage: Stage) -> None:
    """A secure parameter is neither in answers nor in any file of the platform."""
    client, group, secret = stage.client(), stage.group(), "hunter2-canary"
    document = template(
        group_of_rules("n", tags={"length": "[string(length(parameters('password')))]"}),
        parameters={"password": {"type": "secureString"}},
        outputs={"o": {"type": "secureString", "value": "[parameters('password')]"}},
    )
    poller = client.deployments.begin_create_or_update(group, "d", deployment(document, password=secret))
    running = client.deployments.get(group, "d").as_dict()
    done = poller.result().as_dict()
    assert running["properties"]["parameters"] == {"password": {"type": "SecureString"}}
    assert done["properties"]["outputs"] == {"o": {"type": "SecureString"}}
    resource = stage.arm.get_resource(f"{_scope(stage, group)}/providers/{NSG}/n", "2019-07-01")
    assert resource is not None
    assert resource["tags"] == {"length": str(len(secret))}
    for file in stage.platform.root.rglob("*"):
        assert not file.is_file() or secret.encode() not in file.read_bytes(), file


def test_a_running_deployment_can_be_cancelled_and_not_replaced(stage: Stage) -> None:
    """A running deployment cannot be deleted either; once cancelled, it can be deployed again."""
    client, group = stage.client(), stage.group()
    document = template(group_of_rules("first"), group_of_rules("second", dependsOn=["first"]))
    slow = stage.platform.faults.add(Fault(service="arm", operation=f"PUT {NSG}", kind="hold", delay_seconds=3600))
    client.deployments.begin_create_or_update(group, "d", deployment(document), polling=False)
    with pytest.raises(ResourceExistsError) as active:
        client.deployments.begin_create_or_update(group, "d", deployment(document))
    assert active.value.error is not None
    assert active.value.error.code == "DeploymentActive"
    with pytest.raises(ResourceExistsError) as running:
        client.deployments.begin_delete(group, "d")
    assert running.value.error is not None
    assert running.value.error.code == "DeploymentCannotBeDeleted"
    client.deployments.cancel(group, "d")
    record = client.deployments.get(group, "d")
    assert record.properties is not None
    assert record.properties.provisioning_state == "Canceled"
    with pytest.raises(ResourceExistsError) as over:
        client.deployments.cancel(group, "d")
    assert over.value.error is not None
    assert over.value.error.code == "DeploymentCannotBeCancelled"
    stage.platform.faults.clear(slow.id)
    done = client.deployments.begin_create_or_update(group, "d", deployment(document)).result()
    assert done.properties is not None
    assert done.properties.provisioning_state == "Succeeded"


@pytest.mark.parametrize(
    ("document", "want_code", "want_message"),
    [
        pytest.param(template(group_of_rules("[nope()]")), "InvalidTemplate", "'nope' is not valid", id="expression"),
        pytest.param(
            template(group_of_rules("x", apiVersion="1999-01-01")),
            "NoRegisteredProviderFound",
            "1999-01-01",
            id="api-version",
        ),
        pytest.param(
            template(group_of_rules("x", type="Microsoft.Network/nopes")),
            "NotSupportedByLocalAzure",
            "nopes",
            id="type",
        ),
    ],
)
def test_a_bad_template_is_refused_before_anything_begins(
    stage: Stage, document: dict[str, Any], want_code: str, want_message: str
) -> None:
    """PUT and validate give the same error, and no deployment exists afterwards."""
    client, group = stage.client(), stage.group()
    with pytest.raises(HttpResponseError) as refused:
        client.deployments.begin_create_or_update(group, "d", deployment(document))
    assert refused.value.error is not None
    assert refused.value.error.code == want_code
    assert want_message in (refused.value.error.message or "")
    with pytest.raises(HttpResponseError) as invalid:
        client.deployments.begin_validate(group, "d", deployment(document))
    assert f"Code: {want_code}" in invalid.value.message
    assert want_message in invalid.value.message
    assert client.deployments.check_existence(group, "d") is False


def test_validate_answers_what_would_be_made(stage: Stage) -> None:
    """Nothing is created, and no deployment exists afterwards."""
    client, group = stage.client(), stage.group()
    document = template(group_of_rules("a"), group_of_rules("b", dependsOn=["a"]))
    result = client.deployments.begin_validate(group, "d", deployment(document)).result()
    assert result.properties is not None
    assert [made.id for made in result.properties.validated_resources or []] == [
        f"{_scope(stage, group)}/providers/{NSG}/{name}" for name in ("a", "b")
    ]
    assert result.properties.dependencies is not None
    assert client.deployments.check_existence(group, "d") is False


def test_mode_complete_is_refused_out_loud(stage: Stage) -> None:
    """Mode Complete would delete what the template does not name."""
    body = deployment(template(), mode="Complete")
    with pytest.raises(HttpResponseError, match="does not have deployments in mode Complete"):
        stage.client().deployments.begin_create_or_update(stage.group(), "d", body)


def test_who_may_not_write_a_resource_may_not_deploy_it(stage: Stage) -> None:
    """The whole deployment is refused; the error names each resource on which the caller lacks rights."""
    _, credential = stage.principal(NETWORK_CONTRIBUTOR)
    role = {
        "type": "Microsoft.Authorization/roleAssignments",
        "apiVersion": "2018-09-01-preview",
        "name": "[guid(resourceGroup().id)]",
        "properties": {"principalId": "p", "roleDefinitionId": "r"},
    }
    document = template(group_of_rules("n"), role)
    group = stage.group()
    with pytest.raises(HttpResponseError) as refused:
        stage.client(credential).deployments.begin_create_or_update(group, "d", deployment(document))
    assert refused.value.status_code == 403
    assert refused.value.error is not None
    assert refused.value.error.code == "InvalidTemplateDeployment"
    assert "Microsoft.Authorization/roleAssignments/write" in (refused.value.error.message or "")
    _, reader = stage.principal(READER)
    with pytest.raises(HttpResponseError) as denied:
        stage.client(reader).deployments.begin_create_or_update(group, "d", deployment(document))
    assert denied.value.error is not None
    assert denied.value.error.code == "AuthorizationFailed"


def test_an_injected_fault_fails_the_resource_that_it_meets(stage: Stage) -> None:
    """Faults apply to a deployment's calls as to any others; the journal has the calls under its correlation id."""
    client, group = stage.client(), stage.group()
    stage.platform.faults.add(
        Fault(service="arm", operation=f"PUT {NSG}", status_code=409, code="QuotaExceeded", message="No more.")
    )
    poller = client.deployments.begin_create_or_update(
        group, "d", deployment(template(group_of_rules("n"))), headers={"x-ms-correlation-request-id": "corr-1"}
    )
    with pytest.raises(HttpResponseError):
        poller.result()
    [entry] = [entry for entry in stage.platform.journal.entries("corr-1") if entry.operation == f"PUT {NSG}"]
    assert (entry.status, entry.error) == (409, "QuotaExceeded")
    assert entry.fault


def test_a_policy_that_refuses_a_resource_refuses_the_deployment(stage: Stage) -> None:
    """Nothing is made; the SDK reads the assignment from the error's additional information."""
    client, group = stage.client(), stage.group()
    identifier = f"{_scope(stage, group)}/providers/Microsoft.Authorization/policyAssignments/tags"
    properties = {
        "policyDefinitionId": "/providers/Microsoft.Authorization/policyDefinitions/871b6d14-10aa-478d-b590-94f262ecfa99",
        "parameters": {"tagName": {"value": "owner"}},
        "scope": _scope(stage, group),
        "enforcementMode": "Default",
    }
    stage.platform.store.table("arm_resources").put(
        identifier.lower(), {"id": identifier, "name": "tags", "type": ASSIGNMENTS, "properties": properties}
    )
    with pytest.raises(HttpResponseError, match="RequestDisallowedByPolicy") as refused:
        client.deployments.begin_create_or_update(group, "d", deployment(template(group_of_rules("n"))))
    error: Any = refused.value.error
    assert (refused.value.status_code, error.code) == (400, "InvalidTemplateDeployment")
    assert error.message.startswith("The template deployment failed because of policy violation.")
    (detail, *_) = error.details
    assert (detail.code, detail.target) == ("RequestDisallowedByPolicy", "n")
    (violation,) = detail.additional_info
    assert violation.type == "PolicyViolation"
    assert violation.info["policyAssignmentId"] == identifier
    assert list(client.deployments.list_by_resource_group(group)) == []


def test_a_deployment_can_be_listed_and_removed(stage: Stage) -> None:
    """Removing a deployment leaves its resources in place."""
    client, group = stage.client(), stage.group()
    document = template(group_of_rules("n"))
    client.deployments.begin_create_or_update(group, "one", deployment(document)).result()
    assert [found.name for found in client.deployments.list_by_resource_group(group)] == ["one"]
    assert list(client.deployments.list_by_resource_group(group, filter="provisioningState eq 'Failed'")) == []
    assert client.deployments.check_existence(group, "one") is True
    client.deployments.begin_delete(group, "one").result()
    assert client.deployments.check_existence(group, "one") is False
    with pytest.raises(ResourceNotFoundError) as gone:
        client.deployments.get(group, "one")
    assert gone.value.error is not None
    assert gone.value.error.code == "DeploymentNotFound"
    assert stage.arm.get_resource(f"{_scope(stage, group)}/providers/{NSG}/n", "2019-07-01") is not None
