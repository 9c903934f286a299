"""The operators after a stop: at first they say what was true before it, then what they lack, and in the end all is well."""

from datetime import datetime

from emulator.openshift.boot import timeline
from emulator.openshift.cluster import control_plane
from emulator.openshift.cluster.cluster import Cluster, PartState
from emulator.openshift.operators import cluster_operators
from emulator.openshift.operators.machine_api import ENOUGH_WORKERS


class Noticed(PartState):
    """Whether this process has shown what the operators lack."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.shown = False


def reconcile(cluster: Cluster) -> datetime | None:
    """Show the operators as they are since the API returned; return when to look again, None if nothing is due."""
    state, clock = cluster.part(Noticed), cluster.platform.clock
    if cluster.record.settled:
        return None
    notice = cluster_operators.notices_at(cluster)
    if notice > clock.now():
        return notice
    end = _settles_at(cluster)
    is_well = end is not None and end <= clock.now()
    if is_well or not state.shown:
        cluster.record.settled, state.shown = is_well, not is_well
        cluster.save()
        for name in timeline.NAMES:
            cluster_operators.show(cluster, name)
    return None if is_well else end


def _settles_at(cluster: Cluster) -> datetime | None:
    """Return when all operators are well, None while they lack nodes."""
    nodes = cluster.objects.list("Node")
    ready = [node for node in nodes if control_plane.is_ready(node)]
    counts = [
        [
            sum(f"node-role.kubernetes.io/{role}" in node["metadata"]["labels"] for node in some)
            for some in (nodes, ready)
        ]
        for role in ("master", "worker")
    ]
    (masters, ready_masters), (workers, ready_workers) = counts
    if ready_masters < masters or ready_workers < min(workers, ENOUGH_WORKERS):
        return None
    moments = [one["lastTransitionTime"] for node in ready for one in node["status"]["conditions"]]
    last = max(datetime.fromisoformat(moment) for moment in (cluster.record.back, *moments))
    return last + cluster.platform.clock.scaled(timeline.SETTLE_SECONDS)
