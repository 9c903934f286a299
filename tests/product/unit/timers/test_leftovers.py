"""The leftovers of dead requests are removed; what a cluster has, or may still get, stays."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from shared import durations
from shared.clusters.secrets import Certificate, Purpose
from shared.vault import get_vault
from tests.product.unit.product_world import CUSTOMER, World
from timers import leftovers

HOST = json.loads((Path(__file__).parents[4] / "host.json").read_text(encoding="utf-8"))
GONE = "11111111-0000-4000-8000-000000000001"
OURS = "rp-eastus/ARO"


def swept(world: World) -> World:
    """Run the timer once."""
    asyncio.run(leftovers.sweep(None))
    return world


def secret(world: World, name: str, cluster: str, minutes_ago: float, database: str = OURS) -> None:
    """Store a secret in the clusters' vault, changed this long ago."""
    vault, tags = world.vault("rp-cls"), {"cluster": cluster, "database": database}
    vault.set_secret(name, "{}", content_type="application/json", tags=tags)
    vault.written[name] = datetime.now(UTC) - timedelta(minutes=minutes_ago)


def names(world: World) -> set[str]:
    """Return the secrets that are left."""
    return set(world.vault("rp-cls").versions)


def operation(world: World, minutes_ago: float = 11, **more: Any) -> dict[str, Any]:
    """Store an operation of the existing cluster, and return its `asyncOperation` as it is stored."""
    started = (datetime.now(UTC) - timedelta(minutes=minutes_ago)).isoformat()
    copy = {name: value for name, value in world.operation.items() if name != "_etag"} | {"id": "lost"} | more
    copy["asyncOperation"] = copy["asyncOperation"] | {"startTime": started}
    world.cosmos["AsyncOperations"].create_item(copy)
    return world.cosmos["AsyncOperations"].documents["lost", "lost"]


def test_no_request_is_at_work_for_longer_than_the_host_lets_a_function_run() -> None:
    """Anything younger than that is never touched."""
    assert str(durations.LONGEST_FUNCTION) == HOST["functionTimeout"].removeprefix("0")
    assert timedelta(seconds=leftovers.RUN_SECONDS) < durations.LONGEST_FUNCTION


@pytest.mark.parametrize("purpose", Purpose)
def test_secrets_of_a_cluster_that_does_not_exist_are_deleted(accepted: World, purpose: Purpose) -> None:
    """Its request died before it wrote the document. The secrets of an existing cluster stay, however old."""
    secret(accepted, f"{GONE}-{purpose}", GONE, 11)
    secret(accepted, f"doc-1-{purpose}", "doc-1", 10_000)
    assert names(swept(accepted)) == {f"doc-1-{purpose}", "doc-1-request"}


@pytest.mark.parametrize(
    ("name", "tag", "minutes_ago"),
    [
        (f"{GONE}-request", GONE, 9),
        (f"{GONE}-{Certificate.INGRESS}", GONE, 10_000),
        (f"{GONE}-request", "another", 10_000),
        ("somebody-elses", GONE, 10_000),
    ],
    ids=["its document may still come", "a certificate's key", "tagged for another cluster", "no name of ours"],
)
def test_other_secrets_stay(accepted: World, name: str, tag: str, minutes_ago: float) -> None:
    """Only bundles that nobody can need any more are deleted."""
    secret(accepted, name, tag, minutes_ago)
    assert name in names(swept(accepted))


@pytest.mark.parametrize("database", ["rp-eastus/another", "another/ARO", ""])
def test_secrets_of_another_database_stay(accepted: World, database: str) -> None:
    """Deployments may share a vault, so a cluster that this database does not know may exist."""
    secret(accepted, f"{GONE}-request", GONE, 10_000, database)
    assert f"{GONE}-request" in names(swept(accepted))


def test_a_secret_is_tagged_with_the_database_of_its_cluster(accepted: World) -> None:
    """The service's own sweep recognizes what the service writes."""
    get_vault().put_secret(f"{GONE}-request", {}, GONE)
    vault = accepted.vault("rp-cls")
    assert vault.tags[f"{GONE}-request"] == {"cluster": GONE, "database": OURS}
    vault.written[f"{GONE}-request"] = datetime.now(UTC) - timedelta(minutes=11)
    assert f"{GONE}-request" not in names(swept(accepted))


def test_a_vault_of_many_pages_is_swept_whole(accepted: World) -> None:
    """Batch by batch."""
    for number in range(60):
        secret(accepted, f"{number:08d}-request", f"{number:08d}", 11)
    assert names(swept(accepted)) == {"doc-1-request"}


def test_trouble_with_one_secret_is_logged_and_met_again(
    accepted: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The others are deleted even so."""
    for number in range(3):
        secret(accepted, f"{number}-request", str(number), 11)
    vault = accepted.vault("rp-cls")
    delete = vault.begin_delete_secret

    def refuse(name: str) -> None:
        if name == "1-request":
            raise ConnectionError("Key Vault is away")
        delete(name)

    monkeypatch.setattr(vault, "begin_delete_secret", refuse)
    assert names(swept(accepted)) == {"doc-1-request", "1-request"}
    assert "secret 1-request could not be deleted" in caplog.text


def test_a_run_ends_before_the_host_ends_it(accepted: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next run continues."""
    secret(accepted, f"{GONE}-request", GONE, 11)
    lost = operation(accepted)
    monkeypatch.setattr(leftovers, "RUN_SECONDS", -1)
    assert f"{GONE}-request" in names(swept(accepted))
    assert lost["asyncOperation"]["status"] == "Creating"


@pytest.mark.parametrize("document_id", ["doc-1", GONE], ids=["which has another", "which never came to be"])
def test_an_operation_that_its_cluster_does_not_name_ends(accepted: World, document_id: str) -> None:
    """A client that still polls learns that the request was not accepted."""
    operation(accepted, clusterDocumentId=document_id)
    swept(accepted)
    ended = accepted.cosmos["AsyncOperations"].documents["lost", "lost"]["asyncOperation"]
    assert (ended["status"], ended["error"]["code"]) == ("Canceled", "OperationCanceled")
    assert "not accepted" in ended["error"]["message"]
    assert [each["code"] for each in ended["error"]["details"]] == ["Remedy", "CorrelationId", "Owner"]
    assert ended["error"]["details"][-1]["message"] == "platform"
    assert ended["endTime"]


@pytest.mark.parametrize(
    ("named", "minutes_ago"),
    [({}, 9), ({"asyncOperationId": "lost"}, 10_000), ({"supersededOperationId": "lost"}, 10_000)],
    ids=["its request may be at work", "its cluster names it", "a delete has still to end it"],
)
def test_other_operations_go_on(accepted: World, named: dict[str, str], minutes_ago: float) -> None:
    """Only operations that nothing can drive any more are ended here."""
    operation(accepted, minutes_ago)
    accepted.cluster.update(named)
    swept(accepted)
    assert accepted.cosmos["AsyncOperations"].documents["lost", "lost"]["asyncOperation"]["status"] == "Creating"


def test_trouble_with_one_operation_is_logged_and_met_again(accepted: World, caplog: pytest.LogCaptureFixture) -> None:
    """The others end even so."""
    broken = {"id": "broken", "asyncOperation": {"status": "Creating"}}
    documents = accepted.cosmos["AsyncOperations"].documents
    accepted.cosmos["AsyncOperations"].documents = {("broken", "broken"): broken, **documents}
    operation(accepted)
    swept(accepted)
    assert "document broken of container AsyncOperations cannot be read" in caplog.text
    assert accepted.cosmos["AsyncOperations"].documents["lost", "lost"]["asyncOperation"]["status"] == "Canceled"
    assert CUSTOMER in {partition for partition, _ in accepted.cosmos["OpenShiftClusters"].documents}
