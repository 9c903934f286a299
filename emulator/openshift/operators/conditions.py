"""Conditions, as operators write them into the status of objects."""

from emulator.json_object import Json
from emulator.openshift.cluster.cluster import Cluster

# By type: whether it is true, the reason, the message.
Conditions = dict[str, tuple[bool, str, str]]


def seconds(cluster: Cluster) -> str:
    """Return the time as Kubernetes writes it: in whole seconds."""
    return cluster.platform.clock.now().strftime("%Y-%m-%dT%H:%M:%SZ")


def written(cluster: Cluster, before: Json, conditions: Conditions) -> list[Json]:
    """Return conditions for a status; a condition whose status has not changed keeps its transition time."""
    known = {one["type"]: one for one in (before.get("status") or {}).get("conditions") or ()}
    now = seconds(cluster)
    written = []
    for kind, (true, reason, message) in conditions.items():
        status = "True" if true else "False"
        same = kind in known and known[kind]["status"] == status
        condition = {
            "type": kind,
            "status": status,
            "lastTransitionTime": known[kind]["lastTransitionTime"] if same else now,
        }
        condition |= {name: text for name, text in (("reason", reason), ("message", message)) if text}
        written.append(condition)
    return written
