"""The index of what a cluster does: for the timeline's rows, after a restart, and when objects change."""

import logging
from collections.abc import Awaitable, Callable
from datetime import datetime

from emulator.core.clock import rfc3339
from emulator.openshift.boot import bootkube, checks, timeline
from emulator.openshift.boot.installation import InstallationError
from emulator.openshift.boot.timeline import OPERATOR, Row
from emulator.openshift.cluster import bootstrap, certificate_requests, kubelets, renewals
from emulator.openshift.cluster.cluster import Cluster, Key, PartState
from emulator.openshift.operators import (
    access,
    cluster_operators,
    credentials,
    health_checks,
    ingress,
    machine_api,
    returns,
    rollouts,
    router,
    statuses,
    versions,
    workloads,
)
from emulator.openshift.release.kinds import CLUSTER_VERSION

logger = logging.getLogger(__name__)

FAULTS = "machines"
_BOOTKUBE, _DOWNLOAD = "bootkube.sh", "release-image-download.sh"
# By row: which unit writes which line when the row's program is started again. Most rows are parts of bootkube.sh.
_RESTARTED = {
    # The script retries by itself, and prints a line of its own.
    "release-image": ((_DOWNLOAD, ""),),
    "machine-config-server": (
        ("kubelet", "Error syncing pod: back-off restarting failed container=machine-config-server, restart count {}"),
    ),
}
_BOOTKUBE_RESTARTED = (
    ("systemd", "bootkube.service: Main process exited, code=exited, status=1/FAILURE"),
    ("systemd", "bootkube.service: Scheduled restart job, restart counter is at {}."),
)

ACTIONS: dict[str, Callable[[Cluster], Awaitable[None]]] = {
    "machine_config_server": bootstrap.machine_config_server,
    "etcd_signer": bootstrap.etcd_signer,
    "etcd_on_masters": bootstrap.etcd_on_masters,
    "api_server": bootstrap.api_server,
    "manifests": bootstrap.manifests,
    "masters_joined": bootstrap.masters_joined,
    "cvo_overrides": bootstrap.cvo_overrides,
    "complete": bootstrap.complete,
    "rotate": bootstrap.rotate,
    "payload": cluster_operators.payload,
    "console": cluster_operators.console,
    "credentials": credentials.provide,
    "workers_ready": machine_api.workers_ready,
    "router": ingress.router,
    "alert_routes": cluster_operators.alert_routes,
    "cluster_version": versions.complete,
}
# The listeners, each with the row after which it is open.
_LISTENERS = (
    ("machine-config-server", bootstrap.machine_config_server),
    ("temporary-api", bootstrap.listen_api),
    ("router", router.listen),
)


async def run(cluster: Cluster, row: Row) -> bool:
    """Run a row that is due; tell whether it has come true.

    Raises:
        NotYetError: if it must be tried again.
        WaitingError: if it waits for an event.
        InstallationError: if the files from which the cluster is installed do not allow it.
    """
    if not row.name.startswith(OPERATOR):
        if row in timeline.BOOTSTRAP:
            now = cluster.platform.clock.now()
            for problem in checks.stage_problems(cluster.installation, row.name, now):
                raise InstallationError(problem)
        if row.action:
            await ACTIONS[row.action](cluster)
        return True
    name = row.name.removeprefix(OPERATOR)
    fault = cluster.platform.faults.take(FAULTS, f"operator {name}")
    if fault is not None and fault.kind == "delay":
        # The injected delay is not scaled.
        until = cluster.platform.clock.now().timestamp() + fault.delay_seconds
        moment = datetime.fromtimestamp(until, cluster.platform.clock.now().tzinfo)
        cluster.record.postponed[row.name] = rfc3339(moment)
        cluster.save()
        return False
    if fault is not None:
        cluster_operators.stuck(cluster, name, fault.message)
        return False
    if row.action:
        await ACTIONS[row.action](cluster)
    await access.require(cluster, name)
    rollouts.begun(cluster, name)
    cluster_operators.available(cluster, name)
    access.begun(cluster, name)
    # The operator has not looked at its objects before.
    cluster.look_again()
    return True


def failed(cluster: Cluster, row: Row, reason: str) -> None:
    """Report why a row does not come true: in the log, and in an operator's conditions or on the console."""
    logger.info("cluster %s: %s: %s", cluster.record.id, row.name, reason)
    if row.name.startswith(OPERATOR):
        cluster_operators.report(cluster, row.name.removeprefix(OPERATOR), reason)
    elif row in timeline.BOOTSTRAP:
        cluster.say(_BOOTKUBE, f"{row.name}: {reason}")
    elif row.name == "router":
        cluster_operators.report(cluster, "ingress", reason)


def begun(cluster: Cluster, row: Row, *, again: bool = False) -> None:
    """Write the lines that the machine's scripts and programs print when they begin a row.

    Args:
        cluster: the cluster.
        row: the row.
        again: whether the script was started again. It skips the stages with markers silently, so only the last line
            before the row is printed.
    """
    if row in timeline.BOOTSTRAP:
        lines = bootkube.says(cluster.installation, row.name)
        for line in lines[-1:] if again else lines:
            cluster.say(_unit(row), line, again=True)
        if row.says:
            cluster.say("cluster-bootstrap", row.says, again=True)


def ended(cluster: Cluster, row: Row, reason: str, restarts: int) -> None:
    """Report why a program of the bootstrap machine ended, and that it is started again."""
    if row not in timeline.BOOTSTRAP:
        failed(cluster, row, reason)
        return
    logger.info("cluster %s: %s: %s", cluster.record.id, row.name, reason)
    if restarts:
        begun(cluster, row, again=True)
    cluster.say(_unit(row), f"{row.name}: {reason}", again=True)
    for unit, line in _RESTARTED.get(row.name, _BOOTKUBE_RESTARTED):
        cluster.say(unit, line.format(restarts + 1) or bootkube.pulls_again(cluster.installation), again=True)


def _unit(row: Row) -> str:
    return _DOWNLOAD if row.name == "release-image" else _BOOTKUBE


async def serve(cluster: Cluster) -> None:
    """Open the listeners of all rows that have come true."""
    if cluster.reached("etcd-signer") and not cluster.reached("temporary-api"):
        await bootstrap.etcd_signer(cluster)
    for row, listen in _LISTENERS:
        if cluster.reached(row):
            await listen(cluster)


def everything() -> set[Key]:
    """Return the keys of the objects that may have been written while this process did not watch."""
    resources = {
        (f"{kind}.{group}", namespace, name) for kind, group, name, namespace in cluster_operators.RESOURCES.values()
    }
    told = {row.resource for row in timeline.ROLLOUTS}
    return (
        resources
        | told
        | {(CLUSTER_VERSION, "", "version")}
        | {(kind, "", "") for kind in (machine_api.MACHINES, workloads.DAEMON_SETS, certificate_requests.KIND)}
        | statuses.EVERYTHING
    )


def changed(cluster: Cluster, key: Key) -> None:
    """Show the immediate effects of a change of an object."""
    rollouts.changed(cluster, key)


def access_changed(cluster: Cluster, whose: str) -> bool:
    """Tell whether the operators must try their credentials again, because the access of somebody has changed."""
    return access.changed(cluster, whose)


class Observation(PartState):
    """When the operator of an object will have observed its spec."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.due: dict[Key, datetime] = {}


class Current(PartState):
    """What becomes current by itself."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.statuses = statuses.Statuses(cluster.objects, cluster.platform.clock)


async def reconcile(cluster: Cluster, changed: set[Key]) -> datetime | None:
    """Put changes into effect; return when to look again."""
    now, observing = cluster.platform.clock.now(), cluster.part(Observation).due
    for key in changed:
        rollouts.changed(cluster, key)
    for kind, namespace, name in changed - _ROLLED_OUT:
        if kind in _OBSERVED and cluster_operators.is_behind(cluster, kind, namespace, name):
            observing.setdefault((kind, namespace, name), now + cluster.platform.clock.scaled(timeline.OBSERVE_SECONDS))
    for key, due in list(observing.items()):
        if due <= now:
            del observing[key]
            cluster_operators.observe(cluster, *key)
    # Nodes first, because Machines show what these say.
    moments = [
        renewals.reconcile(cluster, changed),
        certificate_requests.reconcile(cluster, changed),
        kubelets.reconcile(cluster, changed),
    ]
    if any(kind in machine_api.KINDS for kind, _, _ in changed):
        machine_api.reconcile(cluster)
    moments += [
        workloads.reconcile(cluster, changed),
        cluster.part(Current).statuses.reconcile(changed),
        *observing.values(),
        rollouts.advance(cluster),
        credentials.reconcile(cluster, changed),
        health_checks.reconcile(cluster),
        returns.reconcile(cluster),
        await access.reconcile(cluster, changed),
    ]
    return min((moment for moment in moments if moment is not None), default=None)


_OBSERVED = {f"{kind}.{group}" for kind, group, _, _ in cluster_operators.RESOURCES.values()} | {CLUSTER_VERSION}
_ROLLED_OUT = {row.resource for row in timeline.ROLLOUTS}
