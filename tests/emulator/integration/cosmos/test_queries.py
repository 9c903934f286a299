"""Queries, tested with azure-cosmos, with and without a partition key."""

from collections.abc import Iterable
from typing import Any

import pytest
from azure.cosmos import ContainerProxy
from azure.cosmos.exceptions import CosmosHttpResponseError

from tests.emulator.integration.cosmos.conftest import LocalCosmos, Make


@pytest.fixture
def cars(container: Make) -> ContainerProxy:
    """Create twelve documents in three partitions."""
    items = container()
    for number in range(12):
        document: dict[str, Any] = {"id": f"{number:02}", "pk": "abc"[number % 3], "n": number, "even": number % 2 == 0}
        items.create_item(document | ({"name": f"car-{number}"} if number < 6 else {}))
    return items


def _across(items: ContainerProxy, query: str, **options: Any) -> list[Any]:
    return list(items.query_items(query, enable_cross_partition_query=True, **options))


def _ids(documents: Iterable[dict[str, Any]]) -> list[str]:
    return [document["id"] for document in documents]


def test_the_ranges_of_a_container_are_read_once(cars: ContainerProxy, local_cosmos: LocalCosmos) -> None:
    """Alternating reads and queries do not make the SDK think that its cache is outdated."""
    journal = local_cosmos.platform.journal
    cars.read_item("00", partition_key="a")
    before = len(list(journal.entries(service="cosmos")))
    for _ in range(3):
        list(cars.query_items("SELECT * FROM c", partition_key="a"))
        cars.read_item("00", partition_key="a")
    operations = [entry.operation for entry in list(journal.entries(service="cosmos"))[before:]]
    assert "read ranges" not in operations
    assert len(operations) == 6


def test_a_query_sees_one_partition_or_all(cars: ContainerProxy) -> None:
    """A query with a partition key stays in that partition; one without has to say that it crosses them."""
    query = "SELECT * FROM c WHERE c.n > @least"
    parameters: list[dict[str, object]] = [{"name": "@least", "value": 5}]
    assert _ids(cars.query_items(query, parameters=parameters, partition_key="a")) == ["06", "09"]
    assert sorted(_ids(_across(cars, query, parameters=parameters))) == ["06", "07", "08", "09", "10", "11"]


def test_pages_follow_each_other_by_token(cars: ContainerProxy) -> None:
    """A token resumes after its page, even if documents were added or deleted in between."""
    pages: Any = cars.query_items("SELECT * FROM c", partition_key="b", max_item_count=2).by_page()
    assert _ids(next(pages)) == ["01", "04"]
    token = pages.continuation_token
    cars.delete_item("04", partition_key="b")
    cars.create_item({"id": "02b", "pk": "b"})
    pages = cars.query_items("SELECT * FROM c", partition_key="b", max_item_count=2).by_page(token)
    assert _ids(next(pages)) == ["07", "10"]
    assert pages.continuation_token is None


@pytest.mark.parametrize(
    ("query", "want"),
    [
        ("SELECT VALUE c.n FROM c WHERE STARTSWITH(c.name, 'car') AND c.n < 3", [0, 1, 2]),
        ("SELECT VALUE c.n FROM c WHERE NOT IS_DEFINED(c.name) AND c.n < 8", [6, 7]),
        ("SELECT c.n FROM c WHERE c.n = 3", [{"n": 3}]),
    ],
)
def test_a_query_across_partitions_is_put_together(cars: ContainerProxy, query: str, want: list[Any]) -> None:
    """The gateway answers it without a plan."""
    assert sorted(_across(cars, query), key=str) == want


@pytest.mark.parametrize("query", ["SELECT VALUE COUNT(1) FROM c", "SELECT * FROM c ORDER BY c.n"])
def test_a_query_that_needs_a_plan_is_refused_by_what_it_uses(cars: ContainerProxy, query: str) -> None:
    """The SDK shows the text; it does not ask for a plan."""
    with pytest.raises(CosmosHttpResponseError, match="The local Azure does not have") as caught:
        _across(cars, query)
    assert caught.value.status_code == 400


def test_all_items_are_read_as_a_feed(cars: ContainerProxy) -> None:
    """The read feed pages through every partition."""
    assert len(list(cars.read_all_items(max_item_count=5))) == 12


def test_a_query_without_partition_key_has_to_say_so(cars: ContainerProxy, local_cosmos: LocalCosmos) -> None:
    """The gateway does not guess that all partitions are meant."""
    with pytest.raises(CosmosHttpResponseError) as caught:
        list(cars.query_items("SELECT * FROM c"))
    assert caught.value.status_code == 400
    entries = [e for e in local_cosmos.platform.journal.entries() if e.operation == f"query {cars.id}"]
    assert entries[-1].caller
