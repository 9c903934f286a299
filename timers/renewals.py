"""Renews what ends in clusters: begins their renewals in the documents, from where the watchdog starts them.

A run begins a few at most. After a release that renews more than the one before, a whole fleet would be due at once.
"""

import asyncio
import logging
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from orchestrators.plans.operation_start import OperationRequest, begin_operation
from shared import settings
from shared.arm.errors import NAMESPACE
from shared.cluster_conditions import renewal_dates
from shared.cluster_conditions.record import expirations
from shared.clusters.states import Event, find_edge
from shared.documents import ClusterConditionsDocument, ClusterDocument, CorrelationData
from shared.store import NotFound, PreconditionFailed, Store, get_store, unreadable_documents

# In an hour. A week has room for three thousand clusters.
_AT_MOST = 20

_log = logging.getLogger(__name__)


async def renew(_client: Any) -> None:
    """Begin the renewals that are due. A problem with one cluster does not stop the others.

    A service that drains begins nothing.
    """
    if not settings.load().draining:
        await asyncio.to_thread(_renew)


def _renew() -> None:
    store, now, begun = get_store(), datetime.now(UTC), 0
    for document in _due(store, now):
        if begun == _AT_MOST:
            return
        try:
            _begin(store, document, now)
            begun += 1
        except (PreconditionFailed, NotFound):
            continue  # Somebody wrote it while we looked; the next run decides again.
        except Exception:  # noqa: BLE001 - the next cluster is renewed all the same
            _log.exception("cluster %s could not be renewed", document["key"])


def _due(store: Store, now: datetime) -> Iterator[ClusterDocument]:
    clusters = list(store.clusters.idle())
    stored = store.conditions.all() if clusters else {}
    for document in clusters:
        try:
            if renewal_dates.is_due(document, _ends(stored.get(document["id"])), now):
                yield document
        except unreadable_documents.ERRORS as error:
            unreadable_documents.note(store.clusters.name, document.get("id"), error)


def _ends(stored: ClusterConditionsDocument | None) -> dict[str, datetime]:
    """Return when what the calendar names ends in a cluster, as it was read last; of several, the first."""
    ends: dict[str, datetime] = {}
    for each in expirations(stored) if stored else ():
        ends[each.name] = min(each.end, ends.get(each.name, each.end))
    return ends


def _begin(store: Store, document: ClusterDocument, now: datetime) -> None:
    request_id = str(uuid.uuid4())
    correlation = CorrelationData(correlationId=request_id, requestId=request_id, requestTime=now.isoformat())
    edge = find_edge(document["openShiftCluster"], Event.RENEW)
    renewal_dates.note_begun(document, now)
    request = OperationRequest(str(uuid.uuid4()), NAMESPACE, correlation, now)
    operation = begin_operation(request, document, edge, settings.load())
    store.operations.create(operation)
    store.clusters.replace(document)
    extra = {"correlation_id": request_id, "operation_id": operation["id"]}
    _log.info("cluster %s is renewed", document["key"], extra=extra)
