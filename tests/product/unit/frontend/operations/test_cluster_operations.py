"""The operations of a cluster as those see them who may read it."""

from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import pytest

from frontend.messages import Reply
from frontend.operations import cluster_operations, operation_report
from orchestrators import plans
from tests.api_versions import VERSIONS
from tests.product.unit.frontend.callers_world import APPLICATION, USER, CallersWorld, application_token
from tests.product.unit.frontend.world import (
    CLIENT_SECRET,
    CLUSTER,
    CLUSTERS,
    NOW,
    SUBSCRIPTION,
    World,
    admin_certificate,
    body,
)

OWN, LIST = VERSIONS[-1], f"{CLUSTER}/operations"
OTHER_SUBSCRIPTION = SUBSCRIPTION.replace("1", "2")
OBJECT_ID = "55555555-0000-4000-8000-000000000005"
READ = "Microsoft.RedHatOpenShift/openShiftClusters/read"
FROM_ARM = {"x-ms-client-object-id": OBJECT_ID, "x-ms-client-principal-id": "10037FFE"}


def get(world: World, path: str = LIST, **query: str) -> Reply:
    """GET a path in the provider's own version."""
    return world.send("GET", path, api_version=OWN, query=query)


def item(world: World, step: str, status: str, **more: Any) -> None:
    """Store a progress item of the running operation."""
    begun = {"id": f"{step}-1", "operationId": world.document["asyncOperationId"], "step": step, "attempt": 1}
    times = {"startTime": NOW.isoformat(), "lastProgressTime": NOW.isoformat()}
    world.cosmos["OperationProgress"].upsert_item({**begun, **times, "status": status, **more})


def error(reply: Reply) -> tuple[int, str]:
    """Return status and code of an error."""
    return reply.status, reply.body["error"]["code"]


@pytest.fixture
def creating(world: World) -> World:
    """A create that runs."""
    assert world.send("PUT", CLUSTER, body(), headers=FROM_ARM).status == 201
    return world


def test_an_operation_shows_its_rows_what_they_wait_for_and_who_began_it(creating: World) -> None:
    """As a resource below its cluster."""
    item(creating, "validate_service_principal", "Running", polls=3)
    operation_id = creating.document["asyncOperationId"]
    shown = get(creating, f"{LIST}/{operation_id}").body
    assert (shown["id"], shown["name"]) == (f"{LIST}/{operation_id}", operation_id)
    assert shown["type"] == "Microsoft.RedHatOpenShift/openShiftClusters/operations"
    properties = shown["properties"]
    assert (properties["status"], properties["plan"], properties["attempt"]) == ("Creating", "create", 1)
    assert properties["begunBy"] == {"objectId": OBJECT_ID, "kind": "User", "at": "2026-03-01T12:00:00Z"}
    rows = {row["name"]: row for row in creating.plan(operation_id)["rows"]}
    steps = {step["name"]: step for step in properties["steps"]}
    assert [*steps] == [*rows]
    running = steps["validate_service_principal"]
    assert (running["status"], running["polls"]) == ("Running", 3)
    assert running["waitsFor"] == rows["validate_service_principal"]["waitsFor"]
    assert properties["currentSteps"] == ["validate_service_principal"]
    assert get(creating).body == {"value": [shown]}


def test_what_azure_or_a_cluster_has_answered_is_for_operators(creating: World) -> None:
    """It may name internals of the service. The error with which a step has failed is the customer's."""
    why = {"code": "Forbidden", "message": "canary: vault rp-eastus refuses"}
    item(creating, "validate_service_principal", "Running", message="canary", error=why)
    failed = {"code": "InvalidLinkedVNet", "message": "The subnet is gone."}
    item(creating, "validate_network", "Failed", message="canary", error=failed)
    operation_id = creating.document["asyncOperationId"]
    reply = get(creating, f"{LIST}/{operation_id}")
    assert "canary" not in reply.text()
    assert not {"skipped", "timeScale", "clusterId"} & reply.body["properties"].keys()
    steps = {step["name"]: step for step in reply.body["properties"]["steps"]}
    assert steps["validate_network"]["error"] == failed
    assert "error" not in steps["validate_service_principal"]
    assert "canary" in creating.sre(f"{CLUSTER}/operations/{operation_id}").text()
    assert CLIENT_SECRET not in reply.text()


def test_operators_see_who_began_an_operation(creating: World) -> None:
    """It is one report."""
    found = creating.sre(f"{CLUSTER}/operations/{creating.document['asyncOperationId']}").body
    assert found["begunBy"] == {"objectId": OBJECT_ID, "kind": "User", "at": "2026-03-01T12:00:00Z"}


@pytest.mark.parametrize(
    ("headers", "want"),
    [
        pytest.param(FROM_ARM, "User", id="a user"),
        pytest.param({"x-ms-client-object-id": OBJECT_ID.upper()}, "Application", id="a service principal"),
        pytest.param(
            FROM_ARM | {"x-ms-arm-resource-system-data": '{"lastModifiedByType": "ManagedIdentity"}'},
            "ManagedIdentity",
            id="ARM says what",
        ),
        pytest.param({}, None, id="nobody"),
        pytest.param({"x-ms-client-object-id": "x"}, None, id="no object id"),
        pytest.param({"x-ms-client-object-id": "1" * 20_000}, None, id="a long text"),
    ],
)
def test_who_began_an_operation_is_whom_arm_names(world: World, headers: dict[str, str], want: str | None) -> None:
    """Stored with the operation, which otherwise stays as it was."""
    world.send("PUT", CLUSTER, body(), headers=headers)
    (operation,) = world.operations()
    stored = operation.get("begunBy")
    assert stored == ({"objectId": OBJECT_ID, "kind": want, "at": NOW.isoformat()} if want else None)
    shown = get(world, f"{LIST}/{operation['id']}").body["properties"]
    assert shown.get("begunBy", {}).get("kind") == want


def test_an_operator_is_not_whom_the_header_names(creating: World) -> None:
    """Only ARM writes it."""
    creating.finish()
    reply = creating.send("DELETE", CLUSTER, api_version="admin", headers=FROM_ARM, certificate=admin_certificate())
    assert reply.status == 202
    assert "begunBy" not in creating.operation(creating.document["asyncOperationId"])


def test_where_callers_have_tokens_these_say_who_began_an_operation(own: CallersWorld) -> None:
    """Headers of ARM mean nothing there."""
    own.call("PUT", CLUSTER, body(), headers=FROM_ARM)
    own.finish()
    own.call("DELETE", CLUSTER, token=application_token(), headers=FROM_ARM)
    begun = [each["properties"]["begunBy"] for each in own.call("GET", LIST, api_version=OWN).body["value"]]
    assert {(each["objectId"], each["kind"]) for each in begun} == {(USER, "User"), (APPLICATION, "Application")}


def test_the_list_has_every_operation_once_in_pages_of_ten_the_newest_first(creating: World) -> None:
    """Two that start at the same time, too, and one that begins between two pages moves none."""
    creating.finish()
    for _ in range(21):
        assert creating.send("PATCH", CLUSTER, {"tags": {}}).status == 200
        creating.finish()
    first = get(creating)
    names = [each["name"] for each in first.body["value"]]
    creating.now += timedelta(seconds=1)
    creating.send("PATCH", CLUSTER, {"tags": {}})
    reply, sizes = first, [len(names)]
    while link := reply.body.get("nextLink"):
        query = parse_qs(urlsplit(link).query)
        assert query["api-version"] == [OWN]
        reply = get(creating, LIST, **{"$skipToken": query["$skipToken"][0]})
        names += [each["name"] for each in reply.body["value"]]
        sizes.append(len(reply.body["value"]))
    assert sizes == [10, 10, 2]
    assert len({*names}) == 22
    newest = creating.document["asyncOperationId"]
    assert {each["id"] for each in creating.operations()} - {*names} == {newest}


def test_a_page_of_another_list_is_refused(creating: World) -> None:
    """Of another cluster's operations, of clusters, or of one that was deleted and had the same name."""
    creating.finish()
    for _ in range(12):
        creating.send("PATCH", CLUSTER, {"tags": {}})
        creating.finish()
    token = parse_qs(urlsplit(get(creating).body["nextLink"]).query)["$skipToken"][0]
    creating.document["id"] = OBJECT_ID
    for path, given in ((LIST, token), (LIST, "x"), (LIST, "A" * 50_000), (CLUSTERS, token)):
        assert error(get(creating, path, **{"$skipToken": given})) == (400, "InvalidParameter")


def test_an_operation_that_cannot_be_read_hides_no_other(creating: World) -> None:
    """The log says which."""
    broken = creating.document["asyncOperationId"]
    creating.finish()
    creating.send("PATCH", CLUSTER, {"tags": {}})
    creating.operation(broken)["begunBy"] = "x"
    assert [each["name"] for each in get(creating).body["value"]] == [creating.document["asyncOperationId"]]


def test_an_operation_that_expires_while_it_is_listed_is_left_out(
    creating: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is gone by the time it is read."""
    monkeypatch.setattr(creating.services.store.operations, "of_cluster", lambda _id: None)
    assert get(creating).body == {"value": []}


@pytest.mark.parametrize("version", VERSIONS)
def test_only_the_providers_own_version_serves_them(creating: World, version: str) -> None:
    """Microsoft's API has no such paths."""
    for path in (LIST, f"{LIST}/{creating.document['asyncOperationId']}"):
        reply = creating.send("GET", path, api_version=version)
        assert reply.status == (200 if version == OWN else 400)
        if version != OWN:
            assert reply.body["error"]["message"].endswith(f"Use one of: {OWN}.")


def test_an_operation_is_found_under_its_own_cluster_alone(creating: World) -> None:
    """Not below another one, nor in another subscription, nor below a later cluster of the same name."""
    operation_id = creating.document["asyncOperationId"]
    creating.register(OTHER_SUBSCRIPTION)
    elsewhere = CLUSTER.replace(SUBSCRIPTION, OTHER_SUBSCRIPTION)
    for missing in (f"{CLUSTER}x", elsewhere):
        for path in (f"{missing}/operations", f"{missing}/operations/{operation_id}"):
            assert error(get(creating, path)) == (404, "ResourceNotFound")
    other = f"{CLUSTERS}/c2"
    assert creating.send("PUT", other, body(name="c2", client_id=OBJECT_ID)).status == 201
    assert error(get(creating, f"{other}/operations/{operation_id}")) == (404, "NotFound")
    assert operation_id not in get(creating, f"{other}/operations").text()
    for unknown in (SUBSCRIPTION, str(uuid4())):
        assert error(get(creating, f"{LIST}/{unknown}")) == (404, "NotFound")
    for forged in ("1", f"{operation_id}-plan", "*", "x" * 10_000):
        assert error(get(creating, f"{LIST}/{forged}")) == (400, "InvalidOperationID")


def test_the_operations_of_a_cluster_that_was_deleted_are_not_its_namesakes(creating: World) -> None:
    """Another team may have made that."""
    operation_id = creating.document["asyncOperationId"]
    creating.cosmos["OpenShiftClusters"].documents.clear()
    creating.cosmos["Domains"].documents.clear()
    assert error(get(creating, f"{LIST}/{operation_id}")) == (404, "ResourceNotFound")
    assert creating.send("PUT", CLUSTER, body()).status == 201
    assert error(get(creating, f"{LIST}/{operation_id}")) == (404, "NotFound")
    assert [each["name"] for each in get(creating).body["value"]] == [creating.document["asyncOperationId"]]


def test_an_operation_of_an_earlier_build_is_shown_without_who_began_it(creating: World) -> None:
    """Everything else is there."""
    operation_id = creating.document["asyncOperationId"]
    creating.operation(operation_id).pop("begunBy")
    shown = get(creating, f"{LIST}/{operation_id}").body["properties"]
    assert "begunBy" not in shown
    assert shown["steps"]


@pytest.mark.parametrize("deny", ["another group", "the group"])
def test_a_caller_needs_the_right_to_read_the_cluster(own: CallersWorld, deny: str) -> None:
    """Before it is told whether the operation exists."""
    own.call("PUT", CLUSTER, body())
    group = CLUSTER.partition("/providers")[0]
    own.rights.deny(READ, group if deny == "the group" else f"{group}2")
    for path in (LIST, f"{LIST}/{own.document['asyncOperationId']}", f"{LIST}/{SUBSCRIPTION}"):
        reply = own.call("GET", path, api_version=OWN)
        if deny == "the group":
            assert error(reply) == (403, "AuthorizationFailed")
        else:
            assert reply.status == (404 if path.endswith(SUBSCRIPTION) else 200)


def test_the_members_for_customers_are_some_of_those_for_operators() -> None:
    """A misspelt one would silently be missing."""
    assert {*cluster_operations.MEMBERS} <= operation_report.Report.__annotations__.keys()
    assert {*cluster_operations.STEP_MEMBERS} <= operation_report.StepReport.__annotations__.keys()


def cancel(world: World, operation_id: str, cluster: str = CLUSTER) -> Reply:
    """Cancel an operation."""
    return world.send("POST", f"{cluster}/operations/{operation_id}/cancel", api_version=OWN)


@pytest.mark.parametrize("plan", ["create", "update"])
def test_an_operation_that_runs_can_be_canceled_and_canceled_again(creating: World, plan: str) -> None:
    """It stays so even if another attempt takes over. The answer says where to see its end."""
    if plan == "update":
        creating.finish()
        assert creating.send("PATCH", CLUSTER, {"tags": {}}).status == 200
    operation_id = creating.document["asyncOperationId"]
    for _ in range(2):
        reply = cancel(creating, operation_id)
        assert (reply.status, reply.body["properties"]["plan"]) == (202, plan)
        assert urlsplit(reply.headers["Location"]).path == f"{LIST}/{operation_id}"
        assert reply.headers["Retry-After"]
        assert (creating.document["stopping"], creating.document["canceling"]) == (True, True)
    assert len(creating.cosmos["OpenShiftClusters"].writes) == (2 if plan == "create" else 3)
    creating.finish(failed=True)
    assert "canceling" not in creating.document
    assert error(cancel(creating, operation_id)) == (409, "Conflict")


def test_a_canceled_create_can_be_resumed_and_a_canceled_update_repeated(creating: World) -> None:
    """As after a failure; nothing of the cancel is left for the next operation."""
    cancel(creating, creating.document["asyncOperationId"])
    creating.finish(failed=True)
    assert creating.send("PUT", CLUSTER, body()).status == 200
    assert "canceling" not in creating.document
    creating.finish()
    for _ in range(2):
        assert creating.send("PATCH", CLUSTER, {"tags": {"a": "b"}}).status == 200
        assert not creating.document["stopping"]
        cancel(creating, creating.document["asyncOperationId"])
        creating.finish(failed=True)


def test_a_delete_that_supersedes_a_canceled_create_is_not_canceled(creating: World) -> None:
    """The create is no longer the one that runs."""
    created = creating.document["asyncOperationId"]
    cancel(creating, created)
    assert creating.send("DELETE", CLUSTER).status == 202
    assert not creating.document["stopping"]
    assert "canceling" not in creating.document
    assert error(cancel(creating, created)) == (409, "Conflict")
    assert not creating.document["stopping"]


def test_a_delete_cannot_be_canceled_and_the_answer_says_why(creating: World) -> None:
    """Nothing is written."""
    creating.finish()
    creating.send("DELETE", CLUSTER)
    writes = len(creating.cosmos["OpenShiftClusters"].writes)
    reply = cancel(creating, creating.document["asyncOperationId"])
    assert error(reply) == (409, "Conflict")
    assert "plan 'delete' cannot be canceled: parts of the cluster may be gone" in reply.body["error"]["message"]
    assert len(creating.cosmos["OpenShiftClusters"].writes) == writes


def test_a_cancel_that_loses_every_race_says_so(creating: World) -> None:
    """The operation itself writes the cluster meanwhile; nothing is broken, and the caller tries again."""
    container, races = creating.cosmos["OpenShiftClusters"], iter(range(10))
    container.before_write += [lambda: creating.document.update({"_etag": f'"other-{next(races)}"'})] * 5
    reply = cancel(creating, creating.document["asyncOperationId"])
    assert error(reply) == (409, "Conflict")
    assert "Try again" in reply.body["error"]["message"]
    assert "canceling" not in creating.document


def test_an_operation_of_another_cluster_or_subscription_is_not_canceled(creating: World) -> None:
    """Whoever may write one cluster cannot reach another through it."""
    operation_id = creating.document["asyncOperationId"]
    creating.register(OTHER_SUBSCRIPTION)
    other = f"{CLUSTERS}/c2"
    assert creating.send("PUT", other, body(name="c2", client_id=OBJECT_ID)).status == 201
    elsewhere = CLUSTER.replace(SUBSCRIPTION, OTHER_SUBSCRIPTION)
    assert error(cancel(creating, operation_id, other)) == (404, "NotFound")
    assert error(cancel(creating, operation_id, elsewhere)) == (404, "ResourceNotFound")
    assert error(cancel(creating, SUBSCRIPTION)) == (404, "NotFound")
    assert error(cancel(creating, "x")) == (400, "InvalidOperationID")
    documents = creating.cosmos["OpenShiftClusters"].documents.values()
    assert not [each for each in documents if each["stopping"]]


@pytest.mark.parametrize("state", ["Warned", "Suspended", "Unregistered"])
def test_a_subscription_that_may_not_write_cancels_nothing(creating: World, state: str) -> None:
    """As with every other change."""
    creating.register(SUBSCRIPTION, state)
    assert error(cancel(creating, creating.document["asyncOperationId"])) == (400, "InvalidSubscriptionState")
    assert not creating.document["stopping"]


def test_a_reader_cancels_nothing(own: CallersWorld) -> None:
    """To cancel is to write the cluster."""
    own.call("PUT", CLUSTER, body())
    own.rights.deny("Microsoft.RedHatOpenShift/openShiftClusters/write", CLUSTER.partition("/providers")[0])
    path = f"{LIST}/{own.document['asyncOperationId']}"
    assert own.call("GET", path, api_version=OWN).status == 200
    assert error(own.call("POST", f"{path}/cancel", api_version=OWN)) == (403, "AuthorizationFailed")
    assert not own.document["stopping"]


def test_every_plan_that_cannot_be_canceled_is_a_plan() -> None:
    """A misspelt one would be canceled."""
    assert plans.NOT_CANCELABLE.keys() <= plans.PLANS.keys()
