"""The interpreter of dry runs, version 1: one activity tries all rows of a plan, because it changes nothing.

Frozen, as `engine_v1.py` is, although an instance lives for seconds only.
"""

from collections.abc import Generator
from typing import Any

import azure.durable_functions as df


def dry_run_v1(context: df.DurableOrchestrationContext) -> Generator[Any, Any, Any]:
    """Try a plan: the input is a `DryRunInput`, and the result a `DryRunResult`."""
    return (yield context.call_activity("dry_run", context.get_input()))
