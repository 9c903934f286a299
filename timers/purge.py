"""The purge: removes durable instances that ended long ago from the task hub. Documents expire by themselves."""

import logging
from datetime import UTC, datetime, timedelta

import azure.durable_functions as df
from azure.durable_functions import OrchestrationRuntimeStatus

from shared import settings

_ENDED = [
    OrchestrationRuntimeStatus.Completed,
    OrchestrationRuntimeStatus.Failed,
    OrchestrationRuntimeStatus.Terminated,
    OrchestrationRuntimeStatus.Canceled,
]
# The host requires a start time; no instance is older than the product.
_BEGINNING = datetime(2020, 1, 1, tzinfo=UTC)

_log = logging.getLogger(__name__)


async def purge(client: df.DurableOrchestrationClient) -> None:
    """Purge plans and waits that ended longer ago than the settings keep them."""
    until = datetime.now(UTC) - timedelta(days=settings.load().purge_after_days)
    purged = await client.purge_instance_history_by(_BEGINNING, until, _ENDED)
    if purged.instances_deleted:
        _log.info("purged %d ended orchestrations", purged.instances_deleted)
