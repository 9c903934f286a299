"""One episode of an instance: the worker's input, and what follows from its answer.

These are pure functions over an `EpisodeOutcome`. The dispatcher calls the worker between them and commits the result.
"""

import json
import uuid
from dataclasses import dataclass, replace
from typing import Any

from emulator.host.durable import failures
from emulator.host.durable.history import (
    Event,
    EventType,
    compact_json,
    event,
    execution_started,
    for_worker,
    format_time,
    task_completed,
    task_failed,
    timer_fired,
)
from emulator.host.durable.records import Commit, Episode, Instance, now_text
from emulator.host.durable.replay import (
    Decision,
    Execution,
    NonDeterministicError,
    Replay,
    ReplayResult,
    UnsupportedActionError,
    decision_event,
)
from emulator.host.function_index import FunctionIndex

_CUSTOM_STATUS_LIMIT_BYTES = 16 * 1024
_SCHEMA_VERSIONS = (1, 2)


@dataclass(frozen=True)
class EpisodeOutcome:
    """The state of an episode between two calls of the worker, and its commit at the end.

    Attributes:
        instance: The instance. After continue-as-new, it has its next execution id and input.
        past: The history before this episode.
        new: The events of this episode so far.
        commit: The changes to write.
        continues_as_new: Whether to call the worker again, for the next execution.
    """

    instance: Instance
    past: list[Event]
    new: list[Event]
    commit: Commit
    continues_as_new: bool = False

    @classmethod
    def begin(cls, episode: Episode) -> "EpisodeOutcome":
        """Start an episode with all messages that were claimed together, in the order of their arrival."""
        started = event(EventType.ORCHESTRATOR_STARTED, now_text())
        new = [started, *(message.event for message in episode.messages)]
        return cls(episode.instance, episode.history, new, Commit(episode.instance.status, []))

    @property
    def is_terminated(self) -> bool:
        """Whether somebody terminated the instance."""
        return any(one["EventType"] == EventType.EXECUTION_TERMINATED for one in self.new)


def orchestrator_input(outcome: EpisodeOutcome) -> str:
    """Return the JSON text with which an orchestrator is called."""
    instance = outcome.instance
    history = for_worker(outcome.past, outcome.new)
    started = next(one for one in history if one["EventType"] == EventType.EXECUTION_STARTED)
    return json.dumps(
        {
            "history": history,
            "input": json.loads(instance.input) if instance.input is not None else None,
            "instanceId": instance.instance_id,
            "isReplaying": started["IsPlayed"],
            "parentInstanceId": _parent_id(instance),
            "upperSchemaVersion": 1,
            "upperSchemaVersionNew": 2,
            "longRunningTimerIntervalDuration": "3.00:00:00",
            "maximumShortTimerDuration": "6.00:00:00",
            "defaultHttpAsyncRequestSleepTimeMillseconds": 30000,
        },
        ensure_ascii=False,
    )


def conclude(outcome: EpisodeOutcome, state: dict[str, Any], index: FunctionIndex, max_actions: int) -> EpisodeOutcome:
    """Execute the orchestrator's actions and return what follows from them."""
    instance, name = outcome.instance, outcome.instance.name
    if state.get("schemaVersion", 0) not in _SCHEMA_VERSIONS or len(state["actions"]) != 1:
        return fail(outcome, failures.orchestrator_output(name, "The replay schema of the state is not supported."))
    actions = state["actions"][0]
    if len(actions) > max_actions:
        text = f"Maximum amount of orchestration actions ({max_actions:,}) has been reached."
        return fail(outcome, failures.orchestrator_output(name, text))

    custom_status = None
    if "customStatus" in state:
        custom_status = compact_json(state["customStatus"])
        size = len(custom_status.encode("utf-16-le"))
        if size > _CUSTOM_STATUS_LIMIT_BYTES:
            text = (
                "The UTF-16 size of the JSON-serialized payload must not exceed 16 KB. The current payload is "
                f"{size // 1024:,} KB. (Parameter 'customStatus')"
            )
            return fail(outcome, failures.orchestrator_output(name, text))

    execution = Execution(
        instance_id=instance.instance_id,
        execution_id=instance.execution_id,
        parent_instance_id=_parent_id(instance),
        is_activity=lambda activity: activity.lower() in index.activities,
        is_orchestrator=lambda orchestrator: orchestrator.lower() in index.orchestrators,
    )
    try:
        result = Replay(execution, actions).run(outcome.past + outcome.new)
    except NonDeterministicError as error:
        return fail(outcome, str(error))
    except UnsupportedActionError as error:
        return fail(outcome, failures.orchestrator_output(name, str(error)))
    commit = replace(outcome.commit, custom_status=custom_status or outcome.commit.custom_status)
    return _apply(replace(outcome, commit=commit), state, result)


def _apply(outcome: EpisodeOutcome, state: dict[str, Any], result: ReplayResult) -> EpisodeOutcome:
    if result.is_finished:
        if error := state.get("error"):
            text = failures.orchestrator_output(outcome.instance.name, error)
            return _finish(outcome, "Failed", text, result.next_id, result.decisions)
        if result.continue_as_new:
            return _continue_as_new(outcome, result)
        if state.get("isDone"):
            value = state.get("output")
            output = None if value is None else compact_json(value)
            return _finish(outcome, "Completed", output, result.next_id, result.decisions)
    commit = _with_decisions(outcome, result.decisions)
    commit = replace(commit, status="Running", new_events=_close(commit.new_events, now_text()))
    return replace(outcome, commit=commit, continues_as_new=False)


def fail(outcome: EpisodeOutcome, text: str) -> EpisodeOutcome:
    """Fail the instance at once, without calling the orchestrator again."""
    return _finish(outcome, "Failed", text, _next_id(outcome), [])


def terminate(outcome: EpisodeOutcome) -> EpisodeOutcome:
    """End a terminated instance. Its running activities continue, and their results are dropped."""
    reason = next(one["Input"] for one in outcome.new if one["EventType"] == EventType.EXECUTION_TERMINATED)
    return _finish(outcome, "Terminated", reason, _next_id(outcome), [])


def _finish(
    outcome: EpisodeOutcome, status: str, output: str | None, event_id: int, decisions: list[Decision]
) -> EpisodeOutcome:
    commit = _with_decisions(outcome, decisions)
    now = now_text()
    completed = event(
        EventType.EXECUTION_COMPLETED,
        now,
        event_id=event_id,
        OrchestrationStatus=status,
        Result=output,
        FailureDetails=None,
    )
    commit = replace(
        commit,
        status=status,
        output=output,
        new_events=_close([*commit.new_events, completed], now),
        messages=_tell_parent(outcome.instance, status, output, now),
    )
    return replace(outcome, commit=commit, continues_as_new=False)


def _close(events: list[Event], now: str) -> list[Event]:
    """End the events with OrchestratorCompleted, which may already be there after continue-as-new."""
    if events[-1]["EventType"] == EventType.ORCHESTRATOR_COMPLETED:
        return events
    return [*events, event(EventType.ORCHESTRATOR_COMPLETED, now)]


def _tell_parent(instance: Instance, status: str, output: str | None, now: str) -> list[tuple[str, str | None, Event]]:
    if instance.parent is None:
        return []
    target = instance.parent["OrchestrationInstance"]
    task_id = instance.parent["TaskScheduleId"]
    if status == "Completed":
        told = task_completed(EventType.SUB_ORCHESTRATION_COMPLETED, task_id, output, now)
    else:
        told = task_failed(EventType.SUB_ORCHESTRATION_FAILED, task_id, output, None, now)
    return [(target["InstanceId"], target["ExecutionId"], told)]


def _continue_as_new(outcome: EpisodeOutcome, result: ReplayResult) -> EpisodeOutcome:
    """Begin the next execution.

    Its first call sees OrchestratorStarted, ExecutionStarted and OrchestratorCompleted.
    """
    now = now_text()
    instance = replace(
        outcome.instance,
        execution_id=uuid.uuid4().hex,
        input=None if result.next_input is None else compact_json(result.next_input),
        generation=outcome.instance.generation + 1,
    )
    started = execution_started(
        instance_id=instance.instance_id,
        execution_id=instance.execution_id,
        name=instance.name,
        input_text=instance.input,
        timestamp=now,
        parent=instance.parent,
        generation=instance.generation,
    )
    new = [
        event(EventType.ORCHESTRATOR_STARTED, now),
        started,
        event(EventType.ORCHESTRATOR_COMPLETED, now),
    ]
    commit = Commit(
        "Running",
        [],
        custom_status=outcome.commit.custom_status,
        next_execution=(instance.execution_id, instance.input),
        generations=outcome.commit.generations + 1,
    )
    return EpisodeOutcome(instance, [], new, commit, continues_as_new=True)


def _with_decisions(outcome: EpisodeOutcome, decisions: list[Decision]) -> Commit:
    """Record decisions in the history, and turn each into work."""
    now, instance = now_text(), outcome.instance
    commit = replace(
        outcome.commit,
        new_events=[*outcome.new, *(decision_event(decision, now) for decision in decisions)],
        activities=[],
        timers=[],
        children=[],
    )
    for decision in decisions:
        match decision.kind:
            case EventType.TASK_SCHEDULED:
                commit.activities.append((decision.id, decision.name or "", decision.input))
            case EventType.TIMER_CREATED if decision.fire_at is not None:
                commit.timers.append((decision.fire_at, timer_fired(decision.id, format_time(decision.fire_at), now)))
            case EventType.SUB_ORCHESTRATION_CREATED:
                parent = {
                    "Name": instance.name,
                    "OrchestrationInstance": {
                        "InstanceId": instance.instance_id,
                        "ExecutionId": instance.execution_id,
                    },
                    "TaskScheduleId": decision.id,
                    "Version": "",
                }
                text = None if decision.input is None else compact_json(decision.input)
                commit.children.append((decision.name or "", decision.instance_id or "", text, parent))
    return commit


def _next_id(outcome: EpisodeOutcome) -> int:
    return 1 + max((one["EventId"] for one in outcome.past), default=-1)


def _parent_id(instance: Instance) -> str | None:
    return instance.parent["OrchestrationInstance"]["InstanceId"] if instance.parent else None
