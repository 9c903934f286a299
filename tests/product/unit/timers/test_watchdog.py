"""The watchdog: which operations it leaves alone, starts again, or gives up."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import Mock

import pytest
from azure.durable_functions.models.DurableOrchestrationStatus import DurableOrchestrationStatus

from orchestrators.packed_inputs import unpack
from orchestrators.plans import RUN_PLAN
from shared import settings
from shared.documents import ClusterDocument
from tests.product.unit.product_world import World
from timers import watchdog
from timers.watchdog_decision import Action, Finding, judge

NOW = datetime(2026, 3, 1, 10, tzinfo=UTC)
# How long a row of these plans is tried without an answer; throttling may take longest.
RETRIES = {"azure": {"transient": {"withinSeconds": 22.5}, "throttled": {"withinSeconds": 45}}, "none": {}}
OUTAGE = 45
GONE = "from_another_release"
DAY = 86_400


def ago(seconds: float) -> str:
    """Return the time this many seconds ago."""
    return (NOW - timedelta(seconds=seconds)).isoformat()


def item(step: str, status: str = "Running", seen: float = 1, attempt: int = 1, deadline: float = 60) -> dict[str, Any]:
    """Make a progress item whose deadline is this far from its start."""
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


def requested(seconds: float) -> ClusterDocument:
    """Make a cluster whose operation was requested this many seconds ago."""
    return {"attempt": 1, "correlationData": {"requestTime": ago(seconds)}}


def finding(
    status: str,
    *items: dict[str, Any],
    started: float = 1000,
    attempt: int = 1,
    ended: str = "",
    restarts: tuple[int, float] | None = None,
    heard: float | None = None,
    created: float | None = None,
    executor: str = "decide_names",
    interpreter: str = "",
    **more: Any,
) -> Finding:
    """Make a finding; `restarts` is how many and how long ago the first was, other arguments how long ago."""
    operation = more | {
        "id": "op",
        "asyncOperation": {"status": ended or "Creating", "startTime": ago(started)},
        "plan": {"rows": [{"name": "a", "executor": executor, "deadlineSeconds": 100}], "retryPolicies": RETRIES},
    }
    cluster: dict[str, Any] = {"asyncOperationId": "op", "attempt": attempt, "key": "k"}
    if restarts:
        cluster["restarts"] = {"count": restarts[0], "since": ago(restarts[1])}
    times = {"heard": heard, "created": created}
    known = {name: NOW - timedelta(seconds=seconds) for name, seconds in times.items() if seconds is not None}
    return Finding(cluster, operation, list(items), status, interpreter=interpreter, **known)  # type: ignore[arg-type] # two times


@pytest.mark.parametrize(
    ("found", "want"),
    [
        (finding("Running", item("a")), Action.LEAVE),
        (finding("Pending"), Action.RESTART),
        (finding("Pending", started=100), Action.LEAVE),
        (finding("Pending", attempt=2, created=244), Action.LEAVE),
        (finding("Pending", attempt=2, created=246), Action.RESTART),
        (finding("Running", item("a", seen=119 + OUTAGE)), Action.LEAVE),
        (finding("Running", item("a", seen=121 + OUTAGE)), Action.RESTART),
        (finding("Running", item("a", "Succeeded", seen=199 + OUTAGE)), Action.LEAVE),
        (finding("Running", item("a", "Succeeded", seen=201 + OUTAGE)), Action.RESTART),
        (finding("", started=5), Action.LEAVE),
        (finding("", started=60), Action.START),
        (finding("", item("a")), Action.RESTART),
        (finding("Failed", item("a")), Action.RESTART),
        (finding("Completed", item("a")), Action.RESTART),
        (finding("", attempt=3), Action.START),
        (finding("Terminated", item("a", attempt=5), attempt=5), Action.RESTART),
        (finding("Failed", attempt=5, restarts=(4, 301)), Action.FAIL),
        (finding("Failed", attempt=9, restarts=(8, 299)), Action.RESTART),
        (finding("Failed", attempt=4, restarts=(3, 3000)), Action.RESTART),
        (finding("Failed", item("a", "Succeeded", attempt=5), attempt=5, restarts=(4, 3000)), Action.RESTART),
        (finding("", heard=22), Action.LEAVE),
        (finding("", heard=23), Action.RESTART),
        (finding("", ended="Succeeded", heard=22), Action.LEAVE),
        (finding("", ended="Succeeded", heard=23), Action.SETTLE),
        (finding("", attempt=5, restarts=(4, 3000), heard=22), Action.LEAVE),
        (finding("", takenOverAttempt=1), Action.RESTART),
        (finding("", attempt=2, takenOverAttempt=1), Action.START),
        (finding("Failed", ended="Succeeded"), Action.SETTLE),
        (finding("Running", item("a", "Succeeded"), ended="Succeeded"), Action.LEAVE),
        (finding("Running", item("a", "Succeeded", seen=246), ended="Succeeded"), Action.SETTLE),
        (finding("Running", item("b"), executor=GONE), Action.FAIL),
        (finding("", started=60, executor=GONE), Action.FAIL),
        (finding("Failed", executor=GONE), Action.FAIL),
        (finding("Running", item("a", "Succeeded"), executor=GONE), Action.LEAVE),
        (finding("Running", item("b"), executor=GONE, heard=22), Action.LEAVE),
        (finding("", item("b"), executor=GONE, heard=23), Action.FAIL),
        (finding("Running", item("b"), executor="settle_storage_template"), Action.LEAVE),
        (finding("Running", item("a"), interpreter="run_plan_v1"), Action.LEAVE),
        (finding("Running", item("a"), interpreter="run_plan_v2"), Action.LEAVE),
        (finding("Running", item("a"), interpreter="run_plan_v0"), Action.RESTART),
        (Finding(owner=requested(8 * DAY), operation=None, items=[], status=""), Action.FAIL),
        (Finding(owner=requested(14), operation=None, items=[], status=""), Action.LEAVE),
    ],
    ids=[
        "it makes progress",
        "its start was lost long ago",
        "its start was accepted a moment ago",
        "its second attempt waits for its turn",
        "its second attempt was lost long ago",
        "a row is quiet for less than twice its deadline and an outage",
        "a row is quiet for more than twice its deadline and an outage",
        "no row runs for less than twice the longest deadline and an outage",
        "no row runs for more than twice the longest deadline and an outage",
        "the request may be about to start it",
        "the request died before it started it",
        "its task hub is gone",
        "its worker died",
        "it ended without a result",
        "its third attempt was never started",
        "five attempts ended, with rows done in between",
        "five attempts in a row did nothing, in more than five minutes",
        "nine attempts in a row did nothing, in less than five minutes",
        "four attempts in a row did nothing",
        "the fifth attempt has done a row",
        "another hub drives it and lives",
        "another hub drove it and is silent",
        "another hub is about to write its end to the cluster",
        "another hub fell silent before it wrote the end to the cluster",
        "another hub has to fail it",
        "this hub has just taken over an attempt that the silent one may have started",
        "the attempt after a take-over was never started",
        "it ended between its two writes",
        "it is ending",
        "it hangs between its two writes",
        "its plan names an activity that is gone",
        "its plan named one before it was started",
        "its plan named one when it died",
        "the activity that is gone has done its work",
        "the package of another hub may have the activity",
        "another hub had the activity and is silent",
        "its plan has the former name of an activity",
        "its orchestrator is a former one of this package",
        "its orchestrator is the newest of this package",
        "its orchestrator is gone",
        "its record has expired",
        "its record is not to be read yet",
    ],
)
def test_each_case_has_its_answer(world: World, found: Finding, want: Action) -> None:
    """One row of the table for each decision."""
    assert world
    assert judge(found, NOW, settings.load()) is want


class Limits:
    """Time limits of asyncio that pass when a test says so, and not before."""

    def __init__(self) -> None:
        self._made: dict[float, asyncio.Timeout] = {}

    def timeout(self, seconds: float) -> asyncio.Timeout:
        """Make a limit, as `asyncio.timeout` does."""
        self._made[seconds] = asyncio.Timeout(None)
        return self._made[seconds]

    async def pass_(self, seconds: float) -> None:
        """Let the newest limit of so many seconds pass, if there is one, and never return."""
        if seconds in self._made:
            self._made[seconds].reschedule(0)
        await asyncio.Event().wait()


class Client:
    """The durable client, with the status of every instance."""

    def __init__(self, **statuses: str) -> None:
        self.statuses = statuses
        self.created = "2026-03-01T09:00:00Z"
        self.asked: list[str] = []
        self.slow = ""
        self.limit = 0.0
        self.limits = Limits()
        self.error: dict[str, str] = {}
        self.broken = False
        self.started: list[tuple[str, str, dict[str, Any]]] = []
        self.terminated: list[str] = []

    async def get_status(self, instance_id: str) -> Any:
        self.asked.append(instance_id)
        if instance_id == self.slow:
            await self.limits.pass_(self.limit)
        if self.error:
            return DurableOrchestrationStatus.from_json(self.error)
        name = self.statuses.get(instance_id.replace("-", "_"))
        output = "Orchestrator function 'run_plan_v1' failed: TypeError" if name == "Failed" else None
        known = {"name": "run_plan_v1", "instanceId": instance_id, "createdTime": self.created, "runtimeStatus": name}
        # The SDK's own answer to an id that is unknown is made of an empty body.
        return DurableOrchestrationStatus.from_json(known | {"output": output} if name else "")

    async def start_new(self, name: str, instance_id: str, start: dict[str, Any]) -> str:
        if self.broken:
            raise ConnectionError("the host's storage is away")
        self.started.append((name, instance_id, start))
        return instance_id

    async def terminate(self, instance_id: str, _reason: str) -> None:
        self.terminated.append(instance_id)


@pytest.fixture(autouse=True)
def _in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the watchdog look at operations in the order of their documents."""
    monkeypatch.setattr("timers.watchdog.random.shuffle", lambda _clusters: None)


def another(world: World, operation_id: str) -> None:
    """Add another cluster, whose operation is looked at first."""
    other = world.cluster | {"id": "doc-0", "key": "/subscriptions/x/a", "clusterResourceGroupIdKey": "x"}
    other |= {"clientIdKey": "x", "asyncOperationId": operation_id}
    documents = world.cosmos["OpenShiftClusters"].documents
    world.cosmos["OpenShiftClusters"].documents = {("x", "doc-0"): other, **documents}


def watch(client: Client) -> None:
    """Run the timer once."""
    asyncio.run(watchdog.watch(client))  # type: ignore[arg-type] # a fake of the SDK's client


def test_an_operation_that_nothing_drives_goes_on_with_the_next_attempt(accepted: World) -> None:
    """The task hub was deleted: finished rows carry over, and the fence has moved."""
    accepted.cluster["stopping"] = True
    accepted.cosmos["OperationProgress"].upsert_item(item("decide_names", "Succeeded"))
    accepted.cosmos["OperationProgress"].upsert_item(item("ensure_acr_token"))
    client = Client()
    watch(client)
    ((name, instance, start),) = client.started
    assert (name, instance) == (RUN_PLAN, "op-2")
    begun = unpack(start["packed"])
    assert (begun["attempt"], begun["done"]) == (2, ["decide_names"])
    assert accepted.cluster["attempt"] == 2
    assert "stopping" not in accepted.cluster


def test_an_operation_that_was_never_started_keeps_its_attempt(accepted: World) -> None:
    """The request died after it wrote its documents. Nothing ran, so nothing has to be fenced off."""
    client = Client()
    watch(client)
    assert [(instance, start["attempt"]) for _, instance, start in client.started] == [("op-1", 1)]
    assert accepted.cluster["attempt"] == 1


def test_a_restart_reads_the_plan_that_is_a_document_of_its_own(accepted: World) -> None:
    """Earlier builds stored it inside the operation."""
    plan = accepted.operation.pop("plan")
    rows = [{"name": "a", "executor": "decide_names", "needs": [], "deadlineSeconds": 0}]
    accepted.cosmos["AsyncOperations"].create_item({"id": "op-plan", "planOf": "op", "plan": plan | {"rows": rows}})
    client = Client()
    watch(client)
    ((_, _, start),) = client.started
    assert [row["name"] for row in unpack(start["packed"])["plan"]["rows"]] == ["check_plan", "a"]
    assert "plan" not in accepted.operation


@pytest.mark.parametrize(
    ("ended", "want"), [("", "Failed"), ("Succeeded", "Succeeded")], ids=["is failed", "unless it has ended"]
)
def test_an_operation_whose_plan_has_expired(accepted: World, ended: str, want: str) -> None:
    """Nothing says what would have to run, so it is not tried forever."""
    accepted.operation.pop("plan")
    accepted.operation["asyncOperation"]["status"] = ended or "Creating"
    watch(Client())
    assert accepted.operation["asyncOperation"]["status"] == want
    assert accepted.properties["provisioningState"] == want
    assert "asyncOperationId" not in accepted.cluster


def young(world: World, client: Client) -> Client:
    """Let the operation's instance have begun just now, and this process have read the operation."""
    world.operation["plan"] |= {"rows": [], "retryPolicies": RETRIES}
    client.created = datetime.now(UTC).isoformat()
    watch(client)
    return client


def test_a_young_living_operation_is_read_once(accepted: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its instance lives, and none of its rows can be stale: whatever the operation says by now, nothing is to do."""
    client = young(accepted, Client(op_1="Running"))
    monkeypatch.setattr(
        accepted.cosmos["AsyncOperations"], "read_item", Mock(side_effect=AssertionError("it was read"))
    )
    watch(client)
    assert client.started == []
    assert "asyncOperationId" in accepted.cluster


@pytest.mark.parametrize("instance", ["", "Failed"], ids=["without a trace", "after a bug"])
def test_an_instance_that_has_gone_is_noticed_at_the_next_run(accepted: World, instance: str) -> None:
    """However young it was."""
    client = young(accepted, Client(op_1="Running"))
    client.statuses = {"op_1": instance} if instance else {}
    watch(client)
    assert [started for _, started, _ in client.started] == [{"": "op-1", "Failed": "op-2"}[instance]]


def test_an_operation_that_another_hub_has_taken_over_since_is_left_to_it(accepted: World) -> None:
    """The cluster names its attempt, which has no instance here."""
    client = young(accepted, Client(op_1="Running"))
    accepted.cosmos["AsyncOperations"].upsert_item(accepted.operation | {"taskHub": "Green"})
    supersede = accepted.cluster | {"attempt": 2}
    accepted.cosmos["OpenShiftClusters"].upsert_item(supersede)
    hub_seen(accepted, "Green", 1)
    watch(client)
    assert client.started == []
    assert accepted.cluster["attempt"] == 2


def test_a_living_operation_is_left_alone(accepted: World) -> None:
    """Nothing is written, nothing is started."""
    accepted.operation["plan"]["rows"] = [{"name": "a", "executor": "decide_names", "deadlineSeconds": 1e12}]
    client = Client(op_1="Running")
    watch(client)
    assert client.started == []
    assert len(accepted.cosmos["OpenShiftClusters"].writes) == 1


def test_a_stuck_instance_is_terminated_before_its_successor_starts(accepted: World) -> None:
    """Nothing else would end it."""
    accepted.cosmos["OperationProgress"].upsert_item(item("a", seen=10_000))
    client = Client(op_1="Running")
    watch(client)
    assert client.terminated == ["op-1"]
    assert [instance for _, instance, _ in client.started] == ["op-2"]


@pytest.mark.parametrize(("age", "want_reads", "want_started"), [(0, 0, []), (50, 1, ["op-2"])], ids=["young", "old"])
def test_the_progress_of_a_young_instance_is_not_read(
    accepted: World, monkeypatch: pytest.MonkeyPatch, age: float, want_reads: int, want_started: list[str]
) -> None:
    """None of its rows can have been silent for longer than it lives: nearly each run finds only such ones."""
    accepted.operation["plan"] |= {
        "rows": [{"name": "a", "executor": "decide_names", "needs": [], "deadlineSeconds": 0}],
        "retryPolicies": RETRIES,
    }
    reads: list[str] = []
    read = accepted.cosmos["OperationProgress"].query_items

    def counting(query: str, **options: Any) -> Any:
        reads.append(query)
        return read(query, **options)

    monkeypatch.setattr(accepted.cosmos["OperationProgress"], "query_items", counting)
    client = Client(op_1="Running")
    client.created = (datetime.now(UTC) - timedelta(seconds=age)).isoformat()
    watch(client)
    assert (len(reads), [instance for _, instance, _ in client.started]) == (want_reads, want_started)


def exhausted(world: World) -> None:
    """Make four attempts in a row end without completing a row, the first of them long ago."""
    world.cluster.update({"attempt": 5, "restarts": {"count": 4, "since": "2026-03-01T09:00:00+00:00"}})


def test_attempts_that_do_nothing_are_counted_until_one_does_a_row(accepted: World) -> None:
    """The cluster document has the count, and the time of the first restart."""
    watch(Client(op_1="Failed"))
    first = accepted.cluster["restarts"]
    assert first["count"] == 1
    watch(Client(op_1="Failed", op_2="Failed"))
    assert accepted.cluster["restarts"] == {"count": 2, "since": first["since"]}
    accepted.cosmos["OperationProgress"].upsert_item(item("decide_names", "Succeeded", attempt=3))
    watch(Client(op_3="Failed"))
    assert accepted.cluster["attempt"] == 4
    assert "restarts" not in accepted.cluster


def test_a_worker_that_dies_again_and_again_uses_up_no_attempts(accepted: World) -> None:
    """Killed every three seconds, it completes no row. The operation continues unless that lasts too long."""
    for attempt in range(1, 41):
        watch(Client(**{f"op_{attempt}": "Failed"}))
    assert accepted.cluster["attempt"] == 41
    assert accepted.operation["asyncOperation"]["status"] == "Creating"


def test_an_attempt_whose_start_failed_is_started_the_next_time(accepted: World) -> None:
    """Only the time between two runs is lost."""
    client = Client(op_3="Failed")
    accepted.cluster["attempt"] = 3
    client.broken = True
    watch(client)
    assert (accepted.cluster["attempt"], client.started) == (4, [])
    client.broken = False
    watch(client)
    assert [(instance, start["attempt"]) for _, instance, start in client.started] == [("op-4", 4)]
    assert accepted.cluster["attempt"] == 4


def test_a_host_that_cannot_tell_is_no_task_hub_without_instances(
    accepted: World, caplog: pytest.LogCaptureFixture
) -> None:
    """While its storage is away it answers 500, which the SDK turns into a status. That uses up no attempt."""
    client = Client()
    client.error = {"Message": "Something went wrong", "ExceptionMessage": "No connection to the storage account"}
    watch(client)
    assert accepted.cluster["attempt"] == 1
    assert client.started == []
    assert "No connection to the storage account" in caplog.text


def test_an_operation_that_takes_too_long_is_left_to_the_next_run(
    accepted: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A service that is away does not delay other operations."""
    another(accepted, "slow")
    accepted.cosmos["AsyncOperations"].create_item(accepted.operation | {"id": "slow"})
    client = Client()
    client.slow, client.limit = "slow-1", watchdog.OPERATION_SECONDS
    monkeypatch.setattr(asyncio, "timeout", client.limits.timeout)
    watch(client)
    assert [instance for _, instance, _ in client.started] == ["op-1"]
    assert "operation slow could not be watched" in caplog.text


def test_a_run_that_takes_too_long_ends(accepted: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The host would otherwise end it together with the whole worker."""
    assert accepted
    client = Client()
    client.slow, client.limit = "op-1", watchdog.RUN_SECONDS
    monkeypatch.setattr(asyncio, "timeout", client.limits.timeout)
    with pytest.raises(TimeoutError):
        watch(client)


def hub_seen(world: World, name: str, seconds_ago: float, since: float = 1000) -> None:
    """Make a hub have written its sign of life."""
    now = datetime.now(UTC)
    sign = {"id": name, "lastSeen": (now - timedelta(seconds=seconds_ago)).isoformat()}
    world.cosmos["TaskHubs"].upsert_item(sign | {"listeningSince": (now - timedelta(seconds=since)).isoformat()})


def test_a_hub_says_that_it_lives_while_anything_runs(accepted: World) -> None:
    """Other hubs then leave its operations alone. A sign that will not be old at the next run is enough."""
    watch(Client())
    first = accepted.store.task_hubs.all()["OpenShiftClusters"]
    watch(Client())
    assert accepted.store.task_hubs.all()["OpenShiftClusters"] == first
    accepted.store.task_hubs.last_sign = None
    hub_seen(accepted, "OpenShiftClusters", 8)
    before = accepted.store.task_hubs.all()["OpenShiftClusters"]
    watch(Client())
    after = accepted.store.task_hubs.all()["OpenShiftClusters"]
    assert after["lastSeen"] > before["lastSeen"]
    assert after["listeningSince"] == before["listeningSince"]


def test_a_sign_of_the_apps_other_instance_counts(accepted: World) -> None:
    """The timer has moved there and back, and the hub has listened all the time."""
    watch(Client())
    long_ago = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    accepted.store.task_hubs.last_sign = {"id": "OpenShiftClusters", "lastSeen": long_ago, "listeningSince": long_ago}
    hub_seen(accepted, "OpenShiftClusters", 10, since=5000)
    before = accepted.store.task_hubs.all()["OpenShiftClusters"]
    watch(Client())
    assert accepted.store.task_hubs.all()["OpenShiftClusters"]["listeningSince"] == before["listeningSince"]


def test_a_run_that_finds_nothing_to_watch_only_asks_what_runs(accepted: World) -> None:
    """One query for clusters, one for sites, each minute of an idle service."""
    accepted.cluster.pop("asyncOperationId")
    asked: list[str] = []
    for name, container in accepted.cosmos.items():
        for method in ("read_item", "query_items", "upsert_item", "replace_item", "create_item"):
            real = getattr(container, method)

            def call(*arguments: Any, name: str = name, real: Any = real, **options: Any) -> Any:
                asked.append(name)
                return real(*arguments, **options)

            setattr(container, method, call)
    watch(Client())
    assert asked == ["OpenShiftClusters", "Sites"]


def test_the_signs_of_all_hubs_are_read_once_and_only_for_operations_of_another(
    accepted: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Most deployments are alone."""
    reads: list[str] = []
    query = accepted.cosmos["TaskHubs"].query_items

    def counting(text: str, **options: Any) -> Any:
        reads.append(text)
        return query(text, **options)

    monkeypatch.setattr(accepted.cosmos["TaskHubs"], "query_items", counting)
    watch(Client())
    assert reads == []
    another(accepted, "other")
    for name in ("op", "other"):
        accepted.cosmos["AsyncOperations"].upsert_item(accepted.operation | {"id": name, "taskHub": "Green"})
    watch(Client())
    assert len(reads) == 1


@pytest.mark.parametrize("status", ["Creating", "Failed"])
def test_what_another_hub_drives_is_left_to_it(accepted: World, status: str) -> None:
    """Its instances cannot be seen from here, so they are not read."""
    accepted.operation["taskHub"] = "Green"
    accepted.operation["asyncOperation"]["status"] = status
    hub_seen(accepted, "OpenShiftClusters", 1)
    hub_seen(accepted, "Green", 1)
    client = Client()
    watch(client)
    assert (client.asked, client.started) == ([], [])
    assert accepted.cluster["attempt"] == 1
    assert accepted.properties["provisioningState"] == "Creating"


def test_the_operations_of_a_silent_hub_are_taken_over(accepted: World) -> None:
    """With the next attempt, and permanently."""
    accepted.operation["taskHub"] = "Green"
    hub_seen(accepted, "OpenShiftClusters", 1)
    hub_seen(accepted, "Green", 100)
    client = Client()
    watch(client)
    assert [(instance, start["attempt"]) for _, instance, start in client.started] == [("op-2", 2)]
    assert accepted.cluster["attempt"] == 2
    assert accepted.operation["taskHub"] == "OpenShiftClusters"


def test_of_two_hubs_that_take_over_one_wins(accepted: World) -> None:
    """The other leaves the cluster alone."""
    accepted.operation["taskHub"] = "Green"
    hub_seen(accepted, "OpenShiftClusters", 1)
    hub_seen(accepted, "Green", 100)
    accepted.cosmos["AsyncOperations"].before_write.append(
        lambda: accepted.operation.update({"taskHub": "Red", "_etag": "newer"})
    )
    client = Client()
    watch(client)
    assert client.started == []
    assert accepted.cluster["attempt"] == 1


def test_a_take_over_that_died_half_way_is_completed_with_the_next_attempt(accepted: World) -> None:
    """The silent hub may have started the attempt that the cluster names."""
    accepted.operation["takenOverAttempt"] = 1
    client = Client()
    watch(client)
    assert [instance for _, instance, _ in client.started] == ["op-2"]


def test_the_steps_of_dead_attempts_end_with_the_operation(accepted: World) -> None:
    """Nothing else would end them."""
    exhausted(accepted)
    for step, status, attempt in (("a", "Running", 4), ("b", "Succeeded", 2), ("c", "Running", 5)):
        accepted.cosmos["OperationProgress"].upsert_item(item(step, status, attempt=attempt))
    watch(Client(op_5="Failed"))
    found = {each["step"]: each["status"] for each in accepted.store.progress.list("op")}
    assert found == {"a": "Canceled", "b": "Succeeded", "c": "Canceled"}


def test_after_five_attempts_the_operation_fails_with_a_reason(accepted: World) -> None:
    """It names the step that never ended, and its last message."""
    exhausted(accepted)
    accepted.cosmos["OperationProgress"].upsert_item(item("attach_nsgs", attempt=5))
    client = Client(op_5="Failed")
    watch(client)
    assert client.started == []
    error = accepted.operation["asyncOperation"]["error"]
    assert "started 5 times" in error["message"]
    assert "The last 5 attempts, over " in error["message"]
    assert "'attach_nsgs'. last words" in error["message"]
    assert {"code": "CorrelationId", "message": "corr-1"} in error["details"]
    assert accepted.operation["asyncOperation"]["status"] == "Failed"
    assert accepted.properties["provisioningState"] == "Failed"
    assert not {"asyncOperationId", "restarts"} & set(accepted.cluster)


def test_an_operation_whose_steps_said_nothing_fails_with_how_its_orchestration_ended(accepted: World) -> None:
    """Without progress, only the durable instance knows the cause."""
    exhausted(accepted)
    watch(Client(op_5="Failed"))
    details = accepted.operation["asyncOperation"]["error"]["details"]
    assert {"code": "Orchestration", "message": "Orchestrator function 'run_plan_v1' failed: TypeError"} in details
    assert "Step" not in {detail["code"] for detail in details}


def test_an_operation_that_another_package_planned_fails_at_the_first_run(accepted: World) -> None:
    """However young it is: its orchestration would hang, and give answers to wrong tasks."""
    plan = {"rows": [{"name": "a", "executor": GONE, "deadlineSeconds": 1e6}], "retryPolicies": RETRIES}
    accepted.operation["plan"] |= plan
    client = Client(op_1="Running")
    client.created = datetime.now(UTC).isoformat()
    watch(client)
    assert (client.terminated, client.started) == (["op-1"], [])
    error = accepted.operation["asyncOperation"]["error"]
    assert GONE in error["message"]
    assert any("deploy the former one" in each["message"] for each in error["details"])
    assert accepted.properties["provisioningState"] == "Failed"


def test_an_end_between_two_writes_is_completed(accepted: World) -> None:
    """The operation says Succeeded, so the cluster follows."""
    accepted.operation["asyncOperation"]["status"] = "Succeeded"
    watch(Client(op_1="Failed"))
    assert accepted.properties["provisioningState"] == "Succeeded"
    assert "asyncOperationId" not in accepted.cluster


def test_a_delete_that_ended_between_two_writes_loses_its_document(accepted: World) -> None:
    """The operation says Succeeded, so the cluster is removed."""
    accepted.operation["asyncOperation"]["status"] = "Succeeded"
    accepted.properties["provisioningState"] = "Deleting"
    watch(Client(op_1="Failed"))
    assert accepted.cosmos["OpenShiftClusters"].documents == {}


def test_trouble_with_one_operation_does_not_keep_others_waiting(
    accepted: World, caplog: pytest.LogCaptureFixture
) -> None:
    """It is logged with its correlation id, and the next one is looked at."""
    another(accepted, "broken")
    accepted.cosmos["AsyncOperations"].create_item({"id": "broken", "asyncOperation": {"status": "Creating"}})
    client = Client()
    watch(client)
    assert [instance for _, instance, _ in client.started] == ["op-1"]
    assert "operation broken could not be watched" in caplog.text
