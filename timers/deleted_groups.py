"""Finds clusters whose resource group was deleted in Azure.

ARM deletes a cluster before it deletes its group. In one's own subscription ARM does not know the clusters, so it
deletes the group alone. The machines are in another group, and go on costing money. Nobody asked for the cluster's end,
so this timer only reports it.
"""

import asyncio
import logging
import time
from typing import Any

from shared import durations, settings
from shared.arm import resource_id
from shared.azure import scopes
from shared.azure.arm_reads import ArmReads, ArmRefused, arm_reads
from shared.settings import Callers
from shared.store import get_store, unreadable_documents

# A run ends well before the host would end it together with the whole worker.
RUN_SECONDS = durations.SWEEP_RUN.total_seconds()
_GONE = (
    "the resource group of cluster %s was deleted in Azure, and the cluster still runs: delete the cluster through "
    "this service, or create the group again"
)

_log = logging.getLogger(__name__)


async def report(_client: Any) -> None:
    """Report every cluster whose resource group does not exist, unless it is being deleted itself."""
    if settings.load().callers is Callers.ENTRA:
        await asyncio.to_thread(_report, arm_reads(), time.monotonic() + RUN_SECONDS)


def _report(arm: ArmReads, until: float) -> None:
    clusters: dict[str, list[str]] = {}
    store = get_store()
    for document in store.clusters.undeleted():
        try:
            clusters.setdefault(str(resource_id.parse(document["key"]).group), []).append(document["key"])
        except unreadable_documents.ERRORS as error:
            unreadable_documents.note(store.clusters.name, document.get("id"), error)
    for group, keys in clusters.items():
        if time.monotonic() > until:
            return
        if _is_gone(arm, group):
            for key in keys:
                _log.error(_GONE, key)


def _is_gone(arm: ArmReads, group: str) -> bool:
    """Tell whether a resource group does not exist. One that ARM does not show may exist."""
    parsed = resource_id.parse(group)
    try:
        return scopes.find_group(arm, parsed.subscription_id, parsed.resource_group) is None
    except ArmRefused as error:
        _log.warning("whether %s exists is not known: %s", group, error.message)
        return False
