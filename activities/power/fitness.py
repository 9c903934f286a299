"""Checks whether a cluster can be stopped such that it can also be started. Nothing is changed."""

from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.compute.models import DiffDiskOptions, VirtualMachine, VirtualMachinePriorityTypes

from activities.cluster import cluster_api
from activities.cluster.diagnosis import not_done, wait_outcome
from activities.runtime.executor import Executor, Outcome
from activities.runtime.step import Step
from shared.arm.errors import CloudError, ErrorCode
from shared.openshift import admission_webhooks, client, conditions
from shared.openshift.client import NotDone, Read
from shared.openshift.kubelet_requests import REQUESTS, pending

_POOLS = Read("MachineConfigPool")
_NAMESPACES = Read("Namespace")
_WEBHOOKS = (Read("MutatingWebhookConfiguration"), Read("ValidatingWebhookConfiguration"))


def _validate_machines(step: Step) -> None:
    """Refuse machines that do not survive a deallocation.

    Raises:
        CloudError: `RequestNotAllowed`, naming the machines.
    """
    machines = step.customer(ComputeManagementClient).virtual_machines.list(step.resource_group)
    lost = [f"'{each.name}' ({why})" for each in machines if (why := _why_lost(each))]
    if lost:
        raise CloudError(
            400,
            ErrorCode.REQUEST_NOT_ALLOWED,
            f"A stop would lose machines of the cluster: {', '.join(sorted(lost))}. Delete their machine sets, or "
            "replace these with others of regular machines with a managed disk, then stop the cluster again.",
        )


def _why_lost(machine: VirtualMachine) -> str:
    if machine.priority == VirtualMachinePriorityTypes.SPOT:
        return "a spot machine, which Azure may not start again"
    disk = machine.storage_profile.os_disk if machine.storage_profile else None
    local = disk.diff_disk_settings if disk else None
    return "its disk is local to its host" if local and local.option == DiffDiskOptions.LOCAL else ""


def _validate_stop(step: Step) -> Outcome | None:
    """Wait until nothing is at work in the cluster; refuse webhooks that would keep it from starting.

    Raises:
        CloudError: `RequestNotAllowed`, naming the webhooks.
    """
    api = cluster_api.connect(step)
    try:
        configurations = [each for what in _WEBHOOKS for each in client.read(api, what)]
        blocking = admission_webhooks.blocking(configurations, client.read(api, _NAMESPACES))
        missing = conditions.unrest(
            client.read(api, conditions.NODES),
            client.read(api, conditions.OPERATORS),
            client.read(api, _POOLS),
            client.read(api, conditions.CLUSTER_VERSION),
        )
        waiting = pending(client.read(api, REQUESTS))
    except NotDone as error:
        return not_done(step, api, error)
    if blocking:
        raise CloudError(
            400,
            ErrorCode.REQUEST_NOT_ALLOWED,
            conditions.bounded(
                "The cluster could not be started again, because its API servers would wait for webhooks whose servers "
                f"do not run yet: {', '.join(blocking)}. Set their failurePolicy to Ignore with a timeout of at most "
                "15 seconds, or let a namespaceSelector leave out the system's namespaces, then stop the cluster again."
            ),
        )
    if waiting:
        missing.append(f"certificate signing requests are pending: {', '.join(waiting)}")
    return wait_outcome(step, api, conditions.bounded("; ".join(missing))) if missing else None


validate_stop_machines = Executor(run=_validate_machines)
validate_stop = Executor(run=_validate_stop)
