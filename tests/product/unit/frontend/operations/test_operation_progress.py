"""What a polling customer sees: the progress, and what the operation waits for."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontend.operations import operation_report
from orchestrators.plans import PLANS
from orchestrators.plans.rows import to_dict
from tests.product.unit.frontend.admin.test_sre_operation_get import END, item, report
from tests.product.unit.frontend.world import CLUSTER, LOCATION, World, body

BEGAN = datetime(2026, 3, 1, 12, tzinfo=UTC)
PLAN: Any = {"rows": [to_dict(row) for row in PLANS["create"]]}
NAMES = [row["name"] for row in PLAN["rows"]]


def poll(world: World) -> dict[str, Any]:
    """Poll the last operation as a customer."""
    path = f"{LOCATION}/operationsstatus/{world.document['lastAsyncOperationId']}"
    found: dict[str, Any] = world.send("GET", path).body
    return found


@pytest.fixture
def creating(world: World) -> World:
    """A create that runs."""
    world.send("PUT", CLUSTER, body())
    return world


def progress_item(step: str, status: str, lasted: float, attempt: int = 1) -> dict[str, Any]:
    """Return an item that was written this many seconds after its step began."""
    last = (BEGAN + timedelta(seconds=lasted)).isoformat()
    return {
        "step": step,
        "attempt": attempt,
        "status": status,
        "startTime": BEGAN.isoformat(),
        "lastProgressTime": last,
    }


def percent(items: Any, plan: Any = PLAN, status: str = "Creating") -> int:
    """Return only the figure."""
    return int(operation_report.progress({"plan": plan}, items, status)["percentComplete"])


def test_a_poll_tells_how_far_it_is_what_runs_and_what_it_waits_for(creating: World) -> None:
    """In addition to the usual members of ARM's format."""
    item(creating, "validate_service_principal", "Succeeded")
    item(creating, "deploy_storage_template", "Running", message="deployment 'storage' of rp-internal is Running")
    found = poll(creating)
    assert set(found) == {"id", "name", "status", "startTime", "percentComplete", "properties"}
    assert 0 <= found["percentComplete"] < 100
    row = next(row for row in PLANS["create"] if row.name == "deploy_storage_template")
    assert found["properties"] == {
        "phase": "bootstrap",
        "currentSteps": ["deploy_storage_template"],
        "message": f"Waiting for {row.waits_for}.",
    }


def test_what_steps_were_answered_is_not_for_customers(creating: World) -> None:
    """It may name the service's internals; a failure's error has what customers need."""
    item(creating, "ensure_acr_token", "Running", message="canary token-1234", error={"message": "canary"})
    assert "canary" not in str(poll(creating))
    assert "canary" in str(report(creating))


def test_before_the_first_step_something_is_told_all_the_same(creating: World) -> None:
    """It shows the first phase."""
    found = poll(creating)
    assert found["percentComplete"] == 0
    assert found["properties"]["currentSteps"] == []
    assert found["properties"]["phase"] == PLAN["rows"][0]["phase"]
    assert found["properties"]["message"]


def test_no_client_takes_the_properties_for_a_status(creating: World) -> None:
    """Some SDKs read `properties.provisioningState` before `status`."""
    assert "provisioningState" not in poll(creating)["properties"]


def test_the_end_is_a_hundred_at_success_alone(creating: World) -> None:
    """It is less while every row is done but the end is not written."""
    for name in NAMES:
        item(creating, name, "Succeeded")
    assert poll(creating)["percentComplete"] == 99
    creating.finish()
    found = poll(creating)
    assert (found["status"], found["percentComplete"]) == ("Succeeded", 100)
    assert "properties" not in found


def test_a_failure_keeps_what_was_reached(creating: World) -> None:
    """It no longer says what it waits for, because the error does."""
    item(creating, "validate_service_principal", "Succeeded")
    item(creating, "deploy_machines_template", "Failed", lastProgressTime=END)
    before = poll(creating)["percentComplete"]
    creating.finish(failed=True)
    found = poll(creating)
    assert (found["status"], found["percentComplete"]) == ("Failed", before)
    assert "properties" not in found


def test_customers_and_operators_read_the_same_figure(creating: World) -> None:
    """Both come from the same function."""
    item(creating, "deploy_machines_template", "Succeeded")
    assert poll(creating)["percentComplete"] == report(creating)["percentComplete"] > 0


def test_rows_that_an_earlier_operation_has_done_count() -> None:
    """A resume does not start at zero."""
    done = NAMES[: NAMES.index("deploy_machines_template") + 1]
    assert percent([], PLAN | {"done": done}) > 30


def test_a_row_weighs_what_it_usually_takes() -> None:
    """Machines take minutes, names take no time."""
    machines = percent([progress_item("deploy_machines_template", "Succeeded", 600)])
    names = percent([progress_item("decide_names", "Succeeded", 600)])
    assert machines > 5 * max(names, 1)


def test_a_long_wait_moves_on_and_leaves_room_for_its_end() -> None:
    """Until it is done a row counts nine tenths at most, however long it lasts."""
    figures = [percent([progress_item("deploy_machines_template", "Running", lasted)]) for lasted in (0, 300, 9000)]
    assert figures[0] < figures[1] < figures[2]
    assert figures[2] <= percent([progress_item("deploy_machines_template", "Succeeded", 9000)])


def test_an_operation_of_an_older_build_without_a_plan_is_told_too() -> None:
    """Without a plan, the progress is zero."""
    assert percent([], {}) == 0


@settings(derandomize=True, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(NAMES), st.floats(0, 5000), st.booleans()), max_size=60))
def test_it_never_goes_back(events: list[tuple[str, float, bool]]) -> None:
    """Whatever runs longer, ends, fails or begins again in another attempt."""
    items: dict[tuple[str, int], dict[str, Any]] = {}
    attempts: dict[str, int] = {}
    last = 0
    for name, lasted, ends in events:
        attempt = attempts.setdefault(name, 1)
        known = items.get((name, attempt))
        if known is not None and known["status"] == "Succeeded":
            continue
        if known is not None and ends and lasted % 2 < 1:
            known["status"] = "Failed"
            attempts[name] += 1
        else:
            item_ = progress_item(name, "Succeeded" if ends else "Running", lasted, attempt)
            if known is not None:
                item_["lastProgressTime"] = max(item_["lastProgressTime"], known["lastProgressTime"])
            items[name, attempt] = item_
        figure = percent(list(items.values()))
        assert last <= figure <= 99
        last = figure
