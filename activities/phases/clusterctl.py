"""Clusterctl: the executor that installs providers of Cluster API, and moves its objects between clusters."""

from activities.phases.clusterctl_init import Installation
from activities.phases.clusterctl_move import Move, Side
from activities.phases.contract import PhaseExecutor, PhaseRun
from activities.phases.object_results import Change
from shared.phase_documents.clusterctl_providers import Choice, moves
from shared.steps import Outcome

DEFAULT_NAMESPACE = "default"


def _work(run: PhaseRun) -> Installation | Move:
    document, name = run.phase.executor.document, run.phase.cluster
    if not moves(run.phase):
        return Installation(run.cluster(name), name, Choice(run.site, run.phase).components(), run.say, run.before)
    parent = run.site.cluster_map.clusters[name].parent
    namespace = (document.get("move-options") or {}).get("namespace") or DEFAULT_NAMESPACE
    return Move(Side(parent, run.cluster(parent)), Side(name, run.cluster(name)), namespace, run.say)


def _proceed(run: PhaseRun) -> Outcome | None:
    return _work(run).proceed()


def _status(run: PhaseRun) -> Outcome | None:
    return _work(run).status()


def _dry_run(run: PhaseRun) -> list[Change]:
    return _work(run).dry_run()


EXECUTOR = PhaseExecutor(run=_proceed, proceed=_proceed, status=_status, dry_run=_dry_run)
