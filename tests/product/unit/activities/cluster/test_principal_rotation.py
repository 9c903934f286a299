"""The rows that install a principal in a cluster and remove a former one from Azure: run twice, one effect."""

import base64
from typing import Any

import pytest
import yaml

from activities.azure.storage import role_assignment_name
from shared.json_object import Json
from tests.product.unit.activities.calls import call, control
from tests.product.unit.activities.cluster import cluster_api_fake
from tests.product.unit.activities.cluster.test_cluster_configuration import encoded, named
from tests.product.unit.openshift.api_fake import FakeApi
from tests.product.unit.product_world import CLUSTER_GROUP, CUSTOMER_TENANT, World

DONE = {"outcome": "done"}
SYSTEM, OPERATOR = "kube-system", "openshift-cloud-credential-operator"
OLD = {"clientId": "client-0", "objectId": "object-0", "secretId": "https://rp-cls.vault.azure.net/secrets/x/0"}
MACHINES = f"{CLUSTER_GROUP}/providers/Microsoft.Compute/virtualMachines"


@pytest.fixture
def api(accepted: World, monkeypatch: pytest.MonkeyPatch) -> FakeApi:
    """A cluster that holds the credentials of a former principal."""
    made = cluster_api_fake.wire(accepted, monkeypatch)
    config = encoded(yaml.safe_dump({"aadClientId": "client-0", "aadClientSecret": "old"}))
    made.add(
        named("Secret", "azure-credentials", SYSTEM, data={"azure_client_id": encoded("client-0"), "kept": "eA=="}),
        named("Secret", "azure-cloud-provider", SYSTEM, data={"cloud-config": config}),
        named("KubeAPIServer", "cluster", spec={"logLevel": "Normal"}),
        named("KubeControllerManager", "cluster", spec={}),
    )
    return made


def run(name: str, **more: Any) -> Json:
    """Run an executor of the rotation."""
    return cluster_api_fake.run(f"activities.cluster.principal_rotation:{name}", **more)


def status(name: str) -> Json:
    """Ask a condition of the rotation."""
    return call(name, "status")


def test_the_root_secret_gets_the_credentials_of_the_request(api: FakeApi) -> None:
    """Other members stay; a second run writes nothing."""
    assert run("update_root_credentials") == DONE
    data = api.at("Secret", "azure-credentials", SYSTEM)["data"]
    assert base64.b64decode(data["azure_client_secret"]) == b"s3cret"
    assert base64.b64decode(data["azure_tenant_id"]).decode() == CUSTOMER_TENANT
    assert data["kept"] == "eA=="
    assert run("update_root_credentials") == DONE
    assert len(api.changes) == 1


def test_pods_of_the_operator_that_are_older_than_the_row_are_deleted(api: FakeApi) -> None:
    """A second run leaves the new pods alone."""
    for name, second in (("old", 0), ("new", 30)):
        pod = named("Pod", name, OPERATOR)
        pod["metadata"]["creationTimestamp"] = f"2026-03-01T09:00:{second:02d}Z"
        api.add(pod)
    began = {"startTime": "2026-03-01T09:00:10+00:00"}
    assert run("restart_cloud_credential_operator", **began) == DONE
    assert run("restart_cloud_credential_operator", **began) == DONE
    assert [(method, path.rsplit("/", 1)[-1]) for method, path, _ in api.changes] == [("DELETE", "old")]


def test_every_request_for_azure_is_waited_for(api: FakeApi) -> None:
    """Until the Secret that it names has the wanted credentials."""
    spec = {"providerSpec": {"kind": "AzureProviderSpec"}, "secretRef": {"name": "own", "namespace": "ns"}}
    api.add(named("CredentialsRequest", "own", OPERATOR, spec=spec))
    assert "Secret 'ns/own' does not hold the new credentials yet" in status("operator_credentials_ready")["message"]
    run("update_root_credentials")
    api.add(named("Secret", "own", "ns", data=api.at("Secret", "azure-credentials", SYSTEM)["data"]))
    assert status("operator_credentials_ready") == DONE


def test_the_control_plane_is_redeployed_for_a_change_and_for_nothing_else(api: FakeApi) -> None:
    """If a run died between the Secret and the reason, the next one completes it."""
    assert run("redeploy_control_plane") == DONE
    assert status("control_plane_redeployed") == DONE
    assert api.changes == []
    assert run("update_cloud_provider_credentials") == DONE
    assert run("update_cloud_provider_credentials") == DONE
    for _ in range(2):
        assert run("redeploy_control_plane") == DONE
    reason = api.at("KubeAPIServer", "cluster")["spec"]["forceRedeploymentReason"]
    assert reason == "credentials change 1"
    assert api.at("KubeControllerManager", "cluster")["spec"]["forceRedeploymentReason"] == reason
    assert [path.rsplit("/", 2)[-2:] for _, path, _ in api.changes] == [
        ["secrets", "azure-cloud-provider"],
        ["kubeapiservers", "cluster"],
        ["kubecontrollermanagers", "cluster"],
    ]


def test_both_operators_are_waited_for(api: FakeApi) -> None:
    """Each on every master."""
    run("update_cloud_provider_credentials")
    run("redeploy_control_plane")
    told = status("control_plane_redeployed")["message"]
    assert "KubeAPIServer 'cluster' has not begun" in told
    assert "KubeControllerManager 'cluster' has not begun" in told
    for kind, pod in (("KubeAPIServer", "kube-apiserver"), ("KubeControllerManager", "kube-controller-manager")):
        found = api.at(kind, "cluster")
        nodes = [{"nodeName": "master-0", "currentRevision": 7}]
        api.add(found | {"status": {"latestAvailableRevision": 7, "nodeStatuses": nodes}})
        api.add(named("ConfigMap", f"{pod}-pod-7", f"openshift-{pod}", data=found["spec"]))
    assert status("control_plane_redeployed") == DONE


def test_what_a_cluster_cannot_be_asked_is_waited_for(api: FakeApi) -> None:
    """Missing objects are named, and the message quotes nothing of the secret."""
    api.objects.clear()
    outcome = run("update_root_credentials")
    assert outcome["outcome"] == "wait"
    assert "does not exist yet" in outcome["message"]


def test_a_cluster_whose_cloud_provider_is_an_operators_has_nothing_to_redeploy(api: FakeApi) -> None:
    """Its Secret is one of those that the credential operator makes."""
    api.objects.clear()
    for name in ("update_cloud_provider_credentials", "redeploy_control_plane"):
        assert run(name) == DONE
    assert status("control_plane_redeployed") == DONE
    assert api.changes == []


# In Azure, and on the document


@pytest.fixture
def changed(accepted: World) -> World:
    """Make a cluster that ran with another principal until now."""
    call("decide_names")
    accepted.cluster["principal"] = {"worked": OLD}
    accepted.properties["servicePrincipalProfile"]["objectId"] = "object-1"
    return accepted


def test_the_principal_is_noted_once_and_worked_when_the_update_did(changed: World) -> None:
    """A failed update keeps both."""
    assert call("note_principal") == DONE
    noted = changed.cluster["principal"]
    assert noted["worked"] == OLD
    assert [each["objectId"] for each in noted["tried"]] == ["object-1"]
    assert call("note_principal") == DONE
    assert changed.cluster["principal"] == noted
    assert call("finish") == DONE
    assert changed.cluster["principal"] == {"worked": noted["tried"][0]}
    assert noted["tried"][0]["secretId"].endswith("/doc-1-request/1")


def test_a_failed_update_keeps_the_principal_that_worked(changed: World) -> None:
    """The next update starts from it."""
    call("note_principal")
    noted = changed.cluster["principal"]
    assert control("finish_operation", error={"code": "X", "message": "It failed."}) == DONE
    assert changed.cluster["principal"] == noted


def _spared(world: World) -> list[str]:
    sent = world.azure.resources[f"{CLUSTER_GROUP}/providers/Microsoft.Resources/deployments/deny".lower()]
    return [each["id"] for each in sent["properties"]["parameters"]["sparedPrincipals"]["value"]]


def test_the_deny_assignment_spares_both_until_the_cluster_runs_with_one(changed: World) -> None:
    """Before that, the former one still acts in the cluster's group. After it is settled again, nothing is sent."""
    assert call("deploy_deny_assignment")["outcome"] == "wait"
    assert _spared(changed) == ["object-0", "object-1"]
    assert call("settle_deny_assignment")["outcome"] == "wait"
    assert _spared(changed) == ["object-1"]
    assert call("settle_deny_assignment") == DONE


def test_each_principal_has_an_assignment_of_its_own() -> None:
    """Azure lets no assignment change its principal; the name is the same however the ids are spelled."""
    first, second = (role_assignment_name(CLUSTER_GROUP, each) for each in ("object-1", "object-2"))
    assert first != second
    assert role_assignment_name(CLUSTER_GROUP.upper(), "OBJECT-1") == first


def test_only_the_services_own_assignment_for_a_former_principal_goes(changed: World) -> None:
    """The current principal's stays, and so do those of others; a second run finds nothing."""
    scope = f"{CLUSTER_GROUP}/providers/Microsoft.Authorization/roleAssignments".lower()
    names = {each: role_assignment_name(CLUSTER_GROUP, each) for each in ("object-0", "object-1")}
    for name in (*names.values(), "foreign"):
        changed.azure.resources[f"{scope}/{name}"] = {"properties": {}}
    for _ in range(2):
        assert call("remove_former_role_assignments") == DONE
    left = {path.rsplit("/", 1)[-1] for path in changed.azure.resources if path.startswith(scope)}
    assert left == {names["object-1"], "foreign"}


def _machines(world: World, **powers: str) -> None:
    """Let virtual machines have a power state."""
    listed = [{"name": name, "id": f"{MACHINES}/{name}", "location": "eastus"} for name in powers]
    world.azure.resources[MACHINES.lower()] = {"value": listed}
    for name, power in powers.items():
        view = {"statuses": [{"code": "ProvisioningState/succeeded"}, {"code": f"PowerState/{power}"}]}
        world.azure.resources[f"{MACHINES}/{name}/instanceView".lower()] = view


def test_machines_that_are_off_are_started_and_awaited(changed: World) -> None:
    """The row waits for machines that are starting, and leaves running ones alone."""
    changed.azure.on("POST", "/start$", lambda _request: (202, None, {}))
    _machines(changed, a="deallocated", b="stopped", c="starting", d="running")
    assert call("start_machines")["message"] == "not running yet: 'a', 'b', 'c'"
    assert changed.azure.changes() == ["POST a/start", "POST b/start"]
    _machines(changed, a="running", b="running", c="running", d="running")
    assert call("start_machines", "status") == DONE
    assert call("start_machines") == DONE
    assert len(changed.azure.changes()) == 2
