"""Power of virtual machines: the stored power state, and the calls that boot and stop the guest.

The guest is called first, and then the power state is stored. So a kill in between repeats a boot, but never loses one.
While an action takes its time, a machine is shown on its way.
"""

from functools import partial

from emulator.arm.resources import Action, ActionCall, Writes
from emulator.compute import exceptions, sizes
from emulator.core.clock import rfc3339
from emulator.json_object import Json
from emulator.openshift.guests import Guests

# `private.power`: to be booted for the first time, to be rebooted, on; off and allocated, off and deallocated.
STARTING, RESTARTING, RUNNING = "starting", "restarting", "running"
STOPPED, DEALLOCATED = "stopped", "deallocated"
FAULTS = "machines"
START_SECONDS = 120


def boot(arm: Writes, stored: Json) -> None:
    """Boot a virtual machine; if it runs, take its power away first."""
    guests = arm.platform.model(Guests)
    if stored["private"]["power"] in (RUNNING, RESTARTING):
        guests.stopped(stored["id"])
    guests.powered_on(_with_hardware(stored))
    _note(arm, stored, RUNNING)


def _with_hardware(stored: Json) -> Json:
    """Return a virtual machine with the cores and the memory that its guest sees."""
    size = sizes.find((stored["properties"].get("hardwareProfile") or {}).get("vmSize") or "")
    return stored if size is None else stored | {"hardware": {"cores": size.cores, "memoryGib": size.memory_gb}}


def boot_if_due(arm: Writes, stored: Json) -> None:
    """Boot a virtual machine if its power state says that it is to be booted."""
    if stored["private"]["power"] in (STARTING, RESTARTING):
        boot(arm, stored)


def boot_left_over(arm: Writes) -> None:
    """Boot the virtual machines that the process had accepted but not yet booted when it was killed."""
    for stored in list(arm.scan("/subscriptions/", "Microsoft.Compute/virtualMachines")):
        boot_if_due(arm, stored)


def _note(arm: Writes, stored: Json, power: str, way: str = "", seconds: float = 0.0) -> None:
    until = rfc3339(arm.platform.clock.after(seconds))
    stored["private"] = stored["private"] | {"power": power, "way": way, "until": until}
    arm.documents.put(stored)


def _start(call: ActionCall) -> Json:
    stored, fault = call.stored, call.arm.platform.faults.take(FAULTS, f"start {call.stored['name']}")
    if stored["private"]["power"] in (STOPPED, DEALLOCATED):
        if fault is None:
            boot(call.arm, stored)
        _note(call.arm, stored, stored["private"]["power"], "starting", START_SECONDS)
    if fault is not None:
        raise exceptions.ALLOCATION_FAILED(fault.message)
    return {}


def _restart(call: ActionCall) -> Json:
    boot(call.arm, call.stored)
    return {}


def _stop(call: ActionCall, power: str, way: str, seconds: float) -> Json:
    call.arm.platform.model(Guests).stopped(call.stored["id"])
    _note(call.arm, call.stored, power, way, seconds)
    return {}


# The seconds are estimates: how long Azure takes for these actions is not published. Hosts are found only after the start
# has been accepted.
ACTIONS = {
    "start": Action(_start, START_SECONDS, fails_late=True),
    "restart": Action(_restart, 30),
    "powerOff": Action(partial(_stop, power=STOPPED, way="stopping", seconds=15), 15),
    "deallocate": Action(partial(_stop, power=DEALLOCATED, way="deallocating", seconds=120), 120),
    "redeploy": Action(_restart, 90),
}
