"""Waiting for the cluster: one executor for each row of `shared.openshift.conditions`.

Any error of reading is "not yet", because a new cluster's API comes and goes while its servers roll out; what it was
stands in the wait's message, and so in the error when the row's time is over. A poll reads and writes nothing, but
for the one thing that a person would do before repeating a failed create, see `_make_failed_machines_anew`.
"""

from collections.abc import Callable
from datetime import datetime

from kubernetes.client import ApiClient

from activities import boot_diagnostics, cluster_api
from activities.executor import Executor, Outcome
from activities.gathering import Hint, gather, no_hint, waiting
from activities.step import Step
from shared.arm.errors import CloudError
from shared.openshift import client
from shared.openshift.client import Read, Unreadable
from shared.openshift.conditions import CONDITIONS, MACHINES, WORKER_MACHINES, Condition, has_failed

Before = Callable[[Step, ApiClient], None]


def _bootstrap_console(step: Step) -> str:
    """Return what the bootstrap machine wrote last, the only witness while there is no API server."""
    lines = boot_diagnostics.last_lines(step, f"{step.properties['infraId']}-bootstrap", lines=1)
    return f"The bootstrap machine's last line: {lines}" if lines else ""


def _nothing(_step: Step, _api: ApiClient) -> None:
    return


def _make_failed_machines_anew(step: Step, api: ApiClient) -> None:
    """Delete the failed worker machines that are older than this row; their sets make others in their place.

    machine-api never tries a failed machine again, so without this a create that failed for want of quota could not
    go on once there is more. What was made while the row waits is not tried again, so this comes to an end. A second
    delivery finds the machines gone, or being deleted.

    Raises:
        FenceMoved: when this attempt was superseded.
    """
    for machine in filter(has_failed, client.read(api, WORKER_MACHINES)):
        made = datetime.fromisoformat(machine["metadata"]["creationTimestamp"])
        if made < datetime.fromisoformat(step.call["startTime"]):
            client.delete(api, Read("Machine", machine["metadata"]["name"], MACHINES))


def condition(name: str, hint: Hint = no_hint, before: Before = _nothing) -> Executor:
    """Return the executor of a row of the conditions' table.

    Args:
        name: of the row.
        hint: what to add to the message when the wait is about to fail.
        before: what to do before each poll.
    """
    return Executor(status=lambda step: _status(step, CONDITIONS[name], hint, before))


def _status(step: Step, row: Condition, hint: Hint, before: Before) -> Outcome | None:
    api = cluster_api.connect(step)
    try:
        before(step, api)
        missing = row.test(*(client.read(api, what) for what in row.reads))
    except Unreadable as error:
        missing = str(error)
    except CloudError as error:
        error.details += gather(step, api)
        raise
    return waiting(step, api, missing, hint) if missing else None


bootstrap_config_map_ready = condition("bootstrap_config_map_ready", _bootstrap_console)
api_servers_ready = condition("api_servers_ready")
workers_ready = condition("workers_ready", before=_make_failed_machines_anew)
console_exists = condition("console_exists")
console_ready = condition("console_ready")
cluster_version_ready = condition("cluster_version_ready")
ingress_controller_ready = condition("ingress_controller_ready")
