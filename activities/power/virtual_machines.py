"""Switches the virtual machines of a cluster off and on: the workers, and the masters.

A machine that is off is not billed only if it is deallocated. What was told to change and did not is told again at the
next poll, so a second run changes nothing that is on its way. Azure may have no room for a machine that was
deallocated: then it is told to start for as long as the row has time, with Azure's reason in the row's message.
"""

from collections.abc import Callable
from functools import partial

from azure.core.exceptions import HttpResponseError
from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.compute.operations import VirtualMachinesOperations

from activities.azure import machine_names
from activities.machines.machine_power import DEALLOCATED, OFF, RUNNING, failure, power, statuses
from activities.runtime.executor import Executor, Outcome, wait
from activities.runtime.step import Step
from shared.openshift import conditions

# Azure's codes for a region or zone that has no room for a machine at the moment.
_NO_ROOM = frozenset(
    {
        "AllocationFailed",
        "OverconstrainedAllocationRequest",
        "OverconstrainedZonalAllocationRequest",
        "SkuNotAvailable",
        "ZonalAllocationFailed",
    }
)
# Changes a machine of this name, unless it is as it should be; returns why Azure cannot do so now, or "".
_Change = Callable[[VirtualMachinesOperations, str, str], str]


def _change(step: Step, goal: str, masters: bool, begin: _Change) -> Outcome | None:
    """Begin a change of the masters, or of all other machines, and wait until each of them is as it should be."""
    machines, left = step.customer(ComputeManagementClient).virtual_machines, []
    for name, found in statuses(step).items():
        state = power(found)
        if machine_names.is_master(step.properties["infraId"], name) is masters and state != goal:
            reason = begin(machines, step.resource_group, name) if state in {RUNNING, *OFF} else ""
            reason = reason or failure(found)
            left.append(f"'{name}' ({reason})" if reason else f"'{name}'")
    goal_text = goal.removeprefix("PowerState/")
    return wait(conditions.bounded(f"not {goal_text} yet: {', '.join(sorted(left))}")) if left else None


def _begin_deallocate(machines: VirtualMachinesOperations, group: str, name: str) -> str:
    machines.begin_deallocate(group, name, polling=False)
    return ""


def _begin_start(machines: VirtualMachinesOperations, group: str, name: str) -> str:
    try:
        machines.begin_start(group, name, polling=False)
    except HttpResponseError as error:
        if error.error is None or error.error.code not in _NO_ROOM:
            raise
        return f"{error.error.code}: {error.error.message}"
    return ""


def _await_changes(step: Step, masters: bool) -> Outcome | None:
    """Wait until no machine is on its way: Azure takes back neither a start nor a deallocation."""
    moving = [
        f"'{name}'"
        for name, found in sorted(statuses(step).items())
        if machine_names.is_master(step.properties["infraId"], name) is masters and power(found) not in {RUNNING, *OFF}
    ]
    return wait(f"on their way: {', '.join(moving)}") if moving else None


def _executor(goal: str, begin: _Change, *, masters: bool) -> Executor[Step]:
    change = partial(_change, goal=goal, masters=masters, begin=begin)
    return Executor(run=change, status=change, cancel=partial(_await_changes, masters=masters))


stop_workers = _executor(DEALLOCATED, _begin_deallocate, masters=False)
stop_masters = _executor(DEALLOCATED, _begin_deallocate, masters=True)
start_workers = _executor(RUNNING, _begin_start, masters=False)
start_masters = _executor(RUNNING, _begin_start, masters=True)
