"""The wrapper round every activity: fence, progress, outcomes, correlation."""

import json
import logging
from types import SimpleNamespace
from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError, ServiceRequestError

from activities.azure.billing import end_billing, ensure_billing_record
from activities.azure.resource_group import ensure_resource_group
from activities.runtime import executor, wrapper
from activities.runtime.step import Step
from shared import remedies, tracing
from shared.arm.errors import CloudError, ErrorCode
from shared.fence import UnfencedChange, check
from shared.steps import RetryClass
from shared.store import FenceMoved
from tests.product.unit.activities.calls import as_json, call, control, payload
from tests.product.unit.product_world import CACHES, CLUSTER_ID, World


def note(**members: Any) -> Any:
    """Make a decision that adds members which no document has."""

    def change(document: Any) -> bool:
        document.update(members)
        return True

    return change


ROW = {
    "name": "step",
    "phase": "test",
    "kind": "action",
    "executor": "test",
    "message": "Do something about it.",
    "waitsFor": "the test",
    "deadlineSeconds": 60,
}


def perform(
    monkeypatch: pytest.MonkeyPatch, made: executor.Executor[Step], verb: str = "run", **more: Any
) -> dict[str, Any]:
    """Run an executor of the test through the wrapper."""
    monkeypatch.setattr(wrapper, "load", lambda _target: made)
    return as_json(wrapper.perform("test:test", payload(ROW, verb, **more)))


def item(world: World) -> dict[str, Any]:
    """Return the progress of the step."""
    return world.cosmos["OperationProgress"].documents["op", "step-1"]


def supersede(world: World) -> None:
    """Let the watchdog start the next attempt."""
    world.cosmos["OpenShiftClusters"].upsert_item(world.cluster | {"attempt": 2})


def change_something(step: Step) -> None:
    """Change something that no pipeline guards."""
    step.check_fence()


def raising(error: BaseException) -> executor.Executor[Step]:
    """Make an executor that fails."""

    def run(_step: Step) -> None:
        raise error

    return executor.Executor(run=run)


def test_what_a_step_calls_is_told_which_step_it_is(accepted: World, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001 - its cluster
    """Both its own calls and those that the wrapper makes for it name the step."""
    named: list[str] = []
    perform(monkeypatch, executor.Executor(run=lambda _step: named.append(tracing.headers()["baggage"])))
    assert named == ["step=step"]


def test_a_step_that_is_done_leaves_a_progress_item(accepted: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """People see when it began, when it ended, and until when it may last."""
    assert perform(monkeypatch, executor.Executor(run=lambda _step: None)) == {"outcome": "done"}
    found = item(accepted)
    assert found["status"] == "Succeeded"
    assert found["startTime"] == "2026-03-01T09:00:00+00:00"
    assert found["deadline"] == "2026-03-01T09:01:00+00:00"
    assert found["endTime"]
    assert found["ttl"] == 604800


def test_with_invalid_settings_a_step_touches_nothing_and_is_called_again(
    accepted: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A mistyped setting delays operations until somebody corrects it; it fails no create."""
    monkeypatch.setenv("RP_OBJECT_ID", "canary")
    for cached in CACHES:
        cached.cache_clear()
    outcome = perform(monkeypatch, raising(AssertionError("it ran")))
    assert (outcome["outcome"], outcome["retryClass"]) == ("failed", "transient")
    assert "RP_OBJECT_ID" not in str(outcome)
    assert "RP_OBJECT_ID is not a GUID" in caplog.text
    assert not accepted.cosmos["OperationProgress"].documents


def test_a_step_that_waits_shows_what_it_saw(accepted: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message of the last poll is on the item."""
    outcome = perform(monkeypatch, executor.Executor(run=lambda _step: executor.wait("half done", 7)))
    assert outcome == {"outcome": "wait", "message": "half done", "retryAfterSeconds": 7}
    assert item(accepted)["status"] == "Running"
    assert item(accepted)["message"] == "half done"


@pytest.mark.parametrize("moved", [{"asyncOperationId": "other"}, {"attempt": 2}], ids=["operation", "attempt"])
def test_a_superseded_call_does_nothing_at_all(
    accepted: World, monkeypatch: pytest.MonkeyPatch, moved: dict[str, Any]
) -> None:
    """It does not run, and writes neither a document nor a progress item."""
    accepted.cluster.update(moved)
    writes = len(accepted.cosmos["OpenShiftClusters"].writes)
    outcome = perform(monkeypatch, raising(AssertionError("it ran")))
    assert outcome == {"outcome": "fenced"}
    assert len(accepted.cosmos["OpenShiftClusters"].writes) == writes
    assert not accepted.cosmos["OperationProgress"].documents


def test_a_superseded_wait_notes_that_it_left(accepted: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its successor waits for exactly this before it looks for leftovers."""
    perform(monkeypatch, executor.Executor(run=lambda _step: executor.wait("busy")))
    accepted.cluster["attempt"] = 2
    assert perform(monkeypatch, raising(AssertionError("it ran")), polls=1) == {"outcome": "fenced"}
    assert item(accepted)["status"] == "Canceled"


def test_an_old_attempt_that_wakes_late_writes_no_document(accepted: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fence moves after the activity began and before it writes; the write detects it."""

    def run(step: Step) -> None:
        supersede(accepted)
        step.decide(note(late=True))

    assert perform(monkeypatch, executor.Executor(run=run)) == {"outcome": "fenced"}
    assert "late" not in accepted.cluster


def test_an_old_attempt_that_wakes_between_read_and_write_writes_no_document(
    accepted: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even between reading and replacing: the ETag has moved, and the next try sees the fence."""
    accepted.cosmos["OpenShiftClusters"].before_write.append(lambda: supersede(accepted))

    def run(step: Step) -> None:
        step.decide(note(late=True))

    assert perform(monkeypatch, executor.Executor(run=run)) == {"outcome": "fenced"}
    assert "late" not in accepted.cluster


def test_a_decision_that_somebody_else_made_meanwhile_stays(accepted: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is made on what the call has read before, and again where that has changed since."""
    seen: list[Any] = []

    def change(document: Any) -> bool:
        seen.append(document.get("decided"))
        return bool(document.setdefault("decided", "here") == "here")

    def run(step: Step) -> None:
        accepted.cosmos["OpenShiftClusters"].upsert_item(accepted.cluster | {"decided": "elsewhere"})
        step.decide(change)
        found: Any = step.document
        assert found["decided"] == "elsewhere"

    assert perform(monkeypatch, executor.Executor(run=run)) == {"outcome": "done"}
    assert seen == [None, "elsewhere"]
    assert accepted.cluster["decided"] == "elsewhere"


def test_a_decision_costs_no_read_of_its_own(accepted: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The document that the fence was read from is good enough, however late it was read."""
    reads = counted(accepted.cosmos["OpenShiftClusters"], monkeypatch, "read_item")

    def run(step: Step) -> None:
        step.decide(note(first=True))
        accepted.cosmos["OpenShiftClusters"].upsert_item(accepted.cluster | {"another": "row's"})
        step.check_fence()
        step.decide(note(second=True))

    assert perform(monkeypatch, executor.Executor(run=run)) == {"outcome": "done"}
    assert [accepted.cluster[name] for name in ("first", "another", "second")] == [True, "row's", True]
    assert len(reads) == 2


def counted(container: Any, monkeypatch: pytest.MonkeyPatch, method: str) -> list[Any]:
    """Return a list that grows with each call of a container."""
    real, calls = getattr(container, method), []

    def call_it(*arguments: Any, **options: Any) -> Any:
        calls.append(arguments)
        return real(*arguments, **options)

    monkeypatch.setattr(container, method, call_it)
    return calls


def test_an_old_attempt_that_wakes_late_begins_no_azure_call(accepted: World) -> None:
    """The fence moves while the activity reads, so the change is never sent."""

    def supersede(_request: Any) -> Any:
        accepted.cluster["attempt"] = 2
        return 200, {"location": "eastus", "managedBy": CLUSTER_ID}, {}

    accepted.azure.on("GET", "/resourcegroups/aro-c1$", supersede)
    assert call("delete_resource_group") == {"outcome": "fenced"}
    assert accepted.azure.changes() == []


@pytest.mark.parametrize("executor_of", [ensure_billing_record, end_billing], ids=["begins", "ends"])
def test_an_old_attempt_that_wakes_late_leaves_the_billing_record(
    accepted: World, executor_of: executor.Executor[Step]
) -> None:
    """No client's policy guards Cosmos DB, so billing itself checks the fence right before it writes."""
    accepted.properties["infraId"] = "c1-x7k2p"
    accepted.cosmos["Billing"].create_item({"id": "doc-1", "billing": {"creationTime": 1}})
    document = accepted.store.clusters.get(CLUSTER_ID.lower())
    assert document is not None
    assert executor_of.run is not None
    accepted.cluster["attempt"] = 2
    with pytest.raises(FenceMoved):
        executor_of.run(Step(payload(ROW, "run"), document))
    assert accepted.cosmos["Billing"].documents["doc-1", "doc-1"]["billing"] == {"creationTime": 1}


def test_work_whose_decisions_are_missing_does_not_begin(accepted: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that is missing is named, and nothing runs."""
    missing = executor.Executor(
        run=raising(AssertionError("it ran")).run, validate=lambda _step: ["no name is decided", "no id is known"]
    )
    outcome = perform(monkeypatch, missing)
    assert outcome["outcome"] == "failed"
    assert "no name is decided; no id is known" in outcome["error"]["message"]
    assert item(accepted)["error"] == outcome["error"]


def test_nothing_outside_an_activity_changes_azure(accepted: World) -> None:
    """A client used without the wrapper refuses to send a change."""
    document = accepted.store.clusters.get(CLUSTER_ID.lower())
    assert document is not None
    assert check.get() is None
    assert ensure_resource_group.run is not None
    with pytest.raises(UnfencedChange):
        ensure_resource_group.run(Step(payload(ROW, "run"), document))


def test_a_failed_step_explains_itself(accepted: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Step, remedy, correlation id and owner stand beside the cause."""
    error = CloudError(400, ErrorCode.DUPLICATE_DOMAIN, "It is taken.", "properties.clusterProfile.domain")
    outcome = perform(monkeypatch, raising(error))
    assert outcome["retryClass"] == "none"
    assert outcome["error"]["code"] == "DuplicateDomain"
    assert outcome["error"]["message"] == "Step 'step' failed: It is taken."
    assert outcome["error"]["target"] == "properties.clusterProfile.domain"
    found = {detail["code"]: detail["message"] for detail in outcome["error"]["details"]}
    assert found == {
        "Step": "step",
        "Remedy": "Do something about it.",
        "CorrelationId": "corr-1",
        "Owner": "customer",
    }
    assert item(accepted)["error"] == outcome["error"]


def answer(status: int, url: str, code: str = "Code") -> HttpResponseError:
    """Make the error of a call to an address."""
    error = HttpResponseError(f"({code}) It failed.")
    error.status_code, error.error = status, None
    setattr(error, "error_code", code)  # noqa: B010 - Cosmos' and Key Vault's have it
    error.response = SimpleNamespace(headers={}, request=SimpleNamespace(url=url))
    return error


@pytest.mark.parametrize(
    ("error", "want_owner", "want_remedy"),
    [
        (answer(400, "https://management.azure.com/subscriptions/s/x"), "azure", remedies.REPORTED),
        (answer(403, "https://management.azure.com/subscriptions/s/x"), "customer", remedies.REPORTED),
        (answer(503, "https://management.azure.com/subscriptions/s/x"), "azure", remedies.LATER),
        (answer(403, "https://rp-eastus.documents.azure.com/dbs/ARO"), "platform", remedies.OURS),
        (answer(429, "https://rp-cls.vault.azure.net/secrets/a"), "platform", remedies.OURS),
        (
            answer(409, "https://management.azure.com/subscriptions/s/x", "ScopeLocked"),
            "customer",
            remedies.BY_CODE["ScopeLocked"],
        ),
        *(
            (
                answer(409, "https://management.azure.com/subscriptions/s/x", code),
                "customer",
                remedies.BY_CODE["ResourceQuotaExceeded"],
            )
            for code in ("QuotaExceeded", "StorageAccountCountExceeded", "StaticPublicIPCountLimitReached")
        ),
        (ServiceRequestError("refused"), "azure", remedies.LATER),
    ],
    ids=[
        *("refused", "forbidden", "down", "our Cosmos DB", "our vault", "locked"),
        *("cores", "storage accounts", "addresses", "not reached"),
    ],
)
def test_a_remedy_is_the_causes_where_the_step_does_not_matter(
    accepted: World,  # noqa: ARG001 - its settings
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    want_owner: str,
    want_remedy: str,
) -> None:
    """Nobody is told to change a network because the service's own database did not answer."""
    details = perform(monkeypatch, raising(error))["error"]["details"]
    found = {detail["code"]: detail["message"] for detail in details}
    assert (found["Owner"], found["Remedy"]) == (want_owner, want_remedy)


def test_a_change_is_the_last_call_although_the_fence_and_the_token_are_asked_for_it(accepted: World) -> None:
    """Those calls go to the service's own database and Entra ID, and a broken connection must not name either."""
    asked: list[str] = []

    def noted(_request: Any) -> Any:
        asked.append(tracing.address.get())
        return 409, {"error": {"code": "ScopeLocked", "message": "It is locked."}}, {}

    accepted.azure.on("PUT", "/resourcegroups/aro-c1$", noted)
    call("ensure_resource_group")
    assert ["/resourcegroups/aro-c1" in each.lower() for each in asked] == [True]


def test_a_check_says_itself_what_helps(accepted: World, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001 - its settings
    """It has compared what exists with what is needed."""
    monkeypatch.setitem(ROW, "together", True)
    found = perform(monkeypatch, raising(CloudError(400, ErrorCode.RESOURCE_QUOTA_EXCEEDED, "8 cores are missing.")))
    assert {"code": "Remedy", "message": "Do something about it."} in found["error"]["details"]


@pytest.mark.parametrize("properties", [None, {}], ids=["no properties", "no tenant"])
def test_a_subscription_without_a_tenant_is_explained(accepted: World, properties: dict[str, Any] | None) -> None:
    """ARM may leave out everything except the state."""
    (document,) = accepted.cosmos["Subscriptions"].documents.values()
    document["subscription"]["properties"] = properties
    found = call("detach_nsgs")
    assert found["error"]["code"] == "InvalidSubscriptionState"
    assert "tenant" in found["error"]["message"]


def test_an_error_that_may_pass_carries_its_class(accepted: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine decides by the class, which survives durable history as data."""
    error = CloudError(400, ErrorCode.INVALID_SERVICE_PRINCIPAL_CREDENTIALS, "Not yet.")
    assert perform(monkeypatch, raising(executor.TryAgain(error, RetryClass.PRINCIPAL)))["retryClass"] == "principal"
    assert perform(monkeypatch, raising(ServiceRequestError("reset")))["retryClass"] == "transient"
    assert accepted.cluster["attempt"] == 1


def test_a_bug_fails_its_row_at_once_and_tells_its_type_and_nothing_more(
    accepted: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The process did not die, so nothing is tried again. An unknown text may quote a secret."""
    outcome = perform(monkeypatch, raising(KeyError("s3cret")))
    assert (outcome["outcome"], outcome["retryClass"]) == ("failed", "none")
    assert outcome["error"]["code"] == "InternalServerError"
    assert "KeyError in test:test" in outcome["error"]["message"]
    assert {"code": "Owner", "message": "platform"} in outcome["error"]["details"]
    assert "s3cret" not in json.dumps(outcome)
    assert "KeyError" in caplog.text
    assert item(accepted)["error"] == outcome["error"]


AWAY = answer(503, "https://rp-eastus.documents.azure.com/dbs/ARO")


def away(container: Any, monkeypatch: pytest.MonkeyPatch, method: str, after: int = 0) -> None:
    """Let every call of a container fail after the first few."""
    real, left = getattr(container, method), [after]

    def call_it(*arguments: Any, **options: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise AWAY
        return real(*arguments, **options)

    monkeypatch.setattr(container, method, call_it)


@pytest.mark.parametrize(
    ("container", "method", "after"),
    [
        ("OpenShiftClusters", "read_item", 0),
        ("OperationProgress", "upsert_item", 0),
        ("OpenShiftClusters", "read_item", 1),
        ("OperationProgress", "upsert_item", 1),
    ],
    ids=["the fence", "the beginning", "the fence before a change", "the end"],
)
def test_our_own_store_that_is_away_is_trouble_that_passes(
    accepted: World, monkeypatch: pytest.MonkeyPatch, container: str, method: str, after: int
) -> None:
    """Whatever the wrapper needs from it: the step is called again, and nobody considers its process dead."""
    away(accepted.cosmos[container], monkeypatch, method, after)
    outcome = perform(monkeypatch, executor.Executor(run=change_something))
    assert (outcome["outcome"], outcome["retryClass"]) == ("failed", "transient")
    details = {detail["code"]: detail["message"] for detail in outcome["error"]["details"]}
    assert (details["Owner"], details["Remedy"]) == ("platform", remedies.OURS)


@pytest.mark.parametrize(
    "made",
    [
        executor.Executor(run=lambda _step: executor.wait("half done")),
        raising(CloudError(400, ErrorCode.DUPLICATE_DOMAIN, "It is taken.")),
    ],
    ids=["a wait", "a failure"],
)
def test_what_a_step_found_is_not_lost_with_its_record(
    accepted: World, monkeypatch: pytest.MonkeyPatch, made: executor.Executor[Step]
) -> None:
    """The engine learns what was found; the next poll, or the end of the operation, writes it."""
    want = perform(monkeypatch, made)
    away(accepted.cosmos["OperationProgress"], monkeypatch, "upsert_item")
    assert perform(monkeypatch, made, polls=1) == want


def test_a_superseded_call_leaves_although_the_store_does_not_take_its_word(
    accepted: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its successor only waits a little longer."""
    perform(monkeypatch, executor.Executor(run=lambda _step: executor.wait("busy")))
    accepted.cluster["attempt"] = 2
    away(accepted.cosmos["OperationProgress"], monkeypatch, "upsert_item")
    assert perform(monkeypatch, raising(AssertionError("it ran")), polls=1) == {"outcome": "fenced"}


def test_an_ending_whose_record_was_lost_is_told_when_it_is_asked_for_again(
    accepted: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first call has removed the fence. The second sees that its operation has ended, and records it."""
    with monkeypatch.context() as broken:
        away(accepted.cosmos["OperationProgress"], broken, "upsert_item")
        assert call("finish")["retryClass"] == "transient"
    assert call("finish", polls=1) == {"outcome": "done"}
    assert accepted.cosmos["OperationProgress"].documents["op", "finish-1"]["status"] == "Succeeded"


def test_an_operation_that_is_stopping_begins_nothing(accepted: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that was scheduled just before the failure does not run."""
    accepted.cluster["stopping"] = True
    assert perform(monkeypatch, raising(AssertionError("it ran"))) == {"outcome": "stopped"}
    assert item(accepted)["status"] == "Canceled"


def test_a_wait_of_a_stopping_operation_cancels_what_it_began(accepted: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """And it waits until that has ended."""
    accepted.cluster["stopping"] = True
    left: list[Any] = [executor.wait("cancelling"), None]
    made: executor.Executor[Step] = executor.Executor(
        run=lambda _step: None, status=lambda _step: None, cancel=lambda _step: left.pop(0)
    )
    assert perform(monkeypatch, made, "status", polls=1)["outcome"] == "wait"
    assert perform(monkeypatch, made, "status", polls=2)["outcome"] == "stopped"


def test_every_log_record_of_an_activity_has_the_correlation_id(
    accepted: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """One id runs through all logs."""
    with caplog.at_level(logging.INFO, "activities"):
        perform(monkeypatch, executor.Executor(run=lambda _step: None))
    assert accepted.cluster
    assert [record.correlation_id for record in caplog.records if record.name == "activities"] == ["corr-1"]  # type: ignore[attr-defined]  # an extra of the record


def test_every_azure_call_carries_correlation_and_trace(accepted: World) -> None:
    """The same correlation id, and a span of its own in the same trace."""
    call("ensure_resource_group")
    (put,) = [request for request in accepted.azure.calls if request.method == "PUT"]
    assert put.headers["x-ms-correlation-request-id"] == "corr-1"
    version, trace, span, flags = put.headers["traceparent"].split("-")
    assert (version, trace, flags) == ("00", "4bf92f3577b34da6a3ce929d0e0e4736", "01")
    assert span != "00f067aa0ba902b7"


def test_a_failure_leaves_the_item_running_until_the_engine_gives_up(
    accepted: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The activity does not decide whether it is tried again."""
    perform(monkeypatch, raising(HttpResponseError("x")))
    assert item(accepted)["status"] == "Running"
    assert item(accepted)["error"]["details"][0]["code"] == "HttpResponseError"


def test_stop_operation_sets_stopping_and_fails_the_item(accepted: World) -> None:
    """A second call changes nothing."""
    error = {"code": "Code", "message": "broken"}
    call("decide_names")
    accepted.cosmos["OperationProgress"].documents["op", "decide_names-1"]["status"] = "Running"
    for _ in range(2):
        assert control("stop_operation", failedStep="decide_names", error=error) == {"outcome": "done"}
    assert accepted.cluster["stopping"] is True
    found = accepted.cosmos["OperationProgress"].documents["op", "decide_names-1"]
    assert (found["status"], found["error"]) == ("Failed", error)


def test_stop_operation_fails_a_step_whose_process_died_before_it_wrote_anything(accepted: World) -> None:
    """What people see of it comes from the plan."""
    error = {"code": "Code", "message": "It died."}
    accepted.operation["plan"] = {"rows": [ROW | {"name": "decide_names", "phase": "preparation"}]}
    assert control("stop_operation", failedStep="decide_names", error=error) == {"outcome": "done"}
    found = accepted.cosmos["OperationProgress"].documents["op", "decide_names-1"]
    assert (found["status"], found["error"]) == ("Failed", error)
    assert (found["step"], found["phase"], found["waitsFor"]) == ("decide_names", "preparation", "the test")


def test_outcomes_are_json(accepted: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Durable history can store every outcome."""
    error = CloudError(400, ErrorCode.DUPLICATE_DOMAIN, "It is taken.", details=[{"code": "a", "message": "b"}])
    assert json.loads(json.dumps(perform(monkeypatch, raising(error))))
    assert accepted.cluster
