"""The store: conditional writes, decisions retried as a whole, the fence, and unknown members."""

from typing import Any
from unittest.mock import Mock

import pytest

from shared.store import Conflict, Fence, FenceMoved, NotFound, PreconditionFailed, Store
from tests.product.unit.cosmos_fake import Container, containers
from tests.product.unit.product_world import CLUSTER_ID, CUSTOMER, cluster_document

KEY = CLUSTER_ID.lower()
FENCE = Fence(KEY, "op", 1, "doc-1")


@pytest.fixture
def cosmos() -> dict[str, Container]:
    """Make the containers."""
    return containers()


@pytest.fixture
def store(cosmos: dict[str, Container]) -> Store:
    """Make a store with one cluster."""
    made = Store(cosmos.__getitem__, Mock(), Mock())  # type: ignore[arg-type] # a fake of the SDK's container
    made.clusters.create(cluster_document())
    return made


def somebody_writes(store: Store, cosmos: dict[str, Container], times: int = 1, **members: Any) -> None:
    """Let another writer be faster this many times."""

    def write() -> None:
        document = store.clusters.get(KEY)
        assert document is not None
        cosmos["OpenShiftClusters"].upsert_item(document | members)

    cosmos["OpenShiftClusters"].before_write += [write] * times


def add(member: str) -> Any:
    """Make a decision that adds a member."""

    def decide(document: Any) -> Any:
        return document | {member: True}

    return decide


def test_a_decision_is_made_again_on_what_another_wrote(store: Store, cosmos: dict[str, Container]) -> None:
    """Neither write is lost."""
    somebody_writes(store, cosmos, theirs=True)
    written: Any = store.clusters.update(lambda: store.clusters.get(KEY), add("ours"))
    assert written["theirs"]
    assert written["ours"]


def test_a_race_lost_five_times_is_given_up(store: Store, cosmos: dict[str, Container]) -> None:
    """The caller answers 409."""
    somebody_writes(store, cosmos, times=5, theirs=True)
    with pytest.raises(PreconditionFailed):
        store.clusters.update(lambda: store.clusters.get(KEY), add("ours"))


def test_a_decision_to_leave_it_writes_nothing(store: Store, cosmos: dict[str, Container]) -> None:
    """None means no change."""
    assert store.clusters.update(lambda: store.clusters.get(KEY), lambda _document: None)["id"] == "doc-1"
    assert len(cosmos["OpenShiftClusters"].writes) == 1


def test_members_of_a_newer_build_survive(store: Store) -> None:
    """At every depth."""
    written: Any = store.clusters.update(lambda: store.clusters.get(KEY), add("ours"))
    assert written["writtenByANewerBuild"] == {"deep": True}


@pytest.mark.parametrize(
    "fence",
    [Fence(KEY, "other", 1), Fence(KEY, "op", 2), Fence(KEY + "x", "op", 1)],
    ids=["operation", "attempt", "gone"],
)
def test_a_fence_that_moved_stops_the_write(store: Store, fence: Fence) -> None:
    """The check comes before any decision."""
    with pytest.raises(FenceMoved):
        store.clusters.fenced_update(fence, add("ours"))


def test_a_fence_that_moves_during_a_lost_race_stops_the_write(store: Store, cosmos: dict[str, Container]) -> None:
    """Each try checks it again."""
    somebody_writes(store, cosmos, attempt=2)
    with pytest.raises(FenceMoved):
        store.clusters.fenced_update(FENCE, add("ours"))
    assert "ours" not in (store.clusters.get(KEY) or {})


def test_what_is_not_there_is_none_or_not_found(store: Store) -> None:
    """Reading returns None; updating raises NotFound."""
    assert store.clusters.get(KEY + "x") is None
    assert store.operations.read("nobody") is None
    with pytest.raises(NotFound):
        store.clusters.update(lambda: store.clusters.get(KEY + "x"), add("ours"))


def test_a_key_with_capitals_is_refused(store: Store) -> None:
    """Keys are lower-cased resource ids, always."""
    with pytest.raises(ValueError, match="lower-cased"):
        store.clusters.get(CLUSTER_ID)


@pytest.mark.parametrize("same", ["key", "clusterResourceGroupIdKey", "clientIdKey"])
def test_unique_members_conflict(store: Store, same: str) -> None:
    """The member finds the other document."""
    others = {"id": "doc-2", "key": "/subscriptions/x", "clusterResourceGroupIdKey": "b", "clientIdKey": "c"}
    first = cluster_document()
    with pytest.raises(Conflict):
        store.clusters.create(first | others | {same: first[same]})
    found = store.clusters.find_by(CUSTOMER, same, first[same])
    assert found is not None
    assert found["id"] == "doc-1"


def test_pages_have_a_size_and_a_token(store: Store) -> None:
    """The last page has none."""
    for number in range(2, 13):
        members = {
            "id": f"d{number}",
            "key": f"{KEY}{number}",
            "clusterResourceGroupIdKey": f"g{number}",
            "clientIdKey": f"c{number}",
        }
        store.clusters.create(cluster_document() | members)
    prefix = f"/subscriptions/{CUSTOMER}/"
    first, token = store.clusters.page(prefix, CUSTOMER)
    second, end = store.clusters.page(prefix, CUSTOMER, token)
    assert (len(first), len(second), end) == (10, 2, None)
    assert {document["id"] for document in first} & {document["id"] for document in second} == set()


def test_running_operations_are_found_across_partitions(store: Store) -> None:
    """A cluster in a terminal state names none."""
    ended = cluster_document(id="d2", partitionKey="other", key="/subscriptions/other/x")
    del ended["asyncOperationId"]
    store.clusters.create(ended)
    assert [document["id"] for document in store.clusters.non_terminal()] == ["doc-1"]


def test_a_cluster_is_deleted_as_it_was_read(store: Store) -> None:
    """A delete based on an old version does not remove a newer one."""
    old = store.clusters.get(KEY)
    assert old is not None
    store.clusters.update(lambda: store.clusters.get(KEY), add("ours"))
    with pytest.raises(PreconditionFailed):
        store.clusters.delete(old)
    newer = store.clusters.get(KEY)
    assert newer is not None
    store.clusters.delete(newer)
    store.clusters.delete(newer)
    assert store.clusters.get(KEY) is None


FIRST, SECOND = "2026-03-01T09:00:00+00:00", "2026-03-01T09:00:01+00:00"


def test_operations_and_progress_end_themselves(store: Store) -> None:
    """Cosmos DB removes them after seven days."""
    assert store.operations.create({"id": "op"})["ttl"] == 604800
    item: Any = {"id": "a-1", "operationId": "op", "step": "a", "attempt": 1, "startTime": SECOND, "status": "Running"}
    assert store.progress.upsert(item)["ttl"] == 604800
    store.progress.upsert(item | {"id": "b-1", "startTime": FIRST})
    assert [found["id"] for found in store.progress.list("op")] == ["b-1", "a-1"]


def test_versions_are_kept_for_ten_seconds(store: Store, cosmos: dict[str, Container]) -> None:
    """Every PUT reads them, and the catalogue rarely changes."""
    now = [0.0]
    store.versions._clock = lambda: now[0]
    assert store.versions.enabled() == []
    cosmos["OpenShiftVersions"].create_item({"id": "4.19.24", "enabled": True})
    assert store.versions.enabled() == []
    now[0] = 10.1
    assert [version["id"] for version in store.versions.enabled()] == ["4.19.24"]


def test_a_version_that_is_written_during_a_read_is_not_missed(
    store: Store, cosmos: dict[str, Container], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer from before a write of this instance is not kept."""
    query = cosmos["OpenShiftVersions"].query_items

    def overtaken(*arguments: Any, **options: Any) -> Any:
        found = query(*arguments, **options)
        monkeypatch.undo()
        store.versions.put({"id": "4.19.24", "enabled": True})
        return found

    monkeypatch.setattr(cosmos["OpenShiftVersions"], "query_items", overtaken)
    assert store.versions.enabled() == []
    assert [version["id"] for version in store.versions.enabled()] == ["4.19.24"]


def test_a_subscription_is_put_as_it_was_read(store: Store) -> None:
    """A new document conflicts with an existing one, and a read one with any write since."""
    store.subscriptions.put({"id": "s"})
    with pytest.raises(Conflict):
        store.subscriptions.put({"id": "s"})
    read = store.subscriptions.get("S")
    assert read is not None
    store.subscriptions.put(read | {"subscription": {"state": "Registered"}})
    with pytest.raises(PreconditionFailed):
        store.subscriptions.put(read)
