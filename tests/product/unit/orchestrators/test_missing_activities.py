"""Plans that were stored by a package which had other activities."""

from datetime import datetime
from typing import Any

import pytest

from activities import check_plan
from orchestrators import ORCHESTRATORS, plans
from orchestrators.packed_inputs import pack_start
from shared.executors import CHECK_PLAN
from tests.product.unit.orchestrators.simulation import Host
from tests.product.unit.orchestrators.test_engine import row, start

GONE, FORMER = "from_another_release", "settle_storage_template"


def rows(*executors: str) -> list[dict[str, Any]]:
    """Make rows `a`, `b` and so on with these executors: the first two at once, each other one after the one before."""
    names = "abcdef"[: len(executors)]
    return [
        row(name, *(names[at - 1] if at > 1 else "")) | {"executor": executor}
        for at, (name, executor) in enumerate(zip(names, executors, strict=True))
    ]


@pytest.mark.parametrize(
    ("executors", "done"),
    [
        (("decide_names", GONE, "create_dns"), []),
        (("decide_names", "create_dns", GONE), []),
        (("decide_names", "create_dns", GONE), ["a", "b"]),
    ],
    ids=["a first row", "a later row", "the next row of a later attempt"],
)
def test_an_attempt_whose_plan_names_an_activity_that_is_gone_fails_before_it_calls_any(
    executors: tuple[str, ...], done: list[str]
) -> None:
    """Durable would swallow the call, and give all later answers to wrong tasks."""

    def activity(name: str, call: dict[str, Any], _now: datetime) -> tuple[float, Any]:
        return 1, check_plan(call) if name == CHECK_PLAN else {"outcome": "done"}

    operation: Any = {
        "id": "op",
        "plan": start(*rows(*executors))["plan"],
        "correlationData": {"correlationId": "corr"},
    }
    owner: Any = {"id": "doc-1", "key": "/subscriptions/s/c", "attempt": 1}
    host = Host(activity, frozenset({GONE}))
    instance = host.run(plans.RUN_PLAN, "op-1", pack_start(plans.start_input(operation, owner, done)))
    assert instance.status == "Completed"
    assert [name for _, name, _ in host.calls] == [CHECK_PLAN, "stop_operation", "finish_operation"]
    error = host.calls[-1][2]["error"]
    assert GONE in error["message"]
    details = {each["code"]: each["message"] for each in error["details"]}
    assert "deploy the former one" in details["Remedy"]
    assert "repeat the request" in details["Remedy"]
    assert (details["CorrelationId"], details["Owner"]) == ("corr", "platform")


def test_a_row_that_is_done_needs_no_activity() -> None:
    """A release may rename the activity of a row that has ended."""
    plan: Any = start(*rows(GONE, "create_dns", FORMER))["plan"]
    assert plans.missing_activities(plan, []) == [GONE]
    assert plans.missing_activities(plan, ["a"]) == []
    assert plans.missing_activities(plan | {"done": ["a"]}, []) == []


def test_the_orchestrators_of_this_package_are_those_that_requests_and_timers_know() -> None:
    """Neither may import the interpreters, so their names are data."""
    assert set(ORCHESTRATORS) == plans.INTERPRETERS


@pytest.mark.parametrize("version", ["run_plan_v1", plans.RUN_PLAN])
def test_a_package_that_comes_in_the_middle_gives_no_answer_to_another_row(version: str) -> None:
    """It has an activity less than the plan that runs. No row begins before those that it needs have ended."""

    def activity(name: str, _call: dict[str, Any], _now: datetime) -> tuple[float, Any]:
        host.gone = frozenset({GONE})
        return 100 if name == "slow" else 1, {"outcome": "done"}

    host = Host(activity)
    plan = start(row("first"), row(GONE, "first"), row("slow", "first"), row("quick", "first"), row("last", "slow"))
    instance = host.run(version, "op-1", plan if version == "run_plan_v1" else pack_start(plan))
    assert "last" not in host.names() or host.started_at("last") >= 101
    assert instance.status == "Failed"
    assert GONE in instance.output
