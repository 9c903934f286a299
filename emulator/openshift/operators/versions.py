"""The ClusterVersion, whose operator summarizes the state of the other operators."""

from uuid import NAMESPACE_URL, uuid5

from emulator.openshift.boot import timeline
from emulator.openshift.cluster.cluster import Cluster
from emulator.openshift.operators.conditions import Conditions, seconds, written
from emulator.openshift.release.kinds import CLUSTER_VERSION, CONFIG

NO_CHANNEL = (False, "NoChannel", "The update channel has not been configured.")


def begin(cluster: Cluster) -> None:
    """Create the ClusterVersion if the installer has not, and show it as progressing."""
    if cluster.objects.get(CLUSTER_VERSION, "version") is None:
        own = str(uuid5(NAMESPACE_URL, cluster.record.id))
        spec = {"channel": f"stable-4.{cluster.installation.minor}", "clusterID": own}
        head = {"apiVersion": f"{CONFIG}/v1", "kind": "ClusterVersion", "metadata": {"name": "version"}}
        cluster.objects.put(head | {"spec": spec})
    show(cluster)


async def complete(cluster: Cluster) -> None:
    """Show the ClusterVersion as complete, now that all operators are available."""
    show(cluster, is_complete=True)


def show(cluster: Cluster, *, is_complete: bool = False) -> None:
    """Show in the ClusterVersion how far it is, and that its operator has observed its current generation."""
    found = cluster.objects.get(CLUSTER_VERSION, "version")
    if found is None:
        return
    is_complete = is_complete or cluster.reached("cluster-version")
    version, now = cluster.installation.version, seconds(cluster)
    done = [name for name in timeline.NAMES if cluster.reached(f"{timeline.OPERATOR}{name}")]
    ill = sorted(name.removeprefix(timeline.OPERATOR) for name in cluster.record.stuck)
    rollouts = cluster.record.rollouts
    failed = {row.operator for row in timeline.ROLLOUTS if rollouts.get(row.key, {}).get("problem")}
    degraded = sorted(failed | cluster.record.refused.keys())
    working = f"Working towards {version}: {len(done)} of {len(timeline.NAMES)} operators are available"
    waits = f"Cluster operator{'s' if len(ill) > 1 else ''} {', '.join(ill)} not available" if ill else working
    failing = (bool(ill), "ClusterOperatorNotAvailable" if ill else "", waits if ill else "")
    if degraded and not ill:
        failing = (True, "ClusterOperatorDegraded", f"Cluster operator {', '.join(degraded)} is degraded")
    told: Conditions = {
        "Available": (is_complete, "", f"Done applying {version}" if is_complete else ""),
        "Failing": failing,
        "Progressing": (not is_complete, "", f"Cluster version is {version}" if is_complete else waits),
        "RetrievedUpdates": (True, "", "") if found["spec"].get("channel") else NO_CHANNEL,
    }
    desired = {"version": version, "image": _image(version)}
    history = (found.get("status") or {}).get("history") or [
        {"state": "Partial", "startedTime": now, "completionTime": None, "verified": False} | desired
    ]
    if is_complete and history[0]["state"] != "Completed":
        history = [history[0] | {"state": "Completed", "completionTime": now}]
    status = {
        "availableUpdates": None,
        "conditions": written(cluster, found, told),
        "desired": desired,
        "history": history,
        "observedGeneration": found["metadata"].get("generation", 1),
        "versionHash": "",
    }
    cluster.objects.set_status(CLUSTER_VERSION, "version", status)


def _image(version: str) -> str:
    return f"quay.io/openshift-release-dev/ocp-release:{version}-x86_64"
