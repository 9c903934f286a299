"""An operation as operators see it."""

from typing import Any

import pytest

from tests.product.unit.frontend.world import CLUSTER, SUBSCRIPTION, World, body, changed

START = "2026-03-01T11:59:00+00:00"
END = "2026-03-01T11:59:30+00:00"


def item(world: World, step: str, status: str, attempt: int = 1, **more: Any) -> None:
    """Store a progress item of the running operation."""
    world.cosmos["OperationProgress"].upsert_item(
        {
            "id": f"{step}-{attempt}",
            "operationId": world.document["asyncOperationId"],
            "step": step,
            "attempt": attempt,
            "status": status,
            "startTime": START,
            **({} if status == "Running" else {"endTime": END}),
            **more,
        }
    )


def report(world: World) -> dict[str, Any]:
    """Read the running operation as an operator."""
    reply = world.sre(f"{CLUSTER}/operations/{world.document['lastAsyncOperationId']}")
    assert reply.status == 200, reply.text()
    found: dict[str, Any] = reply.body
    return found


def steps(found: dict[str, Any]) -> dict[str, Any]:
    """Return the steps by name."""
    return {step["name"]: step for step in found["steps"]}


@pytest.fixture
def creating(world: World) -> World:
    """A create that runs."""
    world.send("PUT", CLUSTER, body(), headers={"x-ms-correlation-request-id": "corr"})
    return world


def test_a_fresh_operation_shows_its_whole_plan(creating: World) -> None:
    """Every row in its phase; none has begun."""
    found = report(creating)
    rows = creating.plan(creating.document["asyncOperationId"])["rows"]
    assert list(steps(found)) == [row["name"] for row in rows]
    assert {step["status"] for step in steps(found).values()} == {"NotStarted"}
    assert {phase["status"] for phase in found["phases"]} == {"NotStarted"}
    assert (found["status"], found["percentComplete"], found["currentSteps"]) == ("Creating", 0, [])
    assert (found["plan"], found["attempt"], found["correlationId"]) == ("create", 1, "corr")
    assert found["clusterId"] == CLUSTER


def test_steps_show_what_became_of_them(creating: World) -> None:
    """Status, times, what they wait for; durations of running steps grow."""
    item(creating, "decide_names", "Succeeded")
    item(creating, "validate_service_principal", "Running", waitsFor="a token", polls=3)
    found = report(creating)
    assert (
        steps(found)["decide_names"] | {"durationSeconds": 30.0, "status": "Succeeded"} == steps(found)["decide_names"]
    )
    running = steps(found)["validate_service_principal"]
    assert (running["durationSeconds"], running["waitsFor"], running["polls"]) == (60.0, "a token", 3)
    assert found["currentSteps"] == ["validate_service_principal"]
    assert found["percentComplete"] < 100
    phases = {phase["name"]: phase["status"] for phase in found["phases"]}
    assert (phases["validation"], phases["preparation"], phases["finish"]) == ("Running", "Running", "NotStarted")


def test_the_last_attempt_counts_but_success_stays(creating: World) -> None:
    """A step that is done is not run again."""
    item(creating, "decide_names", "Succeeded", attempt=1)
    item(creating, "create_dns", "Failed", attempt=1)
    item(creating, "create_dns", "Running", attempt=2)
    creating.document["attempt"] = 2
    found = report(creating)
    assert steps(found)["create_dns"]["status"] == "Running"
    assert steps(found)["decide_names"]["status"] == "Succeeded"
    assert found["attempt"] == 2


def test_a_failed_operation_shows_step_and_error(creating: World) -> None:
    """The error that the client sees, and where it happened."""
    error = {"code": "DuplicateDomain", "message": "taken"}
    item(creating, "create_dns", "Failed", error=error)
    operation_id = creating.document["asyncOperationId"]
    creating.finish(failed=True)
    creating.operation(operation_id)["asyncOperation"]["error"] = error
    found = report(creating)
    assert (found["status"], found["error"]) == ("Failed", error)
    assert steps(found)["create_dns"]["error"] == error
    assert next(phase for phase in found["phases"] if phase["name"] == "preparation")["status"] == "Failed"


def test_skipped_rows_come_with_their_reason(world: World) -> None:
    """Nobody has to wonder about a missing step."""
    world.send("PUT", CLUSTER, changed(body(), "properties.clusterProfile.domain", "c1.example.com"))
    found = report(world)
    reasons = {row["name"]: row["reason"] for row in found["skipped"]}
    assert reasons["create_dns"]
    assert "create_dns" not in steps(found)


def test_a_resume_shows_what_was_done_before(creating: World) -> None:
    """Rows that carry over count as done."""
    item(creating, "decide_names", "Succeeded")
    creating.finish(failed=True)
    creating.send("PUT", CLUSTER, body())
    carried = steps(report(creating))["decide_names"]
    assert (carried["status"], carried["message"]) == ("Succeeded", "done by an earlier operation")


def test_an_operation_outlives_its_cluster(creating: World) -> None:
    """Operators may ask later."""
    creating.finish()
    operation_id = creating.document["lastAsyncOperationId"]
    creating.cosmos["OpenShiftClusters"].documents.clear()
    found = creating.sre(f"{CLUSTER}/operations/{operation_id}").body
    assert (found["status"], found["percentComplete"], found["attempt"]) == ("Succeeded", 100, 1)


def test_an_operation_is_found_under_its_own_cluster_alone(creating: World) -> None:
    """An unknown operation is not found anywhere."""
    operation_id = creating.document["asyncOperationId"]
    for path in (f"{CLUSTER}x/operations/{operation_id}", f"{CLUSTER}/operations/{SUBSCRIPTION}"):
        for suffix in ("", "/durable"):
            assert creating.sre(path + suffix).status == 404


def test_durable_addresses_are_those_of_the_latest_attempt(creating: World) -> None:
    """The wrapper asks the durable client for them."""
    creating.document["attempt"] = 3
    operation_id = creating.document["asyncOperationId"]
    reply = creating.sre(f"{CLUSTER}/operations/{operation_id}/durable")
    assert (reply.status, reply.durable_instance) == (200, f"{operation_id}-3")
