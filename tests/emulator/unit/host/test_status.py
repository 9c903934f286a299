"""How the management API shows an instance."""

import json
from typing import Any

from emulator.host.durable.history import EventType, event, execution_started, task_completed
from emulator.host.durable.records import Instance
from emulator.host.durable.status import instance_status

_T = "2026-03-01T09:00:0{}Z"
_INSTANCE = Instance(
    instance_id="c1-create",
    execution_id="5f0c",
    name="create_cluster",
    status="Completed",
    input='"{\\"name\\": \\"c1\\"}"',
    output='{"state":"ok"}',
    custom_status=None,
    created=_T.format("0.400000"),
    updated=_T.format("2.900000"),
    parent=None,
    generation=0,
)
_HISTORY = [
    event(EventType.ORCHESTRATOR_STARTED, _T.format("0.4137256")),
    execution_started(
        instance_id="c1-create",
        execution_id="5f0c",
        name="create_cluster",
        input_text=_INSTANCE.input,
        timestamp=_T.format("0.1020034"),
    ),
    event(
        EventType.TASK_SCHEDULED,
        _T.format("0.521907"),
        event_id=0,
        Name="check_quota",
        Version="",
        Input=None,
        ParentTraceContext=None,
    ),
    event(EventType.ORCHESTRATOR_COMPLETED, _T.format("0.5219381")),
    event(EventType.ORCHESTRATOR_STARTED, _T.format("2.0071542")),
    task_completed(EventType.TASK_COMPLETED, 0, '{"free":12}', _T.format("1.8833017")),
    event(
        EventType.EXECUTION_COMPLETED,
        _T.format("2.0911463"),
        event_id=1,
        OrchestrationStatus="Completed",
        Result='{"state":"ok"}',
        FailureDetails=None,
    ),
]


def test_status_with_history_equals_the_documented_shape() -> None:
    want: dict[str, Any] = {
        "name": "create_cluster",
        "instanceId": "c1-create",
        "runtimeStatus": "Completed",
        "input": '{"name": "c1"}',
        "customStatus": None,
        "output": {"state": "ok"},
        "createdTime": "2026-03-01T09:00:00Z",
        "lastUpdatedTime": "2026-03-01T09:00:02Z",
        "historyEvents": [
            {
                "EventType": "ExecutionStarted",
                "Input": '"{\\"name\\": \\"c1\\"}"',
                "Correlation": None,
                "ParentTraceContext": None,
                "ScheduledStartTime": None,
                "Generation": 0,
                "Timestamp": "2026-03-01T09:00:00.1020034Z",
                "FunctionName": "create_cluster",
            },
            {
                "EventType": "TaskCompleted",
                "Result": {"free": 12},
                "Timestamp": "2026-03-01T09:00:01.8833017Z",
                "ScheduledTime": "2026-03-01T09:00:00.521907+00:00",
                "FunctionName": "check_quota",
                "Input": None,
            },
            {
                "EventType": "ExecutionCompleted",
                "OrchestrationStatus": "Completed",
                "Result": {"state": "ok"},
                "FailureDetails": None,
                "Timestamp": "2026-03-01T09:00:02.0911463Z",
            },
        ],
    }
    shown = instance_status(_INSTANCE, _HISTORY, show_history_output=True)

    assert json.dumps(shown) == json.dumps(want)


def test_results_and_inputs_are_shown_only_when_asked_for() -> None:
    shown = instance_status(_INSTANCE, _HISTORY, show_input=False)

    assert shown["input"] is None
    assert not any({"Result", "Input"} & set(one) for one in shown["historyEvents"])


def test_a_task_without_a_result_stays_and_a_pending_instance_has_no_history() -> None:
    running = instance_status(_INSTANCE, _HISTORY[:3])
    pending = instance_status(Instance(**{**vars(_INSTANCE), "status": "Pending"}), [])

    assert [one["EventType"] for one in running["historyEvents"]] == ["ExecutionStarted", "TaskScheduled"]
    assert "historyEvents" not in pending


def test_text_that_is_no_json_stays_text() -> None:
    assert instance_status(Instance(**{**vars(_INSTANCE), "output": "no more"}))["output"] == "no more"
