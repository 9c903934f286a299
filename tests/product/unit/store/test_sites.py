"""Sites in the store: the fence of their operations, and which container a key belongs to."""

from typing import Any
from unittest.mock import Mock

import pytest

from shared.store import Fence, FenceMoved, Store
from shared.store.sites import key_of
from tests.product.unit.cosmos_fake import Container, containers
from tests.product.unit.product_world import CLUSTER_ID, cluster_document

KEY = key_of("edge-1")
FENCE = Fence(KEY, "op", 1, "edge-1")


@pytest.fixture
def cosmos() -> dict[str, Container]:
    """Make the containers."""
    return containers()


@pytest.fixture
def store(cosmos: dict[str, Container]) -> Store:
    """Make a store with a site on which an operation runs, a site at rest, and a cluster."""
    made = Store(cosmos.__getitem__, Mock(), Mock())  # type: ignore[arg-type] # a fake of the SDK's container
    site: Any = {"bundle": "b1", "metadata": "metadata.yaml"}
    made.sites.create(site | {"id": "edge-1", "key": KEY, "asyncOperationId": "op", "attempt": 1})
    made.sites.create(site | {"id": "idle", "key": key_of("idle"), "lastAsyncOperationId": "former", "attempt": 3})
    made.clusters.create(cluster_document())
    return made


def renamed(document: Any) -> Any:
    """Decide to write another bundle."""
    return document | {"bundle": "b2"}


def test_a_key_leads_to_the_container_that_fences_it(store: Store) -> None:
    """Clusters by resource id, sites by name."""
    assert store.fenced(KEY) is store.sites
    assert store.fenced(CLUSTER_ID.lower()) is store.clusters
    assert (store.sites.get(KEY) or {})["id"] == "edge-1"


@pytest.mark.parametrize("document_id", ["edge-1", ""], ids=["with the id", "by key"])
def test_the_attempt_that_drives_a_site_writes_it(store: Store, document_id: str) -> None:
    """The fence holds, whether or not it has the document's id."""
    assert store.sites.fenced_update(Fence(KEY, "op", 1, document_id), renamed)["bundle"] == "b2"


@pytest.mark.parametrize(
    "fence",
    [Fence(KEY, "other", 1), Fence(KEY, "op", 2), Fence(key_of("gone"), "op", 1), Fence(key_of("idle"), "former", 3)],
    ids=["another operation", "another attempt", "no such site", "an operation that has ended"],
)
def test_a_superseded_attempt_writes_no_site(store: Store, cosmos: dict[str, Container], fence: Fence) -> None:
    """It stops before any decision."""
    before = len(cosmos["Sites"].writes)
    with pytest.raises(FenceMoved):
        store.sites.fenced_update(fence, renamed)
    assert len(cosmos["Sites"].writes) == before


def test_a_fence_that_moves_during_a_lost_race_stops_the_write(store: Store, cosmos: dict[str, Container]) -> None:
    """A read from before the race does not let the write through."""
    read = store.sites.fenced_read(FENCE)
    cosmos["Sites"].upsert_item({**read, "attempt": 2})
    with pytest.raises(FenceMoved):
        store.sites.fenced_update(FENCE, renamed, read)
    assert (store.sites.get(KEY) or {})["bundle"] == "b1"


def test_only_sites_with_an_operation_are_non_terminal(store: Store) -> None:
    """The watchdog looks at those."""
    assert [site["id"] for site in store.sites.non_terminal()] == ["edge-1"]
    assert {site["id"] for site in store.sites.all()} == {"edge-1", "idle"}
