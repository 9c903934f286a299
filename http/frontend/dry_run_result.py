"""Waits for a dry run: an orchestration whose result answers the request. Asynchronous, as `functions.py` is."""

import asyncio
import logging

import azure.durable_functions as df
from azure.durable_functions import OrchestrationRuntimeStatus

from frontend.messages import Trial
from orchestrators.plans import TRY_PLAN
from shared import durations
from shared.steps import DryRunResult

_RUNNING = (OrchestrationRuntimeStatus.Pending, OrchestrationRuntimeStatus.Running)

_log = logging.getLogger(__name__)


async def result(client: df.DurableOrchestrationClient, trial: Trial) -> tuple[DryRunResult | None, bool]:
    """Return the result of a dry run, or None, and whether it still runs. Its history is removed with its end."""
    try:
        async with asyncio.timeout(trial.seconds):
            if trial.input is not None:
                await client.start_new(TRY_PLAN, trial.instance_id, trial.input)
            status = await client.get_status(trial.instance_id)
            while status.runtime_status in _RUNNING:
                await asyncio.sleep(durations.DRY_RUN_POLL.total_seconds())
                status = await client.get_status(trial.instance_id)
            await client.purge_instance_history(trial.instance_id)
    except TimeoutError:
        # The purge of ended instances removes it.
        _log.info("the dry run %s takes longer than its request", trial.instance_id)
        return None, True
    except Exception:  # noqa: BLE001 - whatever it was, there is no result
        _log.exception("the dry run %s has no result", trial.instance_id)
        return None, False
    if status.runtime_status != OrchestrationRuntimeStatus.Completed:
        _log.error("the dry run %s has ended as %s", trial.instance_id, status.runtime_status)
        return None, False
    result: DryRunResult = status.output
    return result, False
