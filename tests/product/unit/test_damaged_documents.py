"""One document that cannot be read, in any container, next to others that can: everything else goes on."""

import asyncio
import copy
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from shared.arm import resource_id
from shared.json_object import Json
from shared.store import unreadable_documents
from tests.api_versions import VERSIONS
from tests.product.unit import cosmos_fake, product_world
from tests.product.unit.activities.calls import call, control
from tests.product.unit.frontend import world as requests
from tests.product.unit.product_world import CUSTOMER, World, accepted, world
from tests.product.unit.timers.test_watchdog import Client, item, watch
from timers import conditions, deleted_groups, deleted_subscriptions, leftovers

__all__ = ["accepted", "world"]

SEEDS = range(15)
OWN = VERSIONS[-1]
VALUES: tuple[Any, ...] = (None, 7, True, "garbage", "", [], {}, ["x"], [{"name": None}], {"x": 1})
# The members that Cosmos DB itself needs, or by which the good document's reader asks for this one.
KEPT = ("id", "partitionKey", "operationId")


def paths(value: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every member, at any depth."""
    found = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, below in found:
        if before or name not in KEPT:
            yield (*before, name)
            yield from paths(below, (*before, name))


def damaged(document: Json, seed: int, **more: Any) -> Json:
    """Return a copy with some members of the wrong type, or missing."""
    random, result = Random(seed), copy.deepcopy(document) | more  # noqa: S311 - a test repeats itself
    for _ in range(random.randint(1, 3)):
        known = [path for path in paths(result) if path[0] not in more]
        *parents, last = random.choice(known) if known else ("lastSeen",)
        holder: Any = result
        for name in parents:
            holder = holder[name]
        if random.random() < 0.3 and isinstance(holder, dict):
            del holder[last]
        else:
            holder[last] = random.choice(VALUES)
    return result


def store(container: cosmos_fake.Container, document: Json) -> None:
    """Store a document as it is, without any check."""
    partition = document.get("partitionKey") or document.get("operationId") or document["id"]
    container.documents[partition, document["id"]] = document | {"_etag": "e"}


def another(cluster: Json) -> Json:
    """Return the document of another cluster of the same subscription."""
    unique = ("key", "clusterResourceGroupIdKey", "clientIdKey")
    return cluster | {name: f"{cluster[name]}-bad" for name in unique} | {"asyncOperationId": "bad"}


TYPE, NAMED = "Microsoft.RedHatOpenShift/openShiftClusters", ("c1-bad", "c3")
PREFLIGHT = f"{requests.GROUP}/providers/Microsoft.RedHatOpenShift/deployments/d/preflight"
PROGRESS = item("ensure_acr_token") | {"operationId": "", "phase": "p", "kind": "action", "polls": 1, "waitsFor": "it"}
SIGN = {
    "id": "OpenShiftClusters",
    "lastSeen": "2026-03-01T09:00:00+00:00",
    "listeningSince": "2026-03-01T09:00:00+00:00",
}
SITE = {"id": "edge-1", "key": "/sites/edge-1", "bundle": "sha256:1", "metadata": "metadata.yaml", "runs": {"a": "b"}}
ROLES = {
    "id": "4.19",
    "openShiftVersion": "4.19",
    "platformWorkloadIdentityRoles": [
        {
            "operatorName": "ingress",
            "roleDefinitionName": "x",
            "roleDefinitionId": (
                "/providers/Microsoft.Authorization/roleDefinitions/0336e1d3-7a87-462b-b6db-342b63f7802c"
            ),
            "serviceAccounts": ["system:serviceaccount:a:b"],
        }
    ],
}
BILLING = {"id": "other", "key": "/k", "infraId": "i", "billing": {"creationTime": 1, "location": "eastus"}}


CONDITIONS = {
    "key": "/k",
    "observedAt": "2026-03-01T09:00:00+00:00",
    "conditions": [{"type": "Available", "status": "True", "lastTransitionTime": "2026-03-01T09:00:00+00:00"}],
    "pending": {"Available": {"status": "False", "since": "2026-03-01T09:00:00+00:00"}},
}


def at_rest() -> requests.World:
    """Return a frontend with a cluster whose create runs, and a site."""
    made = requests.World()
    assert made.send("PUT", requests.CLUSTER, requests.body()).status == 201
    store(made.cosmos["Sites"], SITE)
    store(made.cosmos["PlatformWorkloadIdentityRoleSets"], ROLES)
    store(made.cosmos["OperationProgress"], PROGRESS | {"operationId": made.document["asyncOperationId"]})
    return made


def plant(container: str, made: requests.World, seed: int) -> None:
    """Store a damaged document beside the good ones of a frontend."""
    operation_id = made.document["asyncOperationId"]
    domain = next(iter(made.cosmos["Domains"].documents.values()))
    models: dict[str, tuple[Json, Json]] = {
        "OpenShiftClusters": (another(made.document), {"id": "bad", "key": f"{requests.CLUSTER.lower()}-bad"}),
        "AsyncOperations": (made.operation(operation_id), {"id": "bad"}),
        "OperationProgress": (PROGRESS, {"id": "bad", "operationId": operation_id}),
        "Subscriptions": ({"subscription": {"state": "Registered", "properties": {"tenantId": "t"}}}, {"id": "bad"}),
        "TaskHubs": (SIGN, {"id": "bad"}),
        "Domains": (domain, {"id": "bad"}),
        "Billing": (BILLING, {"id": "bad"}),
        "OpenShiftVersions": (requests.INSTALLABLE | {"version": "4.18.1", "enabled": True}, {"id": "4.18.1"}),
        "PlatformWorkloadIdentityRoleSets": (ROLES, {"id": "4.20"}),
        "AdminCredentials": (
            {"credentials": [{"serialNumber": "1", "end": "2026-03-01T12:00:00+00:00"}]},
            {"id": "bad"},
        ),
        "Sites": (SITE, {"id": "bad"}),
        "ClusterConditions": (CONDITIONS, {"id": made.document["id"], "partitionKey": made.document["partitionKey"]}),
    }
    # The damaged cluster has reserved a domain long ago.
    key = f"{requests.CLUSTER.lower()}-bad"
    reservation = {"id": "bad.eastus.aroapp.io", "openShiftClusterKey": key, "clusterDocumentId": "bad"}
    store(made.cosmos["Domains"], reservation | {"reservedAt": "2026-02-01T00:00:00+00:00"})
    model, more = models[container]
    store(made.cosmos[container], damaged(model, seed, **more))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("container", cosmos_fake.NAMES)
def test_requests_about_everything_else_are_answered(container: str, seed: int) -> None:
    """Lists show the others, a create reads the catalogue, and a poll its progress."""
    made = at_rest()
    operation_id, provider = made.document["asyncOperationId"], "/sre/providers/Microsoft.RedHatOpenShift"
    plant(container, made, seed)

    def read(path: str, **more: Any) -> Any:
        reply = made.send("GET", path, **more)
        assert reply.status == 200, (path, reply.body)
        return reply.body

    operator = {"api_version": "", "certificate": requests.admin_certificate()}
    of_subscription = f"/subscriptions/{requests.SUBSCRIPTION}/providers/Microsoft.RedHatOpenShift/openShiftClusters"
    for path in (of_subscription, requests.CLUSTERS):
        assert requests.CLUSTER in [each["id"] for each in read(path)["value"]]
    assert read(requests.CLUSTER)["name"] == "C1"
    assert read(requests.CLUSTER, api_version=OWN)["name"] == "C1"
    assert requests.CLUSTER in [each["id"] for each in read(requests.CLUSTERS, api_version=OWN)["value"]]
    assert read(f"{requests.LOCATION}/operationsstatus/{operation_id}")["properties"]["currentSteps"] == [
        "ensure_acr_token"
    ]
    assert "4.17.9" in [each["name"] for each in read(f"{requests.LOCATION}/openShiftVersions")["value"]]
    assert "4.19" in [each["name"] for each in read(f"{requests.LOCATION}/platformWorkloadIdentityRoleSets")["value"]]
    assert "edge-1" in [each["name"] for each in read(f"{provider}/sites", **operator)["value"]]
    for catalogue, name in (("openShiftVersions", "4.17.9"), ("platformWorkloadIdentityRoleSets", "4.19")):
        assert name in [each["name"] for each in read(f"{provider}/{catalogue}", **operator)["value"]]
        assert read(f"{provider}/{catalogue}/{name}", **operator)["name"] == name
    assert read(f"/sre{requests.CLUSTER}/operations/{operation_id}", **operator)["currentSteps"] == ["ensure_acr_token"]
    assert read("/sre/healthz/ready", **operator)["status"] == "Ready"
    named = [{"type": TYPE, "apiVersion": requests.NEW, "name": each, **requests.body(name=each)} for each in NAMED]
    named[1]["properties"]["networkProfile"]["podCidr"] = "wrong"
    asked = made.send("POST", PREFLIGHT, {"resources": named}, api_version="")
    assert (asked.status, asked.body["status"]) == (200, "Failed")
    assert "podCidr" in str(asked.body)
    taken = made.send(
        "PUT", f"{requests.CLUSTERS}/c4", requests.body(name="bad", client_id=f"{requests.CLIENT_ID[:-1]}4")
    )
    assert taken.status in (201, 400), taken.body
    created = made.send(
        "PUT", f"{requests.CLUSTERS}/c2", requests.body(name="c2", client_id=requests.CLIENT_ID[:-1] + "2")
    )
    assert created.status == 201, created.body
    assert made.send("DELETE", requests.CLUSTER).status == 202


@pytest.fixture
def _mute(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the watchdog look at the documents in their order, the damaged one first."""
    monkeypatch.setattr("timers.watchdog.random.shuffle", lambda _owners: None)


MODELS: dict[str, tuple[Json, Json]] = {
    "OpenShiftClusters": (another(product_world.cluster_document()), {"id": "bad", "partitionKey": CUSTOMER}),
    "OperationProgress": (PROGRESS, {"id": "bad", "operationId": "op"}),
    "Subscriptions": ({"deleting": True, "subscription": {"state": "Deleted"}}, {"id": "bad", "deleting": True}),
    "TaskHubs": (SIGN, {"id": "OpenShiftClusters"}),
    "Domains": ({"openShiftClusterKey": "/k", "clusterDocumentId": "d"}, {"id": "c1.eastus.aroapp.io"}),
    "Billing": (BILLING, {"id": "bad"}),
    "OpenShiftVersions": (requests.INSTALLABLE, {"id": "4.18.1"}),
    "PlatformWorkloadIdentityRoleSets": (ROLES, {"id": "4.20"}),
    "Sites": (SITE | {"asyncOperationId": "bad", "attempt": 1}, {"id": "bad", "asyncOperationId": "bad"}),
    "ClusterConditions": (CONDITIONS, {"id": "doc-1", "partitionKey": CUSTOMER}),
}


def plant_first(container: str, made: World, seed: int) -> None:
    """Store a damaged document before the good ones."""
    model, more = MODELS.get(container) or (made.operation, {"id": "bad"})
    documents = made.cosmos[container].documents
    good = dict(documents)
    documents.clear()
    store(made.cosmos[container], damaged(model, seed, **more))
    documents.update({key: each for key, each in good.items() if key not in documents})


@pytest.mark.usefixtures("_mute")
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("container", cosmos_fake.NAMES)
def test_timers_go_on_with_everything_else(
    container: str, seed: int, accepted: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The watchdog starts what nothing drives, and the sweeps end and delete what they have to."""
    plant_first(container, accepted, seed)
    client = Client()
    watch(client)
    assert {"op-1", "op-2"}.intersection(instance for _, instance, _ in client.started)
    assert accepted.store.task_hubs.all()["OpenShiftClusters"]["lastSeen"] > "2026-03-02"

    store(accepted.cosmos["AsyncOperations"], accepted.operation | {"id": "left", "clusterDocumentId": "gone"})
    asyncio.run(leftovers.sweep(None))
    assert accepted.cosmos["AsyncOperations"].documents["left", "left"]["asyncOperation"]["status"] == "Canceled"

    store(accepted.cosmos["Subscriptions"], {"id": CUSTOMER, "deleting": True, "subscription": {"state": "Deleted"}})
    asyncio.run(deleted_subscriptions.sweep(None))
    good = accepted.cosmos["OpenShiftClusters"].documents[CUSTOMER, "doc-1"]
    assert good["openShiftCluster"]["properties"]["provisioningState"] == "Deleting"

    good["openShiftCluster"]["properties"]["provisioningState"] = "Succeeded"
    conditions._last_asked.cache_clear()
    asyncio.run(conditions.observe(None))
    assert (CUSTOMER, "doc-1") in accepted.cosmos["ClusterConditions"].documents
    asked: list[str] = []
    monkeypatch.setattr(deleted_groups, "arm_reads", lambda: None)
    monkeypatch.setattr(deleted_groups, "_is_gone", lambda _arm, group: asked.append(group))
    deleted_groups._report(None, 1e12)  # type: ignore[arg-type] # nothing is asked
    assert str(resource_id.parse(good["key"]).group) in asked


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("container", ["AsyncOperations", "OperationProgress", "TaskHubs", "Domains", "Sites"])
def test_a_delete_goes_on(container: str, seed: int, accepted: World) -> None:
    """What the superseded operation, its progress and the domain say is used only as far as it can be read."""
    accepted.cluster["supersededOperationId"] = "bad"
    accepted.properties["provisioningState"] = "Deleting"
    plant_first(container, accepted, seed)
    assert call("cancel_superseded") == {"outcome": "done"}
    assert call("delete_dns") == {"outcome": "done"}
    assert control("finish_delete", step="finish") == {"outcome": "done"}
    assert accepted.cosmos["OpenShiftClusters"].documents == {}


def test_what_was_skipped_is_counted_logged_and_shown_to_operators(caplog: pytest.LogCaptureFixture) -> None:
    """With its container and id, and without any of its values."""
    unreadable_documents.forget()
    made = at_rest()
    bad = copy.deepcopy(made.document) | {"id": "bad"}
    bad["openShiftCluster"]["tags"] = {"secret": ["canary"]}
    store(made.cosmos["OpenShiftClusters"], bad)
    for _ in range(2):
        assert made.send("GET", requests.CLUSTERS).status == 200
    (found,) = made.sre("/healthz/ready").body["unreadableDocuments"]
    assert (found["container"], found["id"], found["count"]) == ("OpenShiftClusters", "bad", 2)
    assert found["problem"] == "'openShiftCluster.tags.secret' is not a text"
    assert "document bad of container OpenShiftClusters cannot be read" in caplog.text
    assert "canary" not in caplog.text


def test_a_subscription_stays_marked_while_one_of_its_clusters_cannot_be_read(accepted: World) -> None:
    """The others are deleted at once, and this one once somebody has repaired it."""
    bad = another(accepted.cluster) | {"id": "bad", "openShiftCluster": "garbage"}
    store(accepted.cosmos["OpenShiftClusters"], bad)
    store(accepted.cosmos["Subscriptions"], {"id": CUSTOMER, "deleting": True, "subscription": {"state": "Deleted"}})
    for _ in range(2):
        asyncio.run(deleted_subscriptions.sweep(None))
        good = accepted.cosmos["OpenShiftClusters"].documents[CUSTOMER, "doc-1"]
        assert good["openShiftCluster"]["properties"]["provisioningState"] == "Deleting"
        assert accepted.cosmos["Subscriptions"].documents[CUSTOMER, CUSTOMER]["deleting"] is True
