"""Azure Policy refuses what its assignments deny, with ARM's errors, whoever the caller is."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import httpx
import pytest
from azure.core.exceptions import HttpResponseError
from azure.mgmt.resource.resources import ResourceManagementClient

from tests.emulator.integration.arm.stage import Stage

DEFINITIONS = "/providers/Microsoft.Authorization/policyDefinitions"
TAG_ON_GROUPS, TAG_ON_RESOURCES = "96670d01-0a4d-4649-9c89-2d3abc0a5025", "871b6d14-10aa-478d-b590-94f262ecfa99"


def _send(stage: Stage, method: str, path: str, body: Any = None) -> httpx.Response:
    token = stage.owner.get_token("https://management.azure.com/.default").token
    version = "2019-07-01" if "/Microsoft.Network/" in path else "2022-06-01"
    url = f"{stage.url}{path}" if "?" in path else f"{stage.url}{path}?api-version={version}"
    return httpx.request(method, url, json=body, headers={"Authorization": f"Bearer {token}"}, timeout=60)


@contextmanager
def _assigned(stage: Stage, scope: str, definition: str, **properties: Any) -> Iterator[str]:
    """Assign a policy inside the context; yield the assignment's id."""
    path = f"{scope}/providers/Microsoft.Authorization/policyAssignments/{uuid4().hex[:12]}"
    wanted = {"policyDefinitionId": f"{DEFINITIONS}/{definition}", "displayName": "House rule", **properties}
    answer = _send(stage, "PUT", path, {"properties": wanted})
    assert answer.status_code == 201, answer.text
    try:
        yield path
    finally:
        assert _send(stage, "DELETE", path).status_code == 200


def _subscription(stage: Stage) -> str:
    return f"/subscriptions/{stage.world.subscription_id}"


def test_a_group_without_a_required_tag_is_refused_and_the_policy_is_named(stage: Stage) -> None:
    """`additionalInfo` has assignment and definition; a group with the tag is created and cannot lose the tag."""
    name = f"p-{uuid4().hex[:8]}"
    parameters = {"tagName": {"value": "costCenter"}}
    with (
        _assigned(stage, _subscription(stage), TAG_ON_GROUPS, parameters=parameters) as assignment,
        ResourceManagementClient(stage.owner, stage.world.subscription_id) as client,
    ):
        answer = _send(stage, "PUT", f"{_subscription(stage)}/resourceGroups/{name}", {"location": "eastus"})
        assert answer.status_code == 403
        error = answer.json()["error"]
        assert (error["code"], error["target"]) == ("RequestDisallowedByPolicy", name)
        (violation,) = error["additionalInfo"]
        assert violation["type"] == "PolicyViolation"
        assert violation["info"]["policyAssignmentId"].lower() == assignment.lower()
        assert violation["info"]["policyDefinitionDisplayName"] == "Require a tag on resource groups"
        client.resource_groups.create_or_update(name, {"location": "eastus", "tags": {"CostCenter": "1"}})
        with pytest.raises(HttpResponseError, match="RequestDisallowedByPolicy"):
            client.resource_groups.update(name, {"tags": {}})
        client.resource_groups.begin_delete(name).result()


def test_a_resource_that_a_policy_forbids_is_refused(stage: Stage, group: str) -> None:
    """The resource is created where the assignment does not reach or is not enforced."""
    scope, definition = f"{_subscription(stage)}/resourceGroups/{group}", TAG_ON_RESOURCES
    parameters = {"tagName": {"value": "owner"}}
    body: Any = {"location": "eastus", "properties": {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}}}
    networks = f"{scope}/providers/Microsoft.Network/virtualNetworks"
    with _assigned(stage, scope, definition, parameters=parameters):
        refused = _send(stage, "PUT", f"{networks}/one", body)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "RequestDisallowedByPolicy")
    with _assigned(stage, _subscription(stage), definition, parameters=parameters, notScopes=[scope]):
        assert _send(stage, "PUT", f"{networks}/two", body).status_code == 201
    with _assigned(stage, scope, definition, parameters=parameters, enforcementMode="DoNotEnforce"):
        assert _send(stage, "PUT", f"{networks}/three", body).status_code == 201


def test_an_assignment_names_a_definition_that_exists_and_gives_its_parameter(stage: Stage, group: str) -> None:
    """An unknown definition or a missing parameter is refused; assignments can be listed."""
    scope = f"{_subscription(stage)}/resourceGroups/{group}"
    path = f"{scope}/providers/Microsoft.Authorization/policyAssignments"
    elsewhere = f"{_subscription(stage)}{DEFINITIONS}/absent"
    unknown = _send(stage, "PUT", f"{path}/a", {"properties": {"policyDefinitionId": elsewhere}})
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (400, "PolicyDefinitionNotFound")
    other = _send(stage, "PUT", f"{path}/a", {"properties": {"policyDefinitionId": f"{DEFINITIONS}/{uuid4()}"}})
    assert (other.status_code, other.json()["error"]["code"]) == (400, "NotSupportedByLocalAzure")
    assert "Require a tag on resources" in other.json()["error"]["message"]
    bare = _send(stage, "PUT", f"{path}/a", {"properties": {"policyDefinitionId": f"{DEFINITIONS}/{TAG_ON_RESOURCES}"}})
    assert bare.json()["error"]["code"] == "MissingPolicyParameter"
    with _assigned(stage, scope, TAG_ON_RESOURCES, parameters={"tagName": {"value": "owner"}}) as assignment:
        listed = _send(stage, "GET", path).json()["value"]
        assert assignment.lower() in [each["id"].lower() for each in listed]


def test_a_custom_definition_denies_what_its_rule_says(stage: Stage, group: str) -> None:
    """A rule can ask for any member of the body; what is assigned cannot be deleted."""
    definition = f"{_subscription(stage)}{DEFINITIONS}/no-proxies"
    scope = f"{_subscription(stage)}/resourceGroups/{group}"
    table = f"{scope}/providers/Microsoft.Network/routeTables/t"
    kind = "Microsoft.Network/routeTables"
    condition = {
        "allOf": [
            {"field": "type", "equals": kind},
            {"field": f"{kind}/disableBgpRoutePropagation", "notEquals": "[parameters('wanted')]"},
        ]
    }
    rule = {"if": condition, "then": {"effect": "[parameters('effect')]"}}
    parameters = {
        "wanted": {"type": "Boolean", "defaultValue": True},
        "effect": {"type": "String", "allowedValues": ["Deny", "Audit"], "defaultValue": "Deny"},
    }
    body: Any = {"properties": {"policyRule": rule, "parameters": parameters, "displayName": "Routes stay ours"}}
    assert _send(stage, "PUT", definition, body).status_code == 201
    bad: Any = {"location": "eastus"}
    good: Any = bad | {"properties": {"disableBgpRoutePropagation": True}}
    custom = {"policyDefinitionId": definition}
    path = f"{scope}/providers/Microsoft.Authorization/policyAssignments/a"
    assert _send(stage, "PUT", path, {"properties": custom}).status_code == 201
    refused = _send(stage, "PUT", table, bad)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "RequestDisallowedByPolicy")
    assert "Routes stay ours" in refused.json()["error"]["message"]
    assert _send(stage, "PUT", table, good).status_code == 201
    held = _send(stage, "DELETE", definition)
    assert (held.status_code, held.json()["error"]["code"]) == (400, "InvalidDeletePolicyDefinitionRequest")
    assert path.lower() in held.json()["error"]["message"].lower()
    audit = {"properties": custom | {"parameters": {"effect": {"value": "audit"}}}}
    assert _send(stage, "PUT", path, audit).status_code == 201
    assert _send(stage, "PUT", table.replace("/t", "/u"), bad).status_code in {200, 201}
    assert _send(stage, "DELETE", path).status_code == 200
    assert _send(stage, "DELETE", definition).status_code == 200
    assert _send(stage, "GET", definition).json()["error"]["code"] == "PolicyDefinitionNotFound"


@pytest.mark.parametrize(
    ("properties", "code", "message"),
    [
        ({"policyRule": {"if": {}}}, "InvalidPolicyRule", "the members 'if' and 'then'"),
        (
            {"policyRule": {"if": {"field": "type", "equal": "x"}, "then": {"effect": "deny"}}},
            "InvalidPolicyRule",
            "one operator",
        ),
        (
            {"policyRule": {"if": {"field": "colour", "equals": "x"}, "then": {"effect": "deny"}}},
            "InvalidPolicyRule",
            "the field 'colour' does not exist",
        ),
        (
            {"policyRule": {"if": {"field": "type", "equals": "x"}, "then": {"effect": "deployIfNotExists"}}},
            "NotSupportedByLocalAzure",
            "the policy effect 'deployifnotexists'",
        ),
        (
            {"policyRule": {"if": {"value": "[utcNow()]", "equals": "x"}, "then": {"effect": "deny"}}},
            "NotSupportedByLocalAzure",
            "'value' in a policy rule",
        ),
        (
            {"mode": "Microsoft.KeyVault.Data", "policyRule": {"if": {}, "then": {}}},
            "NotSupportedByLocalAzure",
            "the policy mode 'Microsoft.KeyVault.Data'",
        ),
    ],
    ids=["half a rule", "operator", "field", "deploys", "function", "mode"],
)
def test_a_wrong_definition_is_refused(stage: Stage, properties: Any, code: str, message: str) -> None:
    """Before anybody assigns it."""
    answer = _send(stage, "PUT", f"{_subscription(stage)}{DEFINITIONS}/wrong", {"properties": properties})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
    assert message in answer.json()["error"]["message"]


def test_a_cluster_keeps_to_policies_as_any_resource(stage: Stage, group: str) -> None:
    """The resource provider does not hear of what is refused."""
    namespace = "Microsoft.RedHatOpenShift"
    stage.arm.subscriptions.ensure(
        stage.world.subscription_id, stage.world.tenant_id, "Customer", providers=[namespace]
    )
    scope = f"{_subscription(stage)}/resourceGroups/{group}"
    stage.provider.received.clear()
    with _assigned(stage, scope, TAG_ON_RESOURCES, parameters={"tagName": {"value": "owner"}}):
        path = f"{scope}/providers/{namespace}/openShiftClusters/c?api-version=2025-07-25"
        refused = _send(stage, "PUT", path, {"location": "eastus"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "RequestDisallowedByPolicy")
    assert stage.provider.received == []


def test_definitions_are_listed(stage: Stage) -> None:
    """A built-in definition can be read without a subscription."""
    listed = _send(stage, "GET", f"{_subscription(stage)}{DEFINITIONS}").json()["value"]
    assert "Require a tag on resources" in [each["properties"]["displayName"] for each in listed]
    shown = _send(stage, "GET", f"{DEFINITIONS}/{TAG_ON_GROUPS}").json()
    assert (shown["name"], shown["properties"]["policyType"]) == (TAG_ON_GROUPS, "BuiltIn")
