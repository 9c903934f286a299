"""Runs timer functions: one host at a time per function, no overlapping runs, past-due runs at start."""

import asyncio
import json
import sqlite3
import time
from collections.abc import Callable
from datetime import UTC, datetime

from emulator.host.function_index import FunctionIndex, TimerFunction
from emulator.host.logs import log
from emulator.host.timer_leases import TimerLeases
from emulator.host.worker.process import FunctionFailedError, Worker, WorkerDiedError, WorkerStoppedError

_PAUSE_AFTER_ERROR_SECONDS = 5


class TimerService:
    """Runs one task for each timer function. The task runs the function while this host holds its lease."""

    def __init__(
        self, leases: TimerLeases, worker: Worker, index: FunctionIndex, client_binding: Callable[[], str]
    ) -> None:
        self._leases = leases
        self._worker = worker
        self._functions = {timer.name.lower(): timer for timer in index.timers}
        self._client_binding = client_binding
        self._triggers = {name: asyncio.Event() for name in self._functions}
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Start to run every timer function on its schedule."""
        self._tasks = [asyncio.create_task(self._supervise(timer)) for timer in self._functions.values()]

    def stop(self) -> None:
        """Start no more runs."""
        for task in self._tasks:
            task.cancel()

    def trigger(self, name: str) -> bool:
        """Run a timer function now, as POST /admin/functions/NAME does; return False if there is no such function."""
        event = self._triggers.get(name.lower())
        if event is not None:
            event.set()
        return event is not None

    async def _supervise(self, timer: TimerFunction) -> None:
        while True:
            try:
                await self._keep_schedule(timer)
            except sqlite3.OperationalError as error:
                # Another host holds the file for too long, or the disk is full. Both may pass, so try again.
                log("ERROR", f"Function.{timer.name}", f"The schedule cannot be kept: {error}")
                await asyncio.sleep(_PAUSE_AFTER_ERROR_SECONDS)
            except ValueError as error:  # The schedule never fires.
                log("ERROR", f"Function.{timer.name}", str(error))
                return

    async def _keep_schedule(self, timer: TimerFunction) -> None:
        while not self._leases.hold(timer.name):
            await self._pause(timer, self._leases.lease_seconds / 3)
            if self._triggers[timer.name.lower()].is_set():
                self._triggers[timer.name.lower()].clear()
                await self._run(timer, is_past_due=False)
        due, is_past_due = self._first_run(timer, datetime.now(UTC))
        while True:
            remaining = (due - datetime.now(UTC)).total_seconds()
            if remaining > 0 and await self._pause(timer, min(remaining, 60)):
                self._triggers[timer.name.lower()].clear()
                await self._run(timer, is_past_due=False)
                continue
            if datetime.now(UTC) < due:
                continue
            began = datetime.now(UTC)
            following = timer.schedule.next_after(due)
            await self._run(timer, is_past_due=is_past_due)
            # After a run that took longer than its interval, run once at once, not once for each missed time.
            due, is_past_due = max(following, began), False
            if following < datetime.now(UTC):
                due = datetime.now(UTC)
            self._leases.record(timer.name, began, due)

    async def _pause(self, timer: TimerFunction, seconds: float) -> bool:
        """Wait; return True if somebody triggered the function meanwhile."""
        try:
            async with asyncio.timeout(seconds):
                await self._triggers[timer.name.lower()].wait()
        except TimeoutError:
            return False
        return True

    def _first_run(self, timer: TimerFunction, now: datetime) -> tuple[datetime, bool]:
        """Return when the function runs first, and whether that run is past due."""
        _, following, _ = self._leases.status(timer.name)
        if timer.use_monitor and following is not None and datetime.fromisoformat(following) < now:
            return now, True
        if timer.run_on_startup:
            return now, False
        return timer.schedule.next_after(now), False

    async def _run(self, timer: TimerFunction, *, is_past_due: bool) -> None:
        last, following, updated = self._leases.status(timer.name)
        status = {"Last": last, "Next": following, "LastUpdated": updated} if timer.use_monitor and last else None
        value = {"Schedule": {"AdjustForDST": True}, "ScheduleStatus": status, "IsPastDue": is_past_due}
        header = {
            "value": json.dumps(value),
            "inputs": {name: self._client_binding() for name in timer.clients},
        }
        began = time.perf_counter()
        try:
            await self._worker.invoke(timer.name, header)
        except FunctionFailedError as error:
            log("ERROR", f"Function.{timer.name}", str(error), stack=error.error.stack)
        except (WorkerDiedError, WorkerStoppedError) as error:
            log("ERROR", f"Function.{timer.name}", f"The run was lost: {error}")
        else:
            log("INFO", "Host.Timers", f"Executed '{timer.name}' in {time.perf_counter() - began:.3f} s")
