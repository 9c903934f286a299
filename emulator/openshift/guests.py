"""The guests of virtual machines: the only class of this folder that the rest of the local Azure uses."""

from emulator.core.clock import rfc3339
from emulator.core.platform import Platform
from emulator.core.service_error import ServiceError
from emulator.json_object import Json
from emulator.openshift.boot import timeline
from emulator.openshift.boot.boot import Boots, first_stage
from emulator.openshift.boot.download import Downloads
from emulator.openshift.boot.exceptions import PROVISIONING_TIMED_OUT
from emulator.openshift.boot.machines import Machines
from emulator.openshift.cluster.clusters import Clusters
from emulator.openshift.operators import controllers


class Guests:
    """The operating systems of all virtual machines."""

    def __init__(self, platform: Platform) -> None:
        self._clock = platform.clock
        self._machines = Machines(platform)
        downloads = Downloads(platform, self.listener)
        self._clusters = Clusters(platform, self._machines, downloads, controllers)
        platform.on_access_change(self._clusters.access_changed)
        self._boots = Boots(platform, self._machines, downloads, self._clusters)

    async def resume(self) -> None:
        """Continue the clusters and boots that were under way when the process ended."""
        self._clusters.resume()
        for machine in self._machines.all():
            if machine.powered:
                self._boots.go_on(machine)

    def powered_on(self, vm: Json) -> None:
        """Boot a virtual machine, for the first time or again.

        Args:
            vm: the stored virtual machine, with its customData (base64) under `private.customData`, and the `cores` and
                `memoryGib` of its size under `hardware`.
        """
        machine = self._machines.get(vm["id"])
        if machine is None:
            machine = self._machines.install(vm)
            machine.stage, seconds = first_stage(machine)
            machine.due_at = rfc3339(self._clock.after(seconds))
            self._machines.save(machine)
        elif not machine.powered:
            machine.powered = True
            machine.up_at = rfc3339(self._clock.after(timeline.UP_SECONDS))
            self._machines.save(machine)
            self._clusters.wake(machine.cluster)
        self._boots.go_on(machine)

    def stopped(self, vm_id: str) -> None:
        """Power off a virtual machine that continues to exist."""
        machine = self._machines.get(vm_id)
        if machine is not None and machine.powered:
            machine.powered = False
            self._machines.save(machine)
            self._clusters.wake(machine.cluster)

    def deleted(self, vm_id: str) -> None:
        """Forget a deleted virtual machine."""
        machine = self._machines.forget(vm_id)
        if machine is not None:
            self._clusters.machine_gone(machine)

    def provisioning(self, vm_id: str) -> str | ServiceError:
        """Return `waiting`, `done`, or the error with which a virtual machine's provisioning fails."""
        machine = self._machines.get(vm_id)
        if machine is None or machine.provisioned:
            return "done"
        if not self._machines.given_up(machine):
            return "waiting"
        return PROVISIONING_TIMED_OUT(machine.name)

    def serial_log(self, vm_id: str) -> str:
        """Return what a virtual machine has written to its serial console."""
        return self._machines.serial_log(vm_id)

    def listener(self, vm_id: str, port: int) -> int | None:
        """Return the local port that serves this port of a virtual machine now, or None if nothing listens."""
        machine = self._machines.get(vm_id)
        return None if machine is None else self._clusters.port(machine, port)
