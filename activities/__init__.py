"""Durable activities. A cold start imports only their names; the first attempt that a process runs imports the rest."""

import threading
import time
from collections.abc import Callable, Iterable

import azure.durable_functions as df

from activities.targets import ACTIVITIES
from shared import durations
from shared.executors import CHECK_PLAN, DRY_RUN, missing, missing_error


def register(app: df.DFApp) -> None:
    """Register one durable activity for each name of the table."""
    for name, target in ACTIVITIES.items():
        app.function_name(name)(app.activity_trigger(input_name="call")(_activity(name, target)))
    app.function_name(DRY_RUN)(app.activity_trigger(input_name="given")(_dry_run))
    app.function_name(CHECK_PLAN)(app.activity_trigger(input_name="call")(check_plan))


def _dry_run(given: dict) -> dict:  # type: ignore[type-arg]  # the worker refuses dict[str, Any]
    from activities.dry_run.rows import dry_run  # noqa: PLC0415 - brings the executors' imports with the first call

    return dict(dry_run(given))  # type: ignore[arg-type] # JSON of the shape DryRunInput


def check_plan(call: dict) -> dict:  # type: ignore[type-arg]  # the worker refuses dict[str, Any]
    """Fail the first row of an attempt if the plan names activities that this package does not have.

    Otherwise their executors are imported in the plan's order, so that most are there before their rows begin. A worker
    that only answers requests, or waits for work, runs no such row and saves the 80 MiB.
    """
    gone = missing(call["row"]["executors"])
    if gone:
        return {"outcome": "failed", "error": missing_error(gone, call["correlationId"]), "retryClass": "none"}
    threading.Thread(target=_import, args=(call["row"]["executors"],), name="imports", daemon=True).start()
    return {"outcome": "done"}


def _import(names: Iterable[str]) -> None:
    from activities.runtime.wrapper import load  # noqa: PLC0415 - brings the executors' imports

    for name in names:
        load(ACTIVITIES[name])
        # Imports take turns, and a row that waits for its own gets the turn only from a thread that pauses.
        time.sleep(durations.IMPORT_PAUSE.total_seconds())


def _activity(name: str, target: str) -> Callable[[dict], dict]:  # type: ignore[type-arg] # the worker refuses dict[str, Any]
    def activity(call: dict) -> dict:  # type: ignore[type-arg]  # idem
        from activities.runtime.wrapper import perform  # noqa: PLC0415 - brings the executors' imports with the first call

        return dict(perform(target, call))  # type: ignore[arg-type] # JSON of the shape Call

    activity.__name__ = name
    return activity
