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
LOCATIONS, TYPES = "e56962a6-4747-49cd-b67b-bf8b01975c4c", "6c112d4e-5bc7-47ae-a041-ea2d9dccd749"


def _send(stage: Stage, method: str, path: str, body: Any = None) -> httpx.Response:
    token = stage.owner.get_token("https://management.azure.com/.default").token
    version = "2019-07-01" if "/Microsoft.Network/" in path else "2022-06-01"
    url = f"{stage.url}{path}?api-version={version}"
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


@pytest.mark.parametrize(
    ("definition", "parameters"),
    [
        pytest.param(TAG_ON_RESOURCES, {"tagName": {"value": "owner"}}, id="a tag is missing"),
        pytest.param(LOCATIONS, {"listOfAllowedLocations": {"value": ["West US"]}}, id="another location"),
        pytest.param(
            TYPES, {"listOfResourceTypesNotAllowed": {"value": ["Microsoft.Network/virtualNetworks"]}}, id="the type"
        ),
    ],
)
def test_a_resource_that_a_policy_forbids_is_refused(
    stage: Stage, group: str, definition: str, parameters: Any
) -> None:
    """The resource is created where the assignment does not reach or is not enforced."""
    scope = f"{_subscription(stage)}/resourceGroups/{group}"
    body: Any = {"location": "eastus", "properties": {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}}}
    networks = f"{scope}/providers/Microsoft.Network/virtualNetworks"
    with _assigned(stage, scope, definition, parameters=parameters):
        refused = _send(stage, "PUT", f"{networks}/a", body)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "RequestDisallowedByPolicy")
    with _assigned(stage, _subscription(stage), definition, parameters=parameters, notScopes=[scope]):
        assert _send(stage, "PUT", f"{networks}/b", body).status_code == 201
    with _assigned(stage, scope, definition, parameters=parameters, enforcementMode="DoNotEnforce"):
        assert _send(stage, "PUT", f"{networks}/c", body).status_code == 201


def test_an_assignment_names_a_definition_that_exists_and_gives_its_parameter(stage: Stage, group: str) -> None:
    """An unknown definition or a missing parameter is refused; assignments can be listed."""
    scope = f"{_subscription(stage)}/resourceGroups/{group}"
    path = f"{scope}/providers/Microsoft.Authorization/policyAssignments"
    unknown = _send(stage, "PUT", f"{path}/a", {"properties": {"policyDefinitionId": f"{DEFINITIONS}/{uuid4()}"}})
    assert unknown.json()["error"]["code"] == "PolicyDefinitionNotFound"
    bare = _send(stage, "PUT", f"{path}/a", {"properties": {"policyDefinitionId": f"{DEFINITIONS}/{LOCATIONS}"}})
    assert bare.json()["error"]["code"] == "MissingPolicyParameter"
    with _assigned(stage, scope, TAG_ON_RESOURCES, parameters={"tagName": {"value": "owner"}}) as assignment:
        listed = _send(stage, "GET", path).json()["value"]
        assert assignment.lower() in [each["id"].lower() for each in listed]
