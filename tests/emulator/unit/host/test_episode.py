"""Episodes: what the worker gets, and how its answer is committed."""

import json
from typing import Any

import pytest

from emulator.host.durable.episode import EpisodeOutcome, conclude, orchestrator_input, terminate
from emulator.host.durable.history import Event, EventType, event, execution_started, terminated
from emulator.host.durable.records import Episode, Instance, Message
from emulator.host.function_index import DurableFunction, FunctionIndex

_TIME = "2026-03-01T09:00:00.1Z"
_INDEX = FunctionIndex(
    activities={"act": DurableFunction("act", ())}, orchestrators={"child": DurableFunction("child", ())}
)
_PARENT = {
    "Name": "o",
    "OrchestrationInstance": {"InstanceId": "above", "ExecutionId": "above-e"},
    "TaskScheduleId": 4,
    "Version": "",
}


def _instance(**changes: Any) -> Instance:
    values: dict[str, Any] = {
        "instance_id": "i",
        "execution_id": "e",
        "name": "o",
        "status": "Pending",
        "input": '"{\\"a\\": 1}"',
        "output": None,
        "custom_status": None,
        "created": _TIME,
        "updated": _TIME,
        "parent": None,
        "generation": 0,
    }
    return Instance(**{**values, **changes})


def _started() -> Event:
    return execution_started(instance_id="i", execution_id="e", name="o", input_text='"x"', timestamp=_TIME)


def _first(*more: Event, **changes: Any) -> EpisodeOutcome:
    messages = [Message(number, None, one) for number, one in enumerate([_started(), *more])]
    return EpisodeOutcome.begin(Episode(_instance(**changes), [], messages))


def _state(*actions: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"isDone": False, "schemaVersion": 2, "actions": [list(actions)], **fields}


def _conclude(outcome: EpisodeOutcome, state: dict[str, Any]) -> EpisodeOutcome:
    return conclude(outcome, state, _INDEX, 100)


def _types(events: list[Event]) -> list[int]:
    return [one["EventType"] for one in events]


_ACT = {"actionType": 0, "functionName": "act", "input": '{"b": 2}'}


def test_the_worker_is_handed_the_documented_keys() -> None:
    handed = json.loads(orchestrator_input(_first()))

    assert list(handed) == [
        *("history", "input", "instanceId", "isReplaying", "parentInstanceId", "upperSchemaVersion"),
        *("upperSchemaVersionNew", "longRunningTimerIntervalDuration", "maximumShortTimerDuration"),
        "defaultHttpAsyncRequestSleepTimeMillseconds",
    ]
    assert handed["input"] == '{"a": 1}'
    assert handed["isReplaying"] is False
    assert list(handed["history"][1])[:3] == ["OrchestrationInstance", "EventType", "ParentInstance"]


def test_the_first_episode_records_decisions_between_its_marks() -> None:
    commit = _conclude(_first(), _state(_ACT)).commit

    assert _types(commit.new_events) == [12, 0, 4, 13]
    assert commit.activities == [(0, "act", '{"b": 2}')]
    assert commit.new_events[2]["Input"] is None
    assert commit.status == "Running"


def test_later_episodes_see_arrivals_as_played_and_new_ones_not() -> None:
    past = _conclude(_first(), _state(_ACT)).commit.new_events
    done = event(EventType.TASK_COMPLETED, _TIME, TaskScheduledId=0, Result="1")
    outcome = EpisodeOutcome.begin(Episode(_instance(), past, [Message(1, "e", done)]))
    handed = json.loads(orchestrator_input(outcome))

    assert [(one["EventType"], one["IsPlayed"]) for one in handed["history"]] == [
        *((12, False), (0, True), (4, False), (13, False), (12, False), (5, False)),
    ]
    assert handed["isReplaying"] is True


def test_a_finished_child_tells_its_parent() -> None:
    commit = _conclude(_first(parent=_PARENT), _state(isDone=True, output={"é": 1.50})).commit

    assert (commit.status, commit.output) == ("Completed", '{"é":1.5}')
    target, execution, told = commit.messages[0]
    assert (target, execution) == ("above", "above-e")
    assert (told["EventType"], told["TaskScheduledId"], told["Result"]) == (8, 4, '{"é":1.5}')
    assert commit.new_events[-2]["EventId"] == 0


def test_an_error_takes_effect_only_when_no_task_is_open() -> None:
    held = _conclude(_first(), _state({"actionType": 11, "compoundActions": [_ACT, {**_CANCELLED}]}, error="oops"))
    ended = _conclude(_first(), _state(error="oops"))

    assert held.commit.status == "Running"
    assert (ended.commit.status, ended.commit.output) == ("Failed", "Orchestrator function 'o' failed: oops")


_CANCELLED = {"actionType": 5, "fireAt": "2026-03-02T09:00:00.000000Z", "isCanceled": True}


def test_continue_as_new_begins_the_next_execution() -> None:
    outcome = _conclude(_first(), _state({"actionType": 4, "input": "{}"}, isDone=True, customStatus={"n": 1}))

    assert outcome.continues_as_new
    assert _types(outcome.new) == [12, 0, 13]
    assert outcome.instance.execution_id != "e"
    assert outcome.instance.input == '"{}"'
    following = _conclude(outcome, _state(_ACT))
    assert _types(following.commit.new_events) == [12, 0, 13, 4, 13]
    assert following.commit.next_execution == (outcome.instance.execution_id, '"{}"')
    assert (following.commit.generations, following.commit.custom_status) == (1, '{"n":1}')


def test_termination_ends_the_instance_whatever_is_open() -> None:
    outcome = _first(terminated("enough", _TIME))

    assert outcome.is_terminated
    commit = terminate(outcome).commit
    assert (commit.status, commit.output) == ("Terminated", "enough")
    assert _types(commit.new_events) == [12, 0, 3, 1, 13]


@pytest.mark.parametrize(
    ("state", "words"),
    [
        pytest.param(_state(customStatus="x" * 8200), "must not exceed 16 KB", id="a custom status over 16 KB"),
        pytest.param({**_state(), "schemaVersion": 0}, "replay schema", id="an unknown schema"),
        pytest.param({**_state(), "actions": [[], []]}, "replay schema", id="two lists of actions"),
        pytest.param(_state(*[_ACT] * 101), "Maximum amount of orchestration actions", id="too many actions"),
        pytest.param(_state({"actionType": 8}), "CALL_HTTP", id="what this host does not have"),
    ],
)
def test_what_the_host_refuses_fails_the_instance(state: dict[str, Any], words: str) -> None:
    commit = _conclude(_first(), state).commit

    assert commit.status == "Failed"
    assert words in (commit.output or "")


def test_a_sub_orchestration_is_started_with_its_parent() -> None:
    action = {"actionType": 2, "functionName": "child", "instanceId": "c", "input": '{"a": 1}'}
    commit = _conclude(_first(), _state(action)).commit

    name, child_id, text, parent = commit.children[0]
    assert (name, child_id, text) == ("child", "c", '"{\\"a\\": 1}"')
    assert parent == {**_PARENT, "OrchestrationInstance": {"InstanceId": "i", "ExecutionId": "e"}, "TaskScheduleId": 0}
