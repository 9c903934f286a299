"""What the cluster document knows of a stop and of a start: each step before what it stands for changes the cluster."""

from datetime import UTC, datetime

from activities.cluster import cluster_api
from activities.cluster.diagnosis import not_done
from activities.machines.machine_power import RUNNING, power, statuses
from activities.runtime.executor import Executor, Outcome
from activities.runtime.step import Step
from shared.clusters.power import power_states
from shared.openshift import certificate_ends, client
from shared.openshift.client import NotDone


def _note_stop(step: Step) -> Outcome | None:
    """Record that the stop begins, and until when the cluster must be started.

    If an earlier stop has come as far as the machines, its times hold, and the API server may be away.
    """
    signer_ends = ""
    if not power_states.is_drained(step.document):
        api = cluster_api.connect(step)
        try:
            signer_ends = certificate_ends.end_of(client.read_metadata(api, certificate_ends.KUBELET_SIGNER))
        except NotDone as error:
            return not_done(step, api, error)
    now = datetime.now(UTC)
    step.decide(lambda document: power_states.note_stop(document, now, signer_ends))
    return None


def _note_stopped(step: Step) -> None:
    """Record that no machine of the cluster runs."""
    step.decide(power_states.note_stopped)


def _note_start(step: Step) -> None:
    """Record that the start begins, and which machines it starts: only their kubelets may ask for new certificates."""
    off = [name for name, found in statuses(step).items() if power(found) != RUNNING]
    now = datetime.now(UTC)
    step.decide(lambda document: power_states.note_start(document, now, off))


def _note_running(step: Step) -> None:
    """Record that the cluster runs."""
    step.decide(power_states.note_running)


note_stop = Executor(run=_note_stop)
note_stopped = Executor(run=_note_stopped)
note_start = Executor(run=_note_start)
note_running = Executor(run=_note_running)
