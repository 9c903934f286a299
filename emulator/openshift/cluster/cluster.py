"""A running cluster: it interprets the timeline's rows, sleeps until the next is due, and listens for its machines.

Its progress is in the record, so a killed process continues where it stopped. A finished cluster sleeps until somebody
changes it.
"""

import asyncio
import logging
from datetime import datetime, timedelta
from functools import cached_property
from typing import Protocol, TypeVar

from emulator.core.clock import rfc3339
from emulator.core.platform import Platform
from emulator.json_object import Json
from emulator.openshift.boot import timeline
from emulator.openshift.boot.download import Downloads
from emulator.openshift.boot.installation import Installation, InstallationError
from emulator.openshift.boot.machines import Machine, Machines
from emulator.openshift.boot.timeline import GARBLED, NotYetError, Row, WaitingError
from emulator.openshift.cluster.listeners import Listeners
from emulator.openshift.cluster.records import Record, Records
from emulator.openshift.kubernetes import ApiServer, Objects

logger = logging.getLogger(__name__)
Key = tuple[str, str, str]

RETRY_SECONDS = 20
# The minimum at any time scale: a row that keeps failing is tried once a second.
LEAST_RETRY = timedelta(seconds=1)
API_PORT, MACHINE_CONFIG_PORT, HTTP_PORT, HTTPS_PORT = 6443, 22623, 80, 443


class Controllers(Protocol):
    """The code that acts in a cluster: on the timeline's rows, and on changes of objects."""

    def everything(self) -> set[Key]:
        """Return the keys of the objects that may have been written while this process did not watch."""

    def changed(self, cluster: "Cluster", key: Key) -> None:
        """Show the immediate effects of a change of an object."""

    def access_changed(self, cluster: "Cluster", whose: str) -> bool:
        """Tell whether the operators must try their credentials again, because the access of somebody has changed."""

    def begun(self, cluster: "Cluster", row: Row) -> None:
        """Write the lines that the machine's scripts and programs print when they begin a row."""

    async def run(self, cluster: "Cluster", row: Row) -> bool:
        """Run a row that is due; tell whether it has come true."""

    def failed(self, cluster: "Cluster", row: Row, reason: str) -> None:
        """Report why a row does not come true: in the log, and in an operator's conditions or on the console."""

    def ended(self, cluster: "Cluster", row: Row, reason: str, restarts: int) -> None:
        """Report why a program of the bootstrap machine ended, and that it is started again."""

    async def serve(self, cluster: "Cluster") -> None:
        """Open the listeners of all rows that have come true."""

    async def reconcile(self, cluster: "Cluster", changed: set[Key]) -> datetime | None:
        """Put changes into effect; return when to look again."""


class PartState:
    """What a part of a cluster remembers while this process runs. Only that part's module writes it."""

    def __init__(self, cluster: "Cluster") -> None:
        """Begin as in a new process."""


Part = TypeVar("Part", bound=PartState)


class Cluster:
    """A running cluster."""

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
        self.server = ApiServer(platform, record.id, self.installation.service_network)
        self.listeners = Listeners()
        self._parts: dict[type[PartState], PartState] = {}
        # The objects written since the last reconcile.
        self._changed = self._controllers.everything()
        self._retry: dict[str, datetime] = {}
        # Rows that its files do not allow: how often their program has been started again, and when it is next.
        self._restarts: dict[str, tuple[int, datetime]] = {}
        self._said: dict[str, str] = {}
        self._begun: set[str] = set()
        self._event = asyncio.Event()
        # Whether etcd has its quorum, without which nothing in the cluster changes.
        self.running = True
        self.objects.subscribe(self._on_change)

    @property
    def objects(self) -> Objects:
        """The objects in its API server."""
        return self.server.objects

    @cached_property
    def installation(self) -> Installation:
        """The files with which its bootstrap machine booted."""
        return Installation.read(self._records.texts(self.record.id), self.record.image)

    @property
    def bootstrap(self) -> Machine | None:
        """The bootstrap machine, while it exists."""
        return self.machines.get(self.record.bootstrap)

    @property
    def exists(self) -> bool:
        """Whether the cluster still has a record."""
        return self._records.get(self.record.id) is not None

    def masters(self) -> list[Machine]:
        """Return the masters that have joined the cluster."""
        return [one for one in self.machines.of(self.record.id, "master") if one.joined]

    def is_up(self, machine: Machine) -> bool:
        """Tell whether a machine has power, and its programs run again after its last start."""
        return machine.powered and machine.up_at <= rfc3339(self.platform.clock.now())

    def has_quorum(self, masters: list[Machine]) -> bool:
        """Tell whether these masters are more than half of etcd's original members."""
        return len(masters) > self.installation.masters // 2

    def reached(self, row: str) -> bool:
        """Tell whether a row has come true."""
        return row in self.record.reached

    def save(self) -> None:
        """Write the record, unless the cluster was forgotten meanwhile."""
        if self.exists:
            self._records.save(self.record)

    def reach(self, name: str) -> None:
        """Record that a row comes true now."""
        self.record.reached[name] = rfc3339(self.platform.clock.now())
        self.save()

    def part(self, kind: type[Part]) -> Part:
        """Return what a part of the cluster remembers."""
        found = self._parts.get(kind)
        if not isinstance(found, kind):
            found = self._parts[kind] = kind(self)
        return found

    def look_again(self) -> None:
        """Let the controllers look at everything that they watch, as in a new process."""
        self._changed |= self._controllers.everything()

    def wake(self) -> None:
        """Check everything that waits for an event now."""
        self._retry.clear()
        self.look_again()
        self._event.set()

    def access_changed(self, whose: str) -> None:
        """Let the operators try their credentials again, if they depend on what has changed."""
        if self._controllers.access_changed(self, whose):
            self._event.set()

    def say(self, unit: str, line: str, *, again: bool = False) -> None:
        """Write a line to the bootstrap machine's console, unless it repeats the unit's last line."""
        machine = self.bootstrap
        if machine is not None and machine.powered and (again or self._said.get(unit) != line):
            self._said[unit] = line
            self.machines.log(machine, unit, line)

    def _on_change(self, _event: str, obj: Json) -> None:
        group = obj["apiVersion"].rpartition("/")[0]
        kind = f"{obj['kind']}.{group}" if group else str(obj["kind"])
        key = (kind, obj["metadata"].get("namespace", ""), obj["metadata"]["name"])
        self._changed.add(key)
        self._event.set()
        try:
            self._controllers.changed(self, key)
        except GARBLED:
            # Clients may make any change, even one that the controllers cannot handle.
            logger.exception("cluster %s cannot work with %s %s", self.record.id, kind, key[2])

    # Ports

    def port(self, machine: Machine, port: int) -> int | None:
        """Return the local port that serves a port of one of its machines now, or None."""
        if self.record.broken or not self.is_up(machine):
            return None
        complete = self.reached("bootstrap-complete")
        if machine.role == "bootstrap":
            open_here = {
                # Until the API server listens, the signer of etcd's certificates has its port.
                API_PORT: "api" if self.listeners.port("api") else "etcd-signer",
                MACHINE_CONFIG_PORT: "machine-config",
            }
            if complete or (port == MACHINE_CONFIG_PORT and self.reached("etcd-signer") and self.reached("etcd")):
                return None
        elif machine.role == "master" and machine.joined and self.reached("control-plane"):
            open_here = {API_PORT: "api", MACHINE_CONFIG_PORT: "machine-config"}
            if not self.has_quorum([one for one in self.masters() if self.is_up(one)]):
                return None
        elif machine.role == "worker" and machine.joined:
            open_here = {HTTP_PORT: "router-http", HTTPS_PORT: "router"}
        else:
            return None
        return self.listeners.port(open_here.get(port, ""))

    async def _serve(self) -> None:
        """Open the listeners that should be open, and close them when the cluster breaks or loses its quorum."""
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
        self.running = not complete or self.has_quorum([one for one in masters if self.is_up(one)])
        now = rfc3339(self.platform.clock.now())
        if self.running and record.away:
            record.away, record.back, record.settled = "", now, False
            self.save()
            self.look_again()
        if self.running:
            await self._controllers.serve(self)
            return
        if not record.away:
            record.away = now
            self.save()
        if self.listeners.port("api"):
            await self.stop()

    async def stop(self) -> None:
        """Stop listening."""
        self.listeners.close_all()
        await self.server.stop()

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
        """Do what is due; return the seconds until more is due, None if nothing will be."""
        if self.record.broken:
            return None
        await self._serve()
        if self.record.broken:
            return None
        waits = []
        for row in self._pending():
            wait = await self._advance(row)
            if wait == 0:
                # Rows that need this one may be due already.
                return 0
            if wait is not None:
                waits.append(wait)
        waits += self._until_up()
        if self.reached("temporary-api") and self.running and not self.record.broken:
            try:
                again = await self.reconcile()
            except GARBLED:
                logger.exception("cluster %s cannot work with its objects", self.record.id)
                again = None
            if again is not None:
                waits.append(max(0.001, (again - self.platform.clock.now()).total_seconds()))
        return min(waits, default=None)

    def _until_up(self) -> list[float]:
        """Return the seconds until each machine that has been started is up."""
        now = self.platform.clock.now()
        moments = [datetime.fromisoformat(one.up_at) for one in self.machines.of(self.record.id) if one.up_at]
        return [(moment - now).total_seconds() for moment in moments if moment > now]

    async def reconcile(self) -> datetime | None:
        """Let the controllers put the changes since the last call into effect; return when to look again."""
        changed, self._changed = self._changed, set()
        return await self._controllers.reconcile(self, changed)

    def _pending(self) -> list[Row]:
        """Return the rows whose needs have come true, without the stages after one where a script keeps restarting."""
        reached, stuck = self.record.reached, self.record.stuck
        rows = [
            row
            for row in timeline.rows(self.installation.flavour)
            if row.name not in reached and row.name not in stuck and all(need in reached for need in row.needs)
        ]
        ended = next((number for number, row in enumerate(rows) if row.name in self._restarts), len(rows))
        return [row for number, row in enumerate(rows) if number <= ended or row not in timeline.BOOTSTRAP]

    async def _advance(self, row: Row) -> float | None:
        """Run a row if it is due; return the seconds until the next try, 0 if it ran, None if it waits for an event."""
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
            # The files never change, but a certificate may become valid with time.
            self._controllers.ended(self, row, str(error), restarts)
            shown = timeline.next_restart(restarts)
            pause = clock.scaled(timeline.RESTART_SECONDS * (shown - restarts))
            self._restarts[row.name] = (shown, clock.now() + pause)
            return pause.total_seconds()
        else:
            if done:
                self.reach(row.name)
            return 0
