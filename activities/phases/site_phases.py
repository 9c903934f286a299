"""The phases of a site, run by the service: the bundle comes from the storage account, kubeconfigs from their sources.

What a phase changes is told by the message of its progress item. Each change in a cluster asks the fence of the site.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import cache

from activities.phases.contract import PhaseExecutor, PhaseRun
from activities.phases.executors import EXECUTORS, perform
from activities.phases.object_results import Change
from activities.phases.objects import Cluster
from activities.runtime.executor import Executor, Outcome, TryAgain
from activities.runtime.site_step import SiteStep
from shared import tracing
from shared.arm.errors import CloudError, ErrorCode, Owner
from shared.bundles.problems import BundleError
from shared.bundles.storage import Bundles, NoBundle, open_bundles
from shared.openshift import client
from shared.openshift.client import NotDone
from shared.phase_documents import service_kubeconfigs
from shared.phase_documents.kinds import KINDS
from shared.phase_documents.kubeconfigs import Kubeconfigs, NoKubeconfigError
from shared.phase_documents.site import Site
from shared.phase_documents.stored_sites import load_stored
from shared.steps import PhaseReference
from shared.store import get_store
from shared.vault import get_vault

# How many objects a message names; it is stored with each poll.
SHOWN = 50
AS_WANTED = "Everything is as it should be."

_log = logging.getLogger("activities")


@cache
def _bundles() -> Bundles:
    return open_bundles(get_vault().get_service_key)


@contextmanager
def _explained() -> Iterator[None]:
    """Turn what is wrong with a bundle into an error that operators read."""
    try:
        yield
    except NoBundle as error:
        raise CloudError(404, ErrorCode.NOT_FOUND, f"{error}.", owner=Owner.CUSTOMER) from error
    except BundleError as error:
        raise CloudError(400, ErrorCode.INVALID_PARAMETER, str(error), owner=Owner.CUSTOMER) from error


def _phase_run(step: SiteStep, changes: list[Change]) -> PhaseRun:
    """Return the phase that the row of a call is about; what becomes of its objects is added to `changes`."""
    named = step.call["row"]["document"]
    site = _site(named)
    phase = site.phase(named["name"], named["namespace"])
    before = [site.phase(one["name"], one["namespace"]) for one in named.get("before", [])]
    return PhaseRun(
        site,
        phase,
        _clusters(site),
        changes.extend,
        timedelta(seconds=named["timeoutSeconds"]) if "timeoutSeconds" in named else None,
        [
            document
            for earlier in before
            if earlier.cluster == phase.cluster
            for document in KINDS[earlier.executor.kind].applies(site, earlier)
        ],
    )


def _site(named: PhaseReference) -> Site:
    return load_stored(_bundles().fetch, named["bundle"], named["metadata"])


def _clusters(site: Site) -> Callable[[str], Cluster]:
    """Return what gives the clusters of a site by their names."""

    def read_admin(resource_id: str) -> str:
        return service_kubeconfigs.read_admin(get_store(), get_vault(), resource_id)

    kubeconfigs = Kubeconfigs(site, read_admin, service_kubeconfigs.read_secret, trusted=False)
    return lambda name: Cluster(client.connect_with(kubeconfigs.of(name)))


def _run(step: SiteStep) -> Outcome:
    """Begin a phase, or do all of it."""
    return _worked(step, lambda executor: executor.run)


def _proceed(step: SiteStep) -> Outcome:
    """Continue a phase."""
    return _worked(step, lambda executor: executor.proceed)


def _worked(step: SiteStep, part: Callable[[PhaseExecutor], Callable[[PhaseRun], Outcome | None]]) -> Outcome:
    changes: list[Change] = []
    with _explained():
        run = _phase_run(step, changes)
        try:
            outcome = perform(part(EXECUTORS[run.phase.executor.kind]), run)
        finally:
            for change in changes:
                _log.info("phase %s on %s: %s", run.phase.name, run.phase.cluster, change, extra=_extra())
    return outcome or {"outcome": "done", "message": in_words(changes) or AS_WANTED}


def _status(step: SiteStep) -> Outcome:
    """Tell what a phase still waits for, without waiting for it."""
    with _explained():
        run = _phase_run(step, [])
        try:
            outcome = perform(EXECUTORS[run.phase.executor.kind].status, run)
        except TryAgain as error:
            return {"outcome": "done", "message": error.error.message}
        except CloudError as error:
            return {"outcome": "done", "message": error.message}
    waiting = str(outcome.get("message", "")) if outcome else AS_WANTED
    return {"outcome": "done", "message": waiting}


def _dry_run(step: SiteStep) -> Outcome:
    """Tell what a phase would do to each object.

    Raises:
        CloudError: 409 `Conflict` if a cluster would refuse an object; 502 `ServiceUnavailable` if it does not answer.
    """
    with _explained():
        run = _phase_run(step, [])
        try:
            changes = EXECUTORS[run.phase.executor.kind].dry_run(run)
        except NotDone as error:
            if isinstance(error, NoKubeconfigError) and error.may_come:
                return {"outcome": "done", "message": f"This can be told only later: {error}."}
            away = f"{run.phase.cluster}: {error}."
            raise CloudError(502, ErrorCode.SERVICE_UNAVAILABLE, away, owner=Owner.CUSTOMER) from error
    if any(change.verb == "refused" for change in changes):
        raise CloudError(409, ErrorCode.CONFLICT, in_words(changes), owner=Owner.CUSTOMER)
    return {"outcome": "done", "message": in_words(changes) or AS_WANTED}


def _cluster_status(step: SiteStep) -> Outcome:
    """Tell whether a cluster answers, and with which version."""
    named = step.call["row"]["document"]
    with _explained():
        try:
            version = _clusters(_site(named))(named["name"]).version()
        except NotDone as error:
            return {"outcome": "done", "message": f"NotReady: {error}."}
    return {"outcome": "done", "message": f"Ready: {version}."}


def _extra() -> dict[str, str]:
    return tracing.current.get().extra()


def in_words(changes: Sequence[Change]) -> str:
    """Return what became of objects: how many of each verb, then those that are not unchanged."""
    if not changes:
        return ""
    counts: dict[str, int] = {}
    for change in changes:
        counts[change.verb] = counts.get(change.verb, 0) + 1
    told = [str(change) for change in changes if change.verb != "unchanged"]
    shown = told[:SHOWN] + ([f"and {len(told) - SHOWN} more"] if len(told) > SHOWN else [])
    return "; ".join([", ".join(f"{count} {verb}" for verb, count in counts.items()), *shown]) + "."


run_phase = Executor(run=_run, status=_proceed)
dry_run_phase = Executor(run=_dry_run)
phase_status = Executor(run=_status)
cluster_status = Executor(run=_cluster_status)
