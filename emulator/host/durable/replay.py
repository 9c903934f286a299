"""Executes the action list of an orchestrator against its history, as the Durable extension does.

Every episode issues the list again from the start, in order, and awaits each action before it issues the next. Ids are
assigned in the order of issue. The recorded decisions must match. Nothing here does I/O: the result lists what is new,
and the dispatcher commits it.
"""

from collections.abc import Callable, Coroutine, Generator
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum
from typing import Any

from emulator.host.durable.history import (
    COMPLETION_KEYS,
    FAILURES,
    Event,
    EventType,
    event,
    format_time,
    parse_time,
)


class ActionType(IntEnum):
    """Actions of the SDK, with their numbers on the wire."""

    CALL_ACTIVITY = 0
    CALL_ACTIVITY_WITH_RETRY = 1
    CALL_SUB_ORCHESTRATOR = 2
    CALL_SUB_ORCHESTRATOR_WITH_RETRY = 3
    CONTINUE_AS_NEW = 4
    CREATE_TIMER = 5
    WAIT_FOR_EXTERNAL_EVENT = 6
    CALL_ENTITY = 7
    CALL_HTTP = 8
    SIGNAL_ENTITY = 9
    SCHEDULED_SIGNAL_ENTITY = 10
    WHEN_ANY = 11
    WHEN_ALL = 12


class NonDeterministicError(Exception):
    """The recorded decisions do not match those that the orchestrator makes now."""


class UnsupportedActionError(Exception):
    """This host does not support an action."""


@dataclass(frozen=True)
class Decision:
    """Something the orchestrator asked for: an activity, a timer or a sub-orchestration, with its sequence number."""

    id: int
    kind: EventType
    name: str | None = None
    input: str | None = None
    instance_id: str | None = None
    fire_at: datetime | None = None


@dataclass
class ReplayResult:
    """The result of an episode."""

    decisions: list[Decision] = field(default_factory=list)
    is_finished: bool = False
    next_id: int = 0
    continue_as_new: bool = False
    next_input: Any = None


@dataclass(frozen=True)
class Execution:
    """The instance whose actions are executed, and which functions exist."""

    instance_id: str
    execution_id: str
    parent_instance_id: str | None
    is_activity: Callable[[str], bool]
    is_orchestrator: Callable[[str], bool]


class _Task:
    """Something that ends later. Awaiting it suspends the action that waits."""

    def __init__(self) -> None:
        self.is_done = False
        self.failed = False
        self._callbacks: list[Callable[[], None]] = []

    def finish(self, *, failed: bool = False) -> None:
        if self.is_done:
            return
        self.is_done, self.failed = True, failed
        callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def then(self, callback: Callable[[], None]) -> None:
        if self.is_done:
            callback()
        else:
            self._callbacks.append(callback)

    def __await__(self) -> Generator["_Task", None, bool]:
        if not self.is_done:
            yield self
        return not self.failed


def _start(coroutine: Coroutine[_Task, None, None]) -> _Task:
    """Run a coroutine, which pauses at each unfinished task; return a task that ends when the coroutine does."""
    finished = _Task()

    def step() -> None:
        try:
            waiting = coroutine.send(None)
        except StopIteration:
            finished.finish()
            return
        waiting.then(step)

    step()
    return finished


class Replay:
    """One episode: processes every event in order, and the action list as far as the events allow."""

    def __init__(self, execution: Execution, actions: list[dict[str, Any]]) -> None:
        self._execution = execution
        self._actions = actions
        self._next_id = 0
        self._unconfirmed: dict[int, Decision] = {}
        self._open: dict[int, _Task] = {}
        self._result = ReplayResult()
        self._program: _Task | None = None

    def run(self, history: list[Event]) -> ReplayResult:
        """Execute the actions against the whole history, new events included.

        Raises:
            NonDeterministicError: a recorded decision does not match.
            UnsupportedActionError: an action uses events, entities, durable HTTP calls or retries.
        """
        for one in history:
            self._process(one)
        result = self._result
        result.decisions = list(self._unconfirmed.values())
        result.next_id = self._next_id
        result.is_finished = self._program is not None and self._program.is_done and not self._open
        return result

    def _process(self, one: Event) -> None:
        kind = one["EventType"]
        if kind == EventType.EXECUTION_STARTED:
            self._program = _start(self._perform_all())
        elif kind in _DECISION_WORDS:
            self._confirm(one)
        elif kind in COMPLETION_KEYS:
            task = self._open.pop(one[COMPLETION_KEYS[kind]], None)
            if task is not None:
                task.finish(failed=kind in FAILURES)

    def _confirm(self, one: Event) -> None:
        """Match a recorded decision with the one issued with the same number."""
        decision = self._unconfirmed.get(one["EventId"])
        word = _DECISION_WORDS[one["EventType"]]
        name = one.get("Name")
        recorded = (
            f"Non-Deterministic workflow detected: A previous execution of this orchestration scheduled "
            f"{word} with sequence ID {one['EventId']}"
            + (f" and name '{name}' (version '{one.get('Version') or ''}')" if name else "")
        )
        if decision is None:
            raise NonDeterministicError(
                f"{recorded}, but the current replay execution hasn't (yet?) scheduled this task. Was a change made "
                "to the orchestrator code after this instance had already started running?"
            )
        if decision.kind != one["EventType"]:
            raise NonDeterministicError(
                f"{recorded}, but the current orchestration replay instead scheduled "
                f"{_DECISION_WORDS[decision.kind]} with this sequence number. Was a change made to the orchestrator "
                "code after this instance had already started running?"
            )
        if name is not None and (decision.name or "").lower() != name.lower():
            raise NonDeterministicError(
                f"{recorded}, but the current orchestration replay instead scheduled {word} with name "
                f"'{decision.name}' for this sequence number. Was a change made to the orchestrator code after this "
                "instance had already started running?"
            )
        del self._unconfirmed[one["EventId"]]

    def _issue(self, kind: EventType, **what: Any) -> _Task:
        task = _Task()
        self._unconfirmed[self._next_id] = Decision(self._next_id, kind, **what)
        self._open[self._next_id] = task
        self._next_id += 1
        return task

    async def _perform_all(self) -> None:
        for action in self._actions:
            await self._perform(action)

    async def _perform(self, action: dict[str, Any]) -> None:
        """Issue one action and wait for its end. The SDK itself handles how it ended."""
        kind = action["actionType"]
        match kind:
            case ActionType.CALL_ACTIVITY | ActionType.CALL_SUB_ORCHESTRATOR:
                if (task := self._schedule(action)) is not None:
                    await task
            case ActionType.CREATE_TIMER:
                await self._create_timer(parse_time(action["fireAt"]), cancelled=bool(action.get("isCanceled")))
            case ActionType.WHEN_ALL | ActionType.WHEN_ANY:
                children = [_start(self._perform(child)) for child in action["compoundActions"]]
                await _gather(children, wanted=len(children) if kind == ActionType.WHEN_ALL else min(1, len(children)))
            case ActionType.CONTINUE_AS_NEW:
                self._result.continue_as_new = True
                self._result.next_input = action.get("input")
            case _:
                raise UnsupportedActionError(
                    f"The local host does not execute the action {ActionType(kind).name}: events, entities, durable "
                    "HTTP calls and retries by the host are not supported."
                )

    def _schedule(self, action: dict[str, Any]) -> _Task | None:
        """Issue an activity or sub-orchestration, or return None if the extension would swallow the error."""
        name, execution = action["functionName"], self._execution
        if action["actionType"] == ActionType.CALL_ACTIVITY:
            if not execution.is_activity(name):
                return None
            return self._issue(EventType.TASK_SCHEDULED, name=name, input=action.get("input"))
        instance_id = action.get("instanceId") or f"{execution.execution_id}:{self._next_id}"
        if (
            not execution.is_orchestrator(name)
            or instance_id in (execution.instance_id, execution.parent_instance_id)
            or instance_id.startswith("@")
        ):
            return None
        return self._issue(
            EventType.SUB_ORCHESTRATION_CREATED, name=name, input=action.get("input"), instance_id=instance_id
        )

    def _create_timer(self, fire_at: datetime, *, cancelled: bool = False) -> _Task:
        task = self._issue(EventType.TIMER_CREATED, fire_at=fire_at)
        if cancelled:
            # The timer is still created, and its TimerFired comes later, but nobody waits for it any more.
            del self._open[self._next_id - 1]
            task.finish(failed=True)
        return task


_DECISION_WORDS = {
    EventType.TASK_SCHEDULED: "an activity task",
    EventType.SUB_ORCHESTRATION_CREATED: "a sub-orchestration task",
    EventType.TIMER_CREATED: "a timer task",
}


def _gather(children: list[_Task], *, wanted: int) -> _Task:
    """Return a task that ends when `wanted` of the children have ended."""
    combined = _Task()
    remaining = wanted

    def count_down() -> None:
        nonlocal remaining
        remaining -= 1
        if remaining == 0:
            combined.finish()

    if not wanted:
        combined.finish()
    for child in children:
        child.then(count_down)
    return combined


def decision_event(decision: Decision, timestamp: str) -> Event:
    """Build the history event that records a decision, without its input."""
    own: dict[str, Any]
    match decision.kind:
        case EventType.TASK_SCHEDULED:
            own = {"Name": decision.name, "Version": "", "Input": None, "ParentTraceContext": None}
        case EventType.SUB_ORCHESTRATION_CREATED:
            own = {
                "Name": decision.name,
                "Version": "",
                "InstanceId": decision.instance_id,
                "Input": None,
                "ClientSpanId": None,
            }
        case _:
            own = {"FireAt": format_time(decision.fire_at) if decision.fire_at else None}
    return event(decision.kind, timestamp, event_id=decision.id, **own)
