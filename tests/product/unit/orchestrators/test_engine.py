"""The promises of the engine, tested on a simulated host."""

import itertools
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from orchestrators import plans, verdicts
from orchestrators.packed_inputs import pack_start
from orchestrators.tries import begin_tries, forget_deaths
from tests.product.unit.orchestrators.simulation import Host, Instance

AZURE: dict[str, dict[str, Any]] = {
    "throttled": {"everySeconds": 30, "withinSeconds": 600, "verb": "same"},
    "transient": {"everySeconds": 10, "withinSeconds": 60, "verb": "same"},
    "authorization": {"everySeconds": 10, "withinSeconds": 120, "verb": "run"},
}


def row(name: str, *needs: str, kind: str = "action", deadline: float = 600, retry: str = "azure") -> Any:
    """Make a resolved row whose executor has its own name."""
    return {
        "name": name,
        "phase": "test",
        "kind": kind,
        "executor": name,
        "needs": list(needs),
        "deadlineSeconds": deadline,
        "firstPollSeconds": 2,
        "pollSeconds": 10,
        "cancelSeconds": 300,
        "retry": retry,
        "waitsFor": f"{name} to be ready",
        "message": f"Look after {name}.",
    }


def start(*rows: dict[str, Any], done: list[str] | None = None) -> Any:
    """Make the input of an orchestration."""
    return {
        "operationId": "op",
        "attempt": 1,
        "clusterKey": "/subscriptions/s/c",
        "clusterDocumentId": "doc-1",
        "correlationId": "corr",
        "clientRequestId": "",
        "traceparent": "",
        "done": done or [],
        "plan": {
            "name": "test",
            "timeScale": 1,
            "rows": list(rows),
            "skipped": [],
            "controlSeconds": 10,
            "controlWithinSeconds": 900,
            "retryPolicies": {"azure": AZURE, "none": {}},
        },
    }


Work = Callable[[dict[str, Any], datetime], tuple[float, Any]]
Script = dict[str, Work]


def lasts(seconds: float, result: Any = None) -> Work:
    """Make an activity that takes this long and is done."""
    return lambda _call, _now: (seconds, result or {"outcome": "done"})


def in_turn(*results: Any) -> Work:
    """Make an activity that returns these results in turn, and the last one forever."""
    left = list(results)
    return lambda _call, _now: (1, left.pop(0) if len(left) > 1 else left[0])


def failed(message: str, retry_class: str = "none", **more: Any) -> dict[str, Any]:
    """Make a failed outcome."""
    return {"outcome": "failed", "error": {"code": "Code", "message": message}, "retryClass": retry_class, **more}


WAIT = {"outcome": "wait", "message": "still at it"}
DONE = {"outcome": "done"}


def run(script: Script, *rows: dict[str, Any], done: list[str] | None = None) -> tuple[Host, Instance]:
    """Run rows with scripted activities; an activity without a script is done after a second."""

    def activity(name: str, call: dict[str, Any], now: datetime) -> tuple[float, Any]:
        return script.get(call["step"] or name, lasts(1))(call, now)

    host = Host(activity)
    return host, host.run(plans.RUN_PLAN, "op-1", pack_start(start(*rows, done=done)))


def calls_of(host: Host, name: str) -> list[dict[str, Any]]:
    """Return the inputs of every call of an activity."""
    return [call for _, called, call in host.calls if called == name]


def test_a_row_starts_as_soon_as_its_needs_are_done_though_a_later_wave_still_runs() -> None:
    """A, then long C; B, then D: D starts when B ends, not when C does."""
    host, instance = run(
        {"A": lasts(1), "B": lasts(5), "C": lasts(500), "D": lasts(1)},
        row("A"),
        row("B"),
        row("C", "A"),
        row("D", "B"),
    )
    assert host.started_at("C") == 1
    assert host.started_at("D") == 5
    assert instance.output == {"result": "done"}


def test_independent_rows_run_at_the_same_time() -> None:
    """Rows without needs all start at once."""
    host, _ = run({"A": lasts(50), "B": lasts(50)}, row("A"), row("B"))
    assert host.started_at("A") == host.started_at("B") == 0


def test_a_row_started_in_an_earlier_wave_frees_its_successor_while_two_later_waves_are_open() -> None:
    """Waves overlap, and none of them hides an earlier one."""
    host, instance = run(
        {"slow": lasts(30), "a": lasts(1), "b": lasts(100), "c": lasts(1), "d": lasts(200)},
        row("slow"),
        row("a"),
        row("b", "a"),
        row("c", "a"),
        row("d", "c"),
        row("after_slow", "slow"),
    )
    assert host.started_at("after_slow") == 30
    assert instance.status == "Completed"


def test_rows_that_are_done_already_do_not_run_again() -> None:
    """A restart or a resume carries them over."""
    host, instance = run({}, row("A"), row("B", "A"), done=["A"])
    assert host.names() == ["B"]
    assert instance.output == {"result": "done"}


def test_a_row_that_waits_is_polled_outside_the_main_history() -> None:
    """Two hundred polls leave the parent's history as short as one does."""
    host, instance = run({"A": in_turn(*[WAIT] * 200, DONE)}, row("A", kind="begin-and-poll", deadline=10_000))
    calls = calls_of(host, "A")
    assert [call["verb"] for call in calls] == ["run"] + ["status"] * 200
    assert len(instance.history) < 20
    assert len(host.instances["op-1-A"].history) < 100
    assert instance.output == {"result": "done"}


def test_what_ends_soon_is_asked_often_and_what_takes_long_is_asked_rarely() -> None:
    """A pause is a fifth of the time waited so far, from the row's first pause to its longest."""
    host, _ = run({"A": in_turn(*[WAIT] * 30, DONE)}, row("A", kind="condition"))
    asked = [(time - host.calls[0][0]).total_seconds() for time, name, _ in host.calls if name == "A"]
    pauses = [later - earlier - 1 for earlier, later in itertools.pairwise(asked)]
    assert pauses[:3] == [2, 2, 2]
    assert pauses == sorted(pauses)
    assert pauses[-1] == 10
    assert all(pause <= max(2, 0.2 * time + 1) for time, pause in zip(asked, pauses, strict=False))


def test_a_row_that_usually_takes_a_hundred_seconds_is_asked_often_only_from_eighty_on() -> None:
    """Each pause before is as long as all before it, within the row's bounds; later ones are a share of the time."""

    def poll(_call: dict[str, Any], now: datetime) -> tuple[float, Any]:
        return 0, DONE if now >= datetime(2026, 3, 1, 9, 1, 50, tzinfo=UTC) else WAIT

    plain = row("A", kind="condition") | {"usualSeconds": 100, "pollSeconds": 30}
    host, _ = run({"A": poll}, plain)
    asked = [(time - datetime(2026, 3, 1, 9, tzinfo=UTC)).total_seconds() for time, _, _ in host.calls]
    assert asked[:7] == [0, 2, 4, 8, 16, 32, 62]
    assert asked[7:10] == [80, 82, 84]
    assert 110 <= asked[-1] < 113


def test_a_wait_honours_the_time_that_azure_asks_for() -> None:
    """An outcome's Retry-After replaces the row's own interval."""
    host, _ = run({"A": in_turn(WAIT | {"retryAfterSeconds": 77}, DONE)}, row("A", kind="condition"))
    first, second = [time for time, name, _ in host.calls if name == "A"]
    assert second - first == timedelta(seconds=1 + 77)


@pytest.mark.parametrize(
    ("kind", "want_verbs"),
    [("action", ["run", "run"]), ("begin-and-poll", ["run", "status"]), ("condition", ["status", "status"])],
)
def test_each_kind_of_row_asks_with_its_own_verb(kind: str, want_verbs: list[str]) -> None:
    """Actions run again, begun work is asked for its status, conditions are only asked."""
    host, _ = run({"A": in_turn(WAIT, DONE)}, row("A", kind=kind))
    assert [call["verb"] for call in calls_of(host, "A")] == want_verbs


def test_a_row_that_exceeds_its_deadline_is_cancelled_and_says_what_it_waited_for() -> None:
    """The error names the step, what it waited for, and the last observation."""
    host, instance = run(
        {"A": lambda call, _now: (1, {"outcome": "stopped"} if call["verb"] == "cancel" else WAIT)},
        row("A", kind="begin-and-poll", deadline=60),
    )
    assert calls_of(host, "A")[-1]["verb"] == "cancel"
    error = calls_of(host, "finish_operation")[0]["error"]
    assert "'A' did not end within 60 seconds" in error["message"]
    assert "It waited for A to be ready. Last seen: still at it" in error["message"]
    assert {"code": "Remedy", "message": "Look after A."} in error["details"]
    assert {"code": "CorrelationId", "message": "corr"} in error["details"]
    assert instance.output == {"result": "failed", "code": "DeploymentFailed"}


def test_what_a_last_poll_gathered_stands_in_the_deadlines_error() -> None:
    """It comes before the engine's own entries, and earlier polls need not have it."""
    gathered = {"code": "ClusterOperator", "target": "ingress", "message": "it is not Available"}

    def poll(_call: dict[str, Any], now: datetime) -> tuple[float, Any]:
        late = now >= datetime.fromisoformat("2026-03-01T09:00:55Z")
        return (1, WAIT | {"details": [gathered]}) if late else (1, WAIT)

    host, _instance = run({"A": poll}, row("A", kind="condition", deadline=60))
    error = calls_of(host, "finish_operation")[0]["error"]
    assert error["details"][0] == gathered
    assert {"code": "Remedy", "message": "Look after A."} in error["details"]


def test_a_try_that_runs_out_of_time_does_not_hide_why_the_try_before_failed() -> None:
    """The work is begun again after a refusal; if that takes too long, the error has the refusal's details."""
    refusal = failed("no right to sign", "authorization")
    refusal["error"]["details"] = [{"code": "Remedy", "message": "Assign the role."}]
    host, _ = run({"A": in_turn(WAIT, refusal, *[WAIT] * 100)}, row("A", kind="begin-and-poll", deadline=60))
    error = calls_of(host, "finish_operation")[0]["error"]
    assert "'A' did not end within 60 seconds" in error["message"]
    assert "Last seen: still at it. The try before had failed: no right to sign" in error["message"]
    assert error["details"] == refusal["error"]["details"]


def test_a_cancel_that_never_ends_does_not_hold_the_operation_for_ever() -> None:
    """After the time for cancelling is over, the operation fails even so."""
    host, instance = run({"A": lasts(1, WAIT)}, row("A", kind="begin-and-poll", deadline=60))
    assert instance.output["result"] == "failed"
    assert host.now < datetime.fromisoformat("2026-03-01T09:30:00Z") or instance.status == "Completed"


def test_on_the_first_failure_no_further_row_starts_and_open_rows_end_first() -> None:
    """The failure is written only after the open rows have ended."""
    host, instance = run(
        {"A": lasts(5, failed("broken")), "B": lasts(50), "C": lasts(1), "D": lasts(1)},
        row("A"),
        row("B"),
        row("C", "B"),
    )
    assert "C" not in host.names()
    assert host.names() == ["A", "B", "stop_operation", "finish_operation"]
    assert host.started_at("stop_operation") == 5
    assert host.started_at("finish_operation") == 50
    assert calls_of(host, "stop_operation")[0]["failedStep"] == "A"
    assert calls_of(host, "finish_operation")[0]["error"]["message"] == "broken"
    assert instance.output == {"result": "failed", "code": "Code"}


def check(name: str, *needs: str) -> Any:
    """Make a row whose failure is reported together with others'."""
    return row(name, *needs) | {"together": True}


def test_checks_that_fail_are_told_in_one_error_when_the_last_check_has_ended() -> None:
    """Meanwhile only checks start: those whose needs are done, but not those that need a failed check."""
    host, instance = run(
        {"A": lasts(5, failed("first")), "B": lasts(50), "C": lasts(20, failed("second")), "W": lasts(2)},
        check("A"),
        check("B"),
        check("C", "W"),
        check("D", "A"),
        check("E", "B"),
        row("W"),
        row("X", "W", "A"),
        row("Y", "B"),
    )
    assert host.names() == ["A", "B", "W", "C", "E", "stop_operation", "stop_operation", "finish_operation"]
    assert host.started_at("stop_operation") == 51
    assert [call["failedStep"] for call in calls_of(host, "stop_operation")] == ["A", "C"]
    error = calls_of(host, "finish_operation")[0]["error"]
    assert error["message"] == "first\nOne more step failed, see details:\nsecond"
    assert error["details"] == [failed("second")["error"]]
    assert instance.output == {"result": "failed", "code": "Code"}


@pytest.mark.parametrize("seconds", [(5, 9), (9, 5)])
def test_the_plan_decides_which_of_two_failed_checks_is_told_first(seconds: tuple[int, int]) -> None:
    """A client reacts to the code, so it does not depend on which check has ended first."""
    one, other = (failed(name) | {"error": failed(name)["error"] | {"code": name}} for name in ("One", "Other"))
    script = {"A": lasts(seconds[0], one), "B": lasts(seconds[1], other), "W": lasts(7, failed("broken"))}
    for rows, want in (((check("A"), check("B")), ["Other"]), ((row("W"), check("A"), check("B")), ["Other", "Code"])):
        host, instance = run(script, *rows)
        error = calls_of(host, "finish_operation")[0]["error"]
        assert (instance.output["code"], error["code"]) == ("One", "One")
        assert [each["code"] for each in error["details"]] == want


def test_a_failure_of_another_kind_does_not_wait_for_checks() -> None:
    """The findings so far are reported with it."""
    host, _instance = run(
        {"A": lasts(5, failed("first")), "B": lasts(50), "W": lasts(10, failed("broken"))},
        check("A"),
        check("B"),
        check("C", "B"),
        row("W"),
    )
    assert host.names() == ["A", "B", "W", "stop_operation", "stop_operation", "finish_operation"]
    assert host.started_at("stop_operation") == 10
    assert "broken" in calls_of(host, "finish_operation")[0]["error"]["message"]


def test_a_wait_that_finds_the_operation_stopping_ends_with_it() -> None:
    """A stopped row neither fails the operation again nor keeps it open."""
    stopped = {"outcome": "stopped"}
    host, instance = run({"A": lasts(5, failed("broken")), "B": in_turn(*[WAIT] * 3, stopped)}, row("A"), row("B"))
    assert len(calls_of(host, "stop_operation")) == 1
    assert calls_of(host, "finish_operation")[0]["error"]["message"] == "broken"
    assert instance.status == "Completed"


def test_a_superseded_attempt_ends_without_writing_a_result() -> None:
    """The attempt that moved the fence writes the result."""
    host, instance = run({"A": lasts(1, {"outcome": "fenced"})}, row("A"), row("B"))
    assert host.names() == ["A", "B"]
    assert instance.output == {"result": "fenced"}


def test_an_error_is_tried_again_only_if_the_policy_names_its_class() -> None:
    """An error without a class fails the row at once."""
    host, _ = run({"A": in_turn(failed("no", "transient"), failed("no", "none"))}, row("A"))
    assert len(calls_of(host, "A")) == 2
    host, _ = run({"A": lasts(1, failed("no", "transient"))}, row("A", retry="none"))
    assert len(calls_of(host, "A")) == 1


def test_a_class_of_errors_is_tried_for_its_own_time() -> None:
    """Transient errors are tried for a minute here, authorization for two."""
    host, _ = run({"A": lasts(1, failed("no", "transient"))}, row("A"))
    assert len(calls_of(host, "A")) == 7
    host, _ = run({"A": lasts(1, failed("no", "authorization"))}, row("A"))
    assert len(calls_of(host, "A")) == 12


def test_throttling_honours_retry_after() -> None:
    """A 429 is tried again at the time it says."""
    host, _ = run({"A": in_turn(failed("slow down", "throttled", retryAfterSeconds=42), DONE)}, row("A"))
    first, second = [time for time, name, _ in host.calls if name == "A"]
    assert second - first == timedelta(seconds=1 + 42)


@pytest.mark.parametrize("retry_class", ["throttled", "transient"])
@pytest.mark.parametrize("seconds", [3600, 10**15])
def test_a_service_that_asks_for_too_long_a_pause_is_asked_once_more(retry_class: str, seconds: int) -> None:
    """Its first error never ends a row, whatever its Retry-After says: the row waits as long as it may."""
    away, within = failed("go away", retry_class, retryAfterSeconds=seconds), AZURE[retry_class]["withinSeconds"]
    host, instance = run({"A": in_turn(away, DONE)}, row("A"))
    assert instance.output == {"result": "done"}
    assert host.now - BEGIN <= timedelta(seconds=within + 2)
    host, _ = run({"A": lasts(1, away)}, row("A"))
    assert len(calls_of(host, "A")) == 2
    assert calls_of(host, "finish_operation")[0]["error"]["message"] == "go away"


def test_a_wait_is_asked_once_more_at_its_deadline() -> None:
    """A Retry-After beyond it neither delays the operation nor ends work that may be done by then."""
    long = WAIT | {"retryAfterSeconds": 10**15}
    for last, want in ((DONE, "done"), (WAIT, "failed")):
        host, instance = run({"A": in_turn(long, last)}, row("A", kind="condition", deadline=60))
        assert instance.output["result"] == want
        assert host.now - BEGIN <= timedelta(seconds=64)


def test_a_cancel_ends_in_time_whatever_azure_asks_for() -> None:
    """It is asked once more when its time is over."""
    long = WAIT | {"retryAfterSeconds": 3600}
    host, instance = run({"A": lasts(1, long)}, row("A", kind="begin-and-poll", deadline=60))
    assert instance.output["result"] == "failed"
    assert host.now - BEGIN < timedelta(seconds=60 + 300 + 10)


def test_work_that_ended_for_lack_of_a_role_begins_anew() -> None:
    """After an authorization error the work is run again instead of polled."""
    host, _ = run({"A": in_turn(WAIT, failed("no role", "authorization"), WAIT, DONE)}, row("A", kind="begin-and-poll"))
    assert [call["verb"] for call in calls_of(host, "A")] == ["run", "status", "run", "status"]


DEAD = RuntimeError("python exited with code 137 (0x89)")
AWAY = failed("It is away.", "transient")
BEGIN = datetime.fromisoformat("2026-03-01T09:00:00Z")
OUTAGE_SECONDS = 600
LONG: dict[str, Any] = AZURE | {
    name: {"everySeconds": 10, "withinSeconds": 900, "verb": "same"} for name in ("transient", "throttled")
}


def during(begin: float, end: float, meanwhile: Any, otherwise: Work) -> Work:
    """Make an activity that gives one result while something is away, and works at other times."""

    def work(call: dict[str, Any], now: datetime) -> tuple[float, Any]:
        seconds = (now - BEGIN).total_seconds()
        return (1, meanwhile) if begin <= seconds < end else otherwise(call, now)

    return work


def run_with(policies: dict[str, Any], script: Script, *rows: dict[str, Any]) -> tuple[Host, Instance]:
    """Run rows with other retry policies than most tests need."""
    host, input_ = Host(lambda name, call, now: script.get(call["step"] or name, lasts(1))(call, now)), start(*rows)
    input_["plan"]["retryPolicies"] = policies
    return host, host.run(plans.RUN_PLAN, "op-1", pack_start(input_))


def outage(work: Work, meanwhile: Any, **more: Any) -> tuple[Host, Instance]:
    """Run one row through an outage of ten minutes that begins when half a minute of its minute is over."""
    script = {"A": during(30, 30 + OUTAGE_SECONDS, meanwhile, work)}
    return run_with({"azure": LONG}, script, row("A", kind="condition", deadline=60) | more)


def until(seconds: float) -> Work:
    """Make an activity that waits until a given time, and then is done."""
    return lambda _call, now: (
        1,
        WAIT if now < BEGIN + timedelta(seconds=seconds) else DONE,
    )


SILENCES = {
    "errors that pass": AWAY,
    "throttling": failed("slow down", "throttled"),
    "a cluster that does not answer": WAIT | {"unanswered": True},
}


@pytest.mark.parametrize("kind", ["condition", "begin-and-poll", "action"])
@pytest.mark.parametrize("silence", SILENCES.values(), ids=SILENCES)
def test_an_outage_does_not_use_up_a_rows_time(silence: Any, kind: str) -> None:
    """The row continues where it was: the rest of its minute is still there after ten minutes."""
    host, instance = outage(until(OUTAGE_SECONDS + 55), silence, kind=kind)
    assert instance.output == {"result": "done"}
    calls = [time for time, name, _ in host.calls if name == "A"]
    (noticed,) = [time for time in calls if time >= calls[0] + timedelta(seconds=630)][:1]
    assert noticed - calls[0] <= timedelta(seconds=630 + 2 * 10)


def test_after_an_outage_a_row_has_only_the_time_that_was_left() -> None:
    """The error says how much time was not counted."""
    host, instance = outage(lasts(1, WAIT), AWAY)
    assert instance.output["result"] == "failed"
    assert timedelta(seconds=650) < host.now - BEGIN < timedelta(seconds=690)
    message = calls_of(host, "finish_operation")[0]["error"]["message"]
    found = re.search(r"did not end within 60 seconds, not counting (\d+) seconds without an answer", message)
    assert found, message
    assert 590 <= int(found[1]) <= 615


def test_a_silence_without_end_ends_the_row_when_its_class_is_given_up() -> None:
    """No row waits forever for a service that never comes back. The error is the service's, not a deadline's."""
    host, _ = run({"A": lasts(1, AWAY)}, row("A", kind="condition"))
    assert len(calls_of(host, "A")) == 7
    assert calls_of(host, "finish_operation")[0]["error"]["message"] == "It is away."


def test_a_cluster_that_never_answers_again_runs_out_of_time() -> None:
    """It gets the time of an outage once."""
    host, instance = run({"A": lasts(1, WAIT | {"unanswered": True})}, row("A", kind="condition", deadline=120))
    assert instance.output["result"] == "failed"
    assert "did not end within 120 seconds, not counting" in calls_of(host, "finish_operation")[0]["error"]["message"]
    assert host.now < datetime.fromisoformat("2026-03-01T09:03:45Z")


def test_an_outage_does_not_use_up_the_time_of_other_errors() -> None:
    """A role has its two minutes to spread, whatever is away meanwhile."""
    no_role = failed("no role", "authorization")
    _, instance = outage(during(0, OUTAGE_SECONDS + 90, no_role, lasts(1)), AWAY, kind="action", deadlineSeconds=600)
    assert instance.output == {"result": "done"}


def test_a_host_that_was_away_does_not_use_up_a_rows_time() -> None:
    """An answer that comes ten minutes late says nothing about the work."""
    answers = iter([(1, WAIT), (OUTAGE_SECONDS, WAIT), (1, DONE)])
    _, instance = run({"A": lambda _call, _now: next(answers)}, row("A", kind="condition", deadline=60))
    assert instance.output == {"result": "done"}


def test_what_was_begun_is_cancelled_although_azure_is_away_for_ten_minutes() -> None:
    """A failing row leaves nothing running, even if it fails during an outage."""
    cancel = during(0, OUTAGE_SECONDS, AWAY, lasts(1, {"outcome": "stopped"}))
    script: Script = {"A": lambda call, now: cancel(call, now) if call["verb"] == "cancel" else (1, failed("broken"))}
    host, _ = run_with({"azure": LONG}, script, row("A", kind="begin-and-poll"))
    assert host.started_at("finish_operation") >= OUTAGE_SECONDS


@pytest.mark.parametrize(("silence", "minutes"), [(AWAY, 17), (DEAD, 7)], ids=["an outage", "deaths"])
def test_what_was_begun_is_cancelled_when_a_silence_has_ended_its_row(silence: Any, minutes: int) -> None:
    """Cancelling has its own time limit: the silence that ended the row does not end it at its first try."""
    answers = BEGIN + timedelta(minutes=minutes)

    def work(call: dict[str, Any], now: datetime) -> tuple[float, Any]:
        if call["verb"] == "run":
            return 1, WAIT
        return 1, {"outcome": "stopped"} if now >= answers else silence

    host, _ = run_with({"azure": LONG}, {"A": work}, row("A", kind="begin-and-poll"))
    assert max(time for time, name, _ in host.calls if name == "A") >= answers


def test_a_clock_that_goes_back_takes_no_time_from_a_row() -> None:
    """Hosts take over from one another, and their clocks differ."""
    tries = begin_tries(start(), row("A", kind="condition", deadline=60), BEGIN)
    outcomes: Any = ((10, AWAY), (-300, AWAY), (-310, WAIT))
    for seconds, outcome in outcomes:
        _, tries = verdicts.decide(tries, outcome, BEGIN + timedelta(seconds=seconds))
        assert datetime.fromisoformat(tries["deadline"]) >= BEGIN + timedelta(seconds=60)


def deaths(seconds: float, every: float = 3) -> Work:
    """Make an activity whose process is killed every few seconds for a while."""
    return lambda _call, now: (every, DEAD) if now < BEGIN + timedelta(seconds=seconds) else (1, DONE)


@pytest.mark.parametrize("kind", ["condition", "begin-and-poll", "action"])
def test_a_process_that_is_killed_every_three_seconds_for_two_minutes_fails_no_row(kind: str) -> None:
    """The time without an answer counts, not the number of deaths."""
    host, instance = run({"A": deaths(120)}, row("A", kind=kind, deadline=60))
    assert instance.output == {"result": "done"}
    assert len(calls_of(host, "A")) > 5


def test_a_row_whose_calls_die_for_five_minutes_without_an_answer_fails() -> None:
    """No time scale shortens this. The error has the host's message about the process."""
    host, instance = run({"A": lasts(3, DEAD)}, row("A"))
    assert instance.output["result"] == "failed"
    assert timedelta(minutes=5) <= host.now - BEGIN < timedelta(minutes=6)
    message = calls_of(host, "finish_operation")[0]["error"]["message"]
    assert "has not answered for 5 minutes" in message
    assert "exited with code 137" in message


@pytest.mark.parametrize("answer", [WAIT, AWAY], ids=["a wait", "an error that passes"])
def test_any_answer_forgives_the_deaths_before_it(answer: Any) -> None:
    """Occasional deaths over the life of a long row are not a reason to give it up."""
    outcomes = [DEAD, DEAD, answer] * 15
    host, instance = run_with({"azure": LONG}, {"A": in_turn(*outcomes, DONE)}, row("A", kind="condition"))
    assert instance.output == {"result": "done"}
    assert len(calls_of(host, "A")) == len(outcomes) + 1
    assert host.now > datetime.fromisoformat("2026-03-01T09:05:00Z")


def test_deaths_of_a_wait_that_has_lived_long_are_not_added_up() -> None:
    """A wait that lives for more than five minutes has had answers in it."""
    now = datetime.fromisoformat("2026-03-01T09:00:00Z")
    begun: Any = begin_tries(start(), row("A", kind="condition"), now)
    begun |= {"policy": AZURE, "since": {"died": now.isoformat()}}
    assert "died" in forget_deaths(begun, now + timedelta(minutes=4))["since"]
    assert "died" not in forget_deaths(begun, now + timedelta(minutes=6))["since"]


def test_the_end_is_written_though_the_first_tries_fail() -> None:
    """finish_operation is repeated until it is done."""
    script: Script = {
        "A": lasts(1, failed("broken")),
        "finish_operation": in_turn(DEAD, failed("429", "throttled"), DONE),
    }
    host, instance = run(script, row("A"))
    assert len(calls_of(host, "finish_operation")) == 3
    assert instance.output["result"] == "failed"


def test_the_end_is_written_although_the_store_is_away_for_ten_minutes() -> None:
    """The history stays short, and it takes at most two tries after the store is back."""
    script: Script = {"A": lasts(1, failed("broken")), "finish_operation": during(0, OUTAGE_SECONDS, AWAY, lasts(1))}
    host, instance = run(script, row("A"))
    assert instance.output["result"] == "failed"
    assert timedelta(0) < host.now - datetime.fromisoformat("2026-03-01T09:10:00Z") < timedelta(minutes=2, seconds=5)
    assert len(calls_of(host, "finish_operation")) < 25


def test_the_custom_status_is_small_and_names_what_runs() -> None:
    """A few hundred bytes, and never the plan."""
    _, instance = run({}, row("A"), row("B", "A"))
    assert instance.custom_status == {"done": 1, "of": 2, "running": ["B"]}


def test_every_plan_is_over_before_the_timers_that_release_the_host_fire() -> None:
    """All deadlines of a plan together, retries and cancels included, are less than five days."""
    for rows in plans.PLANS.values():
        total = sum((each.deadline + plans.CANCEL_DEADLINE for each in rows), timedelta())
        assert total < timedelta(days=5)
