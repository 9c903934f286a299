"""The executors of phases, by the kind of their document: what each does to clusters.

What the bundle alone says about a phase is in `shared/phase_documents/kinds.py`.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from activities.phases import clusterctl
from activities.phases.contract import PhaseExecutor, PhaseRun, refusal_error
from activities.phases.kubernetes_apply import Application
from activities.phases.object_results import SHOWN, Change, in_words
from activities.phases.objects import Cluster, ObjectId, Rejected, UnknownKind
from activities.phases.statuses import Found, Status
from activities.runtime.executor import TryAgain, wait
from shared.arm.errors import CloudError, ErrorCode, Owner
from shared.openshift.client import NotDone, Unreachable
from shared.phase_documents.apply_options import Options
from shared.phase_documents.kubeconfigs import NoKubeconfigError
from shared.steps import Outcome, RetryClass

_TO_APPLY = (Status.NOT_FOUND, Status.NOT_APPLIED)


def _application(run: PhaseRun, *, dry_run: bool = False) -> Application:
    cluster = run.cluster(run.phase.cluster)
    used = Cluster(cluster.client, dry_run=True) if dry_run else cluster
    options = Options.of(run.phase.executor.document)
    if run.timeout is not None:
        options = replace(options, timeout=run.timeout)
    return Application(used, run.phase.name.name, run.documents(), options, run.before)


def _apply(run: PhaseRun) -> Outcome | None:
    application = _application(run)
    try:
        changes = _located(run, application.apply())
    except UnknownKind as error:
        return wait(f"The definition is not established yet: {error}.")
    run.say(changes)
    failure = refusal_error(run.phase.cluster, changes)
    if failure is not None:
        raise failure
    return _settled(run, application, application.waiting() if application.options.timeout else [])


def _proceed(run: PhaseRun) -> Outcome | None:
    """Wait and prune; first apply what is not applied: the definition was not established, or a call has failed.

    The engine comes here after any call that has waited, also after one that has found the cluster away.
    """
    application = _application(run)
    try:
        waiting = application.waiting()
    except UnknownKind:
        return _apply(run)
    if any(found.status in _TO_APPLY for _, found in waiting):
        return _apply(run)
    return _settled(run, application, waiting)


def _status(run: PhaseRun) -> Outcome | None:
    """Tell what is waited for, or what another run would change, because somebody else has changed it."""
    waiting = _application(run).waiting()
    if waiting:
        return wait(in_words(waiting))
    changes = [change for change in _try(run) if change.verb not in ("unchanged", "kept")]
    return wait(f"Another run would find: {'; '.join(map(str, changes[:SHOWN]))}.") if changes else None


def _settled(run: PhaseRun, application: Application, waiting: list[tuple[ObjectId, Found]]) -> Outcome | None:
    """Return what is waited for, unless the phase waits for nothing; prune once that is nothing."""
    if waiting and application.options.timeout:
        return wait(in_words(waiting))
    run.say(application.prune())
    return None


def _try(run: PhaseRun) -> list[Change]:
    application = _application(run, dry_run=True)
    return [*_located(run, application.apply()), *application.prune()]


def _located(run: PhaseRun, changes: list[Change]) -> list[Change]:
    """Return changes; those that were refused say in which file of the bundle their object is."""
    if not any(change.verb == "refused" for change in changes):
        return changes
    files = {ObjectId.of(one.document): one.file for one in run.site.render(run.phase)}
    return [
        replace(change, message=f"{files[change.object]}: {change.message}") if change.verb == "refused" else change
        for change in changes
    ]


EXECUTORS: Mapping[str, PhaseExecutor] = {
    "KubernetesApply": PhaseExecutor(_apply, _proceed, _status, _try),
    "Clusterctl": clusterctl.EXECUTOR,
}


def perform(work: Callable[[PhaseRun], Outcome | None], run: PhaseRun) -> Outcome | None:
    """Call a function of an executor; turn what the cluster answers into what the engine understands.

    Args:
        work: `run`, `proceed` or `status` of an executor.
        run: the phase.

    Raises:
        CloudError: the cluster refuses, or will never have a kubeconfig.
        TryAgain: the cluster refuses for now.
    """
    try:
        return work(run)
    except Unreachable as error:
        return wait(f"{run.phase.cluster}: {error}.", unanswered=True)
    except NotDone as error:
        told = f"{run.phase.cluster}: {error}."
        if isinstance(error, Rejected) or (isinstance(error, NoKubeconfigError) and not error.may_come):
            raise CloudError(409, ErrorCode.CONFLICT, told, owner=Owner.CUSTOMER) from error
        problem = CloudError(502, ErrorCode.SERVICE_UNAVAILABLE, told, owner=Owner.CUSTOMER)
        raise TryAgain(problem, RetryClass.BUSY) from error
