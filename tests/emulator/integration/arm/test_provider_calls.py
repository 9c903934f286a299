"""Clusters in templates: what ARM asks of the resource provider while it deploys them."""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from azure.core.exceptions import HttpResponseError
from azure.mgmt.resource.deployments import DeploymentsMgmtClient
from azure.mgmt.resource.deployments.models import (
    Deployment,
    DeploymentProperties,
    DeploymentWhatIf,
    DeploymentWhatIfProperties,
)
from azure.mgmt.resource.resources import ResourceManagementClient
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from tests.emulator.integration.arm.stage import Provider, Stage, running
from tests.local_azure import wait_for

NAMESPACE = "Microsoft.RedHatOpenShift"
TYPE = f"{NAMESPACE}/openShiftClusters"
SCHEMA = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#"
POLL = f"/providers/{NAMESPACE}/locations/eastus/operationsstatus/o1?api-version=2025-07-25"
CLUSTER = {"location": "eastus", "properties": {"consoleProfile": {"url": "https://console"}}}


@pytest.fixture(autouse=True)
def registered(stage: Stage) -> Iterator[None]:
    """Begin each test with a registered provider that has no replies and no requests yet."""
    _register(stage)
    _forget(stage.provider)
    yield
    _forget(stage.provider)


def _forget(provider: Provider) -> None:
    provider.replies.clear()
    provider.preflights.clear()
    provider.received.clear()


def _register(stage: Stage) -> None:
    world = stage.world
    stage.arm.subscriptions.ensure(world.subscription_id, world.tenant_id, "Customer", providers=[NAMESPACE])


def _template(*, domain: str = "[toLower('ONE')]", **outputs: str) -> Deployment:
    cluster = {"type": TYPE, "apiVersion": "2025-07-25", "name": "c1", "location": "[resourceGroup().location]"}
    document: dict[str, Any] = {
        "$schema": SCHEMA,
        "contentVersion": "1.0.0.0",
        "resources": [cluster | {"properties": {"clusterProfile": {"domain": domain}}}],
        "outputs": {name: {"type": "string", "value": value} for name, value in outputs.items()},
    }
    return Deployment(properties=DeploymentProperties(mode="Incremental", template=document))


def _client(stage: Stage) -> DeploymentsMgmtClient:
    return DeploymentsMgmtClient(stage.owner, stage.world.subscription_id, polling_interval=1, retry_total=0)


def _accepted(stage: Stage) -> Response:
    poll = f"https://management.azure.com/subscriptions/{stage.world.subscription_id}{POLL}"
    return JSONResponse(CLUSTER, 201, headers={"Azure-AsyncOperation": poll})


def _status(status: str, error: dict[str, Any] | None = None) -> Response:
    return JSONResponse({"status": status} | ({"error": error} if error else {}), headers={"Retry-After": "0"})


def _asked(provider: Provider) -> list[str]:
    """Return the calls on clusters and their operations: method and last segment."""
    calls = [(method, target.partition("?")[0]) for method, target, _, _ in provider.received if NAMESPACE in target]
    return [f"{method} {path.rsplit('/', 1)[1]}" for method, path in calls]


def test_a_template_deploys_a_cluster_and_its_outputs_show_it(stage: Stage, group: str) -> None:
    """ARM sends one PUT for the customer, polls until the operation ends, then reads what the outputs refer to."""
    credentials = JSONResponse({"kubeadminPassword": "canary"})
    ends = (_status("InProgress"), Response("Service is down", 503), _status("Succeeded"))
    stage.provider.replies += [_accepted(stage), *ends, JSONResponse(CLUSTER), credentials]
    body = _template(
        console="[reference('c1').consoleProfile.url]",
        password=f"[listCredentials(resourceId('{TYPE}', 'c1'), '2025-07-25').kubeadminPassword]",
    )
    made = _client(stage).deployments.begin_create_or_update(group, "d", body).result()
    assert made.properties is not None
    assert made.properties.provisioning_state == "Succeeded"
    shown = {name: output["value"] for name, output in (made.properties.outputs or {}).items()}
    assert shown == {"console": "https://console", "password": "canary"}
    assert _asked(stage.provider) == [
        *("POST preflight", "PUT c1", "GET o1", "GET o1", "GET o1", "GET c1", "POST listCredentials")
    ]
    _, _, headers, sent = stage.provider.received[1]
    assert sent == {"location": "eastus", "properties": {"clusterProfile": {"domain": "one"}}}
    assert headers["x-ms-client-app-id"] == stage.world.owner_client_id
    assert made.properties.correlation_id == headers["x-ms-correlation-request-id"]
    calls = stage.platform.journal.entries(made.properties.correlation_id, "arm")
    assert [(call.operation, call.status, call.actions) for call in calls if NAMESPACE in call.operation] == [
        (f"POST {NAMESPACE}/deployments/preflight", 200, ()),
        (f"PUT {TYPE}", 201, (f"{TYPE}/write",)),
        (f"GET {TYPE}", 200, (f"{TYPE}/read",)),
        (f"POST {TYPE}/listCredentials", 200, (f"{TYPE}/listCredentials/action",)),
    ]


def test_a_cluster_that_fails_fails_the_deployment_with_its_own_error(stage: Stage, group: str) -> None:
    """Whether it is refused at once or fails later, the caller gets the provider's code and message."""
    refused = JSONResponse({"error": {"code": "InvalidParameter", "message": "The domain is taken."}}, 400)
    failed = _status("Failed", {"code": "QuotaExceeded", "message": "Not enough cores."})
    for replies, code in (([refused], "InvalidParameter"), ([_accepted(stage), failed], "QuotaExceeded")):
        stage.provider.replies[:] = replies
        with pytest.raises(HttpResponseError, match="DeploymentFailed") as told:
            _client(stage).deployments.begin_create_or_update(group, "d", _template()).result()
        assert code in str(told.value)


def test_an_error_without_a_body_fails_the_deployment(stage: Stage, group: str) -> None:
    """What stands between ARM and a provider may answer in plain text."""
    stage.provider.replies[:] = [Response("no", 400)]
    with pytest.raises(HttpResponseError, match="DeploymentFailed") as told:
        _client(stage).deployments.begin_create_or_update(group, "d", _template()).result()
    assert "The resource provider did not say why." in str(told.value)


def test_a_version_that_the_provider_lacks_is_refused_before_anything_is_made(stage: Stage, group: str) -> None:
    """The provider is not called."""
    body = _template()
    assert body.properties is not None
    assert body.properties.template is not None
    body.properties.template["resources"][0]["apiVersion"] = "1999-01-01"
    with pytest.raises(HttpResponseError, match="NoRegisteredProviderFound"):
        _client(stage).deployments.begin_create_or_update(group, "d", body)
    assert _asked(stage.provider) == []


def _failed(code: str) -> Response:
    error = {
        "code": code,
        "message": "The domain is wrong.",
        "target": "x",
        "details": [{"code": code, "message": "y"}],
    }
    return JSONResponse({"status": "Failed", "error": error})


def test_the_provider_checks_the_clusters_of_a_template_first(stage: Stage, group: str) -> None:
    """Validate, what-if and PUT send what ARM can evaluate, and show the provider's error among the details."""
    deployments = _client(stage).deployments
    body = _template(domain="[reference(resourceId('Microsoft.Network/virtualNetworks', 'vnet'), '2020-05-01').x]")
    whatif = DeploymentWhatIf(properties=DeploymentWhatIfProperties(mode="Incremental", template=_content(body)))
    for ask in (
        lambda: deployments.begin_validate(group, "d", body).result(),
        lambda: deployments.begin_what_if(group, "d", whatif).result(),
        lambda: deployments.begin_create_or_update(group, "d", body).result(),
    ):
        stage.provider.received.clear()
        stage.provider.preflights.append(_failed("InvalidParameter"))
        error = _refusal(ask)
        assert (error["code"], [detail["code"] for detail in error["details"]]) == (
            "InvalidTemplateDeployment",
            ["InvalidParameter"],
        )
        assert "'d' is not valid according to the validation procedure" in error["message"]
        assert error["details"][0]["details"] == [{"code": "InvalidParameter", "message": "y"}]
        assert error["details"][0]["target"] == "x"
        [(_, target, headers, sent)] = stage.provider.received
        path = f"/subscriptions/{stage.world.subscription_id}/resourceGroups/{group}/providers/{NAMESPACE}"
        vnet = path.replace(NAMESPACE, "Microsoft.Network/virtualNetworks/vnet")
        assert target == f"{path}/deployments/d/preflight?api-version=2025-07-25"
        assert headers["x-ms-client-app-id"] == stage.world.owner_client_id
        assert sent["resources"] == [
            {
                "id": f"{path}/openShiftClusters/c1",
                "name": "c1",
                "type": TYPE,
                "apiVersion": "2025-07-25",
                "location": "eastus",
                # What is known of an expression is evaluated.
                "properties": {"clusterProfile": {"domain": f"[reference('{vnet}', '2020-05-01').x]"}},
            }
        ]
    assert list(deployments.list_by_resource_group(group)) == []


def test_a_provider_that_cannot_be_asked_stops_the_deployment(stage: Stage, group: str) -> None:
    """Nobody knows whether it would accept the clusters, so the caller has to try again."""
    away = (Response("down", 503), JSONResponse({"error": {"code": "ServiceUnavailable", "message": "later"}}, 503))
    for reply, code in zip(away, ("BadGateway", "ServiceUnavailable"), strict=True):
        stage.provider.preflights.append(reply)
        with pytest.raises(HttpResponseError, match=code):
            _client(stage).deployments.begin_create_or_update(group, "d", _template())
    stage.provider.preflights.append(Response("no JSON"))
    with pytest.raises(HttpResponseError, match="The resource provider did not say why"):
        _client(stage).deployments.begin_create_or_update(group, "d", _template())
    assert _asked(stage.provider) == ["POST preflight"] * 3


def test_a_name_that_another_request_takes_meanwhile_is_not_taken_twice(stage: Stage, group: str) -> None:
    """ARM looks again after the provider has answered."""
    begun = threading.Event()

    class Late(Response):
        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            stage.provider.replies += [_accepted(stage), *(_status("InProgress") for _ in range(1000))]
            await asyncio.to_thread(_client(stage).deployments.begin_create_or_update, group, "d", _template())
            begun.set()
            await JSONResponse({"status": "Succeeded"})(scope, receive, send)

    stage.provider.preflights.append(Late())
    with pytest.raises(HttpResponseError, match="DeploymentActive"):
        _client(stage).deployments.begin_create_or_update(group, "d", _template())
    assert begun.is_set()
    wait_for(lambda: "GET o1" in _asked(stage.provider), "a poll of the cluster")
    stage.provider.replies[:] = [_status("Succeeded")]


def _content(body: Deployment) -> dict[str, Any]:
    assert body.properties is not None
    return dict(body.properties.template or {})


def _refusal(ask: Callable[[], Any]) -> dict[str, Any]:
    """Return the error of a call, or of the operation that it began."""
    try:
        told = ask().as_dict()
    except HttpResponseError as refused:
        told = json.loads(cast("Any", refused.response).text())
    return dict(told["error"])


def test_a_deployment_polls_on_after_a_restart(tmp_path: Path) -> None:
    """ARM sends no second PUT: it would be refused, because the cluster is being created."""
    with running(tmp_path) as stage:
        _register(stage)
        with ResourceManagementClient(stage.owner, stage.world.subscription_id) as client:
            client.resource_groups.create_or_update("g", {"location": "eastus"})
        stage.provider.replies += [_accepted(stage), *(_status("InProgress") for _ in range(1000))]
        _client(stage).deployments.begin_create_or_update("g", "d", _template(), polling=False)
        wait_for(lambda: "GET o1" in _asked(stage.provider), "a poll of the cluster")
    with running(tmp_path) as stage:
        stage.provider.replies += [_status("Succeeded")]
        wait_for(lambda: _state(stage) == "Succeeded", "the end of the deployment")
        assert _asked(stage.provider) == ["GET o1"]


def _state(stage: Stage) -> str | None:
    found = _client(stage).deployments.get("g", "d")
    return None if found.properties is None else found.properties.provisioning_state
