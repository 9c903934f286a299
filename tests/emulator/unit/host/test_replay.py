"""The action list against history: order of ids, waits, and what counts as new."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from emulator.host.durable.history import (
    Event,
    EventType,
    event,
    execution_started,
    format_time,
    task_completed,
    task_failed,
    timer_fired,
)
from emulator.host.durable.replay import (
    Decision,
    Execution,
    NonDeterministicError,
    Replay,
    ReplayResult,
    UnsupportedActionError,
    decision_event,
)

_START = datetime(2026, 3, 1, 9, tzinfo=UTC)
_TIME = format_time(_START)
_EXECUTION = Execution("i", "e", "the-parent", lambda name: name != "nobody", lambda name: name != "nobody")


def _activity(name: str = "act") -> dict[str, Any]:
    return {"actionType": 0, "functionName": name, "input": "1"}


def _timer(seconds: float, *, cancelled: bool = False) -> dict[str, Any]:
    fire_at = format_time(_START + timedelta(seconds=seconds))
    return {"actionType": 5, "fireAt": fire_at, "isCanceled": cancelled}


def _any(*actions: dict[str, Any]) -> dict[str, Any]:
    return {"actionType": 11, "compoundActions": list(actions)}


def _all(*actions: dict[str, Any]) -> dict[str, Any]:
    return {"actionType": 12, "compoundActions": list(actions)}


def _begin() -> list[Event]:
    started = execution_started(instance_id="i", execution_id="e", name="o", input_text=None, timestamp=_TIME)
    return [event(EventType.ORCHESTRATOR_STARTED, _TIME), started]


def _scheduled(number: int, name: str = "act") -> Event:
    return decision_event(Decision(number, EventType.TASK_SCHEDULED, name=name), _TIME)


def _done(number: int) -> Event:
    return task_completed(EventType.TASK_COMPLETED, number, "1", _TIME)


def _failed(number: int) -> Event:
    return task_failed(EventType.TASK_FAILED, number, "r", "d", _TIME)


def _run(actions: list[dict[str, Any]], *events: Event) -> ReplayResult:
    return Replay(_EXECUTION, actions).run([*_begin(), *events])


def _new(result: ReplayResult) -> list[tuple[int, str]]:
    return [(decision.id, decision.kind.name) for decision in result.decisions]


def test_each_action_is_awaited_before_the_next_is_issued() -> None:
    actions = [_activity("one"), _activity("two")]

    assert _new(_run(actions)) == [(0, "TASK_SCHEDULED")]
    assert _new(_run(actions, _scheduled(0, "one"), _done(0))) == [(1, "TASK_SCHEDULED")]
    assert _run(actions, _scheduled(0, "one"), _done(0), _scheduled(1, "two"), _failed(1)).is_finished


def test_children_of_compounds_are_issued_depth_first() -> None:
    result = _run([_all(_activity("a"), _any(_timer(1), _activity("b")), _activity("c"))])

    assert [(decision.id, decision.name) for decision in result.decisions] == [(0, "a"), (1, None), (2, "b"), (3, "c")]


def test_when_any_goes_on_with_the_first_failure_too() -> None:
    actions = [_any(_activity(), _activity()), _activity("next")]

    result = _run(actions, _scheduled(0), _scheduled(1), _failed(1))
    assert [(decision.id, decision.name) for decision in result.decisions] == [(2, "next")]


def test_when_all_waits_for_every_child() -> None:
    actions = [_all(_activity(), _activity()), _activity("next")]

    assert _new(_run(actions, _scheduled(0), _scheduled(1), _done(1))) == []
    assert _new(_run(actions, _scheduled(0), _scheduled(1), _done(1), _done(0))) == [(2, "TASK_SCHEDULED")]


def test_a_cancelled_timer_lets_the_host_go_on_at_once() -> None:
    result = _run([_any(_activity("a"), _timer(60, cancelled=True)), _activity("b")])

    assert _new(result) == [(0, "TASK_SCHEDULED"), (1, "TIMER_CREATED"), (2, "TASK_SCHEDULED")]


def test_a_cancelled_timer_does_not_hold_the_instance_open() -> None:
    created = decision_event(Decision(0, EventType.TIMER_CREATED, fire_at=_START), _TIME)

    assert _run([_timer(60, cancelled=True)], created).is_finished
    assert _run([_timer(60, cancelled=True)], created, timer_fired(0, _TIME, _TIME)).is_finished
    assert not _run([_any(_timer(60), _timer(1, cancelled=True))]).is_finished


@pytest.mark.parametrize(
    "action",
    [
        pytest.param(_activity("nobody"), id="an unknown activity"),
        pytest.param({"actionType": 2, "functionName": "nobody"}, id="an unknown orchestrator"),
        pytest.param({"actionType": 2, "functionName": "o", "instanceId": "i"}, id="its own id"),
        pytest.param({"actionType": 2, "functionName": "o", "instanceId": "the-parent"}, id="its parent's id"),
        pytest.param({"actionType": 2, "functionName": "o", "instanceId": "@x"}, id="an entity's id"),
    ],
)
def test_what_the_extension_swallows_schedules_nothing(action: dict[str, Any]) -> None:
    result = _run([action])

    assert _new(result) == []
    assert result.next_id == 0


def test_a_sub_orchestration_without_an_id_is_named_after_execution_and_task() -> None:
    result = _run([_all(_activity(), {"actionType": 2, "functionName": "o", "input": "1"})])

    assert result.decisions[1].instance_id == "e:1"


@pytest.mark.parametrize(
    ("recorded", "words"),
    [
        pytest.param(_scheduled(1), r"sequence ID 1 .*hasn't \(yet\?\) scheduled", id="an id that was not issued"),
        pytest.param(_scheduled(0, "other"), "with name 'act'", id="another name"),
        pytest.param(
            decision_event(Decision(0, EventType.TIMER_CREATED, fire_at=_START), _TIME),
            "instead scheduled an activity task",
            id="another kind",
        ),
    ],
)
def test_recorded_decisions_must_match(recorded: Event, words: str) -> None:
    with pytest.raises(NonDeterministicError, match=f"^Non-Deterministic workflow detected: .*{words}"):
        _run([_activity()], recorded)


def test_names_are_compared_without_regard_to_case_and_inputs_not_at_all() -> None:
    assert _new(_run([_activity("ACT")], _scheduled(0, "act"))) == []


def test_continue_as_new_ends_an_execution_with_the_next_input() -> None:
    result = _run([_activity(), {"actionType": 4, "input": "next"}], _scheduled(0), _done(0))

    assert result.continue_as_new
    assert result.is_finished
    assert result.next_input == "next"


@pytest.mark.parametrize("kind", [1, 3, 6, 7, 8, 9, 10])
def test_events_entities_durable_http_and_retries_are_refused_out_loud(kind: int) -> None:
    with pytest.raises(UnsupportedActionError, match="not supported"):
        _run([{"actionType": kind}])
