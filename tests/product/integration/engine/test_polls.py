"""The reads of a poll, by the real SDK: it makes something usable of an answer that has no body."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from shared.store.operations import Operations
from shared.store.polls import Polls
from shared.store.records import Progress
from tests.emulator.integration.cosmos.conftest import (
    LocalCosmos,
    Make,
    Sessions,
    container,
    local_cosmos,
    sessions,
)

__all__ = ["container", "local_cosmos", "sessions"]

OPERATION: Any = {"id": "op", "asyncOperation": {"status": "Creating"}, "openShiftClusterKey": "/subscriptions/s/c"}


def item(step: str, status: str = "Running") -> Any:
    """Make a progress item."""
    return {
        "id": f"{step}-1",
        "operationId": "op",
        "step": step,
        "attempt": 1,
        "status": status,
        "startTime": "2026-03-01T12:00:00+00:00",
    }


def test_a_poll_that_finds_nothing_new_costs_next_to_nothing(
    local_cosmos: LocalCosmos, sessions: Callable[[str], Sessions], container: Make
) -> None:
    """One request unit for an operation that has not changed, and those of a query with one small answer."""
    writer, reader = sessions("Session")
    items = container("/operationId")
    Operations(writer).create(OPERATION | {"filler": "x" * 5000})
    progress = Progress(items)
    for number in range(20):
        progress.upsert(item(f"step{number}", "Succeeded"))
    local_cosmos.time.ahead += timedelta(seconds=5)
    progress.upsert(item("step20"))
    polls = Polls(Operations(reader), progress)

    def poll() -> tuple[Any, Any, list[tuple[str, int, float]]]:
        before = len(list(local_cosmos.platform.journal.entries()))
        found = polls.operation("op"), polls.progress("op")
        calls = list(local_cosmos.platform.journal.entries())[before:]
        # Now and then the SDK looks at the account, too.
        of_documents = [call for call in calls if "/docs" in call.path]
        return *found, [(call.operation.split()[0], call.status, call.charge) for call in of_documents]

    first = poll()
    again = poll()
    assert again[:2] == first[:2]
    assert again[2] == [("read", 304, 1.0), ("query", 200, 2.8)]
    progress.upsert(item("step21"))
    Operations(writer).update_by_id("op", lambda document: document | {"taskHub": "Other"})
    changed = poll()
    assert changed[0]["taskHub"] == "Other"
    assert len(changed[1]) == 22
