"""The engine that interprets plans, and the plans."""

import azure.durable_functions as df

from orchestrators.engine_v1 import run_plan_v1, wait_row_v1

# Every interpreter that a running instance may need. An old version stays until its last instance has ended.
ORCHESTRATORS = {"run_plan_v1": run_plan_v1, "wait_row_v1": wait_row_v1}


def register(app: df.DFApp) -> None:
    """Register every interpreter under its versioned name."""
    for name, interpreter in ORCHESTRATORS.items():
        app.function_name(name)(app.orchestration_trigger(context_name="context")(interpreter))
