"""The timer that asks clusters for their conditions."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from shared.cluster_conditions import principal_secrets
from shared.cluster_conditions.derivations import ESSENTIAL
from shared.openshift import client, reads
from shared.openshift.client import Unreachable
from shared.openshift.reads import Ask
from tests.product.unit.cluster_conditions.observations import node
from tests.product.unit.frontend.clusters.live_fake import LiveFake
from tests.product.unit.openshift import objects
from tests.product.unit.product_world import World
from timers import conditions


class Clusters(LiveFake):
    """Clusters that are well, until a test says otherwise."""

    def __init__(self) -> None:
        super().__init__(
            {
                "readyz": "ok",
                "ClusterOperator": [objects.operator(name) for name in ESSENTIAL],
                "ClusterVersion": objects.made("version"),
                "MachineConfigPool": [],
                "Node": [node(f"m-{number}") for number in range(3)],
                "Machine": [],
                "MachineSet": [],
                "Secret": {"rows": []},
                "MutatingWebhookConfiguration": [],
                "ValidatingWebhookConfiguration": [],
                "Namespace": [],
            }
        )


@pytest.fixture
def clusters(accepted: World, monkeypatch: pytest.MonkeyPatch) -> Clusters:
    """Give one cluster that is up."""
    accepted.properties["provisioningState"] = "Succeeded"
    accepted.properties["networkProfile"] = {"privateEndpointIp": "10.0.0.9"}
    accepted.cluster["secrets"]["credentials"] = "https://rp-cls.vault.azure.net/secrets/doc-1-credentials/1"
    found = Clusters()
    monkeypatch.setattr(reads, "read_all", found.read_all)
    monkeypatch.setattr(principal_secrets, "refusal", lambda *_login: "")
    monkeypatch.setattr(principal_secrets, "end", lambda *_login: None)
    monkeypatch.setattr(client, "endpoint", lambda *_arguments: "endpoint")
    return found


def run(world: World, *, due: bool = True) -> Any:
    """Run the timer, as if the last run was long ago, and return what is stored."""
    if due:
        conditions._last_asked.cache_clear()
    asyncio.run(conditions.observe(None))
    return next(iter(world.cosmos["ClusterConditions"].documents.values()), None)


def test_a_cluster_is_asked_and_its_conditions_are_stored(accepted: World, clusters: Clusters) -> None:
    """Apart from its document, which stays as it is."""
    before = accepted.cluster["_etag"]
    stored = run(accepted)
    assert (stored["id"], stored["partitionKey"]) == ("doc-1", accepted.cluster["partitionKey"])
    assert stored["conditions"][0]["type"] == "Available"
    assert stored["conditions"][0]["status"] == "True"
    assert accepted.cluster["_etag"] == before
    assert set(clusters.seconds) == {20.0}
    paths = [ask.what.path for ask in clusters.asked]
    assert paths[0] == "/readyz"
    assert [path for path in paths[1:] if "limit=" not in path] == [
        "/apis/config.openshift.io/v1/clusterversions/version"
    ]
    assert [each["type"] for each in stored["conditions"]] == [
        "Available",
        "Degraded",
        "Progressing",
        "CertificatesExpiring",
        "CredentialsExpiring",
        "NetworkMisconfigured",
        "HibernationPossible",
        "StartBefore",
    ]


def test_nothing_is_written_while_nothing_changes(accepted: World, clusters: Clusters) -> None:
    """But once an hour, so that readers see that somebody looks."""
    stored = run(accepted)
    run(accepted)
    assert len(accepted.cosmos["ClusterConditions"].writes) == 1
    stored["observedAt"] = "2026-03-01T12:00:00+00:00"
    assert run(accepted)["observedAt"] > "2026-03-02"
    assert clusters.asked


def test_a_run_soon_after_another_asks_nobody(accepted: World, clusters: Clusters) -> None:
    """The host calls the timer every minute."""
    run(accepted)
    asked = len(clusters.asked)
    run(accepted, due=False)
    assert len(clusters.asked) == asked


@pytest.mark.parametrize(("state", "failed"), [("Creating", ""), ("Deleting", ""), ("Failed", "Creating")])
def test_a_cluster_that_is_not_up_is_not_asked(accepted: World, clusters: Clusters, state: str, failed: str) -> None:
    """Nor is anything stored of it."""
    accepted.properties.update(provisioningState=state, failedProvisioningState=failed)
    assert run(accepted) is None
    assert clusters.asked == []


def test_a_cluster_that_does_not_answer_is_unknown(accepted: World, clusters: Clusters) -> None:
    """On its first run at once; nothing was known of it."""
    clusters.objects = {}
    (available, *_) = run(accepted)["conditions"]
    assert (available["status"], available["reason"]) == ("Unknown", "NotReachable")
    assert available["message"] == ("The cluster's readiness cannot be read: the API server refuses the connection")


def test_a_problem_with_one_cluster_does_not_stop_the_others(
    accepted: World, clusters: Clusters, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The log says which."""
    unique = ("id", "key", "clusterResourceGroupIdKey", "clientIdKey")
    another = accepted.cluster | {name: f"{accepted.cluster[name]}-2" for name in unique}
    accepted.cosmos["OpenShiftClusters"].create_item(another)
    calls: list[Sequence[Ask]] = []

    def read_all(asks: Sequence[Ask], seconds: float) -> list[Any]:
        calls.append(asks)
        if len(calls) == 1:
            raise RuntimeError("a bug")
        return clusters.read_all(asks, seconds)

    monkeypatch.setattr(reads, "read_all", read_all)
    monkeypatch.setattr(conditions, "_AT_ONCE", 1)
    run(accepted)
    assert len(calls) > 1
    assert len(accepted.cosmos["ClusterConditions"].documents) == 1
    assert "could not be asked for its conditions" in caplog.text


def test_a_run_that_takes_too_long_leaves_clusters_to_the_next(
    accepted: World, clusters: Clusters, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which begins at once."""
    monkeypatch.setattr(conditions, "RUN_SECONDS", 0)
    assert run(accepted) is None
    monkeypatch.setattr(conditions, "RUN_SECONDS", 60)
    assert run(accepted, due=False) is not None
    assert clusters.asked


def test_an_api_server_that_is_not_ready_makes_the_cluster_unavailable(accepted: World, clusters: Clusters) -> None:
    """It is there, and says so itself."""
    refusal = Unreachable("the API server answers 500 Internal Server Error: etcd")
    refusal.status = 500
    clusters.objects["readyz"] = refusal
    (available, *_) = run(accepted)["conditions"]
    assert (available["status"], available["reason"]) == ("False", "ApiServerUnreachable")


def test_a_stopped_cluster_is_not_asked_and_says_until_when(accepted: World, clusters: Clusters) -> None:
    """Its credentials and its network are looked at all the same."""
    accepted.properties["powerState"] = "Stopped"
    accepted.cluster["power"] = {"startBefore": "2099-03-01T12:00:00+00:00"}
    shown = {each["type"]: each for each in run(accepted)["conditions"]}
    assert clusters.asked == []
    assert (shown["Available"]["status"], shown["Available"]["reason"]) == ("Unknown", "Stopped")
    assert "before 2099-03-01 12:00 UTC" in shown["Available"]["message"]
    assert shown["StartBefore"]["status"] == "False"


def test_a_webhook_is_whatever_an_administrator_has_written(accepted: World, clusters: Clusters) -> None:
    """What is not understood says nothing about a stop."""
    rule = {"operations": ["*"], "apiGroups": ["*"], "resources": ["*"]}
    webhook = {"metadata": {"name": "a"}, "webhooks": [{"name": "a.example.org", "rules": [rule]}]}
    clusters.objects["ValidatingWebhookConfiguration"] = [webhook]
    clusters.objects["Namespace"] = [{"metadata": {"name": "kube-system"}}]
    possible = next(each for each in run(accepted)["conditions"] if each["type"] == "HibernationPossible")
    assert (possible["status"], possible["reason"]) == ("False", "WebhookBlocksStart")
    accepted.cosmos["ClusterConditions"].documents.clear()
    clusters.objects["ValidatingWebhookConfiguration"] = [7]
    possible = next(each for each in run(accepted)["conditions"] if each["type"] == "HibernationPossible")
    assert (possible["status"], possible["reason"]) == ("Unknown", "NotReachable")
