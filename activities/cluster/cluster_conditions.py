"""Waits for the cluster, with one executor for each row of `shared.openshift.conditions`, and a poll for others.

Any read error means "not yet", because a new cluster's API comes and goes while its servers roll out. The error is part
of the wait's message, and so of the error when the row's deadline passes. Time in which the API server is away does not
count, except for the row that waits for the first API server. A poll reads and writes nothing, with one exception that
saves a person from having to do it, see `make_failed_machines_anew`.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, assert_never

from kubernetes.client import ApiClient

from activities.azure import machine_names
from activities.cluster import cluster_api, identity_refusals
from activities.cluster.diagnosis import Hint, gather, no_hint, not_done, wait_outcome
from activities.cluster.identity_refusals import MACHINE_API
from activities.machines import boot_diagnostics
from activities.runtime.call import Call
from activities.runtime.executor import Executor, Outcome
from activities.runtime.step import Step
from shared import steps
from shared.arm.errors import CloudError, ErrorCode
from shared.clusters.identities import cluster_credential
from shared.clusters.identities.cluster_credential import Credential, ServicePrincipal, WorkloadIdentity
from shared.openshift import client
from shared.openshift.client import NotDone, Read
from shared.openshift.conditions import CONDITIONS, MACHINES, Condition, RoleMissing, bounded, has_failed, lacks_role

# The share of a row's time that passes before it is given up for a missing role: five minutes of thirty, in which a new
# role reaches all of Azure. A role that machine-api's own identity has lost can be given back for longer.
PATIENCE, PATIENCE_WITH_IDENTITIES = 1 / 6, 5 / 6
# The share after which a machine that was refused for a missing role is made again, in that time: a minute.
RETRY = PATIENCE / 5

Found = list[Any]
_OF_A_RESTART = re.compile(r"\bsystemd(\[1\])?: \S+: (Main process exited|Failed with result|Scheduled restart job)")
Remedy = Callable[[Step, ApiClient, Found], bool]


def _bootstrap_console(step: Step) -> str:
    """Return the last lines of the bootstrap machine, the only evidence while there is no API server.

    Lines in which systemd restarts a program are left out; what the program wrote before explains the restart.
    """
    lines = boot_diagnostics.last_lines(step, machine_names.bootstrap(step.properties["infraId"])).splitlines()
    said = [line for line in lines if not _OF_A_RESTART.search(line)] or lines
    return f"The bootstrap machine's last line: {said[-1]}" if said else ""


def _nothing(_step: Step, _api: ApiClient, _found: Found) -> bool:
    return False


def make_failed_machines_anew(step: Step, api: ApiClient, found: Found) -> bool:
    """Delete failed worker machines that are older than this row; their sets make others in their place.

    machine-api never retries a failed machine. Without this, a create that failed because quota was missing could not
    continue once there is more. A machine made while the row waits is deleted only if Azure refused it for a missing
    role, and only as long as a role that was just assigned may not have reached all of Azure, so this comes to an end.
    A second delivery finds the machines gone, or being deleted.

    Args:
        step: the step that waits.
        api: client of its cluster.
        found: what the row has read, with the worker machines first.

    Raises:
        FenceMoved: if this attempt was superseded.
    """
    old = [machine for machine in filter(has_failed, found[0]) if _may_be_made_anew(step, machine)]
    for machine in old:
        client.delete(api, Read("Machine", machine["metadata"]["name"], MACHINES))
    return bool(old)


def _may_be_made_anew(step: Step, machine: dict[str, Any]) -> bool:
    made = _made(machine)
    if made < datetime.fromisoformat(step.call["startTime"]):
        return True
    return lacks_role(machine) and not _has_waited(step) and datetime.now(UTC) >= made + _share(step.call, RETRY)


def _made(machine: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(machine["metadata"]["creationTimestamp"])


def condition(
    name: str, hint: Hint = no_hint, remedy: Remedy = _nothing, *, expects_silence: bool = False
) -> Executor[Step]:
    """Return the executor of a row of the conditions' table.

    Args:
        name: name of the row.
        hint: what to add to the message when the wait is about to fail.
        remedy: acts on what a poll has read; if it did something, the poll reads again.
        expects_silence: whether the row waits for the API server itself, so that its silence counts as an answer.
    """
    return Executor(status=lambda step: poll(step, CONDITIONS[name], hint, remedy, expects_silence=expects_silence))


def poll(
    step: Step, row: Condition, hint: Hint = no_hint, remedy: Remedy = _nothing, *, expects_silence: bool = False
) -> Outcome | None:
    """Ask a cluster once for a condition; the arguments are those of `condition`, and the condition itself."""
    api = cluster_api.connect(step)
    try:
        missing, pause = _missing(step, api, row, remedy)
    except NotDone as error:
        return wait_outcome(step, api, str(error), hint) if expects_silence else not_done(step, api, error)
    return wait_outcome(step, api, missing, hint, retry_after_seconds=pause) if missing else None


def _missing(step: Step, api: ApiClient, row: Condition, remedy: Remedy) -> tuple[str, float | None]:
    """Return what a condition lacks, or "", and when to ask again if its end is near; raise if waiting cannot help."""
    try:
        found = _read(api, row)
        if remedy(step, api, found):
            found = _read(api, row)
        missing = _with_refusals(step.credential, row, found, row.test(*found))
        if missing and _has_waited(step):
            row.give_up(*found)
    except RoleMissing as lacking:
        error = _no_role(step.credential, lacking)
        error.details += gather(step, api)
        raise error from lacking
    except CloudError as error:
        error.details += gather(step, api)
        raise
    return missing, _pause(step.call, row.last_step(*found))


def _with_refusals(credential: Credential, row: Condition, found: Found, missing: str) -> str:
    """Return what is missing; first, which identities Azure refuses to the operators that the row has read about."""
    reports = identity_refusals.reports(row.reads, found) if missing else {}
    told = [str(refusal) for refusal in identity_refusals.refusals(credential, reports)]
    return bounded("; ".join([*told, missing])) if told else missing


def _no_role(credential: Credential, lacking: RoleMissing) -> CloudError:
    """Build the error for a machine that Azure refuses: it names whose role is missing."""
    match credential:
        case ServicePrincipal():
            code = ErrorCode.INVALID_SERVICE_PRINCIPAL_PERMISSIONS
            target = "properties.servicePrincipalProfile"
            who = "the cluster's service principal"
        case WorkloadIdentity(operators=operators):
            code = ErrorCode.INVALID_WORKLOAD_IDENTITY_PERMISSIONS
            target = cluster_credential.operator_path(MACHINE_API)
            identity = f" '{operators[MACHINE_API].resource_id}'" if MACHINE_API in operators else ""
            who = f"the identity{identity} of the operator '{MACHINE_API}'"
        case _:
            assert_never(credential)
    message = f"Machine '{lacking.machine}' could not be created: {who} lacks a role: {lacking.reason}"
    return CloudError(400, code, message, target)


def _pause(call: Call, last_step: str) -> float | None:
    """Return the pause of a wait that begins only now, with its last step; None if the end is far."""
    if not last_step:
        return None
    return steps.pause(call["row"], (datetime.now(UTC) - datetime.fromisoformat(last_step)).total_seconds())


def _has_waited(step: Step) -> bool:
    began, credential = datetime.fromisoformat(step.call["startTime"]), step.credential
    match credential:
        case ServicePrincipal():
            share = PATIENCE
        case WorkloadIdentity():
            share = PATIENCE_WITH_IDENTITIES
        case _:
            assert_never(credential)
    return datetime.now(UTC) >= began + _share(step.call, share)


def _share(call: Call, share: float) -> timedelta:
    return share * timedelta(seconds=call["row"]["deadlineSeconds"])


def _read(api: ApiClient, row: Condition) -> Found:
    return [client.read(api, what) for what in row.reads]


bootstrap_config_map_ready = condition("bootstrap_config_map_ready", _bootstrap_console, expects_silence=True)
api_servers_ready = condition("api_servers_ready")
api_servers_available = condition("api_servers_available")
workers_ready = condition("workers_ready", remedy=make_failed_machines_anew)
console_exists = condition("console_exists")
console_ready = condition("console_ready")
cluster_version_ready = condition("cluster_version_ready")
ingress_controller_ready = condition("ingress_controller_ready")
