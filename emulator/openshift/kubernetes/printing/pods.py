"""The cells of pods, whose status depends on their containers more than on their phase."""

from datetime import datetime

from emulator.json_object import Json
from emulator.openshift.kubernetes.printing.cells import NONE, member, word

# The reason that the node controller writes when a node is silent.
NODE_LOST = "NodeLost"


def ready(obj: Json, _now: datetime) -> str:
    """Print how many of the containers are ready."""
    running = 0 if _initializing(obj) else sum(_is_running(one) for one in _statuses(obj, "containerStatuses"))
    return f"{running}/{len(member(obj, 'spec.containers') or ())}"


def restarts(obj: Json, _now: datetime) -> int:
    """Print how often containers were restarted: the init containers while they run, then the others."""
    of = "initContainerStatuses" if _initializing(obj) else "containerStatuses"
    return sum(int(one.get("restartCount") or 0) for one in _statuses(obj, of))


def status(obj: Json, _now: datetime) -> str:
    """Print the state of a pod, or why it does not run."""
    reason = str(member(obj, "status.reason") or "")
    if member(obj, "metadata.deletionTimestamp"):
        return "Unknown" if reason == NODE_LOST else "Terminating"
    initializing = _initializing(obj)
    if initializing:
        return initializing
    shown = reason or str(member(obj, "status.phase") or "")
    statuses = _statuses(obj, "containerStatuses")
    # The first container with a reason decides.
    shown = next((why for why in map(_why_not, statuses) if why), shown)
    if shown == "Completed" and any(_is_running(one) for one in statuses):
        return "Running" if _has_condition(obj, "Ready") else "NotReady"
    return shown


def readiness_gates(obj: Json, _now: datetime) -> str:
    """Print how many of the pod's readiness gates hold."""
    gates = member(obj, "spec.readinessGates") or ()
    held = sum(_has_condition(obj, word(gate, "conditionType")) for gate in gates)
    return f"{held}/{len(gates)}" if gates else NONE


def _statuses(obj: Json, name: str) -> list[Json]:
    return list(member(obj, f"status.{name}") or ())


def _has_condition(obj: Json, kind: str) -> bool:
    return any(
        one.get("type") == kind and one.get("status") == "True" for one in member(obj, "status.conditions") or ()
    )


def _is_running(container: Json) -> bool:
    return bool(container.get("ready")) and member(container, "state.running") is not None


def _why_not(container: Json) -> str:
    """Return why a container does not run, "" if its state gives no reason."""
    waiting, ended = (member(container, f"state.{name}") for name in ("waiting", "terminated"))
    reason = word(waiting or {}, "reason") or word(ended or {}, "reason")
    if reason or ended is None:
        return reason
    return f"Signal:{ended['signal']}" if ended.get("signal") else f"ExitCode:{ended.get('exitCode', 0)}"


def _initializing(obj: Json) -> str:
    """Return the progress of the init containers, "" if they have finished."""
    for number, container in enumerate(_statuses(obj, "initContainerStatuses")):
        ended = member(container, "state.terminated")
        if ended is not None and not ended.get("exitCode"):
            continue
        why = _why_not(container)
        if why and why != "PodInitializing":
            return f"Init:{why}"
        return f"Init:{number}/{len(member(obj, 'spec.initContainers') or ())}"
    return ""
