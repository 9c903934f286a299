"""Drives the interpreter of plans in this process, with threads for activities and the clock of this machine.

The interpreter is written for Durable Functions, whose host replays it. Here nothing is replayed: an orchestrator is a
generator that goes on when the task that it yielded has ended. A process that dies loses nothing, because every row
records its end, and a resumed plan takes those rows as done.
"""

import heapq
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from queue import Empty, SimpleQueue
from typing import Any

from orchestrators.engine_v1 import run_plan_v1, wait_row_v1
from shared.json_object import Json

Activity = Callable[[str, Json], Any]
Orchestrator = Callable[[Any], Generator[Any, Any, Any]]

ORCHESTRATORS: dict[str, Orchestrator] = {"wait_row_v1": wait_row_v1}
# How many rows run at once.
WORKERS = 8


@dataclass(eq=False)
class Task:
    """Something that ends later: an activity, a timer, another orchestration, or the first of several."""

    result: Any = None
    is_completed: bool = False
    waiting: list[Callable[["Task"], None]] = field(default_factory=list)
    canceled: bool = False

    def end(self, result: Any) -> None:
        """End with a result, which is an exception if the task failed."""
        if self.is_completed:
            return
        self.result, self.is_completed = result, True
        for callback in self.waiting:
            callback(self)

    def then(self, callback: Callable[["Task"], None]) -> None:
        """Call a function when the task ends, or at once if it has."""
        if self.is_completed:
            callback(self)
        else:
            self.waiting.append(callback)

    def cancel(self) -> None:
        """Let a timer never end."""
        self.canceled = True


@dataclass
class Context:
    """What an orchestrator sees of the engine; the members are those of Durable Functions."""

    engine: "Engine"
    input_: Any
    next_input: Any = None
    continues: bool = False

    @property
    def current_utc_datetime(self) -> datetime:
        """The time."""
        return datetime.now(UTC)

    def get_input(self) -> Any:
        """Return the input."""
        return self.input_

    def set_custom_status(self, status: Any) -> None:
        """Show nothing: whoever watches reads the progress items."""

    def call_activity(self, name: str, input_: Any) -> Task:
        """Begin an activity."""
        return self.engine.activity(name, input_)

    def call_sub_orchestrator(self, name: str, input_: Any, _instance_id: str) -> Task:
        """Begin another orchestration."""
        return self.engine.orchestration(ORCHESTRATORS[name], input_)

    def create_timer(self, due: datetime) -> Task:
        """Begin a timer."""
        return self.engine.timer(due)

    def task_any(self, tasks: list[Task]) -> Task:
        """Return a task that ends with the first of several as its result."""
        first = Task()
        for task in tasks:
            task.then(first.end)
        return first

    def continue_as_new(self, next_input: Any) -> None:
        """Begin again with another input once the orchestrator returns."""
        self.next_input, self.continues = next_input, True


class Engine:
    """One plan that runs in this process.

    Args:
        perform: calls an activity by its name.
    """

    def __init__(self, perform: Activity) -> None:
        self._perform = perform
        self._threads = ThreadPoolExecutor(WORKERS, thread_name_prefix="phase")
        self._ended: SimpleQueue[tuple[Task, Any]] = SimpleQueue()
        self._timers: list[tuple[datetime, int, Task]] = []
        self._numbers = count()

    def run(self, start: Any) -> Json:
        """Run a plan to its end; return what the interpreter returns.

        Args:
            start: the input of the orchestration.
        """
        whole = self.orchestration(run_plan_v1, start)
        with self._threads:
            while not whole.is_completed:
                self._step()
        if isinstance(whole.result, BaseException):
            raise whole.result
        result: Json = whole.result
        return result

    def activity(self, name: str, input_: Any) -> Task:
        """Begin an activity in a thread of its own."""
        task = Task()

        def ended(future: "Future[Any]") -> None:
            self._ended.put((task, future.exception() or future.result()))

        self._threads.submit(self._perform, name, input_).add_done_callback(ended)
        return task

    def timer(self, due: datetime) -> Task:
        """Begin a timer."""
        task = Task()
        heapq.heappush(self._timers, (due, next(self._numbers), task))
        return task

    def orchestration(self, orchestrator: Orchestrator, input_: Any) -> Task:
        """Begin an orchestration."""
        whole = Task()
        self._begin(orchestrator, input_, whole)
        return whole

    def _begin(self, orchestrator: Orchestrator, input_: Any, whole: Task) -> None:
        context = Context(self, input_)
        generator = orchestrator(context)

        def go_on(ended: Task | None) -> None:
            failed = ended is not None and isinstance(ended.result, BaseException)
            try:
                if failed and ended is not None:
                    waits_for = generator.throw(ended.result)
                else:
                    waits_for = generator.send(None if ended is None else ended.result)
            except StopIteration as stop:
                if context.continues:
                    self._begin(orchestrator, context.next_input, whole)
                else:
                    whole.end(stop.value)
            except Exception as error:  # noqa: BLE001 - an orchestration that fails is a task that failed
                whole.end(error)
            else:
                waits_for.then(go_on)

        go_on(None)

    def _step(self) -> None:
        """Wait for the next activity or timer, and let what waits for it go on."""
        while self._timers and self._timers[0][2].canceled:
            heapq.heappop(self._timers)
        seconds = None
        if self._timers:
            seconds = max(0.0, (self._timers[0][0] - datetime.now(UTC)).total_seconds())
        try:
            task, result = self._ended.get(timeout=seconds)
        except Empty:
            heapq.heappop(self._timers)[2].end(None)
        else:
            task.end(result)
