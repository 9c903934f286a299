"""What is stored of a cluster's conditions after a look at it. Pure."""

from dataclasses import replace
from datetime import datetime

from shared import durations
from shared.cluster_conditions import derivations, inertia
from shared.cluster_conditions.derivations import Expiration, Observation
from shared.documents import ClusterConditionsDocument, ClusterDocument
from shared.settings import Pace


def expirations(stored: ClusterConditionsDocument) -> list[Expiration]:
    """Return what is stored of the ends of certificates and credentials."""
    found = stored.get("expirations") or []
    return [Expiration(each["name"], datetime.fromisoformat(each["end"]), each.get("detail", "")) for each in found]


def next_record(
    cluster: ClusterDocument,
    former: ClusterConditionsDocument,
    seen: Observation,
    pace: Pace,
) -> ClusterConditionsDocument | None:
    """Return what to store, or None if nothing has changed and the last writing is recent.

    Args:
        cluster: the cluster's document.
        former: what is stored; empty if nothing is.
        seen: what was read.
        pace: divides the waits.
    """
    mismatched = _mismatched(former, seen)
    seen = replace(
        seen,
        mismatched_since={name: datetime.fromisoformat(since) for name, since in mismatched.items()},
        # The way to a router may be closed for the service. Only one that it has reached before is missed.
        console=seen.console if former.get("consoleReached") else "",
    )
    conditions, pending = inertia.next_conditions(
        former.get("conditions") or [], former.get("pending") or {}, derivations.derive(seen, pace), seen.at, pace
    )
    following = ClusterConditionsDocument(
        id=cluster["id"],
        partitionKey=cluster["partitionKey"],
        key=cluster["key"],
        observedAt=seen.at.isoformat(),
        conditions=conditions,
        pending=pending,
        mismatchedSince=mismatched,
        consoleReached=bool(former.get("consoleReached")) or seen.console_reached,
        expirations=[
            {"name": each.name, "end": each.end.isoformat(), "detail": each.detail} for each in seen.expirations
        ],
        expirationsReadAt=seen.expirations_read_at,
    )
    if "network" not in seen.unread:
        following["network"] = list(seen.network)
    if seen.principal:
        following["principal"] = {"login": seen.principal, "refused": seen.refused_principal}
    return following if _is_due(former, following, pace) else None


def _mismatched(former: ClusterConditionsDocument, seen: Observation) -> dict[str, str]:
    known = former.get("mismatchedSince") or {}
    if "machine_sets" in seen.unread or seen.stop is not None:
        return known
    now = seen.at.isoformat()
    return {each.name: known.get(each.name, now) for each in seen.machine_sets if each.wanted != each.available}


def _is_due(former: ClusterConditionsDocument, following: ClusterConditionsDocument, pace: Pace) -> bool:
    if not former or any(former.get(name) != value for name, value in following.items() if name != "observedAt"):
        return True
    age = datetime.fromisoformat(following["observedAt"]) - datetime.fromisoformat(former["observedAt"])
    return age >= pace.scaled(durations.CONDITIONS_KEPT)
