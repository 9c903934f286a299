"""The shapes of history events, as the worker and the management API see them.

An event is a dictionary with the properties of DurableTask.Core, in their order and including nulls. `IsPlayed` has the
value that later episodes see; `for_worker` marks new events as not yet played.
"""

import json
import re
from datetime import UTC, datetime
from enum import IntEnum
from typing import Any

Event = dict[str, Any]


class EventType(IntEnum):
    """Event types with the numbers they have on the wire."""

    EXECUTION_STARTED = 0
    EXECUTION_COMPLETED = 1
    EXECUTION_FAILED = 2
    EXECUTION_TERMINATED = 3
    TASK_SCHEDULED = 4
    TASK_COMPLETED = 5
    TASK_FAILED = 6
    SUB_ORCHESTRATION_CREATED = 7
    SUB_ORCHESTRATION_COMPLETED = 8
    SUB_ORCHESTRATION_FAILED = 9
    TIMER_CREATED = 10
    TIMER_FIRED = 11
    ORCHESTRATOR_STARTED = 12
    ORCHESTRATOR_COMPLETED = 13
    EVENT_SENT = 14
    EVENT_RAISED = 15
    CONTINUE_AS_NEW = 16
    GENERIC = 17
    HISTORY_STATE = 18


EVENT_NAMES = {
    EventType.EXECUTION_STARTED: "ExecutionStarted",
    EventType.EXECUTION_COMPLETED: "ExecutionCompleted",
    EventType.EXECUTION_FAILED: "ExecutionFailed",
    EventType.EXECUTION_TERMINATED: "ExecutionTerminated",
    EventType.TASK_SCHEDULED: "TaskScheduled",
    EventType.TASK_COMPLETED: "TaskCompleted",
    EventType.TASK_FAILED: "TaskFailed",
    EventType.SUB_ORCHESTRATION_CREATED: "SubOrchestrationInstanceCreated",
    EventType.SUB_ORCHESTRATION_COMPLETED: "SubOrchestrationInstanceCompleted",
    EventType.SUB_ORCHESTRATION_FAILED: "SubOrchestrationInstanceFailed",
    EventType.TIMER_CREATED: "TimerCreated",
    EventType.TIMER_FIRED: "TimerFired",
    EventType.ORCHESTRATOR_STARTED: "OrchestratorStarted",
    EventType.ORCHESTRATOR_COMPLETED: "OrchestratorCompleted",
    EventType.EVENT_SENT: "EventSent",
    EventType.EVENT_RAISED: "EventRaised",
    EventType.CONTINUE_AS_NEW: "ContinueAsNew",
    EventType.GENERIC: "GenericEvent",
    EventType.HISTORY_STATE: "HistoryState",
}

# Incoming events, which later episodes see as played. Decisions and the marks of an episode stay unplayed.
_PLAYED_LATER = frozenset(
    {
        EventType.EXECUTION_STARTED,
        EventType.TASK_COMPLETED,
        EventType.TASK_FAILED,
        EventType.SUB_ORCHESTRATION_COMPLETED,
        EventType.SUB_ORCHESTRATION_FAILED,
        EventType.TIMER_FIRED,
    }
)

COMPLETION_KEYS = {
    EventType.TASK_COMPLETED: "TaskScheduledId",
    EventType.TASK_FAILED: "TaskScheduledId",
    EventType.SUB_ORCHESTRATION_COMPLETED: "TaskScheduledId",
    EventType.SUB_ORCHESTRATION_FAILED: "TaskScheduledId",
    EventType.TIMER_FIRED: "TimerId",
}
FAILURES = frozenset({EventType.TASK_FAILED, EventType.SUB_ORCHESTRATION_FAILED})


def format_time(moment: datetime) -> str:
    """Write a time as .NET does: `Z`, and a fraction without trailing zeros."""
    text = moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f").rstrip("0").rstrip(".")
    return text + "Z"


def parse_time(text: str) -> datetime:
    """Read a time with up to seven decimals; without an offset it is UTC.

    Raises:
        ValueError: the text is not a time.
    """
    moment = datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", text))
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def compact_json(value: Any) -> str:
    """Write JSON as the host rewrites results: compact, with non-ASCII characters unescaped."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def event(event_type: EventType, timestamp: str, *, event_id: int = -1, **properties: Any) -> Event:
    """Build one event; the common properties come last, as on the wire.

    Args:
        event_type: its type.
        timestamp: its time, as `format_time` writes it.
        event_id: the sequence number of a decision; -1 for most other events.
        properties: the properties of its type.
    """
    return {
        "EventType": int(event_type),
        **properties,
        "EventId": event_id,
        "IsPlayed": event_type in _PLAYED_LATER,
        "Timestamp": timestamp,
    }


def execution_started(
    *,
    instance_id: str,
    execution_id: str,
    name: str,
    input_text: str | None,
    timestamp: str,
    parent: dict[str, Any] | None = None,
    generation: int = 0,
) -> Event:
    """Build ExecutionStarted."""
    started = event(
        EventType.EXECUTION_STARTED,
        timestamp,
        ParentInstance=parent,
        Name=name,
        Version="",
        Input=input_text,
        Tags=None,
        Correlation=None,
        ParentTraceContext=None,
        ScheduledStartTime=None,
        Generation=generation,
    )
    return {"OrchestrationInstance": {"InstanceId": instance_id, "ExecutionId": execution_id}, **started}


def task_completed(kind: EventType, task_id: int, result: str | None, timestamp: str) -> Event:
    """Build TaskCompleted or SubOrchestrationInstanceCompleted."""
    return event(kind, timestamp, TaskScheduledId=task_id, Result=result)


def task_failed(kind: EventType, task_id: int, reason: str | None, details: str | None, timestamp: str) -> Event:
    """Build TaskFailed or SubOrchestrationInstanceFailed."""
    return event(kind, timestamp, TaskScheduledId=task_id, Reason=reason, Details=details, FailureDetails=None)


def timer_fired(timer_id: int, fire_at: str, timestamp: str) -> Event:
    """Build TimerFired."""
    return event(EventType.TIMER_FIRED, timestamp, TimerId=timer_id, FireAt=fire_at)


def terminated(reason: str | None, timestamp: str) -> Event:
    """Build ExecutionTerminated."""
    return event(EventType.EXECUTION_TERMINATED, timestamp, Input=reason)


def for_worker(past: list[Event], new: list[Event]) -> list[Event]:
    """Return the history for the worker, in which the new events are not yet played."""
    return past + [{**one, "IsPlayed": False} for one in new]
