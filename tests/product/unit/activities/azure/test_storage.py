"""The storage deployment: begun once, explained when it fails, cancelled when the operation stops."""

import time
from typing import Any

import pytest

from activities.azure.storage import deploy_storage_template, role_assignment_name
from activities.runtime.step import Step
from activities.runtime.wrapper import perform
from activities.targets import ACTIVITIES
from orchestrators.plans.create import CREATE
from orchestrators.plans.rows import to_dict
from shared import settings
from shared.azure import templates
from tests.product.unit.activities.calls import call, payload
from tests.product.unit.azure_fake import Request
from tests.product.unit.product_world import CLUSTER_GROUP, NETWORK, World

DEPLOYMENT = f"{CLUSTER_GROUP}/providers/Microsoft.Resources/deployments/storage".lower()
DONE = {"outcome": "done"}


@pytest.fixture
def ready(accepted: World) -> World:
    """Decide what the template needs."""
    call("decide_names")
    call("validate_service_principal")
    return accepted


def begun(world: World) -> None:
    """Begin the deployment and let it run."""
    assert call("deploy_storage_template")["outcome"] == "wait"
    becomes(world, "Running")


def becomes(world: World, state: str, **more: Any) -> None:
    """Let the deployment have a state."""
    world.azure.resources[DEPLOYMENT]["properties"] |= {"provisioningState": state} | more


def test_the_deployment_is_begun_once(ready: World) -> None:
    """With its parameters, incremental, and no secret; a second delivery finds it running."""
    begun(ready)
    assert call("deploy_storage_template")["message"] == "deployment 'storage' is Running"
    assert ready.azure.changes() == ["PUT deployments/storage"]
    sent = ready.azure.resources[DEPLOYMENT]["properties"]
    assert sent["mode"] == "Incremental"
    (assignment,) = sent["parameters"]["roleAssignments"]["value"]
    assert assignment == {
        "name": role_assignment_name(CLUSTER_GROUP, "object-1"),
        "role": "b24988ac-6180-42a0-ab88-20f7382dd24c",
        "principalId": "object-1",
    }
    assert sent["parameters"]["infraId"] == {"value": ready.properties["infraId"]}


def admitted(world: World) -> Any:
    """Begin the deployment; return the subnets that its storage account lets in."""
    assert call("deploy_storage_template")["outcome"] == "wait"
    return world.azure.resources[DEPLOYMENT]["properties"]["parameters"]["admittedSubnetIds"]["value"]


def test_the_storage_account_lets_in_the_services_and_the_clusters_subnets(ready: World) -> None:
    """It denies everybody else; a rule for each subnet is in the template."""
    assert admitted(ready) == [settings.load().app_subnet_id, f"{NETWORK}/subnets/master", f"{NETWORK}/subnets/worker"]
    (account,) = (
        each for each in templates.load("storage")["resources"] if each["type"] == "Microsoft.Storage/storageAccounts"
    )
    rules = account["properties"]["networkAcls"]
    assert rules["defaultAction"] == "[if(empty(parameters('admittedSubnetIds')), 'Allow', 'Deny')]"
    assert rules["copy"][0]["name"] == "virtualNetworkRules"


def test_a_service_in_no_subnet_leaves_the_storage_account_open(ready: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would close the account to itself."""
    monkeypatch.setenv("APP_SUBNET_ID", "")
    settings.load.cache_clear()
    assert admitted(ready) == []


def test_a_plan_of_an_earlier_package_leaves_the_storage_account_open(ready: World) -> None:
    """Nothing has given the subnets the endpoint, without which Azure refuses the rules."""
    (row,) = (to_dict(each) for each in CREATE if each.name == "deploy_storage_template")
    row["needs"].remove("ensure_service_endpoints")
    assert perform(ACTIVITIES["deploy_storage_template"], payload(row, "run"))["outcome"] == "wait"
    assert ready.azure.resources[DEPLOYMENT]["properties"]["parameters"]["admittedSubnetIds"] == {"value": []}


def test_a_deployment_that_succeeded_with_the_same_content_is_not_sent_again(ready: World) -> None:
    """After a restart the row runs again, and nothing is deployed twice."""
    begun(ready)
    becomes(ready, "Succeeded")
    assert call("deploy_storage_template", "status") == DONE
    assert call("deploy_storage_template") == DONE
    assert ready.azure.changes() == ["PUT deployments/storage"]


def test_an_update_brings_back_no_container_of_the_ignition_and_takes_no_rule_of_the_clusters_services(
    ready: World,
) -> None:
    """Only a create makes the container, and the nodes' security group; another principal makes an update deploy again.

    To deploy that group again would remove the rules that the cluster's cloud provider has written into it.
    """
    begun(ready)
    becomes(ready, "Succeeded")
    assert ready.azure.resources[DEPLOYMENT]["properties"]["parameters"]["isCreated"] == {"value": True}
    ready.properties["provisioningState"] = "Updating"
    assert call("deploy_storage_template") == DONE
    ready.properties["servicePrincipalProfile"]["objectId"] = "object-2"
    assert call("deploy_storage_template")["outcome"] == "wait"
    assert ready.azure.resources[DEPLOYMENT]["properties"]["parameters"]["isCreated"] == {"value": False}
    resources = {each["name"]: each.get("condition") for each in templates.load("storage")["resources"]}
    assert {name for name, condition in resources.items() if condition == "[parameters('isCreated')]"} == {
        "[concat(variables('account'), '/default/ignition')]",
        "[concat(parameters('infraId'), '-node-nsg')]",
    }


def test_a_deployment_that_failed_before_is_sent_again(ready: World) -> None:
    """A resume continues with the failed step."""
    begun(ready)
    becomes(ready, "Failed")
    assert call("deploy_storage_template")["outcome"] == "wait"
    assert ready.azure.changes() == ["PUT deployments/storage"] * 2


@pytest.mark.parametrize("end", ["Succeeded", "Failed"])
def test_an_older_deployment_that_ran_is_not_taken_for_ours(ready: World, end: str) -> None:
    """Its end says nothing about what the row is to deploy, which begins then."""
    begun(ready)
    ready.azure.resources[DEPLOYMENT]["tags"] = {"aro-template": "older"}
    assert call("deploy_storage_template")["outcome"] == "wait"
    becomes(ready, end)
    assert call("deploy_storage_template", "status") == {"outcome": "wait", "message": "deployment 'storage' has begun"}
    assert call("deploy_storage_template", "status") == DONE
    assert ready.azure.changes() == ["PUT deployments/storage"] * 2


def test_another_delivery_that_won_the_race_is_waited_for(ready: World) -> None:
    """DeploymentActive means that ours runs already."""
    ready.azure.fails("PUT", "/deployments/storage$", 409, "DeploymentActive")
    assert call("deploy_storage_template")["outcome"] == "wait"


def operations(world: World, *failed: dict[str, Any]) -> None:
    """Let the deployment have failed operations."""
    value = [
        {
            "operationId": str(number),
            "properties": {
                "provisioningState": "Failed",
                "statusCode": "Conflict",
                "targetResource": {"id": one["id"]},
                "statusMessage": {"error": one["error"]},
            },
        }
        for number, one in enumerate(failed)
    ]
    ok = {"operationId": "ok", "properties": {"provisioningState": "Succeeded"}}
    world.azure.on("GET", "/deployments/storage/operations$", lambda _request: (200, {"value": [ok, *value]}, {}))


def test_a_failed_deployment_names_resource_cause_and_correlation(ready: World) -> None:
    """In Azure's words, with the owner."""
    begun(ready)
    becomes(ready, "Failed", correlationId="azure-corr")
    quota = {"code": "QuotaExceeded", "message": "Storage accounts: limit 250, used 250."}
    operations(ready, {"id": "/sub/account", "error": quota})
    outcome = call("deploy_storage_template", "status")
    error = outcome["error"]
    assert error["code"] == "ResourceQuotaExceeded"
    assert "Storage accounts: limit 250, used 250." in error["message"]
    assert error["details"][0] == quota | {"target": "/sub/account"}
    found = {detail["code"]: detail["message"] for detail in error["details"]}
    assert found["AzureResource"] == "/sub/account"
    assert found["AzureCorrelationId"] == "azure-corr"
    assert found["Step"] == "deploy_storage_template"
    assert found["Owner"] == "customer"
    assert outcome["retryClass"] == "none"


@pytest.mark.parametrize(
    ("code", "want_class"),
    [
        ("AuthorizationFailed", "authorization"),
        ("InternalServerError", "given-up"),
        ("ServerBusy", "given-up"),
        ("Other", "none"),
    ],
)
def test_a_failure_that_may_pass_is_begun_again(ready: World, code: str, want_class: str) -> None:
    """Even when ARM wraps the code in one of its own."""
    begun(ready)
    becomes(ready, "Failed")
    inner = {"code": code, "message": "inner"}
    wrapped = {"code": "ResourceDeploymentFailure", "message": "outer", "details": [inner]}
    operations(ready, {"id": "/sub/account", "error": wrapped})
    assert call("deploy_storage_template", "status")["retryClass"] == want_class


def test_a_cancel_waits_until_the_deployment_has_ended(ready: World) -> None:
    """A deployment that never began needs no cancel."""
    assert call("deploy_storage_template", "cancel") == {"outcome": "stopped"}
    begun(ready)
    ready.azure.on("POST", "/deployments/storage/cancel$", lambda _request: (204, None, {}))
    assert call("deploy_storage_template", "cancel")["outcome"] == "wait"
    becomes(ready, "Canceled")
    assert call("deploy_storage_template", "cancel") == {"outcome": "stopped"}
    assert ready.azure.changes()[1:] == ["POST storage/cancel"]


def test_what_would_be_sent_can_be_looked_at(ready: World) -> None:
    """Render shows the template and its parameters, and sends nothing."""
    document = ready.store.clusters.get(ready.cluster["key"])
    assert document is not None
    row = {"name": "deploy_storage_template", "phase": "bootstrap", "needs": []}
    (rendered,) = deploy_storage_template.render(Step(payload(row, "render"), document))
    types = [resource["type"] for resource in rendered["properties"]["template"]["resources"]]
    assert types.count("Microsoft.Storage/storageAccounts/blobServices/containers") == 2
    assert types.count("Microsoft.Network/networkSecurityGroups") == 2
    assert ready.azure.changes() == []


def test_what_is_missing_is_told_before_anything_is_sent(accepted: World) -> None:
    """Validate names every decision that was not made."""
    message = call("deploy_storage_template")["error"]["message"]
    for member in ("infraId", "storageSuffix", "objectId"):
        assert member in message
    assert accepted.azure.changes() == []


def blobs(world: World, *answers: int) -> list[Request]:
    """Let the account exist, and its containers answer with these codes in turn."""
    name = f"cluster{world.properties['storageSuffix']}"
    account = f"{CLUSTER_GROUP}/providers/Microsoft.Storage/storageAccounts/{name}".lower()
    endpoint = f"https://{name}.blob.core.windows.net/"
    world.azure.resources[account] = {"properties": {"primaryEndpoints": {"blob": endpoint}}}
    world.azure.on("POST", "/listAccountSas$", lambda _request: (200, {"accountSasToken": "sv=1&sig=s3cret"}, {}))
    asked: list[Request] = []
    left = list(answers)

    def container(request: Request) -> Any:
        asked.append(request)
        code = left.pop(0)
        return (
            code,
            None,
            {"x-ms-error-code": "ContainerNotFound"}
            if code == 404
            else {"etag": "e", "last-modified": "Mon, 02 Mar 2026 09:00:00 GMT"},
        )

    world.azure.on("GET", "^/(ignition|aro)$", container)
    return asked


def test_containers_are_ready_when_both_answer_on_the_data_plane(ready: World) -> None:
    """With a signature from the account, valid for an hour and only for reading."""
    asked = blobs(ready, 200, 200)
    assert call("storage_containers_ready") == DONE
    assert [request.path for request in asked] == ["/ignition", "/aro"]
    (signed,) = [request.json for request in ready.azure.calls if request.path.endswith("/listAccountSas")]
    assert (signed["signedServices"], signed["signedPermission"], signed["signedProtocol"]) == ("b", "r", "https")


def test_a_container_that_does_not_answer_yet_is_waited_for(ready: World) -> None:
    """Any error of the data plane means "not yet", and the message has no signature."""
    blobs(ready, 200, 404)
    outcome = call("storage_containers_ready")
    assert outcome["outcome"] == "wait"
    assert "container 'aro'" in outcome["message"]
    assert "s3cret" not in outcome["message"]


def test_a_container_that_stumbles_is_asked_again_after_a_second(ready: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The client's own first retry would come after 15 seconds, in which the thread would do nothing else."""
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    asked = blobs(ready, 503, 200, 200)
    assert call("storage_containers_ready") == DONE
    assert [request.path for request in asked] == ["/ignition", "/ignition", "/aro"]
    assert slept == [1]
