"""The engine that interprets plans, and the plans."""

import importlib
from collections.abc import Container
from datetime import datetime
from typing import Any

import azure.durable_functions as df

from orchestrators.dry_run_v1 import dry_run_v1
from orchestrators.engine_v1 import run_plan_v1, wait_row_v1
from orchestrators.engine_v2 import run_plan_v2, wait_row_v2
from orchestrators.missing_activities import refuse_missing
from shared.executors import ACTIVITIES

# Every interpreter that a running instance may need. An old version stays until its last instance has ended.
ORCHESTRATORS = {
    "run_plan_v1": run_plan_v1,
    "wait_row_v1": wait_row_v1,
    "run_plan_v2": run_plan_v2,
    "wait_row_v2": wait_row_v2,
    "dry_run_v1": dry_run_v1,
}

# On every turn of an orchestration the durable package parses the time of every event of its history, with a parser
# that guesses the format. That is half of the turn's CPU. The host always writes ISO 8601.
_history: Any = importlib.import_module("azure.durable_functions.models.history.HistoryEvent")
_history.dt_parse = datetime.fromisoformat


def register(app: df.DFApp, activities: Container[str] = ACTIVITIES) -> None:
    """Register every interpreter under its versioned name.

    Args:
        app: the function app.
        activities: the names of the activities that it has.
    """
    for name, interpreter in ORCHESTRATORS.items():
        refusing = refuse_missing(interpreter, activities.__contains__)
        app.function_name(name)(app.orchestration_trigger(context_name="context")(refusing))
