"""The fault that lets a read answer with the past, as far as the consistency level of the account allows it."""

from collections.abc import Callable
from typing import Any

import pytest
from azure.core import MatchConditions
from azure.cosmos import ContainerProxy
from azure.cosmos.exceptions import CosmosAccessConditionFailedError, CosmosResourceNotFoundError

from tests.emulator.integration.cosmos.conftest import LocalCosmos, Sessions, stale

ALL = "SELECT c.id, c.state FROM c"


def seen(items: ContainerProxy, *names: str) -> list[Any]:
    """Return what a session reads of some documents one by one, then by a query of all."""

    def one(name: str) -> Any:
        try:
            return items.read_item(name, partition_key=name)["state"]
        except CosmosResourceNotFoundError:
            return None

    found = {each["id"]: each["state"] for each in items.query_items(ALL, enable_cross_partition_query=True)}
    return [*map(one, names), *map(found.get, names)]


NEWEST, PAST = ["new", None, "new"] * 2, ["old", "old", None] * 2


@pytest.mark.parametrize(
    ("level", "own", "others"),
    [
        pytest.param("Eventual", PAST, PAST, id="eventual: nobody need see a write"),
        pytest.param("ConsistentPrefix", PAST, PAST, id="consistent prefix: the same"),
        pytest.param("Session", NEWEST, PAST, id="session: the writer sees its writes"),
        pytest.param("BoundedStaleness", NEWEST, NEWEST, id="bounded: in its one region everybody sees a write"),
        pytest.param("Strong", NEWEST, NEWEST, id="strong: everybody sees a write"),
    ],
)
def test_the_level_decides_who_may_read_the_past(
    local_cosmos: LocalCosmos, sessions: Callable[[str], Sessions], level: str, own: list[Any], others: list[Any]
) -> None:
    """A document that was replaced, deleted or created a moment ago may still be read as it was before."""
    writer, other = sessions(level)
    for name in ("a", "b"):
        writer.create_item({"id": name, "state": "old"})
    with stale(local_cosmos):
        writer.replace_item("a", {"id": "a", "state": "new"})
        writer.delete_item("b", partition_key="b")
        writer.create_item({"id": "c", "state": "new"})
        assert (seen(writer, *"abc"), seen(other, *"abc")) == (own, others)
    assert seen(other, *"abc") == NEWEST


def test_a_session_reads_what_it_wrote_and_nothing_newer(
    local_cosmos: LocalCosmos, sessions: Callable[[str], Sessions]
) -> None:
    """Its token covers the writes of others before its own. A later one may stay unseen, and for so long only."""
    first, second = sessions("Session")
    first.create_item({"id": "a", "state": "old"})
    with stale(local_cosmos):
        first.replace_item("a", {"id": "a", "state": "new"})
        second.create_item({"id": "b", "state": "mine"})
        first.replace_item("a", {"id": "a", "state": "newest"})
        assert seen(second, "a", "b") == ["new", "mine"] * 2
    with stale(local_cosmos, seconds=0):
        first.replace_item("a", {"id": "a", "state": "newest of all"})
        assert seen(second, "a") == ["newest of all"] * 2


def test_a_conditional_write_meets_the_newest_state(
    local_cosmos: LocalCosmos, sessions: Callable[[str], Sessions]
) -> None:
    """Writes are never served by a replica that lags behind."""
    first, second = sessions("Session")
    first.create_item({"id": "a", "state": "old"})
    with stale(local_cosmos):
        first.replace_item("a", {"id": "a", "state": "new"})
        past = second.read_item("a", partition_key="a")
        with pytest.raises(CosmosAccessConditionFailedError):
            second.replace_item(
                "a", {**past, "state": "mine"}, etag=past["_etag"], match_condition=MatchConditions.IfNotModified
            )


@pytest.mark.parametrize(("level", "units"), [("Session", 1.0), ("BoundedStaleness", 2.0), ("Strong", 2.0)])
def test_a_read_of_two_replicas_costs_twice(sessions: Callable[[str], Sessions], level: str, units: float) -> None:
    """The stronger levels compare two replicas; a write costs the same at every level."""
    items, _ = sessions(level)
    charges: list[float] = []

    def note(headers: Any, _body: Any) -> None:
        charges.append(float(headers["x-ms-request-charge"]))

    items.create_item({"id": "a", "state": "old"}, response_hook=note)
    items.read_item("a", partition_key="a", response_hook=note)
    assert charges == [5.5, units]
