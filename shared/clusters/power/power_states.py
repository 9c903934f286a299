"""Whether a cluster's machines run, and what requests it can do while they do not.

`properties.powerState` changes with the rows of a stop and of a start, not with the request: a stop that is refused by
its checks has changed nothing. A state on its way, `Stopping` or `Starting`, stays if the operation fails. Then both a
stop and a start continue from there. Pure.
"""

from datetime import datetime
from enum import StrEnum

from shared import durations
from shared.arm import times
from shared.arm.errors import request_not_allowed
from shared.clusters import states
from shared.clusters.power import power_schedules
from shared.clusters.states import Event
from shared.documents import Cluster, ClusterDocument, Power


class PowerState(StrEnum):
    """`properties.powerState`. A cluster whose document has none runs."""

    RUNNING = "Running"
    STOPPING = "Stopping"
    STOPPED = "Stopped"
    STARTING = "Starting"


_WAY_OUT = {
    PowerState.STOPPING: "Its stop has not come to the end. Start it, or stop it again, first",
    PowerState.STOPPED: "Start it first",
    PowerState.STARTING: "Its start has not come to the end. Start it again first",
}


def state_of(cluster: Cluster) -> PowerState:
    """Return the power state of a cluster."""
    return PowerState(cluster["properties"].get("powerState") or PowerState.RUNNING)


def with_power_state(cluster: Cluster) -> Cluster:
    """Return a cluster as it is shown: one that is up has a power state, also if its document is older than that."""
    if not states.is_usable(cluster):
        return cluster
    return {**cluster, "properties": {**cluster["properties"], "powerState": str(state_of(cluster))}}


def is_running(document: ClusterDocument) -> bool:
    """Tell whether the machines of a cluster run, as far as the service has switched them."""
    return state_of(document["openShiftCluster"]) is PowerState.RUNNING


def require_running(document: ClusterDocument, what: str) -> None:
    """Refuse what only a running cluster can do. One whose start has come as far as its nodes counts as such.

    Args:
        document: the cluster document.
        what: what was asked for, as the beginning of a sentence: "A change of the service principal".

    Raises:
        CloudError: 400 `RequestNotAllowed`, naming the power state and the way out.
    """
    state = state_of(document["openShiftCluster"])
    has_ready_nodes = state is PowerState.STARTING and not is_drained(document)
    if state is not PowerState.RUNNING and not has_ready_nodes:
        path = f"POST {document['openShiftCluster']['id']}/start"
        raise request_not_allowed(
            f"{what} needs a running cluster, and this one is in the power state '{state}'. {_WAY_OUT[state]}: {path}"
        )


def prepare(document: ClusterDocument, event: Event, now: datetime) -> None:
    """Refuse a stop or a start that the cluster is not ready for; let it take the place of the schedule's last event.

    Args:
        document: the cluster document, changed in place.
        event: `STOP` or `START`.
        now: the time of the request.

    Raises:
        CloudError: 400 `RequestNotAllowed`, with the reason and what to do.
    """
    if event is Event.STOP:
        _require_stoppable(document["openShiftCluster"], now)
    else:
        _require_startable(document["openShiftCluster"])
    power_of(document)["since"] = now.isoformat()


def _require_stoppable(cluster: Cluster, now: datetime) -> None:
    if state_of(cluster) is PowerState.STOPPED:
        raise request_not_allowed(
            f"The cluster is stopped already. Its machines cost nothing now. To start it: POST {cluster['id']}/start"
        )
    old_enough = _installed(cluster) + durations.STOP_AFTER
    if now < old_enough:
        raise request_not_allowed(
            "The cluster cannot be stopped in its first 24 hours: its first certificates are valid for one day, and a "
            f"cluster that is off does not renew them. Stop it after {times.arm_time(old_enough.isoformat())}."
        )


def _installed(cluster: Cluster) -> datetime:
    """Return when the first certificates of a cluster began; of one that does not say, when it was asked for."""
    properties = cluster["properties"]
    moment = (properties.get("install") or {}).get("now") or properties.get("createdAt")
    # Every cluster has had the second for years.
    return datetime.fromisoformat(moment or "2000-01-01T00:00:00+00:00")


def _require_startable(cluster: Cluster) -> None:
    if state_of(cluster) is PowerState.RUNNING:
        raise request_not_allowed(
            "The cluster is not stopped, so it cannot be started. If somebody has switched single machines off, start "
            "these: az vm start"
        )


def power_of(document: ClusterDocument) -> Power:
    """Return what the service knows of a cluster's stops and starts, in the document itself."""
    return document.setdefault("power", {})


def is_drained(document: ClusterDocument) -> bool:
    """Tell whether a stop has cordoned the nodes and emptied the workers, and no start has undone that."""
    return bool((document.get("power") or {}).get("drained"))


def note_stop(document: ClusterDocument, now: datetime, signer_ends: str) -> bool:
    """Record that a stop begins to change the cluster, and until when it must be started; return whether that was new.

    A stop that continues another one, or a start that failed, keeps the times of the first: machines may be off since.

    Args:
        document: the cluster document, changed in place.
        now: the time.
        signer_ends: when the authority ends that kubelets trust in API servers; "" if the cluster does not say.
    """
    begins = not is_drained(document)
    if begins:
        latest = now + durations.LONGEST_STOP
        if signer_ends:
            latest = min(latest, datetime.fromisoformat(signer_ends))
        document["power"] = {
            **power_of(document),
            "stoppedAt": now.isoformat(),
            "startBefore": latest.isoformat(),
        }
    return _set(document, PowerState.STOPPING) or begins


def note_drained(document: ClusterDocument) -> bool:
    """Record that nothing is left to do inside the cluster before its machines are switched off."""
    return _set_drained(document, drained=True)


def note_uncordoned(document: ClusterDocument) -> bool:
    """Record that pods run on the nodes again."""
    return _set_drained(document, drained=False)


def _set_drained(document: ClusterDocument, *, drained: bool) -> bool:
    changed = is_drained(document) is not drained
    power_of(document)["drained"] = drained
    return changed


def note_stopped(document: ClusterDocument) -> bool:
    """Record that all machines of a cluster are off; return whether that was new."""
    return _set(document, PowerState.STOPPED)


def note_start(document: ClusterDocument, now: datetime, machines: list[str]) -> bool:
    """Record that a start begins to change the cluster; return whether that was new.

    A start that continues another one keeps its time, and what that one has started.

    Args:
        document: the cluster document, changed in place.
        now: the time.
        machines: the machines that are off, and which the start starts.
    """
    power, cluster = power_of(document), document["openShiftCluster"]
    if state_of(cluster) is not PowerState.STARTING:
        power |= {"startedAt": now.isoformat(), "started": []}
        cluster["properties"]["powerState"] = PowerState.STARTING
    elif set(machines) <= set(power["started"]):
        return False
    power["started"] = sorted({*power["started"], *machines})
    return True


def note_running(document: ClusterDocument) -> bool:
    """Record that a cluster runs again; return whether that was new."""
    document["power"] = {"since": power_of(document)["since"]}
    return _set(document, PowerState.RUNNING)


def _set(document: ClusterDocument, state: PowerState) -> bool:
    cluster = document["openShiftCluster"]
    if state_of(cluster) is state:
        return False
    cluster["properties"]["powerState"] = state
    return True


def note_schedule(document: ClusterDocument, before: Cluster, now: datetime) -> None:
    """Let a schedule that a request has changed begin now: what it would have done earlier today is over.

    Args:
        document: the cluster document as the request wants it, changed in place.
        before: the cluster before the request.
        now: the time of the request.

    Raises:
        CloudError: 400 `InvalidParameter`: the cluster is stopped, and its next start would come too late.
    """
    schedule = document["openShiftCluster"]["properties"].get("powerSchedule")
    if schedule == before["properties"].get("powerSchedule"):
        return
    power_of(document)["since"] = now.isoformat()
    start_before = power_of(document).get("startBefore", "")
    if schedule and start_before:
        power_schedules.require_start_before(schedule, now, datetime.fromisoformat(start_before))


def until(document: ClusterDocument) -> datetime | None:
    """Return until when a cluster must be started, or None for one that is not stopped."""
    start_before = (document.get("power") or {}).get("startBefore", "")
    return datetime.fromisoformat(start_before) if start_before else None
