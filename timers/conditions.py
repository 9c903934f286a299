"""Asks clusters for their conditions, and stores them.

A run asks a few clusters at a time, and takes no other one after a while: the next run begins with those that were
left. A cluster that is being created or deleted is not asked, and neither is a stopped one. While nothing changes, what
is stored is written again once an hour. Without clusters a run is one query.
"""

import asyncio
import logging
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import lru_cache
from time import monotonic
from typing import Any

from shared import durations, settings
from shared.cluster_conditions.cluster_check import Services, check_cluster
from shared.clusters import states
from shared.documents import ClusterConditionsDocument, ClusterDocument
from shared.openshift import reads
from shared.store import Store, get_store, unreadable_documents
from shared.vault import get_vault

RUN_SECONDS = durations.CONDITIONS_RUN.total_seconds()
# The reads of one cluster take about a second of a slow connection's time and 20 ms of the processor's.
_AT_ONCE = 4

_log = logging.getLogger(__name__)


async def observe(_client: Any) -> None:
    """Ask every usable cluster that is due. A problem with one does not stop the others."""
    await asyncio.to_thread(_observe)


@lru_cache(maxsize=1)
def _last_asked(store: Store) -> dict[str, float]:  # noqa: ARG001 - the cache's key
    """Return when this process has last begun to ask each cluster, by its document's id, and under "" a run's begin."""
    return {}


def _observe() -> None:
    store, began = get_store(), monotonic()
    asked = _last_asked(store)
    # The host fires a little early or late.
    period = settings.load().scaled(durations.CONDITIONS_PERIOD).total_seconds() * 0.9
    if began - asked.get("", float("-inf")) < period:
        return
    asked[""] = began
    clusters = list(_usable(store))
    stored = store.conditions.all() if clusters else {}
    due = sorted(clusters, key=lambda each: asked.get(each["id"], float("-inf")))
    services = Services(settings.load(), store, get_vault(), reads.read_all)

    def ask(document: ClusterDocument) -> None:
        if monotonic() - began < RUN_SECONDS:
            asked[document["id"]] = monotonic()
            _ask(services, document, stored.get(document["id"]))

    with ThreadPoolExecutor(_AT_ONCE) as threads:
        list(threads.map(ask, due))
    for gone in asked.keys() - {each["id"] for each in clusters} - {""}:
        del asked[gone]
    if monotonic() - began >= RUN_SECONDS:
        # The next run goes on at once, with those that were left.
        del asked[""]


def _usable(store: Store) -> Iterable[ClusterDocument]:
    for document in store.clusters.readable(store.clusters.not_deleting()):
        try:
            if states.is_usable(document["openShiftCluster"]):
                yield document
        except unreadable_documents.ERRORS as error:
            unreadable_documents.note(store.clusters.name, document.get("id"), error)


def _ask(services: Services, document: ClusterDocument, before: ClusterConditionsDocument | None) -> None:
    store = services.store
    try:
        if following := check_cluster(document, before, datetime.now(UTC), services):
            store.conditions.put(following)
    except unreadable_documents.ERRORS as error:
        unreadable_documents.note(store.clusters.name, document.get("id"), error)
    except Exception:  # noqa: BLE001 - the next cluster is asked all the same
        _log.exception("cluster %s could not be asked for its conditions", document["key"])
