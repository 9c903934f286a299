"""The activities of operations on sites: phases, their fence, a cancel, and how such an operation ends."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from azure.core.exceptions import ServiceRequestError, ServiceResponseTimeoutError

from activities.phases import site_phases
from activities.phases.contract import PhaseExecutor, PhaseRun
from activities.phases.object_results import Change
from activities.phases.objects import ObjectId
from activities.runtime.executor import TryAgain, wait
from orchestrators.plans import RUN_PLAN, site_plans
from orchestrators.plans.site_plans import DeclaredPhase, Work
from shared import fence
from shared.arm.errors import CloudError, ErrorCode
from shared.bundles.storage import NoBundle
from shared.json_object import Json
from shared.openshift.client import Unreachable
from shared.phase_documents.kubeconfigs import NoKubeconfigError
from shared.phase_documents.site import load
from shared.settings import AZURES_PACE
from shared.steps import RetryClass
from tests.product.unit.activities.calls import as_json, control, error_of, payload
from tests.product.unit.phases.bundles import write
from tests.product.unit.product_world import ENVIRONMENT, World
from tests.product.unit.timers.test_watchdog import Client
from timers import leftovers, watchdog

KEY = "/sites/edge-1"
OWNER: Json = {"clusterKey": KEY, "clusterDocumentId": "edge-1"}
CREATED = Change(ObjectId("", "ConfigMap", "default", "policy"), "created")
LEFT = Change(ObjectId("", "ConfigMap", "default", "other"), "unchanged")


@pytest.fixture
def site(world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> World:
    """Give a site with a running operation on its phase `policies`."""
    found = load(write(tmp_path / "site"))
    monkeypatch.setattr(site_phases, "load_stored", lambda _fetch, _digest, _metadata: found)
    monkeypatch.setattr(site_phases, "_bundles", lambda: type("None_", (), {"fetch": None}))
    world.cosmos["Sites"].create_item(
        {
            "id": "edge-1",
            "key": KEY,
            "bundle": "b1",
            "metadata": "metadata.yaml",
            "asyncOperationId": "op",
            "lastAsyncOperationId": "op",
            "attempt": 1,
            "stopping": False,
        }
    )
    world.cosmos["AsyncOperations"].create_item(
        {
            "id": "op",
            "siteName": "edge-1",
            "bundle": "b1",
            "taskHub": ENVIRONMENT["TASK_HUB"],
            "asyncOperation": {
                "id": "/x/op",
                "name": "op",
                "initialStatus": "Running",
                "status": "Running",
                "startTime": "2026-03-01T09:00:00+00:00",
            },
            "plan": plan(Work.RUN),
        }
    )
    return world


def plan(work: Work) -> Json:
    """Return the plan of the operation."""
    phase = DeclaredPhase(
        {"namespace": "", "name": "policies", "bundle": "b1", "metadata": "metadata.yaml"},
        "the objects",
        timedelta(minutes=10),
        timedelta(seconds=10),
    )
    return dict(site_plans.resolve("site", [phase], AZURES_PACE, work=work))


def document(world: World) -> Json:
    """Return the site's document as it is now."""
    found: Json = world.cosmos["Sites"].documents["edge-1", "edge-1"]
    return found


def item(world: World) -> Json:
    """Return the progress of the phase."""
    found: Json = world.cosmos["OperationProgress"].documents["op", "policies-1"]
    return found


def phase(monkeypatch: pytest.MonkeyPatch, work: Any, verb: str = "run", what: Work = Work.RUN, **more: Any) -> Json:
    """Run an activity on the phase, whose executor is the test's."""
    executor = PhaseExecutor(work, work, work, work)
    monkeypatch.setattr(site_phases, "EXECUTORS", {"KubernetesApply": executor})
    from activities.runtime.wrapper import perform  # noqa: PLC0415 - as the host imports it

    row = plan(what)["rows"][0]
    target = f"activities.phases.site_phases:{what}"
    return as_json(perform(target, payload(row, verb, step="policies", **(OWNER | more))))


def changing(run: PhaseRun) -> None:
    """Create one object."""
    fence.ask("PATCH")
    run.say([CREATED, LEFT])


def test_what_a_phase_has_changed_is_the_message_of_its_step(site: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """First how many of each, then the objects that are not as they were."""
    want = "1 created, 1 unchanged; ConfigMap default/policy: created."
    assert phase(monkeypatch, changing) == {"outcome": "done", "message": want}
    assert (item(site)["status"], item(site)["message"]) == ("Succeeded", want)
    assert phase(monkeypatch, lambda _run: None, "status")["message"] == site_phases.AS_WANTED


def test_a_message_names_fifty_objects(site: World, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001 - it exists
    """A phase may have thousands, and the message is stored with each poll."""
    many = [replace(CREATED, object=ObjectId("", "ConfigMap", "", f"c{number}")) for number in range(60)]
    message = phase(monkeypatch, lambda run: run.say(many))["message"]
    assert message.startswith("60 created; ")
    assert message.endswith("; ConfigMap c49: created; and 10 more.")


def test_a_phase_of_a_superseded_attempt_changes_nothing(site: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fence is asked when the call begins, and before each change."""
    document(site)["attempt"] = 2
    assert phase(monkeypatch, changing) == {"outcome": "fenced"}
    document(site)["attempt"] = 1

    def late(run: PhaseRun) -> None:
        document(site)["attempt"] = 2
        changing(run)

    assert phase(monkeypatch, late) == {"outcome": "fenced"}


def test_a_cancel_takes_effect_at_the_next_object(site: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call may have thousands of objects before it."""
    asked = []

    def slow(_run: PhaseRun) -> None:
        fence.ask("PATCH")
        asked.append(1)
        document(site)["stopping"] = document(site)["canceling"] = True
        fence.ask("PATCH")
        asked.append(2)

    assert phase(monkeypatch, slow) == {"outcome": "stopped"}
    assert (asked, item(site)["status"]) == ([1], "Canceled")
    assert phase(monkeypatch, slow, "status") == {"outcome": "stopped"}
    assert asked == [1]


@pytest.mark.parametrize(
    ("error", "want", "retry_class"),
    [
        (CloudError(409, ErrorCode.CONFLICT, "It was refused."), "It was refused.", "none"),
        (TryAgain(CloudError(502, ErrorCode.SERVICE_UNAVAILABLE, "Not yet."), RetryClass.BUSY), "Not yet.", "busy"),
    ],
    ids=["refused", "not yet"],
)
def test_a_failure_names_the_phase_and_what_helps(
    site: World,  # noqa: ARG001 - it exists
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    want: str,
    retry_class: str,
) -> None:
    """Operators read it in the operation."""

    def fails(_run: PhaseRun) -> None:
        raise error

    outcome = phase(monkeypatch, fails)
    assert outcome["retryClass"] == retry_class
    told = error_of(outcome)
    assert told["message"] == f"Step 'policies' failed: {want}"
    assert {"code": "Step", "message": "policies", "target": "site"} in told["details"]


def test_a_bundle_that_is_gone_fails_the_phase(site: World, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001 - it exists
    """The error says which."""

    def gone(*_arguments: Any) -> None:
        raise NoBundle("there is no bundle 'b1'")

    monkeypatch.setattr(site_phases, "load_stored", gone)
    assert error_of(phase(monkeypatch, changing))["message"] == "Step 'policies' failed: there is no bundle 'b1'."


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize(
    "error",
    [ServiceResponseTimeoutError("No answer came in time."), ServiceRequestError("connection refused")],
    ids=["silent", "unreachable"],
)
def test_a_phase_tries_again_while_its_bundle_cannot_be_read(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """The storage account is away, which says nothing about the bundle."""

    def away(*_arguments: Any) -> None:
        raise error

    monkeypatch.setattr(site_phases, "load_stored", away)
    outcome = phase(monkeypatch, changing)
    assert (outcome["outcome"], outcome["retryClass"]) == ("failed", RetryClass.TRANSIENT)


def test_a_status_tells_and_does_not_wait(site: World, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001 - it exists
    """Neither for objects, nor for a cluster that is away."""

    def away(_run: PhaseRun) -> None:
        raise Unreachable("the API server refuses the connection")

    def never(_run: PhaseRun) -> None:
        raise NoKubeconfigError("there is no file", may_come=False)

    for work, want in [
        (lambda _run: wait("one is missing"), "one is missing"),
        (away, "managed: the API server refuses the connection."),
        (never, "managed: there is no file."),
        (lambda _run: None, site_phases.AS_WANTED),
    ]:
        assert phase(monkeypatch, work, what=Work.STATUS) == {"outcome": "done", "message": want}


def test_a_dry_run_fails_if_a_cluster_would_refuse(site: World, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001 - it exists
    """Otherwise it tells what would become of each object."""
    told = phase(monkeypatch, lambda _run: [CREATED, LEFT], what=Work.DRY_RUN)
    assert told == {"outcome": "done", "message": "1 created, 1 unchanged; ConfigMap default/policy: created."}
    refused = [replace(CREATED, verb="refused", message="bad")]
    error = error_of(phase(monkeypatch, lambda _run: refused, what=Work.DRY_RUN))
    assert (error["code"], "ConfigMap default/policy: refused (bad)" in error["message"]) == ("Conflict", True)


@pytest.mark.parametrize(
    ("error", "more", "want"),
    [
        (None, {}, "Succeeded"),
        ({"code": "Conflict", "message": "It was refused."}, {}, "Failed"),
        ({"code": "OperationCanceled", "message": "It was stopped."}, {"canceling": True}, "Canceled"),
    ],
    ids=["succeeded", "failed", "canceled"],
)
def test_the_end_is_written_to_the_operation_and_then_to_the_site(
    site: World, error: Json | None, more: Json, want: str
) -> None:
    """The site keeps its bundle and the name of its last operation. A second delivery changes nothing."""
    document(site).update(more)
    control("stop_operation", error=error or {}, failedStep="policies", **OWNER)
    for _ in range(2):
        assert control("finish_operation", error=error, **OWNER) == {"outcome": "done"}
    operation = site.operation
    assert operation["asyncOperation"]["status"] == want
    if want == "Canceled":
        details = operation["asyncOperation"]["error"]["details"]
        assert [each["code"] for each in details] == ["Remedy", "CorrelationId", "Owner"]
        assert "resume" in details[0]["message"]
    assert "openShiftCluster" not in operation
    kept = {name: value for name, value in document(site).items() if not name.startswith("_")}
    assert kept == {
        "id": "edge-1",
        "key": KEY,
        "bundle": "b1",
        "metadata": "metadata.yaml",
        "lastAsyncOperationId": "op",
    }


def watch(client: Client) -> None:
    """Run the watchdog once."""
    asyncio.run(watchdog.watch(client))  # type: ignore[arg-type] # a fake of the SDK's client


@pytest.mark.parametrize("canceling", [False, True], ids=["running", "canceled"])
def test_an_operation_that_nothing_drives_goes_on_but_a_cancel_is_not_forgotten(
    site: World, *, canceling: bool
) -> None:
    """The next attempt of a canceled one only ends it."""
    document(site).update({"stopping": True, **({"canceling": True} if canceling else {})})
    running = {"operationId": "op", "id": "policies-1", "step": "policies", "attempt": 1, "status": "Running"}
    times = dict.fromkeys(("startTime", "deadline", "lastProgressTime"), "2026-03-01T09:00:00+00:00")
    site.cosmos["OperationProgress"].upsert_item(running | times)
    client = Client()
    watch(client)
    ((name, instance, start),) = client.started
    assert (name, instance, start["clusterKey"]) == (RUN_PLAN, "op-2", KEY)
    assert (document(site)["attempt"], document(site).get("stopping", False)) == (2, canceling)


def test_sites_that_cannot_be_read_do_not_keep_clusters_from_being_watched(
    accepted: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A deployment of before has no such container."""

    def missing(*_arguments: Any, **_options: Any) -> Any:
        from azure.cosmos.exceptions import CosmosResourceNotFoundError  # noqa: PLC0415 - only here

        raise CosmosResourceNotFoundError(404, "no such container")  # type: ignore[no-untyped-call]  # the SDK's

    monkeypatch.setattr(accepted.cosmos["Sites"], "query_items", missing)
    client = Client()
    watch(client)
    assert [instance for _, instance, _ in client.started] == ["op-1"]


def test_an_operation_that_no_site_names_is_ended(site: World) -> None:
    """Its request died, or lost a race, before the site knew of it. One that is named stays."""
    asyncio.run(leftovers.sweep(None))
    assert site.operation["asyncOperation"]["status"] == "Running"
    document(site)["asyncOperationId"] = "another"
    site.operation["asyncOperation"]["startTime"] = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    asyncio.run(leftovers.sweep(None))
    assert site.operation["asyncOperation"]["status"] == "Canceled"
