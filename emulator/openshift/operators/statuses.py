"""Deployments, StatefulSets, ReplicaSets, Jobs and pods become current by themselves, a while after each change.

No container runs, and no controller makes pods of anything: only the status says that they do, as it does under KWOK.
So whoever waits for a rollout or for a Job succeeds. DaemonSets, whose pods depend on nodes, are in `workloads.py`.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from emulator.core.clock import Clock, rfc3339
from emulator.json_object import Json
from emulator.openshift.boot.timeline import PODS_SECONDS
from emulator.openshift.kubernetes import Objects

Key = tuple[str, str, str]


def _deployment(obj: Json, now: str) -> Json:
    conditions = {"Progressing": "NewReplicaSetAvailable", "Available": "MinimumReplicasAvailable"}
    return _counted(obj, "replicas", "updatedReplicas", "readyReplicas", "availableReplicas") | {
        "conditions": [_condition(name, now, reason) | {"lastUpdateTime": now} for name, reason in conditions.items()]
    }


def _replica_set(obj: Json, _now: str) -> Json:
    return _counted(obj, "replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas")


def _stateful_set(obj: Json, _now: str) -> Json:
    revision = f"{obj['metadata']['name']}-{obj['metadata']['generation']}"
    members = ("replicas", "readyReplicas", "availableReplicas", "updatedReplicas", "currentReplicas")
    return _counted(obj, *members) | {"currentRevision": revision, "updateRevision": revision, "collisionCount": 0}


def _job(obj: Json, now: str) -> Json:
    spec = obj["spec"]
    if spec.get("suspend"):
        return {"conditions": [_condition("Suspended", now, "JobSuspended")]}
    return {
        "startTime": obj["metadata"]["creationTimestamp"],
        "completionTime": now,
        "succeeded": spec.get("completions") or spec.get("parallelism") or 1,
        "conditions": [
            _condition(name, now, "CompletionsReached") | {"lastProbeTime": now}
            for name in ("SuccessCriteriaMet", "Complete")
        ],
    }


def _pod(obj: Json, now: str) -> Json:
    spec = obj["spec"]
    return (obj.get("status") or {}) | {
        "phase": "Running",
        "startTime": obj["metadata"]["creationTimestamp"],
        "conditions": [_condition(name, now) for name in ("PodScheduled", "Initialized", "ContainersReady", "Ready")],
        "containerStatuses": [
            {
                "name": one["name"],
                "image": one.get("image", ""),
                "imageID": "",
                "ready": True,
                "started": True,
                "restartCount": 0,
                "state": {"running": {"startedAt": now}},
            }
            for one in spec.get("containers") or ()
        ],
    }


def _counted(obj: Json, *members: str) -> Json:
    counts = dict.fromkeys(members, obj["spec"]["replicas"])
    # What is zero is left out, except for the first.
    shown = {name: count for name, count in counts.items() if count or name == members[0]}
    return {"observedGeneration": obj["metadata"]["generation"]} | shown


def _condition(name: str, now: str, reason: str = "") -> Json:
    shown = {"reason": reason} if reason else {}
    return {"type": name, "status": "True", "lastTransitionTime": now} | shown


STATUSES: Mapping[str, Callable[[Json, str], Json]] = {
    "Deployment.apps": _deployment,
    "Job.batch": _job,
    "Pod": _pod,
    "ReplicaSet.apps": _replica_set,
    "StatefulSet.apps": _stateful_set,
}
# The keys that stand for all objects of these kinds.
EVERYTHING: frozenset[Key] = frozenset((kind, "", "") for kind in STATUSES)


class Statuses:
    """Brings statuses up to date."""

    def __init__(self, objects: Objects, clock: Clock) -> None:
        self._objects, self._clock = objects, clock
        self._due: dict[Key, datetime] = {}

    def reconcile(self, changed: Iterable[Key]) -> datetime | None:
        """Note changes, and write the statuses that are due; return when the next one is, None if there is none.

        Args:
            changed: kind, namespace and name of the objects that were written; without a name, all of a kind.
        """
        now = self._clock.now()
        for kind, namespace, name in changed:
            if kind in STATUSES:
                for key in [(kind, namespace, name)] if name else self._all(kind):
                    self._due.setdefault(key, now + self._clock.scaled(PODS_SECONDS))
        for key in [key for key, due in self._due.items() if due <= now]:
            del self._due[key]
            self._write(key, rfc3339(now)[:19] + "Z")
        return min(self._due.values(), default=None)

    def _all(self, kind: str) -> list[Key]:
        return [
            (kind, obj["metadata"]["namespace"], obj["metadata"]["name"])
            for obj in self._objects.list(kind)
            if not is_current(kind, obj)
        ]

    def _write(self, key: Key, now: str) -> None:
        kind, namespace, name = key
        obj = self._objects.get(kind, name, namespace)
        if obj is not None and not is_current(kind, obj):
            self._objects.set_status(kind, name, STATUSES[kind](obj, now), namespace)


def is_current(kind: str, obj: Json) -> bool:
    """Tell whether a status says what it will say, whenever that became true."""
    status = obj.get("status") or {}
    match kind:
        case "Job.batch":
            return "completionTime" in status or bool(obj["spec"].get("suspend") and status.get("conditions"))
        case "Pod":
            return bool(status.get("conditions"))
        case _:
            return bool(status.get("observedGeneration") == obj["metadata"]["generation"])
