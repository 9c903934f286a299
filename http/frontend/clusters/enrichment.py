"""Clusters as a GET shows them: what is stored, with what the live clusters say about themselves laid over it.

It is best effort. A cluster that is not up, or whose machines are switched off, is not asked. What cannot be read in
time is shown as it is stored, and the log says why.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from frontend.at_once import at_once
from frontend.messages import Call
from shared import deadline, tracing
from shared.arm import resource_id
from shared.cluster_conditions import cluster_reads
from shared.clusters import states
from shared.clusters.live import live_values
from shared.clusters.live.live_values import Live
from shared.clusters.power import power_states
from shared.documents import Cluster, ClusterDocument
from shared.openshift.client import Endpoint, NotDone, Read
from shared.openshift.conditions import CLUSTER_VERSION, MACHINES
from shared.openshift.reads import Ask

# More nodes than a cluster may have. A longer list is not shown at all, rather than in part.
_MOST = 250
_CONSOLE = Read("Console.config.openshift.io", "cluster")
_MACHINE_SETS = Read("MachineSet", namespace=MACHINES, limit=_MOST)
_INGRESS_CONTROLLERS = Read("IngressController", namespace="openshift-ingress-operator", limit=_MOST)
_ROUTERS = Read("Service", namespace="openshift-ingress", labels="app=router", limit=_MOST)


@dataclass(frozen=True)
class Shown:
    """A cluster as a GET shows it.

    Args:
        cluster: the internal cluster, with its live values.
        unread: the members of `Live` that could not be read, each with the reason.
    """

    cluster: Cluster
    unread: Mapping[str, str]


Sources = Mapping[str, tuple[Read, Callable[[Any], Any]]]

_log = logging.getLogger(__name__)


def _sources(cluster: Cluster) -> Sources:
    """Return the members of `Live`: what each is read from, and what is taken from it."""
    subscription_id = resource_id.parse(cluster["id"]).subscription_id
    return {
        "version": (CLUSTER_VERSION, live_values.version),
        "console_url": (_CONSOLE, live_values.console_url),
        "worker_profiles": (_MACHINE_SETS, partial(live_values.worker_profiles, subscription_id)),
        "ingress_profiles": (_INGRESS_CONTROLLERS, live_values.ingress_profiles),
        "router_addresses": (_ROUTERS, live_values.router_addresses),
    }


def add_live_values(call: Call, documents: Sequence[ClusterDocument]) -> list[Cluster]:
    """Return the internal clusters of documents, in order, with their live values; see `show_clusters`."""
    return [each.cluster for each in show_clusters(call, documents)]


def show_clusters(call: Call, documents: Sequence[ClusterDocument]) -> list[Shown]:
    """Return documents, in order, as a GET shows them. All live clusters are read at the same time.

    It takes until the deadline (`shared/deadline.py`) at most, and never raises.
    """
    up = [each for each in documents if states.is_usable(each["openShiftCluster"]) and power_states.is_running(each)]
    endpoints = at_once([partial(_endpoint, call, each) for each in up])
    asked = [
        (each["id"], member, Ask(endpoint, what, pick))
        for each, endpoint in zip(up, endpoints, strict=True)
        if isinstance(endpoint, Endpoint)
        for member, (what, pick) in _sources(each["openShiftCluster"]).items()
    ]
    answers = call.services.read_clusters([ask for _, _, ask in asked], deadline.seconds_left())
    by_cluster: dict[str, dict[str, Any]] = {
        each["id"]: dict.fromkeys(_sources(each["openShiftCluster"]), why)
        for each, why in zip(up, endpoints, strict=True)
        if isinstance(why, NotDone)
    }
    for (document_id, member, _), answer in zip(asked, answers, strict=True):
        by_cluster.setdefault(document_id, {})[member] = answer
    return [_shown(each, by_cluster.get(each["id"], {})) for each in documents]


def _endpoint(call: Call, document: ClusterDocument) -> Endpoint | NotDone:
    try:
        return cluster_reads.endpoint(document, call.services.vault.get_secret)
    except NotDone as why:
        return why


def _shown(document: ClusterDocument, answers: Mapping[str, Any]) -> Shown:
    failed = {member: str(answer) for member, answer in answers.items() if isinstance(answer, NotDone)}
    if failed:
        reasons = "; ".join(f"{', '.join(_named(failed, why))}: {why}" for why in dict.fromkeys(failed.values()))
        extra = tracing.current.get().extra()
        _log.warning("cluster %s is shown with stored values: %s", document["key"], reasons, extra=extra)
    if not power_states.is_running(document):
        failed = dict.fromkeys(_sources(document["openShiftCluster"]), "its machines are switched off")
    values = Live(**{name: answers[name] for name in answers.keys() - failed.keys()})
    return Shown(live_values.with_live_values(document["openShiftCluster"], values), failed)


def _named(failed: Mapping[str, str], why: str) -> list[str]:
    return [member for member, reason in failed.items() if reason == why]
