"""DaemonSets: which nodes run their pods, and whether these are admitted. No pods exist; only the status counts them.

https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/,
https://docs.openshift.com/container-platform/latest/authentication/managing-security-context-constraints.html
"""

import logging
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from emulator.core.clock import rfc3339
from emulator.json_object import Json
from emulator.openshift.boot.timeline import GARBLED, PODS_SECONDS
from emulator.openshift.cluster.cluster import Cluster, Key, PartState
from emulator.openshift.cluster.control_plane import is_ready
from emulator.openshift.kubernetes.access.authentication import User
from emulator.openshift.kubernetes.access.authorization import Attributes

logger = logging.getLogger(__name__)

DAEMON_SETS = "DaemonSet.apps"
SECURITY, CONSTRAINTS = "security.openshift.io", "securitycontextconstraints"
# The kinds whose changes can change these counts.
KINDS = frozenset(
    {
        DAEMON_SETS,
        "Node",
        "ServiceAccount",
        f"SecurityContextConstraints.{SECURITY}",
        *(f"{kind}.rbac.authorization.k8s.io" for kind in ("ClusterRoleBinding", "RoleBinding")),
    }
)
# The row after which the controllers run.
BEGUN = "control-plane"
# The taints that every DaemonSet's pods tolerate.
_TOLERATED: tuple[Json, ...] = (
    *({"key": f"node.kubernetes.io/{name}", "effect": "NoExecute"} for name in ("not-ready", "unreachable")),
    *(
        {"key": f"node.kubernetes.io/{name}", "effect": "NoSchedule"}
        for name in ("disk-pressure", "memory-pressure", "pid-pressure", "unschedulable", "network-unavailable")
    ),
)
# What a pod may use of its host, and the member of the constraints that allows it.
_HOST = {"hostNetwork": "allowHostNetwork", "hostPID": "allowHostPID", "hostIPC": "allowHostIPC"}


class Pods(PartState):
    """What the controller remembers.

    `ready` is when the pods of each DaemonSet's current generation are ready, by uid and generation; `due` when to count
    again; `nodes` what the last count knew of the nodes.
    """

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.ready: dict[tuple[str, int], datetime] = {}
        self.due: datetime | None = None
        self.nodes: list[Any] = []


def reconcile(cluster: Cluster, changed: set[Key]) -> datetime | None:
    """Bring the status of every DaemonSet up to date if it may have changed; return when more pods will be ready."""
    state, now = cluster.part(Pods), cluster.platform.clock.now()
    kinds = {kind for kind, _, _ in changed} & KINDS
    if kinds == {"Node"} and _facts(cluster.objects.list("Node")) == state.nodes:
        # A kubelet has said that it lives.
        kinds = set()
    if kinds or (state.due is not None and state.due <= now):
        state.due = count(cluster)
    return state.due


def _facts(nodes: list[Json]) -> list[Any]:
    """Return what decides which pods nodes have, and whether these are ready."""
    return [
        (one["metadata"]["uid"], one["metadata"].get("labels"), one["spec"].get("taints"), is_ready(one))
        for one in nodes
    ]


def count(cluster: Cluster) -> datetime | None:
    """Bring the status of every DaemonSet up to date; return when more pods will be ready."""
    if not cluster.reached(BEGUN):
        return None
    nodes = cluster.objects.list("Node")
    cluster.part(Pods).nodes = _facts(nodes)
    moments = []
    for one in cluster.objects.list(DAEMON_SETS):
        try:
            moments.append(_count(cluster, one, nodes))
        except GARBLED:
            logger.exception("cluster %s cannot run DaemonSet %s", cluster.record.id, one["metadata"]["name"])
    return min((moment for moment in moments if moment is not None), default=None)


def _count(cluster: Cluster, daemon_set: Json, nodes: list[Json]) -> datetime | None:
    metadata, pod = daemon_set["metadata"], daemon_set["spec"]["template"]["spec"]
    meant = [node for node in nodes if _fits(pod, node)]
    refusal = _refusal(cluster, metadata["namespace"], pod)
    now, due = cluster.platform.clock.now(), _updated_at(cluster, metadata)
    ready, moments = 0, []
    for node in [] if refusal else meant:
        up = max(due, _up_at(cluster, node))
        if up > now:
            moments.append(up)
        elif is_ready(node):
            ready += 1
    status = {
        "currentNumberScheduled": 0 if refusal else len(meant),
        "desiredNumberScheduled": len(meant),
        "numberMisscheduled": 0,
        "numberReady": ready,
        "observedGeneration": metadata["generation"],
        "updatedNumberScheduled": 0 if refusal or due > now else len(meant),
    }
    counted = {"numberAvailable": ready, "numberUnavailable": len(meant) - ready}
    status |= {name: count for name, count in counted.items() if count}
    cluster.objects.set_status(DAEMON_SETS, metadata["name"], status, metadata["namespace"])
    if refusal:
        _tell(cluster, daemon_set, refusal)
    return min(moments, default=None)


def _updated_at(cluster: Cluster, metadata: Json) -> datetime:
    """Return when the pods of the DaemonSet's current generation are ready, on nodes that existed before."""
    key = (metadata["uid"], metadata["generation"])
    state = cluster.part(Pods)
    if key not in state.ready:
        created = datetime.fromisoformat(metadata["creationTimestamp"])
        # A process that did not see the template change assumes that the pods are updated.
        begun = cluster.platform.clock.now() if any(uid == key[0] for uid, _ in state.ready) else created
        state.ready = {one: moment for one, moment in state.ready.items() if one[0] != key[0]}
        state.ready[key] = begun + cluster.platform.clock.scaled(PODS_SECONDS)
    return state.ready[key]


def _up_at(cluster: Cluster, node: Json) -> datetime:
    created = datetime.fromisoformat(node["metadata"]["creationTimestamp"])
    return created + cluster.platform.clock.scaled(PODS_SECONDS)


# Where pods may run


def _fits(pod: Json, node: Json) -> bool:
    labels = node["metadata"].get("labels") or {}
    if not (pod.get("nodeSelector") or {}).items() <= labels.items():
        return False
    tolerations = [*_TOLERATED, *(pod.get("tolerations") or [])]
    taints = [taint for taint in node["spec"].get("taints") or () if taint["effect"] != "PreferNoSchedule"]
    return all(any(_tolerates(one, taint) for one in tolerations) for taint in taints)


def _tolerates(toleration: Json, taint: Json) -> bool:
    if toleration.get("effect") not in (None, "", taint["effect"]):
        return False
    exists = toleration.get("operator") == "Exists"
    if not toleration.get("key"):
        return exists
    own = (toleration.get("value") or "") == (taint.get("value") or "")
    return bool(toleration["key"] == taint["key"] and (exists or own))


# What pods may do


def _refusal(cluster: Cluster, namespace: str, pod: Json) -> str:
    """Return why a pod is not admitted, "" if it is."""
    account = pod.get("serviceAccountName") or "default"
    # A controller that is not emulated creates the account `default` in every namespace.
    if account != "default" and cluster.objects.get("ServiceAccount", account, namespace) is None:
        return f'error looking up service account {namespace}/{account}: serviceaccount "{account}" not found'
    needs = set(_needs(pod))
    if not needs:
        return ""
    user = User(
        f"system:serviceaccount:{namespace}:{account}",
        ("system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated"),
    )
    for constraints in cluster.objects.list(f"SecurityContextConstraints.{SECURITY}"):
        if all(constraints.get(need) for need in needs) and _may_use(cluster, user, namespace, constraints):
            return ""
    return f"unable to validate against any security context constraint: none that {user.name} may use has all of " + (
        ", ".join(sorted(needs))
    )


def _needs(pod: Json) -> Iterator[str]:
    yield from (member for wish, member in _HOST.items() if pod.get(wish))
    if any("hostPath" in volume for volume in pod.get("volumes") or ()):
        yield "allowHostDirVolumePlugin"
    containers = [*(pod.get("containers") or ()), *(pod.get("initContainers") or ())]
    if any((one.get("securityContext") or {}).get("privileged") for one in containers):
        yield "allowPrivilegedContainer"


def _may_use(cluster: Cluster, user: User, namespace: str, constraints: Json) -> bool:
    if user.name in (constraints.get("users") or ()) or set(user.groups) & set(constraints.get("groups") or ()):
        return True
    wanted = Attributes("use", SECURITY, CONSTRAINTS, namespace, constraints["metadata"]["name"])
    return cluster.server.authorizer.why(user, wanted) is not None


def _tell(cluster: Cluster, daemon_set: Json, refusal: str) -> None:
    metadata = daemon_set["metadata"]
    name, namespace = metadata["name"], metadata["namespace"]
    now = rfc3339(cluster.platform.clock.now())
    involved = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": name, "namespace": namespace}
    event = f"{name}.{metadata['generation']}"
    found = cluster.objects.get("Event", event, namespace)
    message = f'Error creating: pods "{name}-" is forbidden: {refusal}'
    if found is not None and found["message"] == message:
        return
    cluster.objects.put(
        {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": event, "namespace": namespace},
            "involvedObject": involved | {"uid": metadata["uid"]},
            "reason": "FailedCreate",
            "message": message,
            "source": {"component": "daemonset-controller"},
            "type": "Warning",
            "count": 1,
            "firstTimestamp": now,
            "lastTimestamp": now,
        }
    )
