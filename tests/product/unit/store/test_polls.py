"""What a process keeps of operations that clients poll: a poll is as good as one that reads everything, and cheaper."""

import copy
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontend.operations import operation_report
from orchestrators.plans import PLANS
from orchestrators.plans.rows import to_dict
from shared.store import Store, polls
from tests.product.unit.cosmos_fake import Container, containers

PLAN: Any = {"rows": [to_dict(row) for row in PLANS["create"]]}
NAMES = [row["name"] for row in PLAN["rows"]]
OPERATION: Any = {"id": "op", "asyncOperation": {"status": "Creating"}, "openShiftClusterKey": "/subscriptions/s/c"}


class Database:
    """The containers, with a clock of their own, and what is read of them."""

    def __init__(self) -> None:
        self.containers = containers()
        self.operations, self.items = (self.containers[name] for name in ("AsyncOperations", "OperationProgress"))
        self.now = 1_700_000_000.5
        self.items.clock = lambda: self.now
        self.read: list[Any] = []
        self._note(self.operations, "read_item")
        self._note(self.items, "query_items")
        self.operations.create_item(OPERATION)

    def _note(self, container: Container, method: str) -> None:
        real = getattr(container, method)

        def call(*arguments: Any, **options: Any) -> Any:
            found = real(*arguments, **options)
            self.read += [found] if isinstance(found, dict) else list(found)
            return found

        setattr(container, method, call)

    def process(self) -> Store:
        """Return the store of another process."""
        return Store(self.containers.__getitem__, Mock(), Mock())  # type: ignore[arg-type] # a fake of the SDK's container

    def write(self, step: str, status: str = "Running", lasted: int = 0, attempt: int = 1) -> None:
        """Write the item of a step."""
        self.items.upsert_item(
            {
                "id": f"{step}-{attempt}",
                "operationId": "op",
                "step": step,
                "attempt": attempt,
                "status": status,
                "startTime": "2026-03-01T12:00:00+00:00",
                "lastProgressTime": f"2026-03-01T12:{lasted // 60:02}:{lasted % 60:02}+00:00",
            }
        )

    def end(self) -> None:
        """End the operation."""
        self.operations.documents["op", "op"]["asyncOperation"]["status"] = "Succeeded"
        self.operations.upsert_item(self.operations.documents["op", "op"])


@pytest.fixture
def database() -> Database:
    """Make a database with a running operation."""
    return Database()


def poll(store: Store) -> tuple[Any, list[Any]]:
    """Poll the operation in one process."""
    return store.polls.operation("op"), store.polls.progress("op")


def test_a_poll_reads_only_what_is_new(database: Database) -> None:
    """Two thirds of the request units of a create were the reads of its client's polls."""
    for name in NAMES[:20]:
        database.now += 10
        database.write(name, "Succeeded")
    store = database.process()
    first = poll(store)
    assert len(database.read) == 21
    database.read.clear()
    assert poll(store) == first
    assert [each.get("step") for each in database.read] == [None, NAMES[19]], "no operation, and the newest item again"
    database.now += 10
    database.write(NAMES[20])
    database.write(NAMES[21])
    database.read.clear()
    assert len(poll(store)[1]) == 22
    assert [each.get("step") for each in database.read] == [None, *NAMES[19:22]]


def test_a_poll_sees_what_was_written_in_the_second_of_the_one_before(database: Database) -> None:
    """Cosmos DB notes whole seconds."""
    store = database.process()
    database.write("a")
    poll(store)
    database.write("a", "Succeeded")
    database.write("b")
    assert [(item["step"], item["status"]) for item in poll(store)[1]] == [("a", "Succeeded"), ("b", "Running")]


def test_a_poll_sees_what_a_replica_with_a_slower_clock_has_written(database: Database) -> None:
    """It may have taken over since the poll before."""
    store = database.process()
    database.write("a")
    poll(store)
    database.now -= 0.9
    database.write("b")
    assert [item["step"] for item in poll(store)[1]] == ["a", "b"]


def test_a_poll_sees_that_the_operation_has_changed(database: Database) -> None:
    """Such as that another task hub has taken it over."""
    store = database.process()
    poll(store)
    database.operations.upsert_item(OPERATION | {"taskHub": "Other"})
    assert poll(store)[0]["taskHub"] == "Other"
    database.operations.documents.clear()
    assert store.polls.operation("op") is None
    assert store.polls.cluster_key("op") is None


def test_an_operation_that_has_ended_is_not_kept(database: Database) -> None:
    """Its client asks once or twice more, and then never again."""
    store = database.process()
    database.write("a", "Succeeded")
    poll(store)
    database.end()
    poll(store)
    database.now += 10
    database.read.clear()
    document, items = poll(store)
    assert document["asyncOperation"]["status"] == "Succeeded"
    assert len(items) == 1
    assert all(database.read), "both were read in full"


def test_operations_beyond_the_last_ones_are_read_in_full(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that serves for months keeps a limited number."""
    monkeypatch.setattr(polls, "_MOST_OPERATIONS", 1)
    store = database.process()
    poll(store)
    database.operations.create_item(OPERATION | {"id": "other"})
    assert store.polls.operation("other") is not None
    database.read.clear()
    assert poll(store)[0]["id"] == "op"
    assert all(database.read)


def test_whose_an_operation_is_is_asked_once(database: Database) -> None:
    """The cluster of an operation never changes, so a caller's rights on it need no further read."""
    store = database.process()
    assert store.polls.cluster_key("op") == OPERATION["openShiftClusterKey"]
    database.read.clear()
    assert store.polls.cluster_key("op") == OPERATION["openShiftClusterKey"]
    assert not database.read


def test_a_read_that_ends_late_hides_nothing_newer(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two polls of one process may overtake each other."""
    store = database.process()
    database.write("a")
    poll(store)
    real = store.progress.list

    def slow(operation_id: str, since: int = 0) -> Any:
        monkeypatch.setattr(store.progress, "list", real)
        old = real(operation_id, since)
        database.now += 5
        database.write("a", "Succeeded")
        poll(store)
        return old

    monkeypatch.setattr(store.progress, "list", slow)
    poll(store)
    assert poll(store)[1][0]["status"] == "Succeeded"


WRITES = st.tuples(
    st.sampled_from(NAMES[:8]),
    st.sampled_from(["Running", "Succeeded", "Failed"]),
    st.integers(0, 300),
    st.integers(1, 2),
    # Seconds until the write; a replica that takes over may be behind by less than a second.
    st.sampled_from([-0.9, 0, 0.3, 1, 7]),
    # The process that is polled next, if any.
    st.sampled_from([None, 0, 1]),
)


def by_id(items: list[Any]) -> list[Any]:
    """Sort items that began at the same time."""
    return sorted(items, key=lambda item: str(item["id"]))


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.lists(WRITES, max_size=40))
def test_every_process_shows_what_is_stored(writes: list[tuple[str, str, int, int, float, int | None]]) -> None:
    """Whoever polls where: the items are those of a read of everything, and so the percentage never goes back."""
    database = Database()
    processes, latest = [database.process() for _ in range(2)], database.now
    figure = 0
    for step, status, lasted, attempt, pause, polled in writes:
        stored = database.items.documents.get(("op", f"{step}-{attempt}"))
        if stored is not None and stored["status"] == "Succeeded":
            continue
        database.now = max(latest + pause, database.now) if pause >= 0 else latest + pause
        latest = max(latest, database.now)
        known = stored["lastProgressTime"] if stored else ""
        database.write(step, status, lasted, attempt)
        item = database.items.documents["op", f"{step}-{attempt}"]
        item["lastProgressTime"] = max(item["lastProgressTime"], known)
        if polled is None:
            continue
        _, items = poll(processes[polled])
        assert by_id(items) == by_id(database.process().progress.list("op"))
        operation = {"plan": PLAN} | copy.deepcopy(OPERATION)
        shown = operation_report.progress(operation, items, "Creating")["percentComplete"]
        assert shown >= figure
        figure = shown


def test_what_another_reader_has_read_is_kept_for_polls(database: Database) -> None:
    """The watchdog reads the operations that run. Those on sites are for operators alone, and no client polls them."""
    store = database.process()
    database.operations.create_item({"id": "site", "siteName": "edge-1", "asyncOperation": {"status": "Running"}})
    for name in ("op", "site"):
        found = store.operations.read(name)
        assert found is not None
        store.polls.remember(found)
    assert store.polls.last_known("op") is not None
    assert store.polls.last_known("site") is None
    assert store.polls.operation("site") is None
    database.write("a")
    assert len(poll(store)[1]) == 1
    database.end()
    found = store.operations.read("op")
    assert found is not None
    poll(store)
    store.polls.remember(found)
    assert store.polls.last_known("op") is None
