"""How the management API shows an instance and its history."""

import json
from typing import Any

from emulator.host.durable.history import EVENT_NAMES, Event, EventType, parse_time
from emulator.host.durable.records import Instance

_SCHEDULED = (EventType.TASK_SCHEDULED, EventType.SUB_ORCHESTRATION_CREATED)
_RESULTS = {
    EventType.TASK_COMPLETED: EventType.TASK_SCHEDULED,
    EventType.TASK_FAILED: EventType.TASK_SCHEDULED,
    EventType.SUB_ORCHESTRATION_COMPLETED: EventType.SUB_ORCHESTRATION_CREATED,
    EventType.SUB_ORCHESTRATION_FAILED: EventType.SUB_ORCHESTRATION_CREATED,
}
_HIDDEN_ALWAYS = ("EventId", "IsPlayed", "TaskScheduledId", "TimerId")
_HIDDEN_ON_START = ("Name", "OrchestrationInstance", "ParentInstance", "Version", "Tags")


def instance_status(
    instance: Instance,
    history: list[Event] | None = None,
    *,
    show_input: bool = True,
    show_history_output: bool = False,
) -> dict[str, Any]:
    """Return the JSON object of one instance."""
    shown: dict[str, Any] = {
        "name": instance.name,
        "instanceId": instance.instance_id,
        "runtimeStatus": instance.status,
        "input": _parsed(instance.input) if show_input else None,
        "customStatus": _parsed(instance.custom_status),
        "output": _parsed(instance.output),
        "createdTime": _whole_seconds(instance.created),
        "lastUpdatedTime": _whole_seconds(instance.updated),
    }
    if history is not None and instance.status != "Pending":
        shown["historyEvents"] = _shown_history(history, show_input=show_input, show_output=show_history_output)
    return shown


def _shown_history(history: list[Event], *, show_input: bool, show_output: bool) -> list[Event]:
    scheduled = {(event["EventType"], event["EventId"]): event for event in history if event["EventType"] in _SCHEDULED}
    shown: list[Event] = []
    ended: list[int] = []
    positions: dict[tuple[int, int], int] = {}
    for event in history:
        kind = event["EventType"]
        if kind in (EventType.ORCHESTRATOR_STARTED, EventType.ORCHESTRATOR_COMPLETED):
            continue
        item = {**event, "EventType": EVENT_NAMES[EventType(kind)]}
        if kind in _SCHEDULED:
            positions[kind, event["EventId"]] = len(shown)
        elif kind in _RESULTS:
            key = (_RESULTS[kind], event["TaskScheduledId"])
            if (origin := scheduled.get(key)) is not None:
                item["ScheduledTime"] = origin["Timestamp"].removesuffix("Z") + "+00:00"
                item["FunctionName"] = origin["Name"]
                item["Input"] = origin["Input"]
                ended.append(positions[key])
        elif kind == EventType.EXECUTION_STARTED:
            item["FunctionName"] = item["Name"]
            item = {name: value for name, value in item.items() if name not in _HIDDEN_ON_START}
        if "Result" in item:
            item["Result"] = _parsed(item["Result"])
            if not show_output:
                del item["Result"]
        if not show_input:
            item.pop("Input", None)
        shown.append({name: value for name, value in item.items() if name not in _HIDDEN_ALWAYS})
    return [item for position, item in enumerate(shown) if position not in set(ended)]


def _parsed(text: str | None) -> Any:
    """Return parsed JSON, or the text itself if it does not parse, such as the reason of a termination."""
    if text is None:
        return None
    try:
        return json.loads(text)
    except ValueError:
        return text


def _whole_seconds(time_text: str) -> str:
    return parse_time(time_text).strftime("%Y-%m-%dT%H:%M:%SZ")
