"""Polls that use the version of the fence that their process read a moment ago, and what they may not do."""

import itertools
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from unittest.mock import Mock

import pytest
from azure.core.exceptions import HttpResponseError

from activities.runtime import executor, progress
from activities.runtime.step import Step
from shared import durations
from shared.arm.errors import CloudError, ErrorCode
from shared.store import Fence, fenced_documents
from tests.product.unit.activities.runtime.test_wrapper import away, counted, item, note, perform, raising, supersede
from tests.product.unit.product_world import CLUSTER_ID, World

# How long a version is kept at this scale.
KEPT = durations.FENCE_KEPT.total_seconds() / 40
FENCE = Fence(CLUSTER_ID.lower(), "op", 1, "doc-1")

Status = Callable[[Step], Any]


class Clock:
    """The clock by which snapshots grow old."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Let a test move the clock."""
    made = Clock()
    monkeypatch.setattr(fenced_documents, "monotonic", made)
    return made


def poll(monkeypatch: pytest.MonkeyPatch, polls: int, status: Status | None = None, **more: Any) -> dict[str, Any]:
    """Poll a row once more; without a status of its own it waits, and finds what it found before."""
    asked: executor.Executor[Step] = executor.Executor(
        run=lambda _step: executor.wait("half done"), status=status or (lambda _step: executor.wait("half done"))
    )
    return perform(monkeypatch, asked, "status", polls=polls, **more)


def failing(error: BaseException) -> Status:
    """Make a status that fails."""
    run = raising(error).run
    assert run is not None
    return run


@pytest.fixture
def polled(accepted: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """Give the world a row that this process has polled once."""
    poll(monkeypatch, 0)
    return accepted


def test_polls_share_one_read_of_the_fence_while_it_is_kept(
    polled: World, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    """Most calls of a create are polls, and each used to read the same document."""
    reads = counted(polled.cosmos["OpenShiftClusters"], monkeypatch, "read_item")
    poll(monkeypatch, 1)
    clock.now += KEPT
    poll(monkeypatch, 2)
    assert len(reads) == 0
    clock.now += 0.01
    poll(monkeypatch, 3)
    assert len(reads) == 1
    poll(monkeypatch, 4)
    assert len(reads) == 1


@pytest.mark.parametrize(
    "status",
    [
        pytest.param(lambda _step: executor.wait("nearly done"), id="news"),
        pytest.param(lambda _step: None, id="the end"),
        pytest.param(failing(CloudError(400, ErrorCode.DUPLICATE_DOMAIN, "It is taken.")), id="a failure"),
        pytest.param(failing(HttpResponseError("refused")), id="an answer of Azure"),
        pytest.param(failing(KeyError("bug")), id="a bug"),
    ],
)
def test_a_superseded_poll_writes_no_item(polled: World, monkeypatch: pytest.MonkeyPatch, status: Status) -> None:
    """Whatever it found on an old version: it reads the fence before it writes, and only closes its item."""
    supersede(polled)
    assert poll(monkeypatch, 1, status) == {"outcome": "fenced"}
    assert (item(polled)["status"], item(polled)["message"]) == ("Canceled", "The operation was superseded.")
    assert [each["status"] for each in polled.cosmos["OperationProgress"].writes] == ["Running", "Canceled"]


def test_a_superseded_poll_gives_no_sign_of_life(polled: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its successor would wait for a step that nobody drives."""
    supersede(polled)
    monkeypatch.setattr(progress, "SIGN_OF_LIFE", timedelta(0))
    assert poll(monkeypatch, 1) == {"outcome": "fenced"}


def test_a_superseded_poll_that_finds_nothing_new_leaves_no_trace(
    polled: World, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    """It may not know yet. It does once its version is too old."""
    supersede(polled)
    polled.store.progress.upsert(item(polled) | {"status": "Canceled", "message": "by the delete"})  # type: ignore[arg-type]  # an item
    assert poll(monkeypatch, 1)["outcome"] == "wait"
    assert item(polled)["message"] == "by the delete"
    clock.now += KEPT + 0.01
    assert poll(monkeypatch, 2) == {"outcome": "fenced"}
    assert item(polled)["message"] == "by the delete"


def test_a_machine_that_stood_still_lets_no_old_attempt_change_or_write_anything(
    polled: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock of a paused machine may stand still, so an old version looks new for as long as it likes."""
    supersede(polled)
    before = len(polled.cosmos["OpenShiftClusters"].writes)

    def change(step: Step) -> None:
        step.check_fence()
        raise AssertionError("it changed something")

    def decide(step: Step) -> None:
        step.decide(note(late=True))
        raise AssertionError("it decided something")

    for number, status in enumerate((change, decide), 1):
        assert poll(monkeypatch, number, status) == {"outcome": "fenced"}
    assert len(polled.cosmos["OpenShiftClusters"].writes) == before
    assert not any(each.get("changing") for each in polled.cosmos["OperationProgress"].writes), "a delete waits for it"


def test_a_clock_that_jumps_ahead_only_costs_a_read(
    polled: World, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    """Nothing is trusted because it should still be young."""
    reads = counted(polled.cosmos["OpenShiftClusters"], monkeypatch, "read_item")
    clock.now += 1e9
    assert poll(monkeypatch, 1)["outcome"] == "wait"
    assert len(reads) == 1


def test_a_poll_that_changes_something_reads_the_fence_for_each_change(
    polled: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """First before it says that it is about to, then again before it does: no change relies on an old version."""
    reads = counted(polled.cosmos["OpenShiftClusters"], monkeypatch, "read_item")

    def change(step: Step) -> Any:
        for _ in range(2):
            step.check_fence()
        assert item(polled)["changing"]
        return executor.wait("half done")

    assert poll(monkeypatch, 1, change)["outcome"] == "wait"
    assert len(reads) == 3
    assert "changing" not in item(polled)


def test_a_decision_on_an_old_version_is_made_again_on_the_newest(
    polled: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ETag of what was read tells."""
    polled.cosmos["OpenShiftClusters"].upsert_item(polled.cluster | {"decided": "elsewhere"})
    seen: list[Any] = []

    def change(document: Any) -> bool:
        seen.append(document.get("decided"))
        return bool(document.setdefault("decided", "here") == "here")

    poll(monkeypatch, 1, lambda step: step.decide(change))
    assert seen == [None, "elsewhere"]
    assert polled.cluster["decided"] == "elsewhere"


def test_a_stop_is_noticed_when_the_version_is_too_old(
    polled: World, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    """It was written by another process."""
    polled.cosmos["OpenShiftClusters"].upsert_item(polled.cluster | {"stopping": True})
    assert poll(monkeypatch, 1)["outcome"] == "wait"
    clock.now += KEPT + 0.01
    assert poll(monkeypatch, 2) == {"outcome": "stopped"}
    assert item(polled)["status"] == "Canceled"


@pytest.mark.usefixtures("polled")
def test_a_stop_that_this_process_wrote_is_noticed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a process writes is the newest version that it knows."""
    perform(monkeypatch, executor.Executor(run=lambda step: step.decide(note(stopping=True))), step="other")
    assert poll(monkeypatch, 1) == {"outcome": "stopped"}


def test_two_attempts_in_one_process_see_their_own_fence(polled: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the old one has read does not fence the new one off; what the new one has read does so to the old one."""
    supersede(polled)
    assert poll(monkeypatch, 0, attempt=2)["outcome"] == "wait"
    assert poll(monkeypatch, 1, attempt=2)["outcome"] == "wait"
    assert poll(monkeypatch, 1, attempt=1) == {"outcome": "fenced"}
    assert poll(monkeypatch, 2, attempt=2)["outcome"] == "wait"
    assert item(polled)["status"] == "Canceled"
    assert polled.cosmos["OperationProgress"].documents["op", "step-2"]["status"] == "Running"


@pytest.mark.parametrize("polls", [0, 2], ids=["its first poll", "a poll after that of another process"])
def test_a_poll_sees_what_the_rows_before_it_have_decided(
    polled: World, monkeypatch: pytest.MonkeyPatch, polls: int
) -> None:
    """They may have run in another process since this one has read the document for another row."""
    poll(monkeypatch, 0, step="other")
    polled.cosmos["OpenShiftClusters"].upsert_item(polled.cluster | {"decided": True})
    seen: list[Any] = []
    poll(monkeypatch, polls, lambda step: seen.append(step.document.get("decided")), step="other" if polls else "third")
    assert seen == [True]


def test_a_status_that_is_the_work_itself_reads_the_fence(polled: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may write other documents, which no ETag of the cluster guards."""
    supersede(polled)
    work = Mock(return_value=None)
    assert perform(monkeypatch, executor.Executor(run=work, status=work), "status", polls=1) == {"outcome": "fenced"}
    work.assert_not_called()


def test_what_a_poll_found_is_not_lost_if_the_fence_cannot_be_read(
    polled: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wait is told and not recorded. A step whose end cannot be recorded is called again."""
    away(polled.cosmos["OpenShiftClusters"], monkeypatch, "read_item")
    assert poll(monkeypatch, 1, lambda _step: executor.wait("nearly done"))["message"] == "nearly done"
    assert poll(monkeypatch, 1, lambda _step: None)["retryClass"] == "transient"
    assert item(polled)["message"] == "half done"


@pytest.mark.usefixtures("polled")
def test_one_call_does_not_see_what_another_made_of_its_document(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each gets a copy."""

    def spoil(step: Step) -> Any:
        step.properties["provisioningState"] = "spoilt"
        return executor.wait("half done")

    seen: list[str] = []

    def look(step: Step) -> Any:
        seen.append(step.properties["provisioningState"])
        return executor.wait("half done")

    for number, status in enumerate((spoil, look), 1):
        poll(monkeypatch, number, status)
    assert seen == ["Creating"]


def test_a_slow_read_does_not_hide_a_newer_one(accepted: World, monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    """A version counts from the moment when its read began."""
    container, clusters = accepted.cosmos["OpenShiftClusters"], accepted.store.clusters
    real, nesting = container.read_item, itertools.count()

    def slow(*arguments: Any, **options: Any) -> Any:
        old = real(*arguments, **options)
        if next(nesting) == 0:
            clock.now += 0.1
            container.upsert_item(accepted.cluster | {"stopping": True})
            clusters.fenced_read(FENCE)
        return old

    monkeypatch.setattr(container, "read_item", slow)
    assert not clusters.fenced_read(FENCE).get("stopping")
    newest = clusters.recent(FENCE, KEPT)
    assert newest is not None
    assert newest["stopping"]


def test_only_the_last_clusters_are_kept(accepted: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that lives for months meets many."""
    monkeypatch.setattr(fenced_documents, "MOST_SNAPSHOTS", 2)
    clusters, made = accepted.store.clusters, accepted.cluster
    for name in ("a", "b", "c"):
        document = made | {"id": name, "key": name, "clusterResourceGroupIdKey": name, "clientIdKey": name}
        clusters.replace(clusters.create(document))
    kept = [clusters.recent(Fence(name, "op", 1), KEPT) is not None for name in ("a", "b", "c")]
    assert kept == [False, True, True]
