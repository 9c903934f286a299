"""What clients see while something that the service depends on is away, or loses an answer: on a platform of its own."""

import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import requests

from frontend.routes import ROUTES
from tests import local_azure
from tests.local_azure import wait_for
from tests.product.integration.contract.provider import Json, Provider

# One platform for all of them: each starts processes of its own.
pytestmark = pytest.mark.xdist_group("dependencies")

MANY = 1_000_000
# What the client of a request, and a probe, may have to wait for.
ANSWERED, PROBED = 10.0, 5.0
# How a dependency is away. One that is silent takes the call and never answers it.
WAYS: dict[str, Json] = {
    "503": {"kind": "status", "status_code": 503},
    "429": {"kind": "status", "status_code": 429},
    "429 with Retry-After": {"kind": "status", "status_code": 429, "retry_after": 30},
    "403": {"kind": "status", "status_code": 403},
    "resets": {"kind": "reset"},
    "silence": {"kind": "delay", "delay_seconds": 60},
}
COSMOS, KEY_VAULT, ARM = "Azure Cosmos DB", "Azure Key Vault", "Azure Resource Manager"
IDENTITY = "the managed identity endpoint"
# Routes that answer without anything at all, and those that operators call without ARM's certificate.
ALONE = {"GET http_health", "GET http_operations", "GET http_sre_zz_not_found", "GET zz_not_found"}
OPERATORS = {"GET http_sre_operation", "GET http_sre_operation_durable", "GET http_sre_zz_not_found"}
READY, CREATE = "GET http_health_ready", "PUT http_cluster"


@pytest.fixture(scope="module")
def provider(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Provider]:
    """Give a registered subscription of a platform whose faults meet nobody else."""
    with local_azure.running(tmp_path_factory.mktemp("dependencies")) as azure:
        made = Provider(azure)
        made.register()
        yield made


@pytest.fixture(scope="module")
def cluster(provider: Provider) -> str:
    """Give the id of a cluster whose create has failed, because nothing that it names exists."""
    cluster = provider.cluster("before")
    assert provider.send("PUT", cluster, json=provider.body("before")).status_code == 201
    wait_for(lambda: state(provider, cluster) == "Failed", "the create to fail", seconds=120)
    return cluster


@pytest.fixture(autouse=True)
def _without_faults(provider: Provider) -> Iterator[None]:
    """Lift what a test put in force."""
    yield
    provider.azure.control("DELETE", "/faults")


def state(provider: Provider, cluster: str) -> str:
    """Return the provisioning state."""
    return str(provider.send("GET", cluster).json()["properties"]["provisioningState"])


def inject(provider: Provider, service: str, count: int = MANY, **fault: Any) -> None:
    """Put a fault in force."""
    provider.azure.control("POST", "/faults", {"service": service, "count": count, **fault})


def restart(provider: Provider) -> None:
    """Let a process answer that has read nothing yet."""
    provider.azure.kill("functions: worker")
    wait_for(provider.azure.serves, "the new process")


@pytest.fixture
def forgotten(provider: Provider) -> Iterator[None]:
    """Leave a new process behind: one that was put off by the identity endpoint does not ask again for as long."""
    yield
    provider.azure.control("DELETE", "/faults")
    restart(provider)


def all_routes(provider: Provider) -> list[tuple[str, str, Json]]:
    """Return one request for each verb of each route: `VERB function`, path, and what else is sent.

    The PUT is for a new cluster. The PATCH and the DELETE are left out, because they change the cluster of this module
    where nothing is away; what they do is the same up to the write, and has tests of its own below.
    """
    values = {
        "subscriptionId": provider.subscription_id,
        "resourceGroupName": "Group",
        "resourceProviderNamespace": "Microsoft.RedHatOpenShift",
        "resourceType": "openShiftClusters",
        "resourceName": "before",
        "location": provider.azure.endpoints["location"],
        "openShiftVersion": "4.19.24",
        "operationId": str(uuid.uuid4()),
    }
    name = f"new-{uuid.uuid4().hex[:8]}"
    more: dict[str, Json] = {
        "PUT http_subscription": {"json": {"state": "Registered", "properties": {}}},
        CREATE: {"json": provider.body(name)},
    }
    found = []
    for route in ROUTES:
        path = "/" + route.template.replace("{*path}", "nobody/serves/this").format_map(values)
        for verb in route.verbs or ["GET"]:
            what = f"{verb} {route.name}"
            admin: Json = {"certificate": "admin_client"} if what in OPERATORS else {}
            at = path.replace("/before", f"/{name}") if what == CREATE else path
            if what not in ("PATCH http_cluster", "DELETE http_cluster"):
                found.append((what, at, more.get(what, {}) | admin))
    return found


def expect_unavailable_alone(provider: Provider, unavailable: set[str], names: tuple[str, ...]) -> None:
    """Send one request to every route, all at once, and expect 503 of these and no 5xx of the others, in time."""
    sent = all_routes(provider)
    with ThreadPoolExecutor(len(sent)) as pool:
        answers = list(pool.map(lambda each: timed(provider, *each), sent))
    for (what, *_), (answer, seconds) in zip(sent, answers, strict=True):
        assert seconds < (PROBED if what == READY else ANSWERED), f"{what} took {seconds:.1f} s"
        if what in unavailable:
            expect_unavailable(answer, what, ("The service",) if what == READY else names)
        else:
            assert answer.status_code < 500, f"{what}: {answer.status_code} {answer.text}"


def timed(provider: Provider, what: str, path: str, more: Json) -> tuple[requests.Response, float]:
    """Send a request and return the answer with the seconds it took."""
    began = time.monotonic()
    answer = provider.send(what.split(maxsplit=1)[0], path, **more)
    return answer, time.monotonic() - began


def expect_unavailable(answer: requests.Response, what: str, names: tuple[str, ...]) -> None:
    """Expect an error that says what is away, and when to repeat."""
    assert answer.status_code == 503, f"{what}: {answer.status_code} {answer.text}"
    assert 1 <= int(answer.headers["Retry-After"]) <= 10, what
    error = answer.json()["error"]
    assert error["code"] == "ServiceUnavailable", what
    assert any(name in error["message"] for name in names), f"{what}: {error['message']}"
    assert uuid.UUID(answer.headers["X-Ms-Request-Id"])


def everything(provider: Provider) -> set[str]:
    """Return all requests but those that need nothing."""
    return {what for what, *_ in all_routes(provider)} - ALONE


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize("way", WAYS)
def test_without_documents_every_route_that_reads_them_says_so(provider: Provider, way: str) -> None:
    """None of them answers 500, and none is silent."""
    inject(provider, "cosmos", **WAYS[way])
    expect_unavailable_alone(provider, everything(provider), (COSMOS,))


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize("way", WAYS)
def test_without_secrets_a_create_says_so_and_reads_go_on(provider: Provider, way: str) -> None:
    """Only readiness and the create ask the vaults."""
    inject(provider, "keyvault", **WAYS[way])
    expect_unavailable_alone(provider, {READY, CREATE}, (KEY_VAULT,))


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize("way", WAYS)
def test_a_new_process_without_arm_can_tell_nobody_from_arm(provider: Provider, way: str) -> None:
    """So it answers 503 and not 403: the caller has the right certificate. Operators are known by theirs."""
    inject(provider, "arm", **WAYS[way])
    restart(provider)
    unavailable = everything(provider) | {"GET http_operations", "GET zz_not_found"}
    expect_unavailable_alone(provider, unavailable - OPERATORS, (ARM,))


@pytest.mark.usefixtures("cluster", "forgotten")
@pytest.mark.parametrize("way", WAYS)
def test_a_new_process_without_an_identity_says_so(provider: Provider, way: str) -> None:
    """No document and no secret can be read without its token."""
    inject(provider, "managed-identity", **WAYS[way])
    restart(provider)
    expect_unavailable_alone(provider, everything(provider), (IDENTITY,))


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize("service", ["arm", "managed-identity", "entra"])
def test_a_process_that_has_read_them_does_without(provider: Provider, service: str) -> None:
    """The certificates of ARM and the tokens serve for hours; no request asks Entra for anything."""
    provider.send("GET", "/healthz/ready").raise_for_status()
    inject(provider, service, kind="reset")
    expect_unavailable_alone(provider, set(), ())


def test_a_new_create_whose_answer_was_lost_is_accepted(provider: Provider) -> None:
    """The document names our own id, so the write was carried out."""
    inject(provider, "cosmos", 1, kind="lost-response", operation="create OpenShiftClusters")
    answer = provider.send("PUT", provider.cluster("lost"), json=provider.body("lost"))
    assert answer.status_code == 201, answer.text
    running = provider.send("GET", answer.headers["Azure-AsyncOperation"])
    assert running.status_code == 200, running.text
    assert provider.azure.control("GET", "/faults")["value"] == []


@pytest.mark.parametrize("operation", ["create AsyncOperations", "replace OpenShiftClusters"])
@pytest.mark.parametrize("verb", ["PUT", "DELETE"])
def test_a_change_whose_answer_was_lost_is_accepted(provider: Provider, verb: str, operation: str) -> None:
    """A resume and a delete; neither is refused because of the state that it has brought about itself."""
    name = f"changed-{uuid.uuid4().hex[:8]}"
    cluster, body = provider.cluster(name), provider.body(name)
    provider.send("PUT", cluster, json=body).raise_for_status()
    wait_for(lambda: state(provider, cluster) == "Failed", "the create to fail")
    inject(provider, "cosmos", 1, kind="lost-response", operation=operation)
    answer = provider.send(verb, cluster, json=body if verb == "PUT" else None)
    assert answer.status_code == {"PUT": 200, "DELETE": 202}[verb], answer.text
    assert provider.azure.control("GET", "/faults")["value"] == []


def test_of_six_puts_with_one_managed_domain_one_is_accepted(provider: Provider) -> None:
    """Whatever their names, resource groups and subscriptions; the others choose another domain."""
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
