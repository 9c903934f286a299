"""The engine's handling of every row of every plan: it ends, is explained, and the next request continues.

The rows are the plans' own, with every predicate true. `activities/runtime/failures.py` makes the failures.
"""

import dataclasses
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError, ServiceRequestError, ServiceResponseError

from activities.runtime import failures
from orchestrators import plans, tries
from orchestrators.packed_inputs import pack_start
from orchestrators.plans import resume
from shared.arm.errors import CloudError, ErrorCode, Owner
from shared.executors import CHECK_PLAN
from shared.json_object import Json
from shared.remedies import REPEAT, TOO_SLOW
from shared.settings import parse
from tests.product.unit.orchestrators.simulation import Host, Instance
from tests.product.unit.product_world import ENVIRONMENT, cluster_document

# The result of a call: its outcome, or the exception of a process that died.
Fate = Callable[[Json], Any]

ROWS = [(name, row.name) for name in plans.PLANS for row in plans.PLANS[name]]
RESOURCE = "/subscriptions/s/resourceGroups/g"
SETTINGS = parse(ENVIRONMENT | {"TIME_SCALE": "1"})
DONE: Json = {"outcome": "done"}
WAIT: Json = {"outcome": "wait", "message": "it is still Running"}
MEMBERS = {"Step", "Remedy", "CorrelationId", "Owner"}


def answer(status: int, retry_after: str = "") -> HttpResponseError:
    """Make the error of a call that Azure refuses."""
    error = HttpResponseError("It failed.")
    error.status_code = status
    headers = {"Retry-After": retry_after} if retry_after else {}
    request = SimpleNamespace(url=f"https://management.azure.com{RESOURCE}")
    error.response = SimpleNamespace(headers=headers, request=request)
    return error


def raising(error: BaseException) -> Fate:
    """Make a call fail with an error."""
    return lambda call: failures.outcome(call, error)  # type: ignore[arg-type]  # the engine's call has all members


# Permanent failures, and what the operation's error says about them.
ENDLESS: dict[str, tuple[Fate, str]] = {
    "an error of Azure": (raising(answer(400)), "It failed."),
    "an error of ours": (raising(CloudError(400, ErrorCode.CONFLICT, "It is taken.")), "It is taken."),
    "throttling": (raising(answer(429, "240")), "It failed."),
    "lost answers": (raising(ServiceResponseError("reset")), "reset"),
    "deaths": (lambda _call: RuntimeError("python exited with code 137"), "python exited with code 137"),
    "a thing that never comes true": (lambda _call: WAIT, "it is still Running"),
}
# Failures that pass, unless they last.
PASSING: tuple[Fate, ...] = (
    *(ENDLESS[kind][0] for kind in ("throttling", "lost answers", "deaths")),
    *(raising(error) for error in (answer(503), ServiceRequestError("refused"))),
)


@pytest.fixture(autouse=True)
def _product(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shared.settings.load", lambda: SETTINGS)


def plan_round(name: str, row: str, monkeypatch: pytest.MonkeyPatch, tries: int = 4) -> Any:
    """Resolve a plan with all its rows, and keep one, those that need it, and the last: a plan takes a second to run.

    Whatever is tried or polled again is limited to `tries`, because no test here needs more.
    """
    rows = [dataclasses.replace(each, when="", poll=each.deadline / tries) for each in plans.PLANS[name]]
    monkeypatch.setitem(plans.PLANS, name, tuple(rows))
    plan: Any = plans.resolve(name, cluster_document(), SETTINGS)
    for policy in plan["retryPolicies"].values():
        for again in policy.values():
            again["everySeconds"] = again["withinSeconds"] / tries
    near = {each["name"] for each in plan["rows"] if row in (each["name"], *each["needs"])} | {"finish"}
    kept = [each | {"needs": [need for need in each["needs"] if need in near]} for each in plan["rows"]]
    return plan | {"rows": [each for each in kept if each["name"] in near]}


def run(plan: Json, fates: dict[str, Fate], done: list[str]) -> tuple[Host, Instance]:
    """Run a plan in which some rows have special results; all others are done after a second."""
    operation: Any = {"id": "op", "plan": plan, "correlationData": {"correlationId": "corr"}}
    cluster: Any = {"id": "doc-1", "key": "/subscriptions/s/c", "attempt": 1}

    def activity(_name: str, call: Json, _now: Any) -> tuple[float, Any]:
        if call["verb"] == "cancel":
            return 1, {"outcome": "stopped"}
        fate = fates.get(call["step"])
        return 1, fate(call) if fate else DONE

    host = Host(activity)
    return host, host.run(plans.RUN_PLAN, "op-1", pack_start(plans.start_input(operation, cluster, done)))


def ended(host: Host) -> Json | None:
    """Return the error that ended the operation, and check that there is only one."""
    endings = [call for _, name, call in host.calls if name == "finish_operation" and not call["step"]]
    assert len(endings) <= 1
    return endings[0]["error"] if endings else None


def began(host: Host) -> list[str]:
    """Return the rows of the plan in the order of their first calls."""
    return list(dict.fromkeys(call["step"] for _, _, call in host.calls if call["step"] not in ("", CHECK_PLAN)))


@pytest.mark.parametrize("row", [row.name for row in plans.PLANS["renew"] if row.name != "finish"])
def test_a_row_of_a_renewal_that_fails_lets_the_others_end(row: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only those that need it do not begin, and the operation fails with what it says."""
    rows = [dataclasses.replace(each, when="") for each in plans.PLANS["renew"]]
    monkeypatch.setitem(plans.PLANS, "renew", tuple(rows))
    plan: Any = plans.resolve("renew", cluster_document(), SETTINGS)
    host, _ = run(plan, {row: ENDLESS["an error of ours"][0]}, [])
    left_out = resume.depending_on((row,), tuple(rows)) - {row}
    assert set(began(host)) == {each.name for each in rows} - left_out
    error = ended(host)
    assert error is not None
    assert row in error["message"]


@pytest.mark.parametrize(("name", "row"), ROWS)
@pytest.mark.parametrize("kind", ENDLESS)
def test_a_row_that_fails_for_good_is_explained_and_the_next_request_finishes(
    name: str, row: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In time, with step, cause, remedy, owner and correlation id; rows that need it begin only after it is done."""
    plan = plan_round(name, row, monkeypatch)
    fate, cause = ENDLESS[kind]
    host, instance = run(plan, {row: fate}, [])
    error = ended(host)
    assert error is not None
    assert instance.output == {"result": "failed", "code": error["code"]}
    details = {each["code"]: each["message"] for each in error["details"]}
    assert details.keys() >= MEMBERS
    assert (details["Step"], details["CorrelationId"]) == (row, "corr")
    assert row in error["message"]
    assert cause in error["message"]
    assert details["Remedy"]
    assert details["Owner"] in set(Owner)
    assert ("AzureResource" in details) == ("It failed." in error["message"])
    resolved = {each["name"]: each for each in plan["rows"]}
    if "did not end within" in error["message"]:
        assert details["Owner"] == resolved[row].get("owner", "platform")
        slow = details["Owner"] == "azure"
        assert details["Remedy"] == (TOO_SLOW if slow else resolved[row]["message"])
    if kind == "crashes":
        assert (details["Remedy"], details["Owner"]) == (REPEAT, "platform")
    calls = [(time, call) for time, _, call in host.calls if call["step"] == row]
    assert ("cancel" in [call["verb"] for _, call in calls]) == (resolved[row]["kind"] == "begin-and-poll")
    lasted = (calls[-1][0] - calls[0][0]).total_seconds()
    policy = plan["retryPolicies"][resolved[row]["retry"]].values()
    silence = max(tries.DEATHS_SECONDS, *(again["withinSeconds"] for again in policy))
    assert lasted <= resolved[row]["deadlineSeconds"] + resolved[row]["cancelSeconds"] + silence

    done = [step for step in began(host) if step != row]
    assert not [step for step in done if row in resolved[step]["needs"]]
    again, instance = run(plan, {}, done)
    assert instance.output == {"result": "done"}
    assert set(began(again)) | set(done) == set(resolved)
    assert set(began(again)) & set(done) <= {"finish"}


@pytest.mark.parametrize(("name", "row"), ROWS)
def test_a_row_that_meets_trouble_is_called_again_and_the_operation_succeeds(
    name: str, row: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each problem occurs once, one after the other; the row is called again, and nobody is told."""
    met: list[str] = []

    def fate(call: Json) -> Any:
        met.append(call["verb"])
        return PASSING[len(met) - 1](call) if len(met) <= len(PASSING) else DONE

    host, instance = run(plan_round(name, row, monkeypatch, tries=50), {row: fate}, [])
    assert instance.output == {"result": "done"}
    assert ended(host) is None
    assert len(met) == len(PASSING) + 1
    assert len(set(met)) == 1


@pytest.mark.parametrize(("name", "row"), ROWS)
def test_a_row_whose_attempt_was_superseded_ends_it_without_a_word(
    name: str, row: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operation belongs to another attempt by now: nothing is written, and no row that needs it begins."""
    host, instance = run(plan_round(name, row, monkeypatch), {row: lambda _call: {"outcome": "fenced"}}, [])
    assert instance.output == {"result": "fenced"}
    assert ended(host) is None


@pytest.mark.parametrize(("name", "row"), ROWS)
def test_a_row_that_finds_the_operation_stopping_ends_it(name: str, row: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the step and the request."""
    host, instance = run(plan_round(name, row, monkeypatch), {row: lambda _call: {"outcome": "stopped"}}, [])
    assert instance.output == {"result": "failed", "code": "OperationCanceled"}
    error = ended(host)
    assert error is not None
    assert f"'{row}'" in error["message"]
    assert {"code": "CorrelationId", "message": "corr"} in error["details"]
