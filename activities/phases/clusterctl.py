"""Clusterctl: the executor that installs providers of Cluster API, and moves its objects between clusters."""

from typing import Any

from activities.phases.applying import Change
from activities.phases.clusterctl_init import Installation
from activities.phases.clusterctl_move import Move, Side
from activities.phases.clusterctl_providers import Choice
from activities.phases.contract import PhaseExecutor, PhaseRun
from shared.phases.documents import Phase
from shared.phases.problems import Problem
from shared.phases.site import Site
from shared.steps import Outcome

Json = dict[str, Any]

DEFAULT_NAMESPACE = "default"


def _validate(site: Site, phase: Phase) -> list[Problem]:
    """Check the clusters that an action needs, and for `init` the providers and their components."""
    problems = []
    clusters = site.cluster_map.clusters
    if not phase.cluster:
        missing = "A phase of kind Clusterctl names its cluster in metadata.clusterName."
        problems.append(Problem(phase.file, f"Phase/{phase.name} metadata", missing))
    elif _moves(phase) and phase.cluster in clusters and not clusters[phase.cluster].parent:
        orphan = f"The action 'move' takes objects from the parent cluster, and '{phase.cluster}' has no parent."
        problems.append(Problem(phase.file, f"Phase/{phase.name} metadata.clusterName", orphan))
    return problems if _moves(phase) else [*problems, *Choice(site, phase).problems()]


def _moves(phase: Phase) -> bool:
    return bool(phase.executor.document["action"] == "move")


def _work(run: PhaseRun) -> Installation | Move:
    document, name = run.phase.executor.document, run.phase.cluster
    if not _moves(run.phase):
        return Installation(run.cluster(name), name, Choice(run.site, run.phase).components(), run.say)
    parent = run.site.cluster_map.clusters[name].parent
    namespace = (document.get("move-options") or {}).get("namespace") or DEFAULT_NAMESPACE
    return Move(Side(parent, run.cluster(parent)), Side(name, run.cluster(name)), namespace, run.say)


def _proceed(run: PhaseRun) -> Outcome | None:
    return _work(run).proceed()


def _status(run: PhaseRun) -> Outcome | None:
    return _work(run).status()


def _dry_run(run: PhaseRun) -> list[Change]:
    return _work(run).dry_run()


def _applies(site: Site, phase: Phase) -> list[Json]:
    """Return the components of providers; what moves is not in the bundle."""
    components = [] if _moves(phase) else Choice(site, phase).components()
    return [document for one in components for document in one.documents]


EXECUTOR = PhaseExecutor(_validate, run=_proceed, proceed=_proceed, status=_status, dry_run=_dry_run, applies=_applies)
