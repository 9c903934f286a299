"""The state of each virtual machine's guest, and its serial console. Both survive a restart of the process."""

import base64
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta

from emulator.core.clock import rfc3339
from emulator.core.platform import Platform
from emulator.json_object import Json
from emulator.openshift.boot import timeline

# Azure keeps the last megabyte; the lines that people look for need far less.
KEPT_CHARACTERS = 64 * 1024
# The minimum at any time scale: other emulated machines serve the config, and all of them share this computer's cores.
LEAST_PROVISIONING = timedelta(seconds=24)
_SIGNATURE = re.compile(r"(?i)([?&]sig=)[^&\s\"']*")
_KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL)

# The hardware of a machine whose size nobody named: Standard_D4s_v3, the smallest that workers have.
DEFAULT_CORES, DEFAULT_GIB = 4, 16.0


@dataclass
class Machine:
    """A virtual machine, seen from inside.

    Args:
        id: resource id of the virtual machine.
        name: its Azure name.
        host_name: its computer name.
        user_data: customData, decoded; secret.
        nics: resource ids of its network interfaces.
        location: Azure region.
        size: VM size.
        zone: availability zone, "" for none.
        image: SKU of the image, such as `aro_419`.
        powered: whether it runs.
        powered_at: when it was first powered on, RFC 3339.
        stage: the current stage of its boot, see `boot.py`.
        due_at: when the stage is due to run, RFC 3339.
        attempt: how many attempts at the stage have failed.
        provisioned: whether its agent has told Azure that it is up.
        role: `bootstrap`, `master` or `worker`, known once it has its config; otherwise "".
        cluster: id of the cluster that it belongs to, "" while unknown.
        kubeconfig: the kubeconfig from its config, with which its kubelet requests a certificate; secret.
        etcd: whether it runs an etcd member.
        joined: whether it is a member of its cluster.
        cores: number of vCPUs.
        memory_gib: memory in GiB.
        up_at: when its programs run again after its last start, RFC 3339; "" before the first restart.
        certificates: its kubelet's certificates by signer; `cluster/kubelets.py`.
    """

    id: str
    name: str
    host_name: str
    user_data: str
    nics: list[str]
    location: str
    size: str
    zone: str
    image: str
    powered: bool
    powered_at: str
    stage: str
    due_at: str
    attempt: int = 0
    provisioned: bool = False
    role: str = ""
    cluster: str = ""
    kubeconfig: str = ""
    etcd: bool = False
    joined: bool = False
    cores: int = DEFAULT_CORES
    memory_gib: float = DEFAULT_GIB
    up_at: str = ""
    certificates: dict[str, Json] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The resource id in lower case, because ids are compared without regard to case."""
        return self.id.lower()


class Machines:
    """All machines of the platform."""

    def __init__(self, platform: Platform) -> None:
        self._clock = platform.clock
        self._table = platform.store.table("openshift_machines")
        self._logs = platform.store.table("openshift_serial_logs")
        # A cache, because every connection looks up its machine. Only this process writes the table.
        self._known = {key: Machine(**document) for key, document in self._table.scan()}

    def install(self, vm: Json) -> Machine:
        """Return the state of a VM that is powered on for the first time; the caller sets its stage and saves it."""
        properties, private = vm["properties"], vm.get("private") or {}
        profile = properties.get("osProfile") or {}
        interfaces = (properties.get("networkProfile") or {}).get("networkInterfaces") or []
        image = (properties.get("storageProfile") or {}).get("imageReference") or {}
        hardware = vm.get("hardware") or {}
        machine = Machine(
            id=vm["id"],
            name=vm["name"],
            host_name=profile.get("computerName") or vm["name"],
            user_data=base64.b64decode(private.get("customData") or "").decode("utf-8", "replace"),
            nics=[interface["id"] for interface in interfaces],
            location=vm.get("location", ""),
            size=(properties.get("hardwareProfile") or {}).get("vmSize", ""),
            zone=next(iter(vm.get("zones") or ()), ""),
            image=image.get("sku") or "",
            powered=True,
            powered_at=rfc3339(self._clock.now()),
            stage="",
            due_at="",
            cores=hardware.get("cores", DEFAULT_CORES),
            memory_gib=hardware.get("memoryGib", DEFAULT_GIB),
        )
        self._logs.delete(machine.key)
        return machine

    def get(self, vm_id: str) -> Machine | None:
        """Return a machine, or None."""
        found = self._known.get(vm_id.lower())
        return None if found is None else replace(found)

    def save(self, machine: Machine) -> None:
        """Write a machine."""
        self._known[machine.key] = replace(machine)
        self._table.put(machine.key, asdict(machine))

    def forget(self, vm_id: str) -> Machine | None:
        """Remove a machine with its log; return it as it was."""
        found = self._known.pop(vm_id.lower(), None)
        self._table.delete(vm_id.lower())
        self._logs.delete(vm_id.lower())
        return found

    def all(self) -> Iterator[Machine]:
        """Yield every machine."""
        for machine in list(self._known.values()):
            yield replace(machine)

    def of(self, cluster: str, role: str = "") -> list[Machine]:
        """Return the machines of a cluster, or only those of one role."""
        return [
            replace(machine)
            for machine in self._known.values()
            if machine.cluster == cluster and role in ("", machine.role)
        ]

    def given_up(self, machine: Machine) -> bool:
        """Tell whether Azure has stopped waiting for a machine to report."""
        time = max(LEAST_PROVISIONING, self._clock.scaled(timeline.PROVISIONING_SECONDS))
        return self._clock.now() > datetime.fromisoformat(machine.powered_at) + time

    def log(self, machine: Machine, unit: str, message: str) -> None:
        """Write a line to a machine's serial console, with secrets removed."""
        before = (self._logs.get(machine.key) or {"text": ""})["text"]
        since = datetime.fromisoformat(machine.powered_at)
        seconds = (self._clock.now() - since).total_seconds() * self._clock.time_scale
        line = f"[{seconds:12.6f}] {unit}: {redacted(message)}\n"
        self._logs.put(machine.key, {"text": (before + line)[-KEPT_CHARACTERS:]})

    def serial_log(self, vm_id: str) -> str:
        """Return what a machine has written to its serial console."""
        found = self._logs.get(vm_id.lower())
        return "" if found is None else str(found["text"])


def redacted(text: str) -> str:
    """Return a text with SAS signatures and private keys replaced."""
    return _KEY.sub("<private key>", _SIGNATURE.sub(r"\1REDACTED", text))
