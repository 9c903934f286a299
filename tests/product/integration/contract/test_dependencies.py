"""Requests while a dependency of the service is away or loses an answer, on a platform that no other test uses."""

import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Any

import pytest
import requests

from frontend.callers.caller import Caller
from frontend.routes import ROUTES
from shared.clusters.api_versions import serving
from shared.json_object import Json
from tests import local_azure
from tests.local_azure import wait_for
from tests.patience import PATIENCE_SECONDS, served
from tests.product.integration.contract.provider import NEW, Provider

# All these tests share one platform, because each platform starts its own processes.
pytestmark = [pytest.mark.slow(75), pytest.mark.xdist_group("dependencies")]

MANY = 1_000_000
# Longer than any test: whoever waits for that is never answered.
FOR_EVER = 3600
# The ways in which a dependency is away. A silent one accepts the call and never answers it.
WAYS: dict[str, Json] = {
    "503": {"kind": "status", "status_code": 503},
    "429": {"kind": "status", "status_code": 429},
    "429 with Retry-After": {"kind": "status", "status_code": 429, "retry_after": FOR_EVER},
    "403": {"kind": "status", "status_code": 403},
    "resets": {"kind": "reset"},
    "cut in the headers": {"kind": "cut-headers"},
    "cut in the body": {"kind": "cut-body"},
    "silence": {"kind": "silence", "delay_seconds": FOR_EVER},
}
COSMOS, KEY_VAULT, ARM = "Azure Cosmos DB", "Azure Key Vault", "Azure Resource Manager"
IDENTITY = "the managed identity endpoint"
# Routes that need no dependency, and routes that operators call without ARM's certificate. The bundle that is sent here
# has another digest than its path says, and the site names no bundle, so both are refused before anything is asked.
ALONE = {
    "GET http_health",
    "GET http_portal",
    "GET http_portal_file",
    "GET http_operations",
    "GET http_subscriptions",
    "GET http_cluster_dry_run_result",
    "GET http_sre_plan_dry_run_result",
    "PUT http_sre_bundle",
    "PUT http_sre_site",
    "GET http_sre_zz_not_found",
    "GET zz_not_found",
}
OPERATORS = {
    f"{verb} {route.name}" for route in ROUTES if route.caller is Caller.ADMIN for verb in route.verbs or ["GET"]
}
READY, CREATE = {"GET http_health_ready", "GET http_sre_health_ready"}, "PUT http_cluster"
SSH_KEY = "POST http_sre_cluster_ssh_key"


@pytest.fixture(scope="module")
def provider(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Provider]:
    """Give a registered subscription on a platform whose faults affect no other test."""
    with local_azure.running(tmp_path_factory.mktemp("dependencies")) as azure:
        made = Provider(azure)
        made.register()
        yield made


@pytest.fixture(scope="module")
def cluster(provider: Provider) -> str:
    """Give the id of a cluster whose create has failed, because its network and principal do not exist."""
    cluster = provider.cluster("before")
    assert provider.send("PUT", cluster, json=provider.body("before")).status_code == 201
    wait_for(lambda: _has_failed(provider, cluster), "the create to fail", PATIENCE_SECONDS)
    return cluster


def _has_failed(provider: Provider, cluster: str) -> bool:
    """Tell whether a GET shows a failed cluster."""
    answer = provider.send("GET", cluster)
    return answer.status_code == HTTPStatus.OK and answer.json()["properties"]["provisioningState"] == "Failed"


@pytest.fixture(autouse=True)
def _without_faults(provider: Provider) -> Iterator[None]:
    """Lift the faults of a test."""
    yield
    provider.azure.control("DELETE", "/faults")


def inject(provider: Provider, service: str, count: int = MANY, **fault: Any) -> None:
    """Put a fault in force.

    Args:
        provider: the subscription on the platform.
        service: the service that fails, as the platform's faults name it.
        count: how many calls fail.
        fault: further members of the fault.
    """
    provider.azure.control("POST", "/faults", {"service": service, "count": count, **fault})


def restart(provider: Provider) -> None:
    """Replace the worker, so that a process without cached certificates or tokens answers."""
    provider.azure.kill("functions: worker")
    wait_for(provider.azure.serves, "the new process")


@pytest.fixture
def forgotten(provider: Provider) -> Iterator[None]:
    """Restart the worker afterwards: one that the identity endpoint has refused does not ask again for a while."""
    yield
    provider.azure.control("DELETE", "/faults")
    restart(provider)


def all_routes(provider: Provider) -> list[tuple[str, str, Json]]:
    """Return a request for each verb of each route: `VERB function`, path, and further arguments of the request.

    The PUT creates a new cluster. PATCH and DELETE are left out, because they would change this module's cluster when
    the missing dependency does not stop them. They behave like the PUT up to the write, and have their own tests below.
    """
    values = {
        "subscriptionId": provider.subscription_id,
        "resourceGroupName": "Group",
        "resourceProviderNamespace": "Microsoft.RedHatOpenShift",
        "resourceType": "openShiftClusters",
        "resourceName": "before",
        "location": provider.azure.endpoints["location"],
        "deploymentName": "template",
        "openShiftVersion": "4.19.24",
        "openShiftMinorVersion": "4.19",
        "operationId": str(uuid.uuid4()),
        "dryRunId": f"create-{uuid.uuid4()}",
        "digest": "0" * 64,
        "siteName": "edge",
        "phaseName": "agent",
        "clusterName": "hub",
        "planName": "create",
        "portalFile": "config.json",
        "rowName": "deploy_network_template",
    }
    name = f"new-{uuid.uuid4().hex[:8]}"
    more: dict[str, Json] = {
        "PUT http_subscription": {"json": {"state": "Registered", "properties": {}}},
        CREATE: {"json": provider.body(name)},
        "POST http_preflight": {"json": {"resources": [_resource(provider, name)]}},
        # A dry run of a right body reads the vault, and waits for an operation.
        **{one: {"json": []} for one in ("POST http_sre_plan_dry_run", "POST http_sre_plan_row_render")},
    }
    found = []
    for route in ROUTES:
        path = "/" + route.template.replace("{*path}", "nobody/serves/this").format_map(values)
        for verb in route.verbs or ["GET"]:
            what = f"{verb} {route.name}"
            own: Json = {"certificate": "admin_client"} if what in OPERATORS else {}
            own |= {"version": serving(route.feature)[-1].name}
            at = path.replace("/before", f"/{name}") if what == CREATE else path
            if what not in ("PATCH http_cluster", "DELETE http_cluster"):
                takes = verb in route.verbs and route.verbs[verb].takes
                found.append((what, at, more.get(what, {"json": {}} if takes else {}) | own))
    return found


def _resource(provider: Provider, name: str) -> Json:
    """Return a new cluster as a template has it."""
    kind = "Microsoft.RedHatOpenShift/openShiftClusters"
    return {"type": kind, "apiVersion": NEW, "name": name, **provider.body(name)}


def expect_unavailable_alone(provider: Provider, unavailable: set[str], names: tuple[str, ...]) -> None:
    """Send one request to every route at once; expect 503 from some, no 5xx from the others, and an answer from all.

    The dependency never answers, so whoever waits for it gets no answer either. On a busy machine a request may get a
    503 because of another dependency, which had too little time. It is then sent again.

    Args:
        provider: the subscription on the platform.
        unavailable: the requests that are answered with 503, as `VERB function`.
        names: the names of the dependency, of which the error gives one.
    """
    sent = all_routes(provider)
    with ThreadPoolExecutor(len(sent)) as pool:
        answers = list(pool.map(lambda each: settled(provider, names if each[0] in unavailable else (), *each), sent))
    for (what, *_), answer in zip(sent, answers, strict=True):
        if what in unavailable:
            expect_unavailable(answer, what, names)
        else:
            assert answer.status_code < 500, f"{what}: {answer.status_code} {answer.text}"


def settled(provider: Provider, names: tuple[str, ...], what: str, path: str, more: Json) -> requests.Response:
    """Send a request until it gets no 503 because of another dependency; return the answer.

    Args:
        provider: the subscription on the platform.
        names: the names of the dependency that is away; () if the request does without it.
        what: the request, as `VERB function`.
        path: the path of the request.
        more: further arguments of the request.
    """

    def status(answer: requests.Response) -> int:
        expected = bool(names) and (what in READY or any(name in answer.text for name in names))
        return HTTPStatus.OK if expected else answer.status_code

    return served(lambda: provider.send_once(what.split(maxsplit=1)[0], path, **more), status)


def expect_unavailable(answer: requests.Response, what: str, names: tuple[str, ...]) -> None:
    """Expect an error that says which dependency is away and when to retry; readiness answers codes instead.

    Args:
        answer: the answer to check.
        what: the request, as `VERB function`, for the messages of failed assertions.
        names: the names of the dependency, of which the error gives one.
    """
    assert answer.status_code == 503, f"{what}: {answer.status_code} {answer.text}"
    assert 1 <= int(answer.headers["Retry-After"]) <= 10, what
    if what in READY:
        assert answer.json()["status"] == "NotReady", what
        assert answer.json().get("codes") or answer.json().get("problems"), what
    else:
        error = answer.json()["error"]
        assert error["code"] == "ServiceUnavailable", what
        assert any(name in error["message"] for name in names), f"{what}: {error['message']}"
    assert uuid.UUID(answer.headers["X-Ms-Request-Id"])


def everything(provider: Provider) -> set[str]:
    """Return all requests except those that need no dependency."""
    return {what for what, *_ in all_routes(provider)} - ALONE


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize("way", WAYS)
def test_without_documents_every_route_that_reads_them_says_so(provider: Provider, way: str) -> None:
    """Every such route answers 503 without waiting for them, never 500."""
    inject(provider, "cosmos", **WAYS[way])
    expect_unavailable_alone(provider, everything(provider), (COSMOS,))


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize("way", WAYS)
def test_without_secrets_a_create_says_so_and_reads_go_on(provider: Provider, way: str) -> None:
    """Only readiness and the create call the vaults."""
    inject(provider, "keyvault", **WAYS[way])
    expect_unavailable_alone(provider, READY | {CREATE}, (KEY_VAULT,))


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize("way", WAYS)
def test_a_new_process_without_arm_can_tell_nobody_from_arm(provider: Provider, way: str) -> None:
    """The answer is 503 and not 403, because the caller's certificate is right.

    Operators are known by their own. ARM's metadata names the cloud's vaults, so the one operator's route that reads a
    secret needs it too.
    """
    inject(provider, "arm", **WAYS[way])
    restart(provider)
    alone = ("operations", "subscriptions", "cluster_dry_run_result")
    unavailable = everything(provider) | {"GET zz_not_found", *(f"GET http_{name}" for name in alone)}
    expect_unavailable_alone(provider, (unavailable - OPERATORS) | READY | {SSH_KEY}, (ARM,))


@pytest.mark.usefixtures("cluster", "forgotten")
@pytest.mark.parametrize("way", WAYS)
def test_a_new_process_without_an_identity_says_so(provider: Provider, way: str) -> None:
    """Reading documents and secrets takes a token of the managed identity."""
    inject(provider, "managed-identity", **WAYS[way])
    restart(provider)
    expect_unavailable_alone(provider, everything(provider), (IDENTITY,))


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize("service", ["arm", "managed-identity", "entra"])
def test_a_process_that_has_read_them_does_without(provider: Provider, service: str) -> None:
    """ARM's certificates and the tokens serve for hours, and no request calls Entra ID."""
    provider.send("GET", "/healthz/ready").raise_for_status()
    inject(provider, service, kind="reset")
    expect_unavailable_alone(provider, set(), ())


def test_a_new_create_whose_answer_was_lost_is_accepted(provider: Provider) -> None:
    """The stored document has the id that this request chose, so its write succeeded."""
    inject(provider, "cosmos", 1, kind="lost-response", operation="create OpenShiftClusters")
    answer = provider.send("PUT", provider.cluster("lost"), json=provider.body("lost"))
    assert answer.status_code == 201, answer.text
    running = provider.send("GET", answer.headers["Azure-AsyncOperation"])
    assert running.status_code == 200, running.text
    assert provider.azure.control("GET", "/faults")["value"] == []


@pytest.mark.parametrize("operation", ["create AsyncOperations", "replace OpenShiftClusters"])
@pytest.mark.parametrize("verb", ["PUT", "DELETE"])
def test_a_change_whose_answer_was_lost_is_accepted(provider: Provider, verb: str, operation: str) -> None:
    """Neither a resume nor a delete is refused because of the state that it has itself written."""
    name = f"changed-{uuid.uuid4().hex[:8]}"
    cluster, body = provider.cluster(name), provider.body(name)
    provider.send("PUT", cluster, json=body).raise_for_status()
    wait_for(lambda: _has_failed(provider, cluster), "the create to fail", PATIENCE_SECONDS)
    inject(provider, "cosmos", 1, kind="lost-response", operation=operation)
    answer = provider.send(verb, cluster, json=body if verb == "PUT" else None)
    assert answer.status_code == {"PUT": 200, "DELETE": 202}[verb], answer.text
    assert provider.azure.control("GET", "/faults")["value"] == []


def test_of_six_puts_with_one_managed_domain_one_is_accepted(provider: Provider) -> None:
    """Names, resource groups and subscriptions make no difference; the others have to choose another domain."""
    other = Provider(provider.azure)
    other.register()
    domain = f"d{uuid.uuid4().hex[:8]}"
    sent = []
    for number in range(6):
        owner = (provider, other)[number % 2]
        body = owner.body(f"racer{number}")
        body["properties"]["clusterProfile"]["domain"] = domain
        sent.append((owner, owner.cluster(f"racer{number}"), body))
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda each: each[0].send("PUT", each[1], json=each[2]), sent))
    assert sorted(answer.status_code for answer in answers) == [201, 400, 400, 400, 400, 400]
    refused = [answer.json()["error"] for answer in answers if answer.status_code != 201]
    assert {(error["code"], error["target"]) for error in refused} == {
        ("DuplicateDomain", "properties.clusterProfile.domain")
    }
    other.register("Deleted")
