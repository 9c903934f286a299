"""Stops and starts clusters by their schedules, as their owners would have done.

Of a schedule's events only the last one counts: one that finds an operation running, or a cluster that cannot be
stopped yet, is tried again at each run until the next event. One that has begun an operation is over, however that
ends, and so is one that came before its owner's last stop or start. This timer only writes the operation into the
documents; the watchdog starts it.

A stopped cluster must be started before its certificates end. Where a schedule lets the service start it, that also
happens one day before that date, should no start of the schedule have done it.

After a run that finds no schedule, the runs of the next few minutes do not look.
"""

import asyncio
import logging
import uuid
from datetime import UTC, datetime
from typing import Any

from orchestrators.plans.operation_start import OperationRequest, begin_operation
from shared import durations, settings
from shared.arm.errors import NAMESPACE, CloudError
from shared.clusters.power import power_schedules, power_states
from shared.clusters.power.power_schedules import Occasion
from shared.clusters.power.power_states import PowerState
from shared.clusters.states import Event, find_edge
from shared.documents import ClusterDocument, CorrelationData
from shared.store import Conflict, NotFound, PreconditionFailed, Store, get_store, unreadable_documents
from timers import quiet

_log = logging.getLogger(__name__)
_LONG_AGO = "2000-01-01T00:00:00+00:00"
# The state in which a cluster is as an event wants it.
_GOALS = {Event.STOP: PowerState.STOPPED, Event.START: PowerState.RUNNING}


async def switch(_client: Any) -> None:
    """Begin the stops and starts that are due. A problem with one cluster does not stop the others.

    A service that drains begins nothing; the next run of its successor does.
    """
    service_settings = settings.load()
    if not service_settings.draining:
        await asyncio.to_thread(_switch, service_settings.look_back(durations.SCHEDULES_QUIET).total_seconds())


def _switch(quiet_seconds: float) -> None:
    store = get_store()
    for document in quiet.look(store, __name__, store.clusters.scheduled, quiet_seconds):
        try:
            _begin_if_due(store, document, datetime.now(UTC))
        except (CloudError, Conflict, PreconditionFailed, NotFound):
            continue  # Its state does not allow that, or somebody wrote it while we looked; the next run tries again.
        except unreadable_documents.ERRORS as error:
            unreadable_documents.note(store.clusters.name, document.get("id"), error)
        except Exception:  # noqa: BLE001 - the next cluster is switched all the same
            _log.exception("cluster %s could not be switched by its schedule", document.get("key"))


def _begin_if_due(store: Store, document: ClusterDocument, now: datetime) -> None:
    occasion = due(document, now)
    if occasion is None:
        return
    edge = find_edge(document["openShiftCluster"], occasion.event)
    power_states.prepare(document, occasion.event, now)
    request_id = str(uuid.uuid4())
    correlation = CorrelationData(correlationId=request_id, requestId=request_id, requestTime=now.isoformat())
    request = OperationRequest(str(uuid.uuid4()), NAMESPACE, correlation, now)
    operation = begin_operation(request, document, edge, settings.load())
    store.operations.create(operation)
    store.clusters.replace(document)
    extra = {"correlation_id": request_id, "operation_id": operation["id"]}
    _log.warning("cluster %s: %s by its schedule", document["key"], occasion.event, extra=extra)


def due(document: ClusterDocument, now: datetime) -> Occasion | None:
    """Return the event of a cluster's schedule that has to begin now, or None."""
    cluster = document["openShiftCluster"]
    occasions = [power_schedules.last(cluster["properties"]["powerSchedule"], now)]
    if (latest := power_states.until(document)) is not None:
        occasions.insert(0, Occasion(latest - durations.START_AHEAD, Event.START))
    since = (document.get("power") or {}).get("since") or _LONG_AGO
    state = power_states.state_of(cluster)
    due = (each for each in occasions if datetime.fromisoformat(since) < each.at <= now)
    return next((each for each in due if state is not _GOALS[each.event]), None)
