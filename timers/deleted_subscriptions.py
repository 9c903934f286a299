"""Deletes the clusters of subscriptions that ARM has deleted, as their owners would have done.

If callers sign in with Entra, ARM reports no subscriptions, and there is nothing to do.

If a cluster's state does not allow that, the next run tries again. This timer only writes the delete into the
documents; the watchdog starts it.

Subscriptions are hardly ever deleted. After a run that finds none, the runs of the next few minutes do not look.
"""

import asyncio
import logging
import uuid
from datetime import UTC, datetime
from typing import Any

from orchestrators.plans.operation_start import OperationRequest, begin_operation
from shared import durations, settings
from shared.arm.errors import NAMESPACE, CloudError
from shared.clusters.states import Event, ProvisioningState, find_edge
from shared.documents import ClusterDocument, CorrelationData
from shared.settings import Callers
from shared.store import NotFound, PreconditionFailed, Store, get_store, unreadable_documents
from timers import quiet

_log = logging.getLogger(__name__)


async def sweep(_client: Any) -> None:
    """Begin to delete the clusters of deleted subscriptions. A problem with one does not stop the others.

    A service that drains begins nothing; the subscriptions stay marked.
    """
    service_settings = settings.load()
    if service_settings.callers is Callers.ARM and not service_settings.draining:
        await asyncio.to_thread(_sweep, service_settings.look_back(durations.SUBSCRIPTIONS_QUIET).total_seconds())


def _sweep(quiet_seconds: float) -> None:
    store = get_store()
    for subscription in quiet.look(store, __name__, store.subscriptions.deleting, quiet_seconds):
        try:
            left = [_has_to_go(store, document) for document in store.clusters.of(subscription["id"])]
            if not any(left):
                # Every delete has begun by now. A subscription that is done is not looked at again.
                subscription.pop("deleting")
                store.subscriptions.put(subscription)
        except (PreconditionFailed, NotFound):
            continue  # Somebody wrote it while we looked; the next run decides again.
        except Exception:  # noqa: BLE001 - the next subscription is swept all the same
            _log.exception("subscription %s could not be swept", subscription["id"])


def _has_to_go(store: Store, document: ClusterDocument) -> bool:
    """Begin to delete a cluster if its state allows it; return whether it still had to be deleted.

    One that cannot be read still has to be, so its subscription stays marked until somebody has repaired it.
    """
    try:
        return _begin_delete(store, document)
    except (PreconditionFailed, NotFound):
        return True  # Somebody wrote it while we looked; the next run decides again.
    except unreadable_documents.ERRORS as error:
        unreadable_documents.note(store.clusters.name, document.get("id"), error)
        return True


def _begin_delete(store: Store, document: ClusterDocument) -> bool:
    cluster = document["openShiftCluster"]
    if cluster["properties"]["provisioningState"] == ProvisioningState.DELETING:
        return False
    try:
        edge = find_edge(cluster, Event.DELETE)
    except CloudError:
        return True
    request_id, now = str(uuid.uuid4()), datetime.now(UTC)
    correlation = CorrelationData(correlationId=request_id, requestId=request_id, requestTime=now.isoformat())
    request = OperationRequest(str(uuid.uuid4()), NAMESPACE, correlation, now)
    operation = begin_operation(request, document, edge, settings.load())
    store.operations.create(operation)
    store.clusters.replace(document)
    extra = {"correlation_id": request_id, "operation_id": operation["id"]}
    _log.warning("cluster %s is deleted with its subscription", document["key"], extra=extra)
    return True
