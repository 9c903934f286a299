"""Requests whose writes are answered late, wrongly or not at all: what was accepted, and what is left."""

import copy
import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from azure.core.exceptions import ClientAuthenticationError, HttpResponseError, ServiceResponseError
from azure.cosmos.exceptions import CosmosHttpResponseError

from shared import deadline
from tests.product.unit.cosmos_fake import EXISTS, MODIFIED
from tests.product.unit.frontend.world import CLUSTER, CLUSTERS, SUBSCRIPTION, World, body, changed

MEMBER = "properties.servicePrincipalProfile.clientSecret"
DOMAIN = "c1.eastus.aroapp.io"
OTHER_CLIENT = "11111111-0000-0000-0000-000000000002"
REFUSED: Any = CosmosHttpResponseError


def lost() -> Exception:
    """Return the exception of an SDK that gets no answer."""
    return ServiceResponseError("the connection broke")


def refused() -> Exception:
    """Return Cosmos DB's answer to too many requests: nothing was written."""
    return REFUSED(status_code=429, message="too many")  # type: ignore[no-any-return]  # the SDK's constructor has no types


def taken() -> Exception:
    """Return the answer to the second of two equal creates."""
    return EXISTS(message="exists")  # type: ignore[no-any-return]  # idem


def repeated() -> Exception:
    """Return the answer to the second of two equal conditional writes."""
    return MODIFIED(message="etag")  # type: ignore[no-any-return]  # idem


def break_once(
    monkeypatch: pytest.MonkeyPatch,
    holder: Any,
    method: str,
    error: Callable[[], Exception],
    *,
    written: bool,
    after: int = 0,
) -> None:
    """Make one call of a method fail, after its work or instead of it; the first few calls do not."""
    real = getattr(holder, method)
    calls: list[str] = []

    def call(*args: Any, **options: Any) -> Any:
        calls.append(method)
        if len(calls) != after + 1:
            return real(*args, **options)
        if written:
            real(*args, **options)
        raise error()

    monkeypatch.setattr(holder, method, call)


def break_always(monkeypatch: pytest.MonkeyPatch, holder: Any, method: str, error: Callable[[], Exception]) -> None:
    """Make every call of a method fail."""

    def call(*_args: Any, **_options: Any) -> Any:
        raise error()

    monkeypatch.setattr(holder, method, call)


def put(world: World, content: dict[str, Any] | None = None, cluster: str = CLUSTER) -> Any:
    """PUT a cluster."""
    return world.send("PUT", cluster, content or body())


def created(world: World) -> World:
    """Create the cluster and let it succeed."""
    assert put(world).status == 201
    world.finish()
    return world


def expect_unavailable(reply: Any) -> str:
    """Expect a 503 with `Retry-After`, and return its message."""
    assert (reply.status, reply.body["error"]["code"]) == (503, "ServiceUnavailable")
    assert reply.headers["Retry-After"] == "5"
    return str(reply.body["error"]["message"])


def expect_nothing_left(world: World) -> None:
    """Check that no trace of a create is left."""
    for name in ("OpenShiftClusters", "AsyncOperations", "Domains"):
        assert not world.cosmos[name].documents, name
    assert not world.secrets.versions


@pytest.mark.parametrize("error", [lost, repeated], ids=["no answer", "the answer to its repetition"])
@pytest.mark.parametrize(
    ("method", "content", "want_status"),
    [pytest.param("PATCH", {"tags": {"a": "b"}}, 200, id="PATCH"), pytest.param("DELETE", None, 202, id="DELETE")],
)
def test_a_change_that_is_written_is_accepted(  # noqa: PLR0917 - fixtures and cases
    world: World,
    monkeypatch: pytest.MonkeyPatch,
    method: str,
    content: Any,
    want_status: int,
    error: Callable[[], Exception],
) -> None:
    """The document names the operation of this request, whatever the answer to the write was."""
    created(world)
    break_once(monkeypatch, world.cosmos["OpenShiftClusters"], "replace_item", error, written=True)
    reply = world.send(method, CLUSTER, content)
    assert reply.status == want_status
    assert world.document["asyncOperationId"] in reply.headers["Azure-AsyncOperation"]
    assert reply.start is not None
    assert reply.start.input["operationId"] == world.document["asyncOperationId"]
    assert len(world.operations()) == 2


def test_a_change_that_has_ended_by_the_time_we_look_is_accepted(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cluster remembers its last operation."""
    created(world)

    def write_and_finish() -> Exception:
        world.finish()
        return lost()

    break_once(monkeypatch, world.cosmos["OpenShiftClusters"], "replace_item", write_and_finish, written=True)
    assert world.send("PATCH", CLUSTER, {"tags": {}}).status == 200


def test_a_create_that_is_written_is_accepted(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its secret stays, because the document names it."""
    break_once(monkeypatch, world.cosmos["OpenShiftClusters"], "create_item", lost, written=True)
    assert put(world).status == 201
    assert len(world.secrets.versions) == 1
    assert world.cosmos["Domains"].documents[DOMAIN, DOMAIN]["clusterDocumentId"] == world.document["id"]


@pytest.mark.parametrize(
    ("container", "after"),
    [
        pytest.param("Domains", 0, id="the domain"),
        pytest.param("AsyncOperations", 0, id="the plan"),
        pytest.param("AsyncOperations", 1, id="the operation"),
    ],
)
@pytest.mark.parametrize("error", [lost, taken], ids=["no answer", "the answer to its repetition"])
def test_what_comes_before_the_cluster_may_lose_its_answer_too(
    world: World, monkeypatch: pytest.MonkeyPatch, container: str, after: int, error: Callable[[], Exception]
) -> None:
    """It is read back, and the request continues."""
    break_once(monkeypatch, world.cosmos[container], "create_item", error, written=True, after=after)
    assert put(world).status == 201
    assert len(world.cosmos["Domains"].documents) == len(world.operations()) == 1
    assert world.plan(world.document["asyncOperationId"])["name"] == "create"


@pytest.mark.parametrize("status", [201, 200])
def test_a_subscription_that_is_written_is_answered(world: World, monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    """With the status that it would have had."""
    path = f"/subscriptions/{SUBSCRIPTION}"
    if status == 201:
        world.cosmos["Subscriptions"].documents.clear()
    method = "create_item" if status == 201 else "replace_item"
    break_once(monkeypatch, world.cosmos["Subscriptions"], method, lost, written=True)
    assert world.send("PUT", path, {"state": "Warned", "properties": {}}, api_version="2.0").status == status


@pytest.mark.parametrize(
    ("holder", "method", "after"),
    [
        pytest.param("Domains", "create_item", 0, id="the domain"),
        pytest.param("AsyncOperations", "create_item", 0, id="the plan"),
        pytest.param("AsyncOperations", "create_item", 1, id="the operation"),
        pytest.param("OpenShiftClusters", "create_item", 0, id="the cluster"),
        pytest.param("vault", "set_secret", 0, id="the secret"),
    ],
)
@pytest.mark.parametrize("error", [lost, refused], ids=["no answer", "refused"])
def test_a_create_that_fails_leaves_nothing(  # noqa: PLR0917 - fixtures and cases
    world: World, monkeypatch: pytest.MonkeyPatch, holder: str, method: str, after: int, error: Callable[[], Exception]
) -> None:
    """No reservation, no secret, no operation and no plan are left, and the create can be repeated."""
    target = world.secrets if holder == "vault" else world.cosmos[holder]
    break_once(monkeypatch, target, method, error, written=False, after=after)
    expect_unavailable(put(world))
    expect_nothing_left(world)
    assert put(world).status == 201


def test_a_secret_whose_answer_was_lost_is_deleted(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may exist, and no document names it."""
    break_once(monkeypatch, world.secrets, "set_secret", lost, written=True)
    expect_unavailable(put(world))
    expect_nothing_left(world)


def test_a_create_that_may_be_written_keeps_its_secret(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """If reading back fails too, nobody knows; the sweep removes what no document names."""
    container = world.cosmos["OpenShiftClusters"]
    break_once(monkeypatch, container, "create_item", lost, written=True)
    break_always(monkeypatch, container, "read_item", lost)
    assert "is not known" in expect_unavailable(put(world))
    assert len(world.secrets.versions) == 1
    assert world.document["secrets"]["request"]
    assert world.cosmos["Domains"].documents
    assert world.operation(world.document["asyncOperationId"])


def test_a_create_that_is_written_after_its_time_keeps_what_it_names(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A delayed write may land after the request has ended; the sweep removes what no document names."""
    container = world.cosmos["OpenShiftClusters"]
    held_back: list[Any] = []

    def hold(written: Any, **_options: Any) -> Any:
        held_back.append(written)
        with deadline.call():
            raise deadline.TimeIsUp

    create = container.create_item
    monkeypatch.setattr(container, "create_item", hold)
    assert "is not known" in expect_unavailable(put(world))
    create(*held_back)
    assert world.document["secrets"]["request"]
    assert len(world.secrets.versions) == 1
    assert world.operation(world.document["asyncOperationId"])
    assert world.cosmos["Domains"].documents


def test_what_cannot_be_undone_hides_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The answer reports the first failure; the log says what is left."""
    break_once(monkeypatch, world.cosmos["OpenShiftClusters"], "create_item", refused, written=False)
    break_always(monkeypatch, world.secrets, "begin_delete_secret", lost)
    expect_unavailable(put(world))
    assert "could not delete its secret" in caplog.text
    assert not world.cosmos["Domains"].documents


def test_an_update_that_fails_disables_the_secret_it_stored(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Deleting the secret would delete the version in use as well. The update's operation is deleted."""
    created(world)
    before = copy.deepcopy(world.document)
    break_once(monkeypatch, world.cosmos["OpenShiftClusters"], "replace_item", refused, written=False)
    expect_unavailable(world.send("PATCH", CLUSTER, changed({}, MEMBER, "another")))
    assert world.document == before
    assert world.secrets.disabled == [f"{before['id']}-request/2"]
    assert [each["id"] for each in world.operations()] == [before["lastAsyncOperationId"]]
    assert len(world.cosmos["AsyncOperations"].documents) == 2, "the operation and its plan"


def test_an_update_that_loses_a_race_leaves_one_operation_and_one_enabled_version(
    world: World,
) -> None:
    """The second try stores its own."""
    created(world)

    def somebody_writes() -> None:
        world.cosmos["OpenShiftClusters"].upsert_item(world.document | {"theirs": True})

    world.cosmos["OpenShiftClusters"].before_write.append(somebody_writes)
    assert world.send("PATCH", CLUSTER, changed({}, MEMBER, "another")).status == 200
    assert world.document["theirs"]
    assert world.secrets.disabled == [f"{world.document['id']}-request/2"]
    assert world.document["secrets"]["request"].endswith("/3")
    assert len(world.operations()) == 2


def test_an_update_of_a_cluster_that_has_just_been_deleted_finds_none(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its secret is deleted before its document."""
    created(world)
    world.services.vault._versions.clear()
    world.secrets.versions.clear()
    container = world.cosmos["OpenShiftClusters"]
    real = container.query_items

    def read_then_delete(*args: Any, **options: Any) -> Any:
        found = real(*args, **options)
        container.documents.clear()
        return found

    monkeypatch.setattr(container, "query_items", read_then_delete)
    assert world.send("PATCH", CLUSTER, {"tags": {}}).status == 404


def test_a_managed_domain_is_reserved_and_refused_to_others(world: World) -> None:
    """In any spelling and for any name; what the refused create wrote is removed."""
    assert put(world).status == 201
    assert world.cosmos["Domains"].documents[DOMAIN, DOMAIN]["openShiftClusterKey"] == CLUSTER.lower()
    other = changed(body(name="c2", client_id=OTHER_CLIENT), "properties.clusterProfile.domain", DOMAIN)
    reply = put(world, other, f"{CLUSTERS}/C2")
    error = reply.body["error"]
    assert (reply.status, error["code"], error["target"]) == (
        400,
        "DuplicateDomain",
        "properties.clusterProfile.domain",
    )
    assert len(world.secrets.versions) == 1
    assert len(world.operations()) == 1


def test_a_domain_of_the_customers_own_needs_no_reservation(world: World) -> None:
    """The owner of the domain decides who has it."""
    assert put(world, changed(body(), "properties.clusterProfile.domain", "c1.example.com")).status == 201
    assert not world.cosmos["Domains"].documents


@pytest.mark.parametrize(
    ("age", "key", "want_status"),
    [
        pytest.param(timedelta(minutes=3), CLUSTER.lower() + "-gone", 201, id="an old one without a cluster"),
        pytest.param(
            timedelta(minutes=1), CLUSTER.lower() + "-gone", 400, id="a young one, whose request may still run"
        ),
        pytest.param(timedelta(seconds=1), CLUSTER.lower(), 201, id="one of the same cluster"),
    ],
)
def test_a_reservation_without_a_cluster_is_taken_over(
    world: World, age: timedelta, key: str, want_status: int
) -> None:
    """A request that died left it; a running request gets the time that it may take."""
    world.cosmos["Domains"].upsert_item(
        {
            "id": DOMAIN,
            "openShiftClusterKey": key,
            "clusterDocumentId": "dead",
            "reservedAt": (world.now - age).isoformat(),
        }
    )
    assert put(world).status == want_status
    owner = world.cosmos["Domains"].documents[DOMAIN, DOMAIN]["clusterDocumentId"]
    assert (owner != "dead") == (want_status == 201)


def test_an_old_reservation_of_a_living_cluster_stays(world: World) -> None:
    """Its age does not matter then."""
    assert put(world).status == 201
    world.now += timedelta(days=0, hours=1)
    other = changed(body(name="c2", client_id=OTHER_CLIENT), "properties.clusterProfile.domain", "c1")
    assert put(world, other, f"{CLUSTERS}/C2").body["error"]["code"] == "DuplicateDomain"


def test_a_request_that_took_a_reservation_over_and_failed_puts_it_back(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another request for the same cluster may have made it, and be accepted meanwhile."""
    theirs = {
        "id": DOMAIN,
        "openShiftClusterKey": CLUSTER.lower(),
        "clusterDocumentId": "theirs",
        "reservedAt": world.now.isoformat(),
    }
    world.cosmos["Domains"].upsert_item(theirs)
    break_once(monkeypatch, world.cosmos["OpenShiftClusters"], "create_item", refused, written=False)
    expect_unavailable(put(world))
    assert world.cosmos["Domains"].documents[DOMAIN, DOMAIN]["clusterDocumentId"] == "theirs"


class Answer:
    """An answer of Cosmos DB or Key Vault."""

    def __init__(self, url: str, status: int, method: str = "GET") -> None:
        self.status_code, self.reason = status, "Forbidden"
        self.headers: dict[str, str] = {}
        self.request = type("Request", (), {"url": url, "method": method})()

    def text(self, encoding: str | None = None) -> str:  # noqa: ARG002 - the SDK's signature
        return ""


@pytest.mark.parametrize(
    ("error", "want_name", "want_logged"),
    [
        pytest.param(
            HttpResponseError("no", response=Answer("https://rp-eastus.documents.azure.com/", 403)),
            "Azure Cosmos DB",
            ("cccccccc-0000-0000-0000-000000000002", "Cosmos DB Built-in Data Contributor", "'rp-eastus'"),
            id="no data role",
        ),
        pytest.param(
            HttpResponseError("no", response=Answer("https://rp-cls.vault.azure.net/secrets/x", 403, "PUT")),
            "Azure Key Vault",
            ("cccccccc-0000-0000-0000-000000000002", "the permission to Set secrets", "'rp-cls'"),
            id="no permission",
        ),
        pytest.param(
            ClientAuthenticationError("no identity"),
            "the managed identity endpoint",
            ("cccccccc-0000-0000-0000-000000000002", "gets no token"),
            id="no token",
        ),
    ],
)
@pytest.mark.parametrize("path", [CLUSTER, "/healthz/ready"])
def test_what_the_service_may_not_do_is_for_its_operators(  # noqa: PLR0917 - fixtures and cases
    world: World,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    want_name: str,
    want_logged: tuple[str, ...],
    path: str,
) -> None:
    """The client gets a 503; the log names identity, permission and target."""
    for method in ("query_items", "read_item"):
        for container in world.cosmos.values():
            break_always(monkeypatch, container, method, lambda: error)
    with caplog.at_level(logging.ERROR):
        reply = world.send("GET", path)
    if path == CLUSTER:
        assert want_name in expect_unavailable(reply)
    else:
        assert (reply.status, reply.body["status"], reply.headers["Retry-After"]) == (503, "NotReady", "5")
    assert all(text in caplog.text for text in want_logged), caplog.text
