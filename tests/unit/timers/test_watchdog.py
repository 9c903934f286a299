"""The watchdog: who it leaves alone, whom it starts again, whom it gives up."""

import asyncio
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from shared import settings
from tests.unit.product_world import World
from timers import watchdog
from timers.watchdog import Action, Finding, judge

NOW = datetime(2026, 3, 1, 10, tzinfo=UTC)


def ago(seconds: float) -> str:
    """Return the time so many seconds ago."""
    return (NOW - timedelta(seconds=seconds)).isoformat()


def item(step: str, status: str = "Running", seen: float = 1, attempt: int = 1, deadline: float = 60) -> dict[str, Any]:
    """Make a progress item whose deadline is that far from its start."""
    start = NOW - timedelta(seconds=1000)
    return {
        "id": f"{step}-{attempt}",
        "operationId": "op",
        "step": step,
        "attempt": attempt,
        "status": status,
        "startTime": start.isoformat(),
        "deadline": (start + timedelta(seconds=deadline)).isoformat(),
        "lastProgressTime": ago(seen),
        "message": "last words",
        "error": None,
    }


def finding(status: str, *items: dict[str, Any], started: float = 1000, attempt: int = 1, ended: str = "") -> Finding:
    """Make what the watchdog finds."""
    operation = {
        "id": "op",
        "asyncOperation": {"status": ended or "Creating", "startTime": ago(started)},
        "plan": {"rows": [{"name": "a", "deadlineSeconds": 100}]},
    }
    cluster = {"asyncOperationId": "op", "attempt": attempt, "key": "k"}
    return Finding(cluster=cluster, operation=operation, items=list(items), status=status)


@pytest.mark.parametrize(
    ("found", "want"),
    [
        (finding("Running", item("a")), Action.LEAVE),
        (finding("Pending"), Action.RESTART),
        (finding("Pending", started=100), Action.LEAVE),
        (finding("Running", item("a", seen=119)), Action.LEAVE),
        (finding("Running", item("a", seen=121)), Action.RESTART),
        (finding("Running", item("a", "Succeeded", seen=199)), Action.LEAVE),
        (finding("Running", item("a", "Succeeded", seen=201)), Action.RESTART),
        (finding("", started=5), Action.LEAVE),
        (finding("", started=60), Action.START),
        (finding("", item("a")), Action.RESTART),
        (finding("Failed", item("a")), Action.RESTART),
        (finding("Completed", item("a")), Action.RESTART),
        (finding("Terminated", item("a", attempt=5), attempt=5), Action.FAIL),
        (finding("Failed", ended="Succeeded"), Action.SETTLE),
        (finding("Running", ended="Succeeded"), Action.LEAVE),
        (Finding(cluster={"attempt": 1}, operation=None, items=[], status=""), Action.FAIL),
    ],
    ids=[
        "it makes progress",
        "its start was lost long ago",
        "its start was accepted a moment ago",
        "a row is quiet for less than twice its deadline",
        "a row is quiet for more than twice its deadline",
        "no row runs for less than twice the longest deadline",
        "no row runs for more than twice the longest deadline",
        "the request may be about to start it",
        "the request died before it started it",
        "its task hub is gone",
        "its worker died",
        "it ended without a result",
        "five attempts were enough",
        "it ended between its two writes",
        "it is ending",
        "its record has expired",
    ],
)
def test_each_case_has_its_answer(world: World, found: Finding, want: Action) -> None:
    """One table, one decision."""
    assert world
    assert judge(found, NOW, settings.load()) is want


class Client:
    """The durable client, with the status of every instance."""

    def __init__(self, **statuses: str) -> None:
        self.statuses = statuses
        self.started: list[tuple[str, str, dict[str, Any]]] = []
        self.terminated: list[str] = []

    async def get_status(self, instance_id: str) -> Any:
        name = self.statuses.get(instance_id.replace("-", "_"))
        output = "Orchestrator function 'run_plan_v1' failed: TypeError" if name == "Failed" else None
        return SimpleNamespace(runtime_status=SimpleNamespace(name=name), output=output) if name else None

    async def start_new(self, name: str, instance_id: str, start: dict[str, Any]) -> str:
        self.started.append((name, instance_id, start))
        return instance_id

    async def terminate(self, instance_id: str, _reason: str) -> None:
        self.terminated.append(instance_id)


def watch(client: Client) -> None:
    """Run the timer once."""
    asyncio.run(watchdog.watch(client))  # type: ignore[arg-type] # a fake of the SDK's client


def test_an_operation_that_nothing_drives_goes_on_with_the_next_attempt(accepted: World) -> None:
    """The task hub was deleted: what is done carries over, and the fence has moved."""
    accepted.cluster["stopping"] = True
    accepted.cosmos["OperationProgress"].upsert_item(item("decide_names", "Succeeded"))
    accepted.cosmos["OperationProgress"].upsert_item(item("ensure_acr_token"))
    client = Client()
    watch(client)
    ((name, instance, start),) = client.started
    assert (name, instance) == ("run_plan_v1", "op-2")
    assert (start["attempt"], start["done"]) == (2, ["decide_names"])
    assert accepted.cluster["attempt"] == 2
    assert "stopping" not in accepted.cluster


def test_an_operation_that_was_never_started_keeps_its_attempt(accepted: World) -> None:
    """The request died after its documents: nothing ran, so nothing has to be fenced off."""
    client = Client()
    watch(client)
    assert [(instance, start["attempt"]) for _, instance, start in client.started] == [("op-1", 1)]
    assert accepted.cluster["attempt"] == 1


def test_a_living_operation_is_left_alone(accepted: World) -> None:
    """Nothing is written, nothing is started."""
    accepted.operation["plan"]["rows"] = [{"name": "a", "deadlineSeconds": 1e12}]
    client = Client(op_1="Running")
    watch(client)
    assert client.started == []
    assert len(accepted.cosmos["OpenShiftClusters"].writes) == 1


def test_a_stuck_instance_is_terminated_before_its_successor_starts(accepted: World) -> None:
    """Nobody else would end it."""
    accepted.cosmos["OperationProgress"].upsert_item(item("a", seen=10_000))
    client = Client(op_1="Running")
    watch(client)
    assert client.terminated == ["op-1"]
    assert [instance for _, instance, _ in client.started] == ["op-2"]


def test_after_five_attempts_the_operation_fails_with_a_reason(accepted: World) -> None:
    """It names the step that never ended, and what it said last."""
    accepted.cluster["attempt"] = 5
    accepted.cosmos["OperationProgress"].upsert_item(item("attach_nsgs", attempt=5))
    client = Client(op_5="Failed")
    watch(client)
    assert client.started == []
    error = accepted.operation["asyncOperation"]["error"]
    assert "started 5 times" in error["message"]
    assert "'attach_nsgs'. last words" in error["message"]
    assert {"code": "CorrelationId", "message": "corr-1"} in error["details"]
    assert accepted.operation["asyncOperation"]["status"] == "Failed"
    assert accepted.properties["provisioningState"] == "Failed"
    assert "asyncOperationId" not in accepted.cluster


def test_an_operation_whose_steps_said_nothing_fails_with_how_its_orchestration_ended(accepted: World) -> None:
    """Nothing is lost on the way: without progress, the durable instance has the only cause there is."""
    accepted.cluster["attempt"] = 5
    watch(Client(op_5="Failed"))
    details = accepted.operation["asyncOperation"]["error"]["details"]
    assert {"code": "Orchestration", "message": "Orchestrator function 'run_plan_v1' failed: TypeError"} in details
    assert "Step" not in {detail["code"] for detail in details}


def test_an_end_between_two_writes_is_completed(accepted: World) -> None:
    """The operation says Succeeded, so the cluster does."""
    accepted.operation["asyncOperation"]["status"] = "Succeeded"
    watch(Client(op_1="Failed"))
    assert accepted.properties["provisioningState"] == "Succeeded"
    assert "asyncOperationId" not in accepted.cluster


def test_a_delete_that_ended_between_two_writes_loses_its_document(accepted: World) -> None:
    """The operation says Succeeded, so the cluster is gone."""
    accepted.operation["asyncOperation"]["status"] = "Succeeded"
    accepted.properties["provisioningState"] = "Deleting"
    watch(Client(op_1="Failed"))
    assert accepted.cosmos["OpenShiftClusters"].documents == {}


def test_trouble_with_one_operation_does_not_keep_others_waiting(
    accepted: World, caplog: pytest.LogCaptureFixture
) -> None:
    """It is logged with its correlation id, and the next one is watched."""
    other = accepted.cluster | {"id": "doc-0", "key": "/subscriptions/x/a", "clusterResourceGroupIdKey": "x"}
    other |= {"clientIdKey": "x", "asyncOperationId": "broken"}
    accepted.cosmos["AsyncOperations"].create_item({"id": "broken", "asyncOperation": {"status": "Creating"}})
    documents = accepted.cosmos["OpenShiftClusters"].documents
    accepted.cosmos["OpenShiftClusters"].documents = {("x", "doc-0"): other, **documents}
    client = Client()
    watch(client)
    assert [instance for _, instance, _ in client.started] == ["op-1"]
    assert "operation broken could not be watched" in caplog.text
