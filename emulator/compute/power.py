"""Power of virtual machines: what is noted of it, and what the guest is told.

The guest is told first and the note follows. So a kill between them repeats a boot, and loses none.
"""

from typing import Any

from emulator.arm.models import ArmModel
from emulator.arm.resources import Action, ActionCall
from emulator.openshift.guests import Guests

Json = dict[str, Any]

# `private.power`: to be booted, for the first time or again; on; off and still allocated; off and given back.
STARTING, RESTARTING, RUNNING = "starting", "restarting", "running"
STOPPED, DEALLOCATED = "stopped", "deallocated"


def boot(arm: ArmModel, stored: Json) -> None:
    """Let a virtual machine boot; one that runs loses its power first."""
    guests = arm.platform.model(Guests)
    if stored["private"]["power"] in (RUNNING, RESTARTING):
        guests.stopped(stored["id"])
    guests.powered_on(stored)
    _note(arm, stored, RUNNING)


def boot_if_due(arm: ArmModel, stored: Json) -> None:
    """Let a virtual machine boot that is to be booted."""
    if stored["private"]["power"] in (STARTING, RESTARTING):
        boot(arm, stored)


def boot_left_over(arm: ArmModel) -> None:
    """Boot the virtual machines that the process had accepted, and not yet booted, when it was killed."""
    for stored in list(arm.scan("/subscriptions/", "Microsoft.Compute/virtualMachines")):
        boot_if_due(arm, stored)


def _note(arm: ArmModel, stored: Json, power: str) -> None:
    stored["private"] = stored["private"] | {"power": power}
    arm.documents.put(stored)


def _start(call: ActionCall) -> Json:
    if call.stored["private"]["power"] in (STOPPED, DEALLOCATED):
        boot(call.arm, call.stored)
    return {}


def _restart(call: ActionCall) -> Json:
    boot(call.arm, call.stored)
    return {}


def _power_off(call: ActionCall) -> Json:
    return _stop(call, STOPPED)


def _deallocate(call: ActionCall) -> Json:
    return _stop(call, DEALLOCATED)


def _stop(call: ActionCall, power: str) -> Json:
    call.arm.platform.model(Guests).stopped(call.stored["id"])
    _note(call.arm, call.stored, power)
    return {}


# Seconds are estimates: nobody publishes how long Azure takes for these.
ACTIONS = {
    "start": Action(_start, 20),
    "restart": Action(_restart, 30),
    "powerOff": Action(_power_off, 15),
    "deallocate": Action(_deallocate, 30),
    "redeploy": Action(_restart, 90),
}
