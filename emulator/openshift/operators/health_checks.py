"""MachineHealthChecks: Machines whose nodes are unhealthy for too long are deleted, so that their sets make others.

https://github.com/openshift/machine-api-operator, `pkg/controller/machinehealthcheck`
"""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from emulator.json_object import Json
from emulator.openshift.cluster.cluster import Cluster
from emulator.openshift.operators import machine_api
from emulator.openshift.release.kinds import HEALTH_CHECK, MACHINES_NAMESPACE

# On a check or a Machine: it is left alone.
PAUSED = "cluster.x-k8s.io/paused"
_UNITS = {"h": 3600, "m": 60, "s": 1}
_DURATION = re.compile(r"([0-9.]+)([hms])")


def reconcile(cluster: Cluster) -> datetime | None:
    """Delete the Machines that are due; return when to look again, None if all are healthy."""
    if cluster.objects.kinds.named(HEALTH_CHECK) is None:
        return None
    checks = cluster.objects.list(HEALTH_CHECK, MACHINES_NAMESPACE)
    moments = [moment for check in checks if not _is_paused(check) for moment in _check(cluster, check)]
    return min(moments, default=None)


def _check(cluster: Cluster, check: Json) -> Iterator[datetime]:
    """Delete the Machines that a check finds unhealthy; yield when others will be."""
    spec, now = check["spec"], cluster.platform.clock.now()
    labels = (spec.get("selector") or {}).get("matchLabels") or {}
    machines = cluster.objects.list(machine_api.MACHINES, MACHINES_NAMESPACE, labels)
    ends = {one["metadata"]["name"]: end for one in machines if (end := _patience_ends(cluster, spec, one))}
    if len(ends) > _most(spec.get("maxUnhealthy", "100%"), len(machines)):
        return
    for machine in machines:
        end = ends.get(machine["metadata"]["name"])
        if end is not None and end > now:
            yield end
        elif end is not None and not _is_paused(machine):
            cluster.objects.delete(machine_api.MACHINES, machine["metadata"]["name"], MACHINES_NAMESPACE)


def _patience_ends(cluster: Cluster, spec: Json, machine: Json) -> datetime | None:
    """Return when a Machine counts as unhealthy, None while its node is well."""
    name = ((machine.get("status") or {}).get("nodeRef") or {}).get("name")
    node = cluster.objects.get("Node", name) if name else None
    shown = {one["type"]: one for one in ((node or {}).get("status") or {}).get("conditions") or ()}
    return min(
        (
            datetime.fromisoformat(shown[row["type"]]["lastTransitionTime"]) + _patience(cluster, row["timeout"])
            for row in spec.get("unhealthyConditions") or ()
            if (shown.get(row["type"]) or {}).get("status") == row["status"]
        ),
        default=None,
    )


def _patience(cluster: Cluster, timeout: str) -> timedelta:
    return cluster.platform.clock.scaled(sum(float(n) * _UNITS[unit] for n, unit in _DURATION.findall(timeout)))


def _most(wanted: int | str, count: int) -> int:
    text = str(wanted)
    return int(text.removesuffix("%")) * count // 100 if text.endswith("%") else int(text)


def _is_paused(obj: Json) -> bool:
    return PAUSED in (obj["metadata"].get("annotations") or {})
