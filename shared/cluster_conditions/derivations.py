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
from shared.cluster_conditions.facts import Machine, MachineSet, Reported, Thing


class Type(StrEnum):
    """The types of conditions."""

    AVAILABLE = "Available"
    DEGRADED = "Degraded"
    PROGRESSING = "Progressing"


class Status(StrEnum):
    """The status of a condition."""

    TRUE = "True"
    FALSE = "False"
    UNKNOWN = "Unknown"


NOT_REACHABLE = "NotReachable"
STOPPED = "Stopped"
AS_EXPECTED = "AsExpected"
# A condition has the reasons of no more than these, in the order of their names.
MOST_REASONS = 5
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
_PRESSURES = ("DiskPressure", "MemoryPressure", "PIDPressure", "NetworkUnavailable")
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
    """A stop of a cluster: when it has to be started, or None if that is not known."""

    start_before: datetime | None


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


@dataclass(frozen=True)
class _Cause:
    """One reason for a status: its word, its sentence, and since when."""

    reason: str
    message: str
    since: datetime | None = None


def derive(seen: Observation) -> list[Finding]:
    """Return a finding for each type, in the order in which they are shown."""
    return [_derive(kind, row, seen) for kind, row in _ROWS.items()]


def _derive(kind: Type, row: "_Row", seen: Observation) -> Finding:
    if seen.stop is not None:
        until = f" It has to be started before {_day(seen.stop.start_before)}." if seen.stop.start_before else ""
        message = f"The cluster is stopped, so it is not asked.{until}"
        return Finding(kind, Status.UNKNOWN, STOPPED, message, inertia=timedelta())
    missing = {seen.unread[name]: name for name in reversed(row.needs) if name in seen.unread}
    if missing and not seen.not_ready:
        message = "; ".join(f"The cluster's {name} cannot be read: {why}" for why, name in reversed(missing.items()))
        return Finding(kind, Status.UNKNOWN, NOT_REACHABLE, message, inertia=durations.CONDITION_BLIND)
    return row.derive(seen)


def _available(seen: Observation) -> Finding:
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
        away = ", ".join(f"'{each.name}'" for each in masters if each not in ready) or "the others do not exist"
        causes.append(_Cause("ControlPlaneNodesNotReady", f"{len(ready)} nodes of the control plane are Ready: {away}"))
    good = "The API server is ready, and the operators that a cluster cannot be used without are Available."
    return _found(Type.AVAILABLE, Status.FALSE if causes else Status.TRUE, causes, good)


def _found(kind: Type, status: Status, causes: Sequence[_Cause], good: str) -> Finding:
    """Join causes in the order of their reasons; without any, say what is good."""
    if not causes:
        return Finding(kind, status, AS_EXPECTED, good)
    ordered = sorted(causes, key=lambda cause: (cause.reason, cause.message))
    reasons = list(dict.fromkeys(cause.reason for cause in ordered))[:MOST_REASONS]
    sentences = [cause.message for cause in ordered[:MOST_REASONS]]
    if len(ordered) > MOST_REASONS:
        sentences.append(f"and {len(ordered) - MOST_REASONS} more")
    times = [cause.since for cause in ordered if cause.since is not None]
    # The longest of several causes decides since when.
    return Finding(kind, status, ",".join(reasons), "; ".join(sentences), min(times, default=None))


def _because(reason: str, sentence: str, thing: Thing, kind: str) -> _Cause:
    reported = thing.conditions.get(kind) or Reported(Status.UNKNOWN)
    said = ": ".join(part for part in (reported.reason, reported.message) if part)
    return _Cause(reason, f"{sentence}: {said}" if said else sentence, reported.since)


def _day(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC" if moment else ""


@dataclass(frozen=True)
class _Row:
    """How a condition is derived, and the members of an observation that it needs."""

    derive: Callable[[Observation], Finding]
    needs: tuple[str, ...]


_ROWS: dict[Type, _Row] = {Type.AVAILABLE: _Row(_available, ("readiness", "operators", "nodes"))}
