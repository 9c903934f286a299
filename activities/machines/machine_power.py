"""The power of the cluster's virtual machines, which customers can switch off."""

from azure.mgmt.compute import ComputeManagementClient

from activities.runtime.executor import Executor, Outcome, wait
from activities.runtime.step import Step

_RUNNING = "PowerState/running"
# Any other state is on its way to one of these, or to running.
_OFF = frozenset({"PowerState/deallocated", "PowerState/stopped"})


def _start_machines(step: Step) -> Outcome | None:
    """Start every virtual machine that is off, and wait until all run; a second run finds them starting, or running.

    Source: ARO-RP `pkg/cluster/startvms.go`.
    """
    machines = step.customer(ComputeManagementClient).virtual_machines
    powers = {}
    for machine in machines.list(step.resource_group):
        name = str(machine.name)
        statuses = machines.instance_view(step.resource_group, name).statuses or []
        powers[name] = next((str(each.code) for each in statuses if str(each.code).startswith("PowerState/")), "")
    for name, power in powers.items():
        if power in _OFF:
            machines.begin_start(step.resource_group, name, polling=False)
    idle = [f"'{name}'" for name, power in sorted(powers.items()) if power not in ("", _RUNNING)]
    return wait(f"not running yet: {', '.join(idle)}") if idle else None


start_machines = Executor(run=_start_machines, status=_start_machines)
