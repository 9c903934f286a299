"""The interpreter of plans, version 1. Frozen: running instances replay this code, so a change needs a new version.

`run_plan_v1` starts every row whose needs are done, and waits for any of them to end. An action is one activity. If its
outcome asks for more time, it continues in `wait_row_v1`, which discards its history every few polls. Rows of the other
kinds begin there. Both are deterministic: they take their time from the orchestration, and everything else from their
input.
"""

from collections.abc import Generator
from datetime import timedelta
from typing import Any, cast

import azure.durable_functions as df

from orchestrators import verdicts
from orchestrators.plan_endings import Endings
from orchestrators.tries import Tries, begin_tries, forget_deaths
from shared.steps import Crashed, Ending, Heard, RowKind, StartInput, Verb, caller

# Each episode replays its generation: a long one costs more than starting a new one.
POLLS_PER_GENERATION = 4
# The pause before the engine repeats a write of its own is a share of the time that it has tried for, so that an outage
# adds few events to the history.
CONTROL_SHARE = 0.2
# After the end of every plan, and less than the six days that a timer of Azure Storage may last.
_NEVER = timedelta(days=5)

Yields = Generator[Any, Any, Any]


def run_plan_v1(context: df.DurableOrchestrationContext) -> Yields:
    """Run a resolved plan to its end.

    The input is the value that `plans.start_input` returns. The result says how the plan ended, but the documents are
    the truth: the row `finish` writes them on success, and `finish_operation` on failure.
    """
    start = cast("StartInput", context.get_input())
    rows = {row["name"]: row for row in start["plan"]["rows"]}
    endings = Endings(done=[name for name in start["done"] if name in rows])
    # In the order in which they started; a dictionary has the same order in every replay.
    tries: dict[str, Tries] = {}
    tasks: dict[str, Any] = {}
    while True:
        for name in endings.ready(rows, list(tasks)):
            tries[name] = begin_tries(start, rows[name], context.current_utc_datetime)
            tasks[name] = _begin(context, tries[name])
        for name in endings.due_reports(rows, list(tasks)):
            endings.reports.append(name)
            more = {"failedStep": name, "error": endings.failures[name]}
            yield from _control(context, start, "stop_operation", more)
        if not tasks:
            break
        context.set_custom_status({"done": len(endings.done), "of": len(rows), "running": list(tasks)})
        winner = yield _any_of(context, list(tasks.values()))
        name = next(name for name, task in tasks.items() if task is winner)
        ending, tries[name] = _weigh(tries[name], winner, context)
        if ending is None:
            tasks[name] = _begin(context, tries[name])
            continue
        del tasks[name]
        endings.add(name, ending)
    if endings.fenced:
        return {"result": "fenced"}
    if error := endings.error(start):
        yield from _control(context, start, "finish_operation", {"error": error})
        return {"result": "failed", "code": error["code"]}
    return {"result": "done"}


def wait_row_v1(context: df.DurableOrchestrationContext) -> Yields:
    """Call one row repeatedly from durable timers until it ends. The result is its ending."""
    tries = cast("Tries", context.get_input())
    for _ in range(POLLS_PER_GENERATION):
        if tries["delaySeconds"]:
            yield context.create_timer(context.current_utc_datetime + timedelta(seconds=tries["delaySeconds"]))
        task = context.call_activity(tries["row"]["executor"], _payload(tries))
        try:
            outcome: Heard = yield task
        except Exception as failure:  # noqa: BLE001 - the SDK raises a bare Exception for TaskFailed
            outcome = _crash(failure)
        ending, tries = verdicts.decide(tries, outcome, context.current_utc_datetime)
        if ending is not None:
            return ending
    context.continue_as_new(tries)
    return None


def _begin(context: df.DurableOrchestrationContext, tries: Tries) -> Any:
    """Start a row: as an activity if one call may be enough, or as a wait with its own history if it has to poll."""
    if tries["waits"]:
        return context.call_sub_orchestrator("wait_row_v1", tries, _wait_id(tries))
    return context.call_activity(tries["row"]["executor"], _payload(tries))


def _any_of(context: df.DurableOrchestrationContext, tasks: list[Any]) -> Any:
    """Return a task that ends when any of these does, and lets the host continue at once.

    The host awaits the actions of an orchestrator one after the other, and `task_any` sends only new tasks. With [C,
    B], where C is old, the host would wait for B alone, and rows that become possible when C ends would start only
    after B has ended. A timer that is already cancelled ends at once, so with one among the new tasks the host never
    waits here. Its time must lie beyond the plan's end, because a cancelled timer still fires.
    """
    release: Any = context.create_timer(context.current_utc_datetime + _NEVER)
    release.cancel()
    return context.task_any([*tasks, release])


def _weigh(tries: Tries, task: Any, context: df.DurableOrchestrationContext) -> tuple[Ending | None, Tries]:
    """Weigh the outcome of an activity, or take the ending that a waiting sub-orchestration has already decided."""
    outcome: Heard = _crash(task.result) if isinstance(task.result, Exception) else task.result
    if tries["waits"]:
        if not isinstance(task.result, Exception):
            return task.result, tries
        tries = forget_deaths(tries, context.current_utc_datetime)
    ending, tries = verdicts.decide(tries, outcome, context.current_utc_datetime)
    return ending, tries | {"waits": tries["waits"] + 1}


def _crash(failure: Exception) -> Crashed:
    """Return the outcome of an activity or wait whose process died; all other failures are returned as outcomes."""
    return {"outcome": "crashed", "message": str(failure).split("\n", 1)[0].strip()[:200]}


def _payload(tries: Tries) -> dict[str, Any]:
    payload: dict[str, Any] = tries["call"] | {
        "step": tries["row"]["name"],
        "verb": tries["verb"],
        "row": tries["row"],
        "startTime": tries["startTime"],
        "deadline": tries["deadline"],
        "polls": tries["polls"],
        "error": tries["error"],
    }
    return payload


def _wait_id(tries: Tries) -> str:
    """Name the wait after its row. If a wait dies, the next one for its row has another name."""
    call = tries["call"]
    first = f"{call['operationId']}-{call['attempt']}-{tries['row']['name']}"
    return first if tries["waits"] == 1 else f"{first}-{tries['waits']}"


def _control(context: df.DurableOrchestrationContext, start: StartInput, name: str, more: dict[str, Any]) -> Yields:
    """Repeat an activity of the engine itself until it is done. After the longest outage, leave it to the watchdog."""
    began, plan = context.current_utc_datetime, start["plan"]
    row = {
        "name": name,
        "phase": "finish",
        "kind": RowKind.ACTION,
        "message": "",
        "waitsFor": "",
        "deadlineSeconds": 60,
    }
    begun = {"startTime": began.isoformat(), "deadline": began.isoformat(), "polls": 0}
    payload = caller(start) | {"step": "", "row": row, "verb": Verb.RUN} | begun | more
    while (tried := (context.current_utc_datetime - began).total_seconds()) <= plan["controlWithinSeconds"]:
        try:
            outcome: Heard = yield context.call_activity(name, payload)
        except Exception as failure:  # noqa: BLE001 - the SDK raises a bare Exception for TaskFailed
            outcome = _crash(failure)
        if outcome["outcome"] in ("done", "fenced", "stopped"):
            return
        pause = max(plan["controlSeconds"], tried * CONTROL_SHARE)
        yield context.create_timer(context.current_utc_datetime + timedelta(seconds=pause))
