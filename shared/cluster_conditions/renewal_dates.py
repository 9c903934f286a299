"""Which clusters have to be renewed, and when: once a week, and each day while something ends soon. Pure.

The hash of a cluster's id chooses its hour of the week, so that a fleet is spread over it. A cluster that was stopped
in its hour is renewed soon after its start. One that a request has renewed since its hour waits for the next.
"""

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from shared import durations
from shared.arm.errors import CloudError
from shared.cluster_conditions.calendar import BY_NAME, Renewer
from shared.clusters import states
from shared.clusters.power import power_states
from shared.clusters.states import Event
from shared.documents import ClusterDocument

_BEGINNING = datetime(2020, 1, 1, tzinfo=UTC)


def is_due(document: ClusterDocument, ends: Mapping[str, datetime], now: datetime) -> bool:
    """Tell whether a cluster has to be renewed now.

    Args:
        document: the cluster document.
        ends: when what the calendar names ends in this cluster, by name, as far as that is known.
        now: the time.
    """
    if not power_states.is_running(document) or not _is_allowed(document):
        return False
    began = _last_begin(document)
    if any(_ends_soon(name, end, now) for name, end in ends.items()) and now - began >= durations.RENEWAL_AGAIN:
        return True
    return began < _hour(document["id"], now)


def note_begun(document: ClusterDocument, now: datetime) -> None:
    """Record that a renewal begins, and refuse one that cannot work.

    Args:
        document: the cluster document, changed in place.
        now: the time.

    Raises:
        CloudError: 400 `RequestNotAllowed`: the cluster is stopped.
    """
    power_states.require_running(document, "A renewal")
    document["renewedAt"] = now.isoformat()


def _ends_soon(name: str, end: datetime, now: datetime) -> bool:
    """Tell whether something ends soon that a renewal is there for."""
    entry = BY_NAME.get(name)
    return entry is not None and entry.renewed_by is Renewer.SERVICE and end - now < durations.ENDS_SOON


def _last_begin(document: ClusterDocument) -> datetime:
    """Return when the last renewal began; before the first, when the cluster was made."""
    moment = document.get("renewedAt") or document["openShiftCluster"]["properties"].get("createdAt")
    return datetime.fromisoformat(moment) if moment else _BEGINNING


def _hour(document_id: str, now: datetime) -> datetime:
    """Return the last time at which a cluster of this id was due."""
    period = durations.RENEWAL_PERIOD
    offset = int.from_bytes(hashlib.sha256(document_id.encode()).digest()[:4], "big") % int(period.total_seconds())
    first = _BEGINNING + timedelta(seconds=offset)
    return first + period * ((now - first) // period)


def _is_allowed(document: ClusterDocument) -> bool:
    try:
        states.find_edge(document["openShiftCluster"], Event.RENEW)
    except CloudError:
        return False
    return True
