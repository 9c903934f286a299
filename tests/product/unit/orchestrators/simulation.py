"""A Durable host with its own clock: runs the registered orchestrators on histories in the real host's format.

It issues the actions of an orchestrator in order and awaits each before it issues the next, and it lets an instance end
only when no task is open. Activities are functions of the test. Nothing sleeps: time jumps to the next event.
"""

import heapq
import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import azure.durable_functions as df

from orchestrators import ORCHESTRATORS
from orchestrators.missing_activities import refuse_missing

Event = dict[str, Any]
# Takes name, input and time; returns its duration in seconds and its result. An exception becomes a TaskFailed.
Activity = Callable[[str, dict[str, Any], datetime], tuple[float, Any]]

# Before the state of an orchestrator that has raised, in the text of the error.
_STATE_LABEL = "\n\n$OutOfProcData$:"
_ACTIVITY, _SUB, _CONTINUE, _TIMER, _ANY, _ALL = 0, 2, 4, 5, 11, 12


@dataclass
class Instance:
    """One orchestration instance."""

    name: str
    id: str
    input: str
    parent: tuple[str, int, int] | None = None
    history: list[Event] = field(default_factory=list)
    generation: int = 0
    status: str = "Running"
    output: Any = None
    custom_status: Any = None
    cancelled: set[int] = field(default_factory=set)


@dataclass
class Host:
    """Runs instances until nothing is left to do."""

    activity: Activity
    # Activities that the deployed package does not have: calls of them vanish, and take no number.
    gone: frozenset[str] = frozenset()
    now: datetime = datetime(2026, 3, 1, 9, tzinfo=UTC)
    instances: dict[str, Instance] = field(default_factory=dict)
    calls: list[tuple[datetime, str, dict[str, Any]]] = field(default_factory=list)
    kept_histories: list[dict[str, Any]] = field(default_factory=list)
    _queue: list[tuple[datetime, int, str, int, Event]] = field(default_factory=list)
    _order: Any = field(default_factory=itertools.count)

    def run(self, name: str, instance_id: str, input_: Any, until: timedelta = timedelta(days=4)) -> Instance:
        """Start an instance and continue until it and all others are idle, or the time is over."""
        end = self.now + until
        self._start(Instance(name, instance_id, json.dumps(input_)))
        while self._queue and self._queue[0][0] <= end:
            self.now, _, target, generation, event = heapq.heappop(self._queue)
            instance = self.instances[target]
            if instance.status == "Running" and instance.generation == generation:
                self._episode(instance, [event])
        return self.instances[instance_id]

    def names(self) -> list[str]:
        """Return the activities in the order of their calls, each as `step` or `step:verb` after the first."""
        return [f"{call['step'] or name}" for _, name, call in self.calls]

    def started_at(self, step: str) -> float:
        """Return the second at which a step was first called."""
        first = next(time for time, name, call in self.calls if (call["step"] or name) == step)
        return (first - datetime(2026, 3, 1, 9, tzinfo=UTC)).total_seconds()

    def _start(self, instance: Instance) -> None:
        self.instances[instance.id] = instance
        self._later(self.now, instance.id, instance.generation, self._started(instance))

    def _started(self, instance: Instance) -> Event:
        started = _event(0, self.now, Name=instance.name, Version="", Input=instance.input, ParentInstance=None)
        started["OrchestrationInstance"] = {"InstanceId": instance.id, "ExecutionId": "0"}
        return started

    def _episode(self, instance: Instance, messages: list[Event]) -> None:
        history = [*instance.history, _event(12, self.now), *messages]
        text = json.dumps(
            {
                "history": [event | {"IsPlayed": event in instance.history} for event in history],
                "input": instance.input,
                "instanceId": instance.id,
                "isReplaying": bool(instance.history),
                "parentInstanceId": None,
                "upperSchemaVersion": 1,
                "upperSchemaVersionNew": 2,
                "longRunningTimerIntervalDuration": "3.00:00:00",
                "maximumShortTimerDuration": "6.00:00:00",
            }
        )
        self.kept_histories.append({"name": instance.name, "text": text})
        state = self._replay(instance.name, text)
        instance.history = history
        instance.custom_status = state.get("customStatus", instance.custom_status)
        self._issue(instance, state["actions"][0])
        instance.history.append(_event(13, self.now))
        if (state["isDone"] or "error" in state) and not self._open(instance):
            self._finish(instance, state)

    def _replay(self, name: str, text: str) -> Any:
        """Return the state that an orchestrator answers, or that its error quotes."""
        interpreter = refuse_missing(ORCHESTRATORS[name], lambda activity: activity not in self.gone)
        try:
            return json.loads(df.Orchestrator.create(interpreter)(text))
        except Exception as failure:
            _, label, state = str(failure).partition(_STATE_LABEL)
            if not label:
                raise
            return json.loads(state)

    def _finish(self, instance: Instance, state: dict[str, Any]) -> None:
        again = next((action for action in state["actions"][0] if action["actionType"] == _CONTINUE), None)
        if again is not None:
            instance.history, instance.generation, instance.cancelled = [], instance.generation + 1, set()
            instance.input = again["input"]
            self._start(instance)
            return
        failed = "error" in state
        instance.status = "Failed" if failed else "Completed"
        instance.output = state["error"] if failed else state.get("output")
        if instance.parent is not None:
            parent, task, generation = instance.parent
            if failed:
                result = _event(9, self.now, TaskScheduledId=task, Reason=instance.output, Details="{}")
            else:
                result = _event(8, self.now, TaskScheduledId=task, Result=json.dumps(instance.output))
            self._later(self.now, parent, generation, result)

    def _issue(self, instance: Instance, actions: list[dict[str, Any]]) -> None:
        self._next = 0
        for action in actions:
            if not self._await(instance, action):
                return

    def _await(self, instance: Instance, action: dict[str, Any]) -> bool:
        kind = action["actionType"]
        if kind == _CONTINUE:
            return True
        if kind in (_ANY, _ALL):
            ended = [self._await(instance, child) for child in action["compoundActions"]]
            return any(ended) if kind == _ANY else all(ended)
        if kind == _ACTIVITY and action["functionName"] in self.gone:
            return True
        task, self._next = self._next, self._next + 1
        recorded = [event for event in instance.history if event["EventId"] == task]
        if recorded:
            assert recorded[0]["Name"] == str(action.get("functionName")), "non-deterministic"
        else:
            self._schedule(instance, task, action)
        return task in instance.cancelled or task in _completed(instance)

    def _schedule(self, instance: Instance, task: int, action: dict[str, Any]) -> None:
        name, kind = str(action.get("functionName")), action["actionType"]
        event_type = {_ACTIVITY: 4, _SUB: 7, _TIMER: 10}[kind]
        instance.history.append(_event(event_type, self.now, EventId=task, Name=name, Version="", Input=None))
        if kind == _TIMER:
            fire = datetime.fromisoformat(action["fireAt"])
            if action["isCanceled"]:
                instance.cancelled.add(task)
            fired = _event(11, fire, TimerId=task, FireAt=action["fireAt"])
            self._later(max(fire, self.now), instance.id, instance.generation, fired)
        elif kind == _SUB:
            child = Instance(name, action["instanceId"], action["input"], (instance.id, task, instance.generation))
            self._start(child)
        else:
            self._call(instance, task, name, json.loads(action["input"]))

    def _call(self, instance: Instance, task: int, name: str, input_: dict[str, Any]) -> None:
        self.calls.append((self.now, name, input_))
        seconds, result = self.activity(name, input_, self.now)
        time = self.now + timedelta(seconds=seconds)
        if isinstance(result, Exception):
            reason = f"Activity function '{name}' failed:  {result}"
            event = _event(6, time, TaskScheduledId=task, Reason=reason, Details="{}", FailureDetails=None)
        else:
            event = _event(5, time, TaskScheduledId=task, Result=json.dumps(result))
        self._later(time, instance.id, instance.generation, event)

    def _later(self, time: datetime, target: str, generation: int, event: Event) -> None:
        heapq.heappush(self._queue, (time, next(self._order), target, generation, event))

    def _open(self, instance: Instance) -> bool:
        scheduled = {event["EventId"] for event in instance.history if event["EventType"] in (4, 7, 10)}
        return bool(scheduled - instance.cancelled - _completed(instance))


def _completed(instance: Instance) -> set[int]:
    return {
        event["TimerId"] if event["EventType"] == 11 else event["TaskScheduledId"]
        for event in instance.history
        if event["EventType"] in (5, 6, 8, 9, 11)
    }


def _event(event_type: int, time: datetime, **members: Any) -> Event:
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return {"EventType": event_type, "EventId": -1, "IsPlayed": False, "Timestamp": stamp} | members
