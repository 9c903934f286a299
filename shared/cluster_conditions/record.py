"""What is stored of a cluster's conditions after it was asked again. Pure."""

from datetime import datetime

from shared import durations
from shared.cluster_conditions import derivations, inertia
from shared.cluster_conditions.derivations import Observation
from shared.documents import ClusterConditionsDocument, ClusterDocument
from shared.settings import Pace


def next_record(
    cluster: ClusterDocument, before: ClusterConditionsDocument | None, seen: Observation, pace: Pace
) -> ClusterConditionsDocument | None:
    """Return what to store, or None if nothing has changed and the last writing is recent.

    Args:
        cluster: the cluster's document.
        before: what is stored.
        seen: what was read.
        pace: divides the waits.
    """
    former: ClusterConditionsDocument = before or {}
    conditions, pending = inertia.next_conditions(
        former.get("conditions") or [], former.get("pending") or {}, derivations.derive(seen), seen.at, pace
    )
    following = ClusterConditionsDocument(
        id=cluster["id"],
        partitionKey=cluster["partitionKey"],
        key=cluster["key"],
        observedAt=seen.at.isoformat(),
        conditions=conditions,
        pending=pending,
    )
    return following if _is_due(former, following, pace) else None


def _is_due(former: ClusterConditionsDocument, following: ClusterConditionsDocument, pace: Pace) -> bool:
    if not former or any(former.get(name) != value for name, value in following.items() if name != "observedAt"):
        return True
    age = datetime.fromisoformat(following["observedAt"]) - datetime.fromisoformat(former["observedAt"])
    return age >= pace.scaled(durations.CONDITIONS_KEPT)
