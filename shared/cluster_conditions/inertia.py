"""How conditions change: a new status is shown once it has held for a while, so that nothing flaps. Pure.

The time of the last transition moves with the status alone. A status that goes back within its inertia was never there.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime

from shared.cluster_conditions.derivations import Finding
from shared.documents import Condition, PendingStatus
from shared.settings import Pace


def next_conditions(
    before: Iterable[Condition],
    pending: Mapping[str, PendingStatus],
    findings: Iterable[Finding],
    now: datetime,
    pace: Pace,
) -> tuple[list[Condition], dict[str, PendingStatus]]:
    """Return the conditions to show, and each status that has not held long enough yet, by type.

    Args:
        before: the conditions that are shown.
        pending: as this function returned them last.
        findings: what holds now; they decide which types there are, and their order.
        now: the time of the findings.
        pace: divides the inertia.
    """
    shown = {condition["type"]: condition for condition in before}
    following: list[Condition] = []
    waiting: dict[str, PendingStatus] = {}
    for finding in findings:
        former = shown.get(finding.type)
        if former is not None and former["status"] != finding.status:
            since = _since(finding, pending.get(finding.type), now)
            if now - since < pace.scaled(finding.inertia):
                following.append(former)
                waiting[finding.type] = {"status": finding.status, "since": since.isoformat()}
                continue
            former = None
        changed = now.isoformat(timespec="seconds") if former is None else former["lastTransitionTime"]
        following.append(_condition(finding, changed))
    return following, waiting


def _since(finding: Finding, waiting: PendingStatus | None, now: datetime) -> datetime:
    """Return since when a status holds: as the cluster says, but not in the future, or as the service has seen."""
    times = [now]
    if waiting is not None and waiting["status"] == finding.status:
        times.append(datetime.fromisoformat(waiting["since"]))
    if finding.since is not None:
        times.append(finding.since)
    return min(times)


def _condition(finding: Finding, changed: str) -> Condition:
    return {
        "type": finding.type,
        "status": finding.status,
        "reason": finding.reason,
        "message": finding.message,
        "lastTransitionTime": changed,
    }
