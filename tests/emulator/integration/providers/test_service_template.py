"""`infra/service.json`: the function app, which has no package yet, and everything that it uses."""

import json
import re
import time
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from emulator.arm.ids import GUID
from emulator.arm.models import ArmModel
from emulator.cosmos import CosmosModel
from emulator.cosmos.roles import ITEM_ACTIONS
from emulator.entra.models import EntraModel
from emulator.keyvault import KeyVaultModel
from emulator.vaults.deleted_vaults import DeletedVaults
from tests.emulator.integration.providers.stage import ENDED, Stage
from tests.emulator.unit.providers import caller

ROOT = Path(__file__).parents[4]
INFRA = ROOT / "infra"
# The templates of a release of November 2026, before the package told what it needs of them.
FORMER = Path(__file__).with_name("former")
DEPLOYMENTS = "Microsoft.Resources/deployments"
VERSION, SITES = "2025-04-01", "2025-05-01"
CONTAINERS = (
    *("AdminCredentials", "AsyncOperations", "Billing", "ClusterConditions", "Domains"),
    *("OpenShiftClusters", "OpenShiftVersions", "OperationProgress", "PlatformWorkloadIdentityRoleSets"),
    *("Sites", "Subscriptions", "TaskHubs"),
)
# What the identity may do in the service's vault and in the clusters' one.
RIGHTS = (
    ("svc", "secrets/getSecret/action", True),
    ("svc", "secrets/setSecret/action", False),
    ("cls", "secrets/setSecret/action", True),
    ("cls", "certificates/create/action", True),
    ("cls", "keys/create/action", False),
)


def _deployment(name: str, throughput: int, folder: Path = INFRA) -> dict[str, Any]:
    template = json.loads((folder / "service.json").read_text(encoding="utf-8"))
    given = json.loads((INFRA / "own.parameters.json").read_text(encoding="utf-8"))["parameters"]
    chosen = {"name": {"value": name}, "databaseThroughput": {"value": throughput}}
    return {"properties": {"mode": "Incremental", "template": template, "parameters": given | chosen}}


def _deploy(stage: Stage, name: str, throughput: int, folder: Path = INFRA) -> dict[str, Any]:
    path = f"{DEPLOYMENTS}/{name}"
    reply = stage.call("PUT", path, VERSION, _deployment(name, throughput, folder))
    assert reply.status_code in {200, 201}, reply.text
    while (found := stage.call("GET", path, VERSION).json()["properties"])["provisioningState"] not in ENDED:
        time.sleep(0.05)
    assert found["provisioningState"] == "Succeeded", json.dumps(found.get("error"))
    return dict(found)


@pytest.mark.parametrize("throughput", [0, 4000], ids=["serverless", "scaling"])
def test_the_data_planes_serve_what_the_template_made(stage: Stage, throughput: int) -> None:
    """Deployed twice, because an update of the service deploys it again."""
    name = f"arorp{uuid4().hex[:8]}"
    identity = _deploy(stage, name, throughput)["outputs"]["identity"]["value"]
    cosmos, vaults = stage.platform.model(CosmosModel), stage.platform.model(KeyVaultModel)
    assert cosmos.roles.allow(name, identity, ITEM_ACTIONS["create"])
    assert [found["id"] for found in cosmos.containers(name, "ARO")] == list(CONTAINERS)
    clusters = cosmos.container(name, "ARO", "OpenShiftClusters")
    assert clusters["uniqueKeyPolicy"] == {
        "uniqueKeys": [{"paths": ["/key"]}, {"paths": ["/clusterResourceGroupIdKey"]}, {"paths": ["/clientIdKey"]}]
    }
    assert "defaultTtl" not in clusters
    assert [vaults.vault(f"{name}-{kind}") is not None for kind in ("svc", "cls")] == [True, True]
    model, group = stage.platform.model(ArmModel), f"{stage.group}/"
    before = {found["id"] for found in model.scan(group)}
    assert _deploy(stage, name, throughput)["outputs"]["identity"]["value"] == identity
    assert {found["id"] for found in model.scan(group)} == before
    for vault, right, want in RIGHTS:
        scope = f"{stage.group}/providers/Microsoft.KeyVault/vaults/{name}-{vault}"
        granted = model.authorization.data_allowed(caller(identity), f"Microsoft.KeyVault/vaults/{right}", scope)
        assert granted is want, (vault, right)


def test_an_update_of_a_former_deployment_has_all_that_a_new_one_has(stage: Stage) -> None:
    """In place: what exists keeps its name, and nothing of the former release is left beside it."""
    updated, new = (f"arorp{uuid4().hex[:8]}" for _ in range(2))
    _deploy(stage, updated, 0, FORMER)
    before, identities = _resources(stage, updated), _identities(stage, updated)
    assert "INSTALLER_CLIENT_ID" not in _settings(stage, updated)
    _deploy(stage, updated, 0)
    _deploy(stage, new, 0)
    assert before < _resources(stage, updated) == _resources(stage, new)
    assert identities < _identities(stage, updated) == _identities(stage, new)
    assert _settings(stage, updated) == _settings(stage, new)


def test_an_update_gives_the_roles_of_a_former_deployment_the_actions_of_a_new_one(stage: Stage) -> None:
    """The same definitions and assignments, whose principal keeps its rights all the time."""
    subscription, principal = f"/subscriptions/{stage.world.subscription_id}", str(uuid4())
    found = []
    for folder in (FORMER, INFRA):
        template = json.loads((folder / "subscription.json").read_text(encoding="utf-8"))
        wanted = {"callers": "entra", "principalId": principal, "serviceGroup": stage.group.rsplit("/", 1)[-1]}
        parameters = {name: {"value": value} for name, value in wanted.items()}
        properties = {"mode": "Incremental", "template": template, "parameters": parameters}
        path = f"{subscription}/providers/{DEPLOYMENTS}/roles"
        body = {"location": "eastus", "properties": properties}
        assert stage.call("PUT", path, VERSION, body).status_code in {200, 201}
        while (ended := stage.call("GET", path, VERSION).json()["properties"])["provisioningState"] not in ENDED:
            time.sleep(0.05)
        assert ended["provisioningState"] == "Succeeded", json.dumps(ended.get("error"))
        found.append(ended["outputs"]["roles"]["value"])
        defined = [stage.platform.model(ArmModel).load(role) for role in found[-1]]
        granted = [role["properties"]["permissions"][0]["actions"] for role in defined if role is not None]
        needed = [{*role["actions"], *role.get("entra", ())} for role in template["variables"]["roles"]]
        assert [set(actions) for actions in granted] == needed
    former, new = (set(roles) for roles in found)
    assert former <= new


def _without_names(text: str, name: str) -> str:
    """Return an id or a setting without the name of its deployment, and without the ids that Azure makes up."""
    return re.sub(GUID, "…", text.replace(name, "NAME"))


def _resources(stage: Stage, name: str) -> set[str]:
    """Return what a deployment has made."""
    found = (str(each["id"]) for each in stage.platform.model(ArmModel).scan(f"{stage.group}/") if name in each["id"])
    return {_without_names(each, name) for each in found if DEPLOYMENTS not in each}


def _identities(stage: Stage, name: str) -> set[str]:
    """Return the identities that the function app may act as."""
    site = stage.call("GET", f"Microsoft.Web/sites/{name}", SITES).json()
    return {_without_names(each, name) for each in site["identity"]["userAssignedIdentities"]}


def _settings(stage: Stage, name: str) -> dict[str, str]:
    """Return the settings of the function app."""
    answer = stage.call("POST", f"Microsoft.Web/sites/{name}/config/appsettings/list", SITES)
    return {setting: _without_names(value, name) for setting, value in answer.json()["properties"].items()}


def test_client_certificates_are_refused_on_a_plan_that_may_not_verify_them(stage: Stage) -> None:
    """Before anything is made; the message names the plan to take."""
    deployment = _deployment(name := f"arorp{uuid4().hex[:8]}", 0)
    deployment["properties"]["parameters"]["callers"] = {"value": "arm"}
    reply = stage.call("PUT", f"{DEPLOYMENTS}/{name}", VERSION, deployment)
    assert reply.status_code == 400, reply.text
    assert "plan=ElasticPremium, because callers=arm needs client certificates" in reply.text
    assert not list(stage.platform.model(ArmModel).scan(f"{stage.group}/providers/Microsoft.KeyVault/vaults/{name}"))


def test_vaults_and_database_log_who_used_them(stage: Stage) -> None:
    """In the workspace of the service."""
    name = f"arorp{uuid4().hex[:8]}"
    _deploy(stage, name, 0)
    suffix = "/providers/Microsoft.Insights/diagnosticSettings/requests"
    settings = [
        found for found in stage.platform.model(ArmModel).scan(f"{stage.group}/") if found["id"].endswith(suffix)
    ]
    logged = {
        found["id"].removesuffix(suffix).rsplit("/", 1)[-1]: found["properties"]
        for found in settings
        if name in found["id"]
    }
    assert {which: [log["category"] for log in found["logs"]] for which, found in logged.items()} == {
        f"{name}-svc": ["AuditEvent"],
        f"{name}-cls": ["AuditEvent"],
        name: ["ControlPlaneRequests", "DataPlaneRequests"],
    }
    assert {found["workspaceId"].rsplit("/", 1)[-1] for found in logged.values()} == {name}


def test_a_deleted_group_leaves_only_what_azure_keeps_for_a_while(stage: Stage) -> None:
    """Vaults can be recovered; the rest is gone, the identity's principal included."""
    name = f"arorp{uuid4().hex[:8]}"
    path = f"/subscriptions/{stage.world.subscription_id}/resourcegroups/{name}"
    place = replace(stage, group=stage.call("PUT", path, VERSION, {"location": "eastus"}).json()["id"])
    identity = _deploy(place, name, 0)["outputs"]["identity"]["value"]
    place.ended(place.call("DELETE", place.group, VERSION))
    assert place.call("GET", place.group, VERSION).status_code == 404
    platform = stage.platform
    assert list(platform.model(ArmModel).scan(f"{place.group}/")) == []
    assert platform.model(CosmosModel).account(name) is None
    assert platform.model(EntraModel).find_principal(identity) is None
    kept = [found["vault"]["name"] for found in platform.model(DeletedVaults).all()]
    assert [f"{name}-{kind}" in kept for kind in ("svc", "cls")] == [True, True]
