"""One cluster at work: interprets the timeline's rows, sleeps until the next is due, and serves what its machines serve.

The record says how far it is, so a killed process goes on where it was. A finished cluster that nobody touches sleeps.
"""

import asyncio
import logging
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from emulator.core.clock import rfc3339
from emulator.core.platform import Platform
from emulator.openshift.boot import timeline
from emulator.openshift.boot.download import Downloads
from emulator.openshift.boot.installation import Installation, InstallationError
from emulator.openshift.boot.machines import Machine, Machines
from emulator.openshift.boot.timeline import GARBLED, NotYetError, Row, WaitingError
from emulator.openshift.cluster.records import Record, Records
from emulator.openshift.kubernetes import ApiServer, Certificate, Objects

if TYPE_CHECKING:
    from emulator.openshift.cluster.endpoint import Endpoint

logger = logging.getLogger(__name__)
Json = dict[str, Any]

RETRY_SECONDS = 20
# However fast the clock: a row that fails again and again is tried once a second.
LEAST_RETRY = timedelta(seconds=1)
API_PORT, MACHINE_CONFIG_PORT, HTTP_PORT, HTTPS_PORT = 6443, 22623, 80, 443


class Controllers(Protocol):
    """What acts in a cluster: on the timeline's rows, and on changes of objects."""

    def everything(self) -> set[tuple[str, str, str]]:
        """Return what may have been written while nobody looked."""

    def changed(self, cluster: "Cluster", key: tuple[str, str, str]) -> None:
        """Show at once what a change of an object sets going."""

    def begun(self, cluster: "Cluster", row: Row) -> None:
        """Say what the machine's scripts and programs say when they come to a row."""

    async def run(self, cluster: "Cluster", row: Row) -> bool:
        """Do what a row says; tell whether it has come true."""

    def failed(self, cluster: "Cluster", row: Row, reason: str) -> None:
        """Say why a row does not come true, where people look for it."""

    def ended(self, cluster: "Cluster", row: Row, reason: str, restarts: int) -> None:
        """Say on what a program of the bootstrap machine ended, and that it is started again."""

    async def serve(self, cluster: "Cluster") -> None:
        """Let listen what has listened before."""

    async def reconcile(self, cluster: "Cluster") -> datetime | None:
        """Bring what was written since the last time into effect; return when to look again."""


class Cluster:
    """A cluster that runs.

    Args:
        platform: clock, faults, store.
        record: what is known of it.
        records: where that is kept.
        machines: all machines.
        downloads: how its machines reach each other.
        controllers: what acts in it.
    """

    def __init__(
        self,
        platform: Platform,
        record: Record,
        records: Records,
        machines: Machines,
        downloads: Downloads,
        *,
        controllers: Controllers,
    ) -> None:
        self.platform, self.record, self.machines, self.downloads = platform, record, machines, downloads
        self._records, self._controllers = records, controllers
        self.server = ApiServer(platform, record.id)
        # What listens now: "api", "machine-config", "etcd-signer", "router", "router-http".
        self.ports: dict[str, int] = {}
        self.endpoints: dict[str, Endpoint] = {}
        # (kind, namespace, name) of the objects that were written since they were last looked at; and when the
        # operator of an object will have observed its spec.
        self.changed = self._controllers.everything()
        self.observing: dict[tuple[str, str, str], datetime] = {}
        # Machines of machine-api that something is being done about.
        self.working: set[str] = set()
        # Whether it serves with renewed certificates, just before its record says so; and what it serves with.
        self.rotated = False
        self.own_certificates: list[Certificate] = []
        # What its router shows, and from which Secret, in which version.
        self.router_pair: tuple[str, str] | None = None
        self.router_source = ("", "")
        # When the cloud-credential operator looks at what has changed, and when the others try their credentials: a new
        # process does both.
        self.credentials_due: datetime | None = platform.clock.now()
        self.access_due: datetime | None = platform.clock.now()
        # Client ids, object ids and scopes on which that depends, lower case.
        self.watched: set[str] = set()
        # When the pods of DaemonSets are ready that are as they are now, by uid and generation; and when to count again.
        self.pods: dict[tuple[str, int], datetime] = {}
        self.pods_due: datetime | None = None
        self._retry: dict[str, datetime] = {}
        # Rows that its files do not allow: how often the machine has begun anew since, and when it does so next.
        self._restarts: dict[str, tuple[int, datetime]] = {}
        self._said: dict[str, str] = {}
        self._begun: set[str] = set()
        self._event = asyncio.Event()
        self.objects.subscribe(self._on_change)

    @property
    def objects(self) -> Objects:
        """What its API server holds."""
        return self.server.objects

    @cached_property
    def installation(self) -> Installation:
        """What its bootstrap machine booted from."""
        return Installation.read(self._records.texts(self.record.id), self.record.image)

    @property
    def bootstrap(self) -> Machine | None:
        """The bootstrap machine, while it exists."""
        return self.machines.get(self.record.bootstrap)

    @property
    def exists(self) -> bool:
        """Whether it was not forgotten."""
        return self._records.get(self.record.id) is not None

    def masters(self) -> list[Machine]:
        """Return the masters that are members of etcd."""
        return [one for one in self.machines.of(self.record.id, "master") if one.joined]

    def has_quorum(self, masters: list[Machine]) -> bool:
        """Tell whether these are more than half of the members that etcd was made with."""
        return len(masters) > self.installation.masters // 2

    def reached(self, row: str) -> bool:
        """Tell whether a row has come true."""
        return row in self.record.reached

    def save(self) -> None:
        """Write the record, unless the cluster was forgotten meanwhile."""
        if self.exists:
            self._records.save(self.record)

    def reach(self, name: str) -> None:
        """Let a row come true now."""
        self.record.reached[name] = rfc3339(self.platform.clock.now())
        self.save()

    def wake(self) -> None:
        """Look at once at everything that waits for an event."""
        self._retry.clear()
        self.changed |= self._controllers.everything()
        self._event.set()

    def access_changed(self, whose: str) -> None:
        """Let the operators try their credentials, when this is about them."""
        if whose in self.watched:
            self.access_due = self.platform.clock.now()
            self._event.set()

    def say(self, unit: str, line: str, *, anew: bool = False) -> None:
        """Write a line to the bootstrap machine's console, unless that unit said it last and has not begun `anew`."""
        machine = self.bootstrap
        if machine is not None and machine.powered and (anew or self._said.get(unit) != line):
            self._said[unit] = line
            self.machines.log(machine, unit, line)

    def _on_change(self, _event: str, obj: Json) -> None:
        group = obj["apiVersion"].rpartition("/")[0]
        kind = f"{obj['kind']}.{group}" if group else str(obj["kind"])
        key = (kind, obj["metadata"].get("namespace", ""), obj["metadata"]["name"])
        self.changed.add(key)
        self._event.set()
        try:
            self._controllers.changed(self, key)
        except GARBLED:
            # The change is the client's to make, whatever becomes of it.
            logger.exception("cluster %s cannot work with %s %s", self.record.id, kind, key[2])

    # Ports

    def port(self, machine: Machine, port: int) -> int | None:
        """Return the local port where a port of one of its machines answers now, or None."""
        if self.record.broken or not machine.powered:
            return None
        complete = self.reached("bootstrap-complete")
        if machine.role == "bootstrap":
            open_here = {
                # Until there is an API server, the signer of etcd's certificates has its port.
                API_PORT: "api" if "api" in self.ports else "etcd-signer",
                MACHINE_CONFIG_PORT: "machine-config",
            }
            if complete or (port == MACHINE_CONFIG_PORT and self.reached("etcd-signer") and self.reached("etcd")):
                return None
        elif machine.role == "master" and machine.joined and self.reached("control-plane"):
            open_here = {API_PORT: "api", MACHINE_CONFIG_PORT: "machine-config"}
            if not self.has_quorum([one for one in self.masters() if one.powered]):
                return None
        elif machine.role == "worker" and machine.joined:
            open_here = {HTTP_PORT: "router-http", HTTPS_PORT: "router"}
        else:
            return None
        return self.ports.get(open_here.get(port, ""))

    async def _serve(self) -> None:
        """Let listen what should, and nothing else: after a restart, and when machines come and go."""
        record, masters = self.record, self.masters()
        complete = self.reached("bootstrap-complete")
        if not record.broken and not complete and self.bootstrap is None:
            record.broken = "the bootstrap machine was deleted before the control plane was complete"
        if not record.broken and complete and not self.has_quorum(masters):
            record.broken = "etcd has lost its quorum for good: too many of its machines were deleted"
        if record.broken:
            logger.warning("cluster %s is broken: %s", record.id, record.broken)
            self.save()
            await self.stop()
            return
        running = self.has_quorum([one for one in masters if one.powered]) if complete else True
        if running:
            await self._controllers.serve(self)
        elif "api" in self.ports:
            await self.stop()

    async def stop(self) -> None:
        """Stop listening."""
        self.ports.clear()
        await self.server.stop()
        for endpoint in self.endpoints.values():
            endpoint.stop()
        self.endpoints.clear()

    # The loop

    async def run(self) -> None:
        """Work until the cluster is forgotten."""
        try:
            while self.exists:
                self._event.clear()
                soonest = await self._step()
                try:
                    await asyncio.wait_for(self._event.wait(), soonest)
                except TimeoutError:
                    continue
            self.objects.clear()
        finally:
            await self.stop()

    async def _step(self) -> float | None:
        """Do what is due; return the seconds until more is, None for nothing."""
        if self.record.broken:
            return None
        await self._serve()
        if self.record.broken:
            return None
        waits = []
        for row in self._pending():
            wait = await self._advance(row)
            if wait == 0:
                # What needs this row may be due already.
                return 0
            if wait is not None:
                waits.append(wait)
        if self.reached("temporary-api") and not self.record.broken:
            try:
                again = await self._controllers.reconcile(self)
            except GARBLED:
                logger.exception("cluster %s cannot work with its objects", self.record.id)
                again = None
            if again is not None:
                waits.append(max(0.001, (again - self.platform.clock.now()).total_seconds()))
        return min(waits, default=None)

    def _pending(self) -> list[Row]:
        """Return the rows whose needs have come true; a script that begins again and again comes to no later stage."""
        reached, stuck = self.record.reached, self.record.stuck
        rows = [
            row
            for row in timeline.rows(self.installation.flavour)
            if row.name not in reached and row.name not in stuck and all(need in reached for need in row.needs)
        ]
        ended = next((number for number, row in enumerate(rows) if row.name in self._restarts), len(rows))
        return [row for number, row in enumerate(rows) if number <= ended or row not in timeline.BOOTSTRAP]

    async def _advance(self, row: Row) -> float | None:
        """Let a row come true when it is due; return the seconds until then, 0 when it has, None for no time at all."""
        clock, record = self.platform.clock, self.record
        due = max(datetime.fromisoformat(record.reached[need]) for need in row.needs) + clock.scaled(row.seconds)
        if row.name in record.postponed:
            due = max(due, datetime.fromisoformat(record.postponed[row.name]))
        restarts, again = self._restarts.get(row.name, (0, due))
        due = max(due, again, self._retry.get(row.name, due))
        if due > clock.now():
            return max(0.001, (due - clock.now()).total_seconds())
        if row.name not in self._begun:
            self._begun.add(row.name)
            self._controllers.begun(self, row)
        try:
            done = await self._controllers.run(self, row)
        except WaitingError:
            return None
        except (NotYetError, *GARBLED) as error:
            reason = str(error) if isinstance(error, NotYetError) else f"{type(error).__name__}: {error}"
            self._controllers.failed(self, row, reason)
            pause = max(LEAST_RETRY, clock.scaled(RETRY_SECONDS))
            self._retry[row.name] = clock.now() + pause
            return pause.total_seconds()
        except InstallationError as error:
            # The files stay as they are, but their certificates' time may come.
            self._controllers.ended(self, row, str(error), restarts)
            shown = timeline.next_restart(restarts)
            pause = clock.scaled(timeline.RESTART_SECONDS * (shown - restarts))
            self._restarts[row.name] = (shown, clock.now() + pause)
            return pause.total_seconds()
        else:
            if done:
                self.reach(row.name)
            return 0
        return None
