"""Routes as functions of the host: what the host passes, and what it gets back."""

import asyncio
import base64
import json
import logging
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import azure.durable_functions as df
import azure.functions as func
import pytest

from frontend import ROUTES, functions, register
from frontend.dry_runs import dry_run
from orchestrators.plans import RUN_PLAN
from shared import deadline, portal_files
from tests.product.unit.frontend.callers_world import CallersWorld
from tests.product.unit.frontend.world import CLUSTER, NEW, World, admin_certificate, arm_certificate, body, match


class DurableClient:
    """The part of the binding's durable client that the frontend uses."""

    def __init__(self) -> None:
        self.started: list[tuple[str, str, Any]] = []
        self.broken = False

    async def start_new(self, name: str, instance_id: str, content: Any) -> str:
        if self.broken:
            raise ConnectionError("the host is going down")
        self.started.append((name, instance_id, content))
        return instance_id

    def create_http_management_payload(self, instance_id: str) -> dict[str, str]:
        return {"id": instance_id, "statusQueryGetUri": "https://host/?code=key"}


@pytest.fixture
def ask(world: World, monkeypatch: pytest.MonkeyPatch) -> Callable[..., func.HttpResponse]:
    """Call the function of a path like the worker."""
    monkeypatch.setattr(functions, "get_services", lambda: world.services)

    def send(method: str, path: str, content: bytes = b"", **options: Any) -> func.HttpResponse:
        route, parameters = match(path)
        certificate = options.get("certificate", arm_certificate())
        request = func.HttpRequest(
            method=method,
            url=f"https://rp.example{path}",
            headers={
                "Host": "rp.example",
                "X-ARR-ClientCert": base64.b64encode(certificate).decode(),
                "Content-Type": "application/json" if content else "",
            },
            params={"API-Version": NEW},
            route_params=parameters,
            body=content,
        )
        function, bindings = functions._without_client(route), [request]
        if route.durable:
            function, bindings = functions._with_client(route), [request, options["client"]]
        response: func.HttpResponse = asyncio.run(function(*bindings))
        return response

    return send


def test_a_file_goes_out_as_it_is_with_its_own_type(
    own: CallersWorld, monkeypatch: pytest.MonkeyPatch, ask: Callable[..., func.HttpResponse]
) -> None:
    """All other answers are JSON."""
    monkeypatch.setattr(functions, "get_services", lambda: own.services)
    icon = ask("GET", "/portal/icon.svg")
    assert icon.get_body() == (portal_files.STATIC / "icon.svg").read_bytes()
    assert icon.headers["Content-Type"] == "image/svg+xml"


def test_a_put_starts_its_orchestration(world: World, ask: Callable[..., func.HttpResponse]) -> None:
    """After the documents are written."""
    client = DurableClient()
    response = ask("PUT", CLUSTER, json.dumps(body()).encode(), client=client)
    assert (response.status_code, response.mimetype) == (201, "application/json")
    ((name, instance_id, content),) = client.started
    assert (name, instance_id) == (RUN_PLAN, f"{world.document['asyncOperationId']}-1")
    assert content["clusterKey"] == CLUSTER.lower()
    assert response.headers["Azure-AsyncOperation"]


def test_a_start_that_fails_changes_no_answer(
    world: World, ask: Callable[..., func.HttpResponse], caplog: pytest.LogCaptureFixture
) -> None:
    """The watchdog will find the operation."""
    client = DurableClient()
    client.broken = True
    with caplog.at_level(logging.ERROR):
        assert ask("PUT", CLUSTER, json.dumps(body()).encode(), client=client).status_code == 201
    assert "the watchdog will" in caplog.text
    assert world.document["asyncOperationId"]


def test_an_answer_does_not_wait_for_a_start_that_hangs(
    world: World, ask: Callable[..., func.HttpResponse], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The watchdog will find the operation."""
    # The request itself has all the time that it needs on a busy machine.
    monkeypatch.setattr(deadline, "aftermath_left", lambda: 0.05)
    client = DurableClient()
    monkeypatch.setattr(client, "start_new", lambda *_arguments: asyncio.Event().wait())
    assert ask("PUT", CLUSTER, json.dumps(body()).encode(), client=client).status_code == 201
    assert world.document["asyncOperationId"]


def test_a_refused_put_starts_nothing(ask: Callable[..., func.HttpResponse]) -> None:
    """Neither does a read."""
    client = DurableClient()
    assert ask("PUT", CLUSTER, b"{}", client=client).status_code == 400
    assert ask("GET", CLUSTER, client=client).status_code == 404
    assert client.started == []


def test_durable_addresses_come_from_the_client(world: World, ask: Callable[..., func.HttpResponse]) -> None:
    """Only operators get them."""
    client = DurableClient()
    ask("PUT", CLUSTER, json.dumps(body()).encode(), client=client)
    path = f"/sre{CLUSTER}/operations/{world.document['asyncOperationId']}/durable"
    found = json.loads(ask("GET", path, client=client, certificate=admin_certificate()).get_body())
    assert found["statusQueryGetUri"] == "https://host/?code=key"
    assert b"code=key" not in ask("GET", path, client=client).get_body()


def test_an_empty_reply_is_empty(ask: Callable[..., func.HttpResponse]) -> None:
    """A client has nothing to parse after a 204."""
    response = ask("DELETE", CLUSTER, client=DurableClient())
    assert (response.status_code, response.get_body()) == (204, b"")


def test_the_url_of_a_request_names_no_cluster(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The host builds it with the caller's host name; the parameters come from the path."""
    monkeypatch.setattr(functions, "get_services", lambda: world.services)
    assert world.send("PUT", f"{CLUSTER}2", body()).status == 201
    route, parameters = match(CLUSTER)
    certificate = base64.b64encode(arm_certificate()).decode()
    request = func.HttpRequest(
        method="GET",
        url=f"https://rp.example{CLUSTER}2?a={CLUSTER}",
        headers={"Host": "rp.example", "X-ARR-ClientCert": certificate},
        params={"api-version": NEW},
        route_params=parameters,
        body=b"",
    )
    response = asyncio.run(functions._with_client(route)(request, DurableClient()))
    assert response.status_code == 404
    assert f"'{CLUSTER}'" in json.loads(response.get_body())["error"]["message"]


def test_every_route_is_one_function_with_all_verbs() -> None:
    """The table decides the bindings."""
    app = df.DFApp(http_auth_level=func.AuthLevel.FUNCTION)
    register(app)
    found = {function.get_function_name(): function.get_bindings_dict()["bindings"] for function in app.get_functions()}
    assert set(found) == {route.name for route in ROUTES}
    for route in ROUTES:
        kinds = {binding["type"]: binding for binding in found[route.name]}
        assert ("durableClient" in kinds) == route.durable
        trigger = kinds["httpTrigger"]
        assert trigger["route"] == route.template
        assert str(trigger["authLevel"]).lower().endswith("anonymous")
        assert len(trigger["methods"]) == len(functions.METHODS)


class TriedClient(DurableClient):
    """A durable client whose instances answer after some looks."""

    def __init__(self, *states: df.OrchestrationRuntimeStatus) -> None:
        super().__init__()
        self.states, self.purged = list(states), list[str]()

    async def get_status(self, _instance_id: str) -> Any:
        state = self.states.pop(0)
        return SimpleNamespace(runtime_status=state, output={"rows": [], "rendered": []})

    async def purge_instance_history(self, instance_id: str) -> None:
        self.purged.append(instance_id)


def test_a_dry_run_is_waited_for_and_its_history_removed(ask: Callable[..., func.HttpResponse]) -> None:
    """The host forgets it at once."""
    status = df.OrchestrationRuntimeStatus
    client = TriedClient(status.Pending, status.Running, status.Completed)
    path = f"/sre{CLUSTER}/plans/create/dryRun"
    response = ask("POST", path, json.dumps(body()).encode(), client=client, certificate=admin_certificate())
    assert (response.status_code, json.loads(response.get_body())["rows"]) == (200, [])
    ((name, instance_id, given),) = client.started
    assert (name, instance_id) == ("dry_run_v1", f"dry-run-{given['operationId']}")
    assert client.purged == [instance_id]


def test_a_dry_run_without_a_result_says_so(ask: Callable[..., func.HttpResponse]) -> None:
    """Nothing is claimed."""
    client = TriedClient(df.OrchestrationRuntimeStatus.Failed)
    path = f"/sre{CLUSTER}/plans/create/dryRun"
    response = ask("POST", path, json.dumps(body()).encode(), client=client, certificate=admin_certificate())
    assert response.status_code == 503


def test_a_dry_run_that_takes_long_is_answered_with_its_place(
    ask: Callable[..., func.HttpResponse], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its history stays until somebody asks again."""
    monkeypatch.setattr(dry_run, "_SECONDS", 0.0)
    client = TriedClient(df.OrchestrationRuntimeStatus.Running)
    path = f"/sre{CLUSTER}/plans/create/dryRun"
    response = ask("POST", path, json.dumps(body()).encode(), client=client, certificate=admin_certificate())
    assert (response.status_code, client.purged) == (202, [])
    assert "/plans/create/dryRuns/" in response.headers["Location"]
