"""Whether an object has become what its specification asks for: status and observed generation.

Source: kubernetes-sigs/cli-utils `pkg/kstatus/status`, the rules that airshipctl waits by.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from shared.json_object import Json


class Status(StrEnum):
    """What an object is, seen from its specification."""

    CURRENT = "Current"
    IN_PROGRESS = "InProgress"
    FAILED = "Failed"
    TERMINATING = "Terminating"
    NOT_FOUND = "NotFound"
    # Not one of cli-utils: the object is of a former version of the bundle, or of somebody else.
    NOT_APPLIED = "NotApplied"


@dataclass(frozen=True)
class Found:
    """The status of an object.

    Args:
        status: the status.
        message: why, as a sentence; "" for `Current`.
    """

    status: Status
    message: str = ""


CURRENT = Found(Status.CURRENT)
_CLUSTER_API, _CONFIG = "cluster.x-k8s.io", "config.openshift.io"
# The kinds, beside those with rules below, whose status messages may quote. Operators read the messages, and need no
# right on the cluster. So nothing else is quoted: neither another part of an object, which may hold a secret, nor the
# status of another kind, where its controller may have put anything.
_QUOTED = frozenset(
    {
        ("", "Namespace"),
        ("", "Node"),
        *((_CLUSTER_API, kind) for kind in ("Cluster", "Machine", "MachineDeployment", "MachinePool", "MachineSet")),
        ("controlplane.cluster.x-k8s.io", "KubeadmControlPlane"),
        *((_CONFIG, kind) for kind in ("ClusterOperator", "ClusterVersion")),
        ("machineconfiguration.openshift.io", "MachineConfigPool"),
    }
)
# A pod in one of these states will not start by itself.
BROKEN_WAITING = frozenset({"CrashLoopBackOff", "ImagePullBackOff", "ErrImagePull", "CreateContainerConfigError"})


def status_of(live: Json | None) -> Found:
    """Return the status of an object as the API server has it, or None if it has none."""
    if live is None:
        return Found(Status.NOT_FOUND, "It does not exist.")
    if live.get("metadata", {}).get("deletionTimestamp"):
        return Found(Status.TERMINATING, "It is being deleted.")
    general = _general(live)
    if general is not None:
        return general
    rule = RULES.get(_kind(live))
    return _ready(live) if rule is None else rule(live)


def quotable(live: Json) -> Json:
    """Return the part of an object that messages may quote: the status of a well-known kind, and nothing of others."""
    kind = _kind(live)
    return {"status": _status(live)} if kind in RULES or kind in _QUOTED else {}


def _kind(live: Json) -> tuple[str, str]:
    return str(live.get("apiVersion", "")).rpartition("/")[0], str(live.get("kind", ""))


def _status(live: Json) -> Json:
    found = live.get("status")
    return found if isinstance(found, dict) else {}


def condition(live: Json, kind: str) -> Json:
    """Return a condition of an object, or {}."""
    conditions = _status(live).get("conditions")
    for one in conditions if isinstance(conditions, list) else ():
        if isinstance(one, Mapping) and one.get("type") == kind:
            return dict(one)
    return {}


def _waiting(message: str) -> Found:
    return Found(Status.IN_PROGRESS, message)


def _of(found: Json, otherwise: str) -> str:
    return str(found.get("message") or found.get("reason") or otherwise)


def _quoted(live: Json, found: Json, otherwise: str) -> str:
    return _of(found if quotable(live) else {}, otherwise)


def _general(live: Json) -> Found | None:
    """Return what every kind may say: its controller is behind, works on it, or has given up."""
    generation = live.get("metadata", {}).get("generation")
    observed = _status(live).get("observedGeneration")
    if generation is not None and observed is not None and generation != observed:
        return _waiting(f"Generation {generation} was made, and {observed} observed.")
    reconciling, stalled = condition(live, "Reconciling"), condition(live, "Stalled")
    if reconciling.get("status") == "True":
        return _waiting(_quoted(live, reconciling, "It is being reconciled."))
    if stalled.get("status") == "True":
        return Found(Status.FAILED, _quoted(live, stalled, "Its controller has given up."))
    return None


def _ready(live: Json) -> Found:
    """Judge a kind without rules of its own by its condition Ready, if it has one."""
    ready = condition(live, "Ready")
    if ready.get("status") in {"False", "Unknown"}:
        return _waiting(_quoted(live, ready, "Its condition Ready does not hold."))
    return CURRENT


def _deployment(live: Json) -> Found:
    progressing = condition(live, "Progressing")
    if progressing.get("reason") == "ProgressDeadlineExceeded":
        return Found(Status.FAILED, _of(progressing, "The rollout missed its deadline."))
    wanted, found = live.get("spec", {}).get("replicas", 1), _status(live)
    counts = (("updatedReplicas", "updated"), ("availableReplicas", "available"), ("readyReplicas", "ready"))
    short = _short(found, wanted, counts)
    if short:
        return short
    if found.get("replicas", 0) > wanted:
        return _waiting(f"{found['replicas'] - wanted} replicas of the former version have to end.")
    available = condition(live, "Available")
    return CURRENT if available.get("status") == "True" else _waiting(_of(available, "It is not available."))


def _stateful_set(live: Json) -> Found:
    spec, found = live.get("spec", {}), _status(live)
    if spec.get("updateStrategy", {}).get("type") == "OnDelete":
        return CURRENT
    wanted = spec.get("replicas", 1)
    short = _short(found, wanted, (("replicas", "made"), ("readyReplicas", "ready")))
    if short:
        return short
    partition = spec.get("updateStrategy", {}).get("rollingUpdate", {}).get("partition", 0)
    if found.get("updatedReplicas", 0) < wanted - partition:
        return _waiting(f"{found.get('updatedReplicas', 0)} of {wanted - partition} replicas are updated.")
    if not partition and found.get("currentRevision") != found.get("updateRevision"):
        return _waiting("The current revision is not yet the new one.")
    return CURRENT


def _replica_set(live: Json) -> Found:
    failure = condition(live, "ReplicaFailure")
    if failure.get("status") == "True":
        return _waiting(_of(failure, "Replicas cannot be made."))
    counts = (("fullyLabeledReplicas", "labelled"), ("availableReplicas", "available"), ("readyReplicas", "ready"))
    return _short(_status(live), live.get("spec", {}).get("replicas", 1), counts) or CURRENT


def _daemon_set(live: Json) -> Found:
    found = _status(live)
    if "desiredNumberScheduled" not in found:
        return _waiting("Nothing is scheduled yet.")
    counts = (
        ("currentNumberScheduled", "scheduled"),
        ("updatedNumberScheduled", "updated"),
        ("numberAvailable", "available"),
        ("numberReady", "ready"),
    )
    return _short(found, found["desiredNumberScheduled"], counts) or CURRENT


def _short(found: Json, wanted: int, counts: tuple[tuple[str, str], ...]) -> Found | None:
    """Return the status of a workload that has fewer replicas than wanted, or None."""
    for member, what in counts:
        if found.get(member, 0) < wanted:
            return _waiting(f"{found.get(member, 0)} of {wanted} replicas are {what}.")
    return None


def _claim(live: Json) -> Found:
    phase = _status(live).get("phase")
    return CURRENT if phase == "Bound" else _waiting(f"The claim is {phase or 'not looked at'}, not Bound.")


def _pod(live: Json) -> Found:
    found = _status(live)
    phase = found.get("phase")
    if phase == "Succeeded" or condition(live, "Ready").get("status") == "True":
        return CURRENT
    if phase == "Failed":
        return Found(Status.FAILED, _of(found, "The pod has failed."))
    for container in found.get("containerStatuses") or ():
        waiting = container.get("state", {}).get("waiting") or {}
        if waiting.get("reason") in BROKEN_WAITING:
            why = f"Container {container.get('name')}: {_of(waiting, waiting['reason'])}"
            return Found(Status.FAILED, why)
    return _waiting(f"The pod is {phase or 'not scheduled'}.")


def _job(live: Json) -> Found:
    failed, complete = condition(live, "Failed"), condition(live, "Complete")
    if failed.get("status") == "True":
        return Found(Status.FAILED, _of(failed, "The job has failed."))
    if complete.get("status") == "True" or _status(live).get("startTime"):
        return CURRENT
    return _waiting("The job has not started.")


def _budget(live: Json) -> Found:
    found = _status(live)
    healthy, wanted = found.get("currentHealthy", 0), found.get("desiredHealthy", 0)
    return CURRENT if healthy >= wanted else _waiting(f"{healthy} of {wanted} pods are healthy.")


def _service(live: Json) -> Found:
    spec = live.get("spec", {})
    if spec.get("type") == "LoadBalancer" and not _status(live).get("loadBalancer", {}).get("ingress"):
        return _waiting("The load balancer has no address yet.")
    return CURRENT


def _definition(live: Json) -> Found:
    accepted, established = condition(live, "NamesAccepted"), condition(live, "Established")
    if accepted.get("status") == "False":
        return Found(Status.FAILED, _of(accepted, "Its names are taken."))
    if established.get("status") == "False" and established.get("reason") != "Installing":
        return Found(Status.FAILED, _of(established, "It cannot be established."))
    return CURRENT if established.get("status") == "True" else _waiting("It is not established yet.")


# The rules by group and kind; a kind without any is judged by its condition Ready.
RULES: Mapping[tuple[str, str], Callable[[Json], Found]] = {
    ("apps", "Deployment"): _deployment,
    ("apps", "StatefulSet"): _stateful_set,
    ("apps", "ReplicaSet"): _replica_set,
    ("apps", "DaemonSet"): _daemon_set,
    ("", "PersistentVolumeClaim"): _claim,
    ("", "Pod"): _pod,
    ("", "Service"): _service,
    ("batch", "Job"): _job,
    ("policy", "PodDisruptionBudget"): _budget,
    ("apiextensions.k8s.io", "CustomResourceDefinition"): _definition,
}
