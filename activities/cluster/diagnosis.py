"""What a person would look up first if a cluster does not come up, gathered while the cluster can still be read.

Best effort: what cannot be read becomes an entry that says so, and nothing here hides the error that it explains.

Source: ARO-RP `pkg/cluster/gatherlogs.go`.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from azure.core.exceptions import AzureError, ResourceNotFoundError
from azure.mgmt.compute import ComputeManagementClient
from kubernetes.client import ApiClient

from activities.azure import machine_names
from activities.cluster import identity_refusals
from activities.machines import boot_diagnostics
from activities.runtime.call import Call
from activities.runtime.executor import Outcome, wait
from activities.runtime.step import Step
from shared.arm.errors import CloudErrorBody
from shared.openshift import client, conditions
from shared.openshift.client import NotDone, Read, Unreachable

# Errors are read by people and stored in documents, so only the first few of each kind are gathered.
_ENTRIES = 5
# Enough for Azure's message about a missing permission, which names the scope last.
_ENTRY_CHARACTERS = 1500
_RUNNING = "PowerState/running"

# The engine asks once more when the deadline is over. Two polls before it are a reserve for clocks that differ.
_LAST_POLLS = 2

Finding = tuple[str, str]
Hint = Callable[[Step], str]


def no_hint(_step: Step) -> str:
    """Add no hint to the message of a wait."""
    return ""


def wait_outcome(
    step: Step,
    api: ApiClient,
    missing: str,
    hint: Hint = no_hint,
    *,
    unanswered: bool = False,
    retry_after_seconds: float | None = None,
) -> Outcome:
    """Return the outcome of a wait for the cluster; the last one before the deadline also gathers what holds it up.

    Args:
        step: the step that waits.
        api: client of its cluster.
        missing: what it waits for, in the cluster's words.
        hint: adds to the last message. Like all gathering it may ask Azure, so it does not run at each poll.
        unanswered: as in `executor.wait`.
        retry_after_seconds: as there.
    """
    if not _is_about_to_fail(step.call):
        return wait(missing, retry_after_seconds, unanswered=unanswered)
    told = hint(step)
    message = conditions.bounded(f"{missing.rstrip('.')}. {told}") if told else missing
    return wait(message, unanswered=unanswered) | {"details": gather(step, api)}


def not_done(step: Step, api: ApiClient, error: NotDone) -> Outcome:
    """Return the outcome of a poll that the cluster did not answer well. Time without an API server does not count.

    Args:
        step: the step that polls.
        api: client of its cluster.
        error: what the cluster did not do.
    """
    return wait_outcome(step, api, str(error), unanswered=isinstance(error, Unreachable))


def _is_about_to_fail(call: Call) -> bool:
    ends, pause = datetime.fromisoformat(call["deadline"]), timedelta(seconds=call["row"]["pollSeconds"])
    return datetime.now(UTC) >= ends - _LAST_POLLS * pause


def gather(step: Step, api: ApiClient) -> list[CloudErrorBody]:
    """Return entries for `error.details`: the code says what was asked, the target what it is about."""
    try:
        read = {what: client.read(api, what) for what in _LOOKS}
        found = [
            CloudErrorBody(code=what.kind, target=target, message=client.shortened(message, _ENTRY_CHARACTERS))
            for what, look in _LOOKS.items()
            for target, message in look(read[what])[:_ENTRIES]
        ]
        refusals = identity_refusals.refusals(step.credential, identity_refusals.reports(read, read.values()))
        found += map(identity_refusals.entry, refusals[:_ENTRIES])
    except NotDone as error:
        found = [CloudErrorBody(code="KubernetesAPI", message=str(error))]
    silent = found[-1:] and found[-1]["code"] == "KubernetesAPI"
    stuck = [entry["target"] for entry in found if entry["code"] == "Machine"]
    suspects = _suspects(step, stuck, silent=bool(silent))
    return found + (_switched_off(step, suspects) if silent else []) + _serial_logs(step, suspects)


def _suspects(step: Step, stuck: list[str], *, silent: bool) -> list[str]:
    """Return the machines whose consoles may help: the bootstrap machine, masters of a silent API, stuck machines."""
    infra_id = step.properties["infraId"]
    masters = machine_names.masters(infra_id) if silent else []
    bootstrap = [machine_names.bootstrap(infra_id)] if step.call["row"]["phase"] == "bootstrap" else []
    return list(dict.fromkeys([*bootstrap, *masters, *stuck]))[:_ENTRIES]


def _switched_off(step: Step, names: list[str]) -> list[CloudErrorBody]:
    """Return an entry for each machine that is deleted or does not run, and so cannot serve the API."""
    machines = step.customer(ComputeManagementClient).virtual_machines
    found = []
    for name in names:
        try:
            statuses = machines.instance_view(step.resource_group, name).statuses or []
        except ResourceNotFoundError:
            states = ["there is no such virtual machine"]
        except AzureError:
            continue
        else:
            powers = [status for status in statuses if str(status.code).startswith("PowerState/")]
            states = [str(status.display_status or status.code) for status in powers if status.code != _RUNNING]
        found += [CloudErrorBody(code="VirtualMachine", target=name, message=state) for state in states]
    return found


def _serial_logs(step: Step, names: list[str]) -> list[CloudErrorBody]:
    logs = [(name, boot_diagnostics.last_lines(step, name)) for name in names]
    return [CloudErrorBody(code="SerialLog", target=name, message=text) for name, text in logs if text]


def _version(version: dict[str, Any] | None) -> list[Finding]:
    missing = conditions.version_available(version, [])
    return [("version", missing)] if missing else []


def _each(test: Callable[[dict[str, Any]], str]) -> Callable[[list[dict[str, Any]]], list[Finding]]:
    return lambda items: [(item["metadata"]["name"], missing) for item in items if (missing := test(item))]


_LOOKS: dict[Read, Callable[..., list[Finding]]] = {
    conditions.CLUSTER_VERSION: _version,
    conditions.OPERATORS: conditions.operators_missing,
    conditions.NODES: _each(conditions.node_missing),
    conditions.WORKER_MACHINES: _each(conditions.machine_missing),
}
