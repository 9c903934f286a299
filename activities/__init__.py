"""Durable activities. A cold start imports only their names; the first call of an activity imports the rest."""

from collections.abc import Callable

import azure.durable_functions as df

from activities.targets import ACTIVITIES
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
    """Fail the first row of an attempt if the plan names activities that this package does not have."""
    gone = missing(call["row"]["executors"])
    if not gone:
        return {"outcome": "done"}
    return {"outcome": "failed", "error": missing_error(gone, call["correlationId"]), "retryClass": "none"}


def _activity(name: str, target: str) -> Callable[[dict], dict]:  # type: ignore[type-arg] # the worker refuses dict[str, Any]
    def activity(call: dict) -> dict:  # type: ignore[type-arg]  # idem
        from activities.runtime.wrapper import perform  # noqa: PLC0415 - brings the executors' imports with the first call

        return dict(perform(target, call))  # type: ignore[arg-type] # JSON of the shape Call

    activity.__name__ = name
    return activity
