"""Operations and their plans: two documents, of which the plan is written first and never changes."""

import json
from typing import Any
from unittest.mock import Mock

import pytest

from orchestrators import plans
from shared.store import TTL_SECONDS, Store
from shared.store.limited_cache import LimitedCache
from tests.product.unit.cosmos_fake import Container, containers
from tests.product.unit.orchestrators.test_plans import settings
from tests.product.unit.product_world import cluster_document

PLAN: Any = {"name": "create", "rows": [{"name": "a"}], "skipped": [], "retryPolicies": {}}
OPERATION: Any = {"id": "op", "asyncOperation": {"status": "Creating"}, "openShiftClusterKey": "/k"}


@pytest.fixture
def container() -> Container:
    """Make the container of operations."""
    return containers()["AsyncOperations"]


@pytest.fixture
def store(container: Container) -> Store:
    """Make a store over it."""
    return Store(lambda _name: container, Mock(), Mock())  # type: ignore[arg-type,return-value] # a fake of the SDK's container


def test_the_plan_is_written_first_and_lives_longer(store: Store, container: Container) -> None:
    """Whoever finds an operation finds its plan, also at the end of the operation's seven days after its end."""
    store.operations.create(OPERATION | {"plan": PLAN})
    plan, operation = container.writes
    assert (plan["planOf"], plan["plan"]) == ("op", PLAN)
    assert (operation["id"], operation["ttl"]) == ("op", TTL_SECONDS)
    assert "plan" not in operation
    assert plan["ttl"] > TTL_SECONDS


def test_an_operation_is_a_small_document(store: Store, container: Container) -> None:
    """It is read at every poll and written at the end, and both cost by its length."""
    plan = plans.resolve("create", cluster_document(), settings())
    store.operations.create(OPERATION | {"plan": plan})
    stored_plan, operation = container.writes
    assert len(json.dumps(operation)) * 20 < len(json.dumps(stored_plan))


def test_the_plan_of_an_operation_is_read_once(
    store: Store, container: Container, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It never changes."""
    store.operations.create(OPERATION | {"plan": PLAN})
    found = store.operations.read("op")
    assert found is not None
    assert store.operations.with_plan(found) == found | {"plan": PLAN}
    monkeypatch.setattr(container, "read_item", Mock(side_effect=AssertionError("it was read again")))
    assert store.operations.with_plan(found)["plan"] == PLAN


def test_an_operation_that_an_earlier_build_has_stored_has_its_plan_inside(store: Store, container: Container) -> None:
    """It is read and written as it is."""
    container.create_item(OPERATION | {"plan": PLAN})
    found = store.operations.read("op")
    assert found is not None
    assert store.operations.with_plan(found) == found
    store.operations.update_by_id("op", lambda document: document | {"taskHub": "Other"})
    assert container.documents["op", "op"]["plan"] == PLAN
    assert [each["id"] for each in store.operations.unended()] == ["op"]


def test_a_plan_that_has_expired_is_missing_and_may_come_back(store: Store, container: Container) -> None:
    """What is not there is not remembered."""
    store.operations.create(OPERATION | {"plan": PLAN})
    plan = container.documents.pop(("op-plan", "op-plan"))
    found = store.operations.read("op")
    assert found is not None
    assert store.operations.with_plan(found) == found
    container.documents["op-plan", "op-plan"] = plan
    assert store.operations.with_plan(found)["plan"] == PLAN


def test_no_query_of_operations_finds_a_plan(store: Store) -> None:
    """Nor does a request that names a plan as an operation."""
    store.operations.create(OPERATION | {"plan": PLAN})
    assert [each["id"] for each in store.operations.unended()] == ["op"]
    assert store.operations.of_cluster("op-plan") is None


def test_a_request_that_died_between_plan_and_operation_leaves_only_the_plan(
    store: Store, container: Container, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody finds it, and it expires."""
    create = container.create_item

    def die(document: Any) -> Any:
        if "planOf" not in document:
            raise KeyboardInterrupt
        return create(document)

    monkeypatch.setattr(container, "create_item", die)
    with pytest.raises(KeyboardInterrupt):
        store.operations.create(OPERATION | {"plan": PLAN})
    assert store.operations.read("op") is None
    assert list(store.operations.unended()) == []
    assert container.documents["op-plan", "op-plan"]["ttl"]


def test_a_request_that_is_undone_removes_the_operation_first(
    store: Store, container: Container, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that no operation is ever without its plan."""
    store.operations.create(OPERATION | {"plan": PLAN})
    removed: list[str] = []
    delete = container.delete_item

    def note(item: str, **options: Any) -> None:
        removed.append(item)
        delete(item, **options)

    monkeypatch.setattr(container, "delete_item", note)
    store.operations.discard("op")
    assert removed == ["op", "op-plan"]
    assert not container.documents
    store.operations.discard("op")


def test_what_a_process_keeps_is_limited_by_number_and_size() -> None:
    """What was not used for longest goes first."""
    cache: LimitedCache[str] = LimitedCache(2, 10)
    for name in ("a", "b"):
        cache.put(name, name, 1)
    assert cache.get("a") == "a"
    cache.put("c", "c", 1)
    assert [cache.get(name) for name in "abc"] == ["a", None, "c"]
    cache.put("d", "d", 10)
    assert [cache.get(name) for name in "acd"] == [None, None, "d"]
    cache.put("e", "e", 11)
    assert [cache.get(name) for name in "de"] == [None, None]
    cache.put("d", "d", 10)
    cache.drop("d")
    cache.drop("d")
    assert cache.get("d") is None
