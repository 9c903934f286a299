"""The power of the cluster's virtual machines, which customers can switch off."""

from collections.abc import Iterable, Mapping

from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.compute.models import InstanceViewStatus

from activities.runtime.executor import Executor, Outcome, wait
from activities.runtime.step import Step

RUNNING, DEALLOCATED = "PowerState/running", "PowerState/deallocated"
# Any other state is on its way to one of these, or to running.
OFF = frozenset({DEALLOCATED, "PowerState/stopped"})
_FAILED = "ProvisioningState/failed/"


def _start_machines(step: Step) -> Outcome | None:
    """Start every virtual machine that is off, and wait until all run; a second run finds them starting, or running.

    Source: ARO-RP `pkg/cluster/startvms.go`.
    """
    machines = step.customer(ComputeManagementClient).virtual_machines
    powers = {name: power(found) for name, found in statuses(step).items()}
    for name, each in powers.items():
        if each in OFF:
            machines.begin_start(step.resource_group, name, polling=False)
    idle = [f"'{name}'" for name, each in sorted(powers.items()) if each not in ("", RUNNING)]
    return wait(f"not running yet: {', '.join(idle)}") if idle else None


def statuses(step: Step) -> Mapping[str, list[InstanceViewStatus]]:
    """Return what Azure says of each of the cluster's virtual machines, by name."""
    machines = step.customer(ComputeManagementClient).virtual_machines
    names = [str(machine.name) for machine in machines.list(step.resource_group)]
    return {name: machines.instance_view(step.resource_group, name).statuses or [] for name in names}


def power(found: Iterable[InstanceViewStatus]) -> str:
    """Return the power state in the statuses of a machine, or "" if Azure does not say."""
    return next((str(each.code) for each in found if str(each.code).startswith("PowerState/")), "")


def failure(found: Iterable[InstanceViewStatus]) -> str:
    """Return the code and message of the change that Azure has last given up on a machine, or ""."""
    failed = next((each for each in found if str(each.code).startswith(_FAILED)), None)
    return f"{str(failed.code).removeprefix(_FAILED)}: {failed.message}" if failed else ""


start_machines = Executor(run=_start_machines, status=_start_machines)
