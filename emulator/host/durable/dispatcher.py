"""Runs the work of the task hub: episodes of orchestrators, and activities.

One loop claims work up to the limits of host.json. It sleeps until this host writes, a message falls due, or the
store's `data_version` shows that another host has written.
"""

import asyncio
import json
import sqlite3
import time
import uuid
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any

from emulator.host.durable import failures
from emulator.host.durable.episode import EpisodeOutcome, conclude, fail, orchestrator_input, terminate
from emulator.host.durable.history import EventType, compact_json, task_completed, task_failed
from emulator.host.durable.records import Activity, Episode, now_text
from emulator.host.durable.work import WorkQueue
from emulator.host.function_index import DurableFunction, FunctionIndex
from emulator.host.host_config import HostConfig
from emulator.host.lease_owner import is_known_dead
from emulator.host.logs import log
from emulator.host.worker.process import (
    FunctionFailedError,
    Worker,
    WorkerDiedError,
    WorkerStoppedError,
    WorkerTimeoutError,
)

# How often to ask the store whether another host has written. This host's own writes wake the loop at once.
_POLL_SECONDS = 0.25
# How long work that this host had to abort stays invisible. For an activity it is 2^n seconds instead, where n is the
# number of its deliveries so far.
_BACKOFF_SECONDS = 2
_LONGEST_BACKOFF_SECONDS = 600


@dataclass(frozen=True)
class DurableRuntime:
    """Everything the dispatcher works with."""

    work: WorkQueue
    worker: Worker
    index: FunctionIndex
    config: HostConfig
    client_binding: Callable[[], str]


class Dispatcher:
    """Claims and runs durable work until it is stopped."""

    def __init__(self, runtime: DurableRuntime) -> None:
        self._runtime = runtime
        self._wake = asyncio.Event()
        self._episodes: set[asyncio.Task[None]] = set()
        self._activities: set[asyncio.Task[None]] = set()
        self._loops: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Take back the leases of dead hosts of this machine, then begin to claim work."""
        work = self._runtime.work
        for owner in work.lease_owners():
            if owner != work.owner and is_known_dead(owner):
                log("WARNING", "Host.Durable", "Taking over the leases of a host that has died.", owner=owner)
                work.drop_leases(owner)
        self._loops = [asyncio.create_task(self._claim_forever()), asyncio.create_task(self._renew_forever())]

    def wake(self) -> None:
        """Look for work at once; call it after every write to the store."""
        self._wake.set()

    async def stop(self, grace_seconds: float) -> None:
        """Stop claiming work, and wait up to `grace_seconds` for running work.

        Once the worker has stopped, each task that still runs puts its work back.
        """
        if self._loops:
            self._loops[0].cancel()
        running = self._episodes | self._activities
        if running:
            await asyncio.wait(running, timeout=grace_seconds)

    async def drain(self) -> None:
        """Wait until every task has ended. The worker has stopped by now, so each task puts its work back."""
        await asyncio.gather(*self._episodes, *self._activities, return_exceptions=True)
        for loop in self._loops:
            loop.cancel()

    async def _claim_forever(self) -> None:
        seen = -1
        due: float | None = 0.0
        while True:
            try:
                version = self._runtime.work.data_version()
                if self._wake.is_set() or version != seen or (due is not None and due <= time.time()):
                    self._wake.clear()
                    seen = version
                    due = self._claim()
            except sqlite3.OperationalError as error:
                # Another host holds the file for too long, or the disk is full. Both may pass, so try again.
                log("ERROR", "Host.Durable", f"The task hub cannot be used: {error}")
                due = time.time() + 1
            pause = _POLL_SECONDS if due is None else min(_POLL_SECONDS, max(0.001, due - time.time()))
            try:
                async with asyncio.timeout(pause):
                    await self._wake.wait()
            except TimeoutError:
                continue

    def _claim(self) -> float | None:
        """Claim as much work as may run at the same time; return when the next work falls due."""
        work, config = self._runtime.work, self._runtime.config
        free_episodes = config.max_concurrent_orchestrators - len(self._episodes)
        episodes = work.claim_episodes(free_episodes) if free_episodes > 0 else []
        for episode in episodes:
            put_back = partial(work.release_episode, episode, _BACKOFF_SECONDS)
            self._run(self._episodes, self._run_episode(episode), put_back)
        free_activities = config.max_concurrent_activities - len(self._activities)
        activities = work.claim_activities(free_activities) if free_activities > 0 else []
        for activity in activities:
            backoff = min(2**activity.deliveries, _LONGEST_BACKOFF_SECONDS)
            self._run(self._activities, self._run_activity(activity), partial(work.release_activity, activity, backoff))
        due = work.next_due()
        is_full = len(episodes) >= free_episodes or len(activities) >= free_activities
        if due is not None and is_full:
            # Work that is already due waits for a free slot, and every task that ends wakes this loop.
            return max(due, time.time() + _POLL_SECONDS)
        return due

    def _run(
        self, running: set[asyncio.Task[None]], work: Coroutine[Any, Any, None], put_back: Callable[[], None]
    ) -> None:
        task = asyncio.create_task(work)
        running.add(task)

        def finish(done: asyncio.Task[None]) -> None:
            running.discard(done)
            self.wake()
            if not done.cancelled() and (error := done.exception()) is not None:
                log("ERROR", "Host.Durable", f"Durable work was aborted: {error!r}")
                put_back()

        task.add_done_callback(finish)

    async def _renew_forever(self) -> None:
        while True:
            await asyncio.sleep(self._runtime.work.lease_seconds / 3)
            try:
                self._runtime.work.renew_leases()
            except sqlite3.OperationalError as error:
                log("ERROR", "Host.Durable", f"The leases could not be renewed: {error}")

    # Orchestrators.

    async def _run_episode(self, episode: Episode) -> None:
        work = self._runtime.work
        try:
            outcome = await self._play(episode)
        except WorkerStoppedError:
            work.release_episode(episode)
            return
        except WorkerTimeoutError as error:
            log("ERROR", "Host.Durable", str(error), instance_id=episode.instance.instance_id)
            work.release_episode(episode, delay_seconds=_BACKOFF_SECONDS)
            return
        if not work.commit_episode(episode, outcome.commit):
            log("WARNING", "Host.Durable", "The episode's lease was lost.", instance_id=episode.instance.instance_id)
        elif outcome.commit.status != episode.instance.status:
            log(
                "INFO" if outcome.commit.status != "Failed" else "ERROR",
                "Host.Durable",
                f"{episode.instance.name}: {outcome.commit.status}",
                instance_id=episode.instance.instance_id,
                output=outcome.commit.output if outcome.commit.status == "Failed" else None,
            )

    async def _play(self, episode: Episode) -> EpisodeOutcome:
        """Call the worker, and again after each continue-as-new, until the episode is over."""
        outcome = EpisodeOutcome.begin(episode)
        while True:
            if outcome.is_terminated:
                return terminate(outcome)
            name = outcome.instance.name
            function = self._runtime.index.orchestrators.get(name.lower())
            if function is None:
                return fail(
                    outcome,
                    failures.orchestrator_output(
                        name,
                        f"The function '{name}' doesn't exist, is disabled, or is not an orchestrator function. "
                        "Additional info: " + _known("orchestrator", self._runtime.index.orchestrators),
                    ),
                )
            state = await self._call_orchestrator(function, outcome)
            if isinstance(state, str):
                return fail(outcome, failures.orchestrator_output(name, state))
            outcome = conclude(outcome, state, self._runtime.index, self._runtime.config.max_orchestration_actions)
            if not outcome.continues_as_new:
                return outcome

    async def _call_orchestrator(self, function: DurableFunction, outcome: EpisodeOutcome) -> dict[str, Any] | str:
        """Return the orchestrator's state, or the text of the failure if there is no state."""
        header = {
            "value": orchestrator_input(outcome),
            "instance": outcome.instance.instance_id,
            "inputs": self._client_inputs(function),
        }
        timeout = self._runtime.config.function_timeout_seconds
        try:
            result, _ = await self._runtime.worker.invoke(function.name, header, timeout_seconds=timeout)
        except FunctionFailedError as failed:
            return failures.orchestrator_state(failed.error)
        except WorkerTimeoutError:
            raise
        except WorkerDiedError as died:
            return str(died)
        state: dict[str, Any] = json.loads(result["value"])
        return state

    # Activities.

    async def _run_activity(self, activity: Activity) -> None:
        work, index = self._runtime.work, self._runtime.index
        function = index.activities.get(activity.name.lower())
        if function is None:
            message = f"The function '{activity.name}' doesn't exist, is disabled, or is not an activity function."
            event = task_failed(EventType.TASK_FAILED, activity.task_id, message, message, now_text())
            work.complete_activity(activity, event)
            return
        header = {
            "id": str(uuid.uuid4()),
            "value": activity.input if activity.input is not None else "null",
            "instance": activity.instance_id,
            "inputs": self._client_inputs(function),
        }
        timeout = self._runtime.config.function_timeout_seconds
        began, reason = time.monotonic(), None
        try:
            result, _ = await self._runtime.worker.invoke(function.name, header, timeout_seconds=timeout)
        except WorkerStoppedError:
            work.release_activity(activity)
            return
        except FunctionFailedError as failed:
            reason = failures.activity_reason(activity.name, failed.error)
            details = failures.exception_details(function.name, failed.error, reason)
            event = task_failed(EventType.TASK_FAILED, activity.task_id, reason, details, now_text())
        except WorkerDiedError as died:
            reason = f"Activity function '{activity.name}' failed: {died}"
            details = failures.exception_details(function.name, None, str(died))
            event = task_failed(EventType.TASK_FAILED, activity.task_id, reason, details, now_text())
        else:
            value = json.loads(result["value"])
            text = None if value is None else compact_json(value)
            event = task_completed(EventType.TASK_COMPLETED, activity.task_id, text, now_text())
        log(
            "INFO" if reason is None else "ERROR",
            "Host.Durable",
            f"{'Executed' if reason is None else 'Failed to execute'} '{function.name}' in "
            f"{time.monotonic() - began:.3f} s",
            reason=reason,
            instance_id=activity.instance_id,
            invocation_id=header["id"],
            delivery=activity.deliveries,
        )
        if not work.complete_activity(activity, event):
            log(
                "WARNING",
                "Host.Durable",
                "The activity's lease was lost; its result is dropped.",
                invocation_id=header["id"],
            )

    def _client_inputs(self, function: DurableFunction) -> dict[str, str]:
        return {name: self._runtime.client_binding() for name in function.clients}


def _known(kind: str, functions: dict[str, DurableFunction]) -> str:
    if not functions:
        return f"No {kind} functions are currently registered!"
    names = ", ".join(f"'{function.name}'" for function in functions.values())
    return f"The following are the known {kind} functions: {names}."
