"""Boot machines, from power-on to cluster member. Each stage is a function, and the next stage is persisted.

A killed process therefore continues where it stopped. A machine that does not run Red Hat CoreOS, or has no customData,
just boots.
"""

import asyncio
import re
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Protocol

from emulator.core.clock import rfc3339
from emulator.core.platform import Platform
from emulator.openshift.boot import checks, host_system, timeline
from emulator.openshift.boot.download import DownloadError, Downloads, Reply
from emulator.openshift.boot.ignition import Config, IgnitionError, Source, parse, read_data_url, verify
from emulator.openshift.boot.installation import Installation, InstallationError
from emulator.openshift.boot.machines import Machine, Machines

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

# The stages in which a boot ends.
UP, DEAD = "up", "dead"
FAULTS = "machines"
# The minimum at any time scale: each attempt takes milliseconds of this process, and three masters wait at a time.
LEAST_RETRY = timedelta(seconds=0.25)

_OK = 200
_ROLE = re.compile(r"node-role\.kubernetes\.io/(master|worker)")
# Prefix of the SKUs of Red Hat CoreOS.
_COREOS = "aro_"
_KUBECONFIG = "/etc/kubernetes/kubeconfig"


def first_stage(machine: Machine) -> tuple[str, float]:
    """Return the first stage of a machine, and how many unscaled seconds pass until it runs."""
    is_coreos = machine.image.startswith(_COREOS) or '"ignition"' in machine.user_data
    if is_coreos and machine.user_data.strip():
        return "firmware", timeline.FIRMWARE_SECONDS
    return "linux", timeline.LINUX_SECONDS


class Clusters(Protocol):
    """The calls that machines make to the clusters that they belong to."""

    def prepare(self, machine: Machine, texts: list[str]) -> str:
        """Record the cluster that a bootstrap machine will install; return its id."""

    def begin(self, cluster: str) -> None:
        """Start a cluster's installation, after its bootstrap machine has applied its config."""

    def has_etcd_on_masters_first(self, cluster: str) -> bool:
        """Tell whether masters start etcd first, before there is an API server."""

    async def join_etcd(self, machine: Machine) -> str:
        """Let a master's etcd member find its peers; return why it cannot, or ""."""

    async def introduce(self, machine: Machine) -> str:
        """Let a kubelet request its certificate; return why it cannot, or ""."""

    def joined(self, machine: Machine) -> None:
        """Create the node of a machine that has joined its cluster."""

    def wake(self, cluster: str) -> None:
        """Let a cluster check its machines now."""


class Boots:
    """The boots in progress."""

    def __init__(self, platform: Platform, machines: Machines, downloads: Downloads, clusters: Clusters) -> None:
        self._platform, self._clock = platform, platform.clock
        self._machines, self._downloads, self._clusters = machines, downloads, clusters
        self._running: set[tuple[str, str]] = set()
        self._stages: Mapping[str, Callable[[Machine], Awaitable[None]]] = {
            "linux": self._linux,
            "firmware": self._firmware,
            "fetch": self._fetch,
            "apply": self._apply,
            "agent": self._agent,
            "etcd": self._etcd,
            "join": self._join,
            "node": self._node,
        }

    def go_on(self, machine: Machine) -> None:
        """Continue a machine's boot from its current stage."""
        run = (machine.key, machine.powered_at)
        if machine.stage not in (UP, DEAD) and run not in self._running:
            self._running.add(run)
            self._platform.spawn(self._run(run), f"boot of {machine.name}")

    async def _run(self, run: tuple[str, str]) -> None:
        try:
            while (machine := self._current(run)) is not None:
                left = datetime.fromisoformat(machine.due_at) - self._clock.now()
                if left > timedelta(0):
                    await asyncio.sleep(left.total_seconds())
                    continue
                await self._stages[machine.stage](machine)
        finally:
            self._running.discard(run)

    def _current(self, run: tuple[str, str]) -> Machine | None:
        """Return the machine if this boot began with it, it is powered, and its boot has not ended."""
        machine = self._machines.get(run[0])
        if machine is None or machine.powered_at != run[1] or not machine.powered or machine.stage in (UP, DEAD):
            return None
        return machine

    def _next(self, machine: Machine, stage: str, seconds: float = 0) -> None:
        """Move a machine to a stage, unless it was deleted or powered off while the last stage waited for something."""
        if self._current((machine.key, machine.powered_at)) is None:
            return
        machine.stage, machine.due_at, machine.attempt = stage, rfc3339(self._clock.after(seconds)), 0
        self._machines.save(machine)

    def _again(self, machine: Machine) -> None:
        """Schedule the stage again, with a pause that doubles up to a limit."""
        if self._current((machine.key, machine.powered_at)) is None:
            return
        first, longest = timeline.RETRY_SECONDS
        pause = max(LEAST_RETRY, self._clock.scaled(min(longest, first * 2**machine.attempt)))
        machine.due_at = rfc3339(self._clock.now() + pause)
        machine.attempt += 1
        self._machines.save(machine)

    def _die(self, machine: Machine, *lines: str) -> None:
        for line in lines:
            self._machines.log(machine, "ignition", line)
        self._machines.log(machine, "systemd", "Entering emergency mode.")
        self._next(machine, DEAD)

    # Stages

    async def _linux(self, machine: Machine) -> None:
        self._machines.log(machine, "cloud-init", "finished")
        machine.provisioned = True
        self._next(machine, UP)

    async def _firmware(self, machine: Machine) -> None:
        fault = self._platform.faults.take(FAULTS, f"boot {machine.name}")
        if fault is not None and fault.only_delays:
            await fault.pause()
        elif fault is not None:
            self._machines.log(machine, "kernel", f"Kernel panic - not syncing: {fault.message}")
            self._next(machine, DEAD)
            return
        self._machines.log(machine, "kernel", "Linux version (Red Hat Enterprise Linux CoreOS)")
        self._machines.log(machine, "ignition", 'fetched user config from "azure"')
        try:
            parse(machine.user_data.encode(), machine.image)
        except IgnitionError as error:
            self._die(machine, f"failed to parse config: {error}", "CRITICAL : Ignition failed: config is not valid")
            return
        self._next(machine, "fetch")

    async def _fetch(self, machine: Machine) -> None:
        """Fetch the configs that customData points to, and retry until Azure gives up on the machine."""
        if self._machines.given_up(machine):
            self._die(machine, "CRITICAL : failed to fetch config: deadline exceeded")
            return
        pointer = parse(machine.user_data.encode(), machine.image)
        texts = [] if pointer.replace else [machine.user_data]
        servers = []
        try:
            for source in [pointer.replace] if pointer.replace else pointer.merge:
                content, server = await self._source(machine, source, pointer)
                parse(content, machine.image)
                texts.append(content.decode("utf-8", "replace"))
                servers.append(server)
        except DownloadError:
            self._again(machine)
            return
        except IgnitionError as error:
            self._die(machine, f"failed to fetch config: {error}", "CRITICAL : Ignition failed: config is not valid")
            return
        self._settle(machine, texts, servers)

    async def _source(self, machine: Machine, source: Source, pointer: Config) -> tuple[bytes, str]:
        if source.url.startswith("data:"):
            return read_data_url(source.url, "$.ignition.config"), ""
        log = self._machines.log
        log(machine, "ignition", f"GET {source.url}: attempt #{machine.attempt + 1}")
        try:
            reply = await self._downloads.send(machine, source.url, pointer.authorities)
        except DownloadError as error:
            log(machine, "ignition", f'GET error: Get "{source.url}": {error}')
            raise
        log(machine, "ignition", f"GET result: {reply.reason or reply.status}")
        if reply.status != _OK:
            log(machine, "ignition", f"failed to fetch config: {reply.status} {reply.reason}{_code(reply)}")
            raise DownloadError(f"unexpected status {reply.status}")
        verify(reply.content, source.verification, "$.ignition.config")
        return reply.content, reply.server

    def _settle(self, machine: Machine, texts: list[str], servers: list[str]) -> None:
        """Set the machine's role and cluster from its config, unless it was deleted or powered off meanwhile."""
        if self._current((machine.key, machine.powered_at)) is None:
            return
        files, units = _merged(texts)
        found = _ROLE.search(units)
        try:
            if host_system.has_validated_modules(files.get(host_system.FIRST_BOOT, "")):
                self._machines.log(machine, "rhcos-fips", "FIPS mode is wanted: adding fips=1, rebooting")
        except InstallationError as error:
            self._die(machine, str(error))
            return
        machine.role = "bootstrap" if any(path.startswith("/opt/openshift/") for path in files) else ""
        if machine.role == "bootstrap":
            installation = Installation.read(texts, machine.image)
            refused = [*checks.stage_problems(installation, checks.IGNITION, self._clock.now())]
            if refused:
                self._die(machine, *refused)
                return
        if not machine.role and found:
            machine.role = found[1]
            machine.kubeconfig = files.get(_KUBECONFIG, "")
            server = self._machines.get(servers[0]) if servers and servers[0] else None
            machine.cluster = server.cluster if server else ""
        if machine.role == "bootstrap":
            machine.cluster = self._clusters.prepare(machine, texts)
        self._machines.log(machine, "ignition", f"files: {len(files)} written; Ignition finished successfully")
        self._next(machine, "apply", timeline.APPLY_SECONDS.get(machine.role, 0))

    async def _apply(self, machine: Machine) -> None:
        if machine.role == "bootstrap":
            self._clusters.begin(machine.cluster)
        self._next(machine, "agent", timeline.AGENT_SECONDS.get(machine.role, 0))

    async def _agent(self, machine: Machine) -> None:
        machine.provisioned = True
        self._machines.log(machine, "systemd", f"Reached target Multi-User System: {machine.host_name} login")
        if machine.role not in ("master", "worker"):
            self._next(machine, UP)
        elif machine.role == "master" and self._clusters.has_etcd_on_masters_first(machine.cluster):
            self._next(machine, "etcd")
        else:
            self._next(machine, "join")

    async def _etcd(self, machine: Machine) -> None:
        reason = await self._clusters.join_etcd(machine)
        if reason:
            self._machines.log(machine, "etcd-member", reason)
            self._again(machine)
            return
        machine.etcd = True
        self._next(machine, "join")
        self._clusters.wake(machine.cluster)

    async def _join(self, machine: Machine) -> None:
        fault = self._platform.faults.take(FAULTS, f"join {machine.name}")
        if fault is not None and fault.only_delays:
            await fault.pause()
        elif fault is not None:
            self._machines.log(machine, "kubelet", f"failed to run Kubelet: {fault.message}")
            self._next(machine, DEAD)
            return
        # A machine that pulls no images runs no kubelet.
        why = self._downloads.why_not_out(machine)
        reason = f"Error: pulling images: i/o timeout - {why}" if why else await self._clusters.introduce(machine)
        if reason:
            self._machines.log(machine, "kubelet", reason)
            self._again(machine)
            return
        machine.etcd = machine.role == "master"
        self._next(machine, "node", timeline.NODE_SECONDS)

    async def _node(self, machine: Machine) -> None:
        machine.joined = True
        self._next(machine, UP)
        self._machines.log(machine, "kubelet", f"Successfully registered node {machine.host_name}")
        self._clusters.joined(machine)


def _merged(texts: list[str]) -> tuple[dict[str, str], str]:
    """Return the files of several configs, where later configs win, and the text of all their units."""
    files: dict[str, str] = {}
    units: list[str] = []
    for text in texts:
        config = parse(text.encode())
        files |= {path: config.text(path) for path in config.files}
        units += [unit.contents for unit in config.units.values()]
    return files, "\n".join(units)


def _code(reply: Reply) -> str:
    """Return the error code of Azure Storage, which helps people find out why it refused a request."""
    found = re.search(rb"<Code>(\w+)</Code>", reply.content)
    return f" ({found[1].decode()})" if found else ""
