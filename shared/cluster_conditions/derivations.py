"""The conditions of a cluster, from what was read of it: one pure function for each type.

A finding is what holds now. `inertia.py` decides when it is shown.

Source: of the shape, Azure/ARO-HCP `api/redhatopenshift/.../hcpCluster-models.tsp`; of what counts, ARO-RP
`pkg/monitor/cluster`, and the alerts of ARO-HCP.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from shared import durations
from shared.cluster_conditions import calendar
from shared.cluster_conditions.calendar import Kind
from shared.cluster_conditions.facts import Machine, MachineSet, Reported, Thing
from shared.documents import NetworkProblem
from shared.settings import Pace


class Type(StrEnum):
    """The types of conditions."""

    AVAILABLE = "Available"
    DEGRADED = "Degraded"
    PROGRESSING = "Progressing"
    CERTIFICATES_EXPIRING = "CertificatesExpiring"
    CREDENTIALS_EXPIRING = "CredentialsExpiring"
    NETWORK_MISCONFIGURED = "NetworkMisconfigured"
    HIBERNATION_POSSIBLE = "HibernationPossible"
    START_BEFORE = "StartBefore"


class Status(StrEnum):
    """The status of a condition."""

    TRUE = "True"
    FALSE = "False"
    UNKNOWN = "Unknown"


NOT_REACHABLE = "NotReachable"
STOPPED = "Stopped"
AS_EXPECTED = "AsExpected"
# A condition has no more causes than these, in the order of their names.
MOST_CAUSES = 5
# Without one of these operators a cluster cannot be used.
ESSENTIAL = (
    "authentication",
    "console",
    "dns",
    "etcd",
    "ingress",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "network",
    "openshift-apiserver",
)
# etcd loses its quorum below.
_MASTERS = 2
_PRESSURES = ("DiskPressure", "MemoryPressure", "NetworkUnavailable", "PIDPressure")
_POOL_TROUBLES = ("Degraded", "NodeDegraded", "RenderDegraded")


@dataclass(frozen=True)
class Finding:
    """What holds now.

    Attributes:
        type: the type of the condition.
        status: its status.
        reason: a word, or several between commas.
        message: a sentence, or several.
        since: when the cluster says that it began; None if it does not say.
        inertia: how long it has to hold before it is shown.
    """

    type: Type
    status: Status
    reason: str
    message: str
    since: datetime | None = None
    inertia: timedelta = durations.CONDITION_INERTIA


@dataclass(frozen=True)
class Stop:
    """A cluster whose machines do not all run: its power state, and when it has to be started, if that is known."""

    state: str
    start_before: datetime | None


@dataclass(frozen=True)
class Expiration:
    """The end of something in the calendar.

    Attributes:
        name: its row.
        end: when it ends.
        detail: which of several it is, for people, or "".
    """

    name: str
    end: datetime
    detail: str = ""


@dataclass(frozen=True)
class Observation:
    """What was read of a cluster.

    Attributes:
        at: when.
        stop: the stop that the service has made; None for a cluster that runs.
        operation: the state of a cluster with an operation of the service, such as `Updating`; or "".
        unread: what could not be read, by the names of these members, and why.
        not_ready: what its API server answers if it is not ready, or "".
        operators: its ClusterOperators.
        version: its ClusterVersion.
        pools: its pools of machine configurations.
        nodes: its nodes.
        machines: its machines.
        machine_sets: its machine sets.
        mismatched_since: by name, since when a machine set has had another number of machines than it wants.
        console: why the console's name does not end a handshake at the router, or "".
        console_reached: whether it does.
        expirations: what ends, as it was read last.
        expirations_read_at: when that was.
        principal: which application and secret were tried last; "" for a cluster without, or before that.
        refused_principal: why Entra ID refuses the cluster's principal, or "".
        network: what is wrong with its network, as it was read last.
        webhooks: the admission webhooks that would keep it from starting after a stop, in words.
        remedies: by the name of a row of the calendar, what the owner of this cluster does about a warning, if that is
            more than the row says.
    """

    at: datetime
    stop: Stop | None = None
    operation: str = ""
    unread: Mapping[str, str] = field(default_factory=dict)
    not_ready: str = ""
    operators: Sequence[Thing] = ()
    version: Thing | None = None
    pools: Sequence[Thing] = ()
    nodes: Sequence[Thing] = ()
    machines: Sequence[Machine] = ()
    machine_sets: Sequence[MachineSet] = ()
    mismatched_since: Mapping[str, datetime] = field(default_factory=dict)
    console: str = ""
    console_reached: bool = False
    expirations: Sequence[Expiration] = ()
    expirations_read_at: str = ""
    principal: str = ""
    refused_principal: str = ""
    network: Sequence[NetworkProblem] = ()
    webhooks: Sequence[str] = ()
    remedies: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Cause:
    """One reason for a status: its word, its sentence, and since when."""

    reason: str
    message: str
    since: datetime | None = None


def derive(seen: Observation, pace: Pace) -> list[Finding]:
    """Return a finding for each type, in the order in which they are shown.

    Args:
        seen: what was read.
        pace: divides how long something has to last.
    """
    return [_derive(kind, row, seen, pace) for kind, row in _ROWS.items()]


def _derive(kind: Type, row: "_Row", seen: Observation, pace: Pace) -> Finding:
    if seen.stop is not None and row.asks:
        message = f"The cluster is {seen.stop.state}, so it is not asked{_until(seen.stop)}."
        return Finding(kind, Status.UNKNOWN, STOPPED, message, inertia=timedelta())
    missing = {seen.unread[name]: name for name in reversed(row.needs) if name in seen.unread}
    if missing and not (seen.not_ready and kind is Type.AVAILABLE):
        parts = [f"The cluster's {name.replace('_', ' ')} cannot be read: {why}" for why, name in missing.items()]
        message = "; ".join(reversed(parts))
        return Finding(kind, Status.UNKNOWN, NOT_REACHABLE, message, inertia=durations.CONDITION_BLIND)
    return row.derive(seen, pace)


def _available(seen: Observation, _pace: Pace) -> Finding:
    if seen.not_ready:
        cause = _Cause("ApiServerUnreachable", f"The API server is not ready: {seen.not_ready}")
        return _found(Type.AVAILABLE, Status.FALSE, [cause], "")
    operators = {each.name: each for each in seen.operators}
    causes = [
        _Cause("OperatorUnavailable", f"ClusterOperator '{name}' does not exist")
        if name not in operators
        else _because("OperatorUnavailable", f"ClusterOperator '{name}' is not Available", operators[name], "Available")
        for name in ESSENTIAL
        if name not in operators or operators[name].status("Available") != Status.TRUE
    ]
    masters = [each for each in seen.nodes if each.is_master]
    ready = [each for each in masters if each.status("Ready") == Status.TRUE]
    if len(ready) < _MASTERS:
        away = ", ".join(f"'{each.name}'" for each in masters if each not in ready) or "there are no others"
        message = f"{len(ready)} nodes of the control plane are Ready, and {_MASTERS} are needed: {away}"
        causes.append(_Cause("ControlPlaneNodesNotReady", message))
    if seen.console:
        causes.append(_Cause("ConsoleUnreachable", f"The console's address does not end a handshake: {seen.console}"))
    good = "The API server is ready, and the operators that a cluster cannot be used without are Available."
    return _found(Type.AVAILABLE, Status.FALSE if causes else Status.TRUE, causes, good)


def _degraded(seen: Observation, pace: Pace) -> Finding:
    causes = [cause for operator in seen.operators for cause in _operator_troubles(operator, seen, pace)]
    if seen.version and seen.version.status("Failing") == Status.TRUE:
        causes.append(_because("ClusterVersionFailing", "ClusterVersion is Failing", seen.version, "Failing"))
    for pool in seen.pools:
        kind = next((each for each in _POOL_TROUBLES if pool.status(each) == Status.TRUE), "")
        if kind:
            causes.append(_because("PoolDegraded", f"MachineConfigPool '{pool.name}' is {kind}", pool, kind))
    for node in seen.nodes:
        causes += _node_troubles(node, seen, pace)
    for machine in seen.machines:
        if machine.phase == "Failed":
            said = f": {machine.message}" if machine.message else ""
            causes.append(_Cause("MachineFailed", f"Machine '{machine.name}' has Failed{said}"))
    good = "No operator, pool, node or machine reports a problem."
    return _found(Type.DEGRADED, Status.TRUE if causes else Status.FALSE, causes, good)


def _operator_troubles(operator: Thing, seen: Observation, pace: Pace) -> list[_Cause]:
    causes = []
    who = f"ClusterOperator '{operator.name}'"
    if operator.status("Degraded") == Status.TRUE:
        causes.append(_because("OperatorDegraded", f"{who} is Degraded", operator, "Degraded"))
    unavailable = operator.status("Available") not in (Status.TRUE, "")
    if unavailable and _lasts(operator, "Available", durations.OPERATOR_UNAVAILABLE, seen, pace):
        causes.append(_because("OperatorUnavailable", f"{who} is not Available", operator, "Available"))
    return causes


def _node_troubles(node: Thing, seen: Observation, pace: Pace) -> list[_Cause]:
    causes = [
        _because("NodeUnderPressure", f"Node '{node.name}' has {kind}", node, kind)
        for kind in _PRESSURES
        if node.status(kind) == Status.TRUE
    ]
    if node.status("Ready") != Status.TRUE and _lasts(node, "Ready", durations.NODE_NOT_READY, seen, pace):
        causes.append(_because("NodeNotReady", f"Node '{node.name}' is not Ready", node, "Ready"))
    return causes


def _lasts(thing: Thing, kind: str, limit: timedelta, seen: Observation, pace: Pace) -> bool:
    """Tell whether a condition has been as it is for long enough. If the cluster does not say, it has."""
    reported = thing.conditions.get(kind)
    return reported is None or reported.since is None or seen.at - reported.since >= pace.scaled(limit)


def _progressing(seen: Observation, pace: Pace) -> Finding:
    causes = []
    if seen.operation:
        causes.append(_Cause("OperationRunning", f"An operation of the service runs: the cluster is {seen.operation}"))
    if seen.version and seen.version.status("Progressing") == Status.TRUE:
        causes.append(
            _because("ClusterVersionProgressing", "ClusterVersion is Progressing", seen.version, "Progressing")
        )
    causes += [
        _because("PoolUpdating", f"MachineConfigPool '{pool.name}' is Updating", pool, "Updating")
        for pool in seen.pools
        if pool.status("Updating") == Status.TRUE
    ]
    for each in seen.machine_sets:
        # What has not come in an hour does not come: machines that failed make the cluster degraded.
        since = seen.mismatched_since.get(each.name, seen.at)
        if each.wanted != each.available and seen.at - since < pace.scaled(durations.MACHINES_COMING):
            message = f"MachineSet '{each.name}' has {each.available} of {each.wanted} machines available"
            causes.append(_Cause("MachinesChanging", message, since))
    good = "Nothing is being changed."
    return _found(Type.PROGRESSING, Status.TRUE if causes else Status.FALSE, causes, good)


def _certificates(seen: Observation, _pace: Pace) -> Finding:
    causes = _endings(seen, Kind.CERTIFICATE, "Certificate")
    good = "No certificate that the service looks after ends soon."
    return _found(Type.CERTIFICATES_EXPIRING, Status.TRUE if causes else Status.FALSE, causes, good)


def _credentials(seen: Observation, _pace: Pace) -> Finding:
    causes = _endings(seen, Kind.CREDENTIAL, "Credential")
    if seen.refused_principal:
        message = f"Entra ID refuses the {_what(calendar.SERVICE_PRINCIPAL)}: {seen.refused_principal}"
        causes.append(_Cause("Invalid", f"{message}. {_remedy(seen, calendar.SERVICE_PRINCIPAL)}"))
    good = "No credential that the service looks after ends soon."
    return _found(Type.CREDENTIALS_EXPIRING, Status.TRUE if causes else Status.FALSE, causes, good)


def _network(seen: Observation, _pace: Pace) -> Finding:
    causes = [_Cause(each["reason"], each["message"]) for each in seen.network]
    good = "Subnets, security groups and route tables are as the cluster needs them."
    return _found(Type.NETWORK_MISCONFIGURED, Status.TRUE if causes else Status.FALSE, causes, good)


def _hibernation(seen: Observation, _pace: Pace) -> Finding:
    causes = [
        _Cause("WebhookBlocksStart", f"After a stop, the webhook {each} would keep the cluster from starting")
        for each in seen.webhooks
    ]
    good = "No webhook would keep the cluster from starting after a stop."
    return _found(Type.HIBERNATION_POSSIBLE, Status.FALSE if causes else Status.TRUE, causes, good)


# The latest warning first.
_START_WARNINGS = ((durations.LAST_START_WARNING, "StartNow"), (durations.START_WARNING, "StartSoon"))


def _start_before(seen: Observation, _pace: Pace) -> Finding:
    stop = seen.stop
    if stop is None or stop.start_before is None:
        return Finding(Type.START_BEFORE, Status.FALSE, AS_EXPECTED, "The cluster runs.")
    left = stop.start_before - seen.at
    message = f"The cluster is {stop.state}{_until(stop)}."
    reason = next((reason for warning, reason in _START_WARNINGS if left <= warning), STOPPED)
    return Finding(Type.START_BEFORE, Status.FALSE if reason == STOPPED else Status.TRUE, reason, message)


def _until(stop: Stop) -> str:
    return f"; it has to be started before {_moment(stop.start_before)}" if stop.start_before else ""


def _endings(seen: Observation, kind: Kind, noun: str) -> list[_Cause]:
    causes = []
    for each in seen.expirations:
        entry = calendar.BY_NAME.get(each.name)
        if entry is None or entry.kind is not kind or not entry.warned_days:
            continue
        if each.end - seen.at >= timedelta(days=entry.warned_days):
            continue
        ended = each.end <= seen.at
        which = f" ({each.detail})" if each.detail else ""
        message = f"The {entry.what}{which} {'ended' if ended else 'ends'} on {_moment(each.end)}"
        causes.append(_Cause(f"{noun}{'Expired' if ended else 'Expiring'}", f"{message}. {_remedy(seen, each.name)}"))
    return causes


def _what(name: str) -> str:
    return calendar.BY_NAME[name].what


def _remedy(seen: Observation, name: str) -> str:
    return (seen.remedies.get(name) or calendar.BY_NAME[name].remedy).removesuffix(".")


def _found(kind: Type, status: Status, causes: Sequence[_Cause], good: str) -> Finding:
    """Join causes in the order of their reasons; without any, say what is good."""
    if not causes:
        return Finding(kind, status, AS_EXPECTED, good)
    ordered = sorted(causes, key=lambda cause: (cause.reason, cause.message))
    reasons = list(dict.fromkeys(cause.reason for cause in ordered))[:MOST_CAUSES]
    sentences = [cause.message for cause in ordered[:MOST_CAUSES]]
    if len(ordered) > MOST_CAUSES:
        sentences.append(f"and {len(ordered) - MOST_CAUSES} more")
    # The cause that has lasted longest decides since when.
    times = [cause.since for cause in ordered if cause.since is not None]
    return Finding(kind, status, ",".join(reasons), "; ".join(sentences), min(times, default=None))


def _because(reason: str, sentence: str, thing: Thing, kind: str) -> _Cause:
    reported = thing.conditions.get(kind) or Reported(Status.UNKNOWN)
    said = ": ".join(part for part in (reported.reason, reported.message) if part)
    return _Cause(reason, f"{sentence}: {said}" if said else sentence, reported.since)


def _moment(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC" if moment else ""


@dataclass(frozen=True)
class _Row:
    """How a condition is derived.

    Attributes:
        derive: the function.
        needs: the members of an observation without which it says nothing.
        asks: whether it is about the cluster that runs; the others hold for a stopped one, too.
    """

    derive: Callable[[Observation, Pace], Finding]
    needs: tuple[str, ...]
    asks: bool = True


_ROWS: dict[Type, _Row] = {
    Type.AVAILABLE: _Row(_available, ("readiness", "operators", "nodes")),
    Type.DEGRADED: _Row(_degraded, ("operators", "version", "pools", "nodes", "machines")),
    Type.PROGRESSING: _Row(_progressing, ("version", "pools", "machine_sets")),
    Type.CERTIFICATES_EXPIRING: _Row(_certificates, ()),
    Type.CREDENTIALS_EXPIRING: _Row(_credentials, (), asks=False),
    Type.NETWORK_MISCONFIGURED: _Row(_network, ("network",), asks=False),
    Type.HIBERNATION_POSSIBLE: _Row(_hibernation, ("webhooks",)),
    Type.START_BEFORE: _Row(_start_before, (), asks=False),
}
