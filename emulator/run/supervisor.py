"""A running local Azure: the services in this process, Azurite and the Functions host as child processes."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from emulator.control import ControlModel
from emulator.core.store import SchemaMismatchError
from emulator.core.world import World
from emulator.run import programs
from emulator.run.azure import NO_WAITING, Azure, make_platform
from emulator.run.caller_certificates import write_client_certificates
from emulator.run.children import Child, Program
from emulator.run.command_error import RunError
from emulator.run.endpoints import endpoints, render
from emulator.run.processes import allow_open_files, describe
from emulator.run.provider.callers import Callers
from emulator.run.provider.catalogue import fill_catalogue
from emulator.run.provider.deployment import deploy
from emulator.run.provider.deployment_record import Deployed, last_deployed
from emulator.run.provider.settings import local_settings
from emulator.run.seed import Seed, seed
from emulator.run.sites import Sites
from emulator.run.state import ProcessId, Running, StateFolder

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Options:
    """The options of `up`.

    Args:
        state: the state folder.
        time_scale: how many times faster than in Azure latencies pass.
        ports: wanted ports by name; the others are those of the last run, or free ones.
        worker: what runs the functions: a value of the host's option `--worker`.
        callers: who calls the service; None for those of the last run, or ARM at the first.
    """

    state: Path
    time_scale: float
    ports: Mapping[str, int] = field(default_factory=dict)
    worker: str = "builtin"
    callers: Callers | None = None


class Supervisor:
    """Starts the local Azure, keeps it running, and stops it."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._folder = StateFolder(options.state)
        self._azure: Azure | None = None
        self._children: list[Child] = []
        self._sites: Sites | None = None
        self._running = Running(ProcessId(0, 0), options.time_scale, "")

    async def run(self, tell: Tell) -> None:
        """Run the local Azure until Ctrl-C, SIGTERM, or the end of the terminal.

        Raises:
            RunError: the local Azure cannot start.
        """
        allow_open_files()
        stopping = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, stopping.set)
        self._folder.acquire()
        try:
            began = time.monotonic()
            starting = asyncio.ensure_future(self._start())
            stopped = asyncio.ensure_future(stopping.wait())
            await asyncio.wait({starting, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if not starting.done():
                starting.cancel()
            else:
                tell(starting.result())
                tell(f"Up in {time.monotonic() - began:.1f} s. Ctrl-C ends it.")
                await stopped
        finally:
            await self._stop()

    async def _start(self) -> str:
        """Start everything; return the text to show to the user."""
        options, folder = self._options, self._folder
        folder.end_leftovers()
        self._running = Running(ProcessId.of(os.getpid()), options.time_scale, _now())
        folder.write_running(self._running)
        ports = folder.choose_ports(options.ports)
        try:
            seeded, deployed = await self._prepare(ports)
        except SchemaMismatchError as error:
            raise RunError(f"{error}. `python -m emulator reset{folder.option()}` removes the old state.") from error
        platform = make_platform(folder.root, ports, time_scale=options.time_scale, world=World())
        self._azure = Azure(platform)
        await self._azure.start()
        self._sites = Sites(platform, self._child_started, self._child_ended, options.worker)
        await self._sites.start()
        document = endpoints(platform, seeded, deployed)
        for child in [*self._children, *self._sites.children]:
            await child.wait_ready()
        await asyncio.to_thread(fill_catalogue, document)
        control = platform.model(ControlModel)
        control.processes = self._describe
        control.after_rollover = partial(write_client_certificates, platform)
        shown = ("callers", "service", "portal", "proxy", "ca_bundle", "arm", "subscription_id", "tenant_id")
        control.addresses = {name: document[name] for name in shown}
        control.ready = True
        folder.write_endpoints(document)
        return render(document, folder, sys.executable)

    async def _prepare(self, ports: Mapping[str, int]) -> tuple[Seed, Deployed]:
        """Create what Azure provides, and deploy the resource provider, on a platform without latencies."""
        platform = make_platform(self._folder.root, ports, time_scale=NO_WAITING, world=World())
        azure = self._azure = Azure(platform)
        try:
            await self._start_child(programs.azurite(platform))
            await azure.listen()
            seeded = seed(platform)
            await self._children[0].wait_ready()
            callers = self.callers(last_deployed(platform.store))
            return seeded, await deploy(platform, callers, local_settings(self._options.time_scale))
        finally:
            await azure.stop()
            self._azure = None

    def callers(self, last: Deployed | None) -> Callers:
        """Return who will call the service.

        Raises:
            RunError: other callers than those of the last run are asked for.
        """
        known = None if last is None else Callers(last.callers)
        wanted = self._options.callers or known or Callers.ARM
        if known not in (None, wanted):
            option = self._folder.option()
            raise RunError(
                f"The service on {self._folder.root} is for callers of kind '{known}', and stays so. Give the other one a "
                f"folder of its own with --state, or start over: `python -m emulator reset{option}`."
            )
        return wanted

    async def _start_child(self, program: Program) -> None:
        child = Child(program, self._folder.logs, self._child_started)
        self._children.append(child)
        await child.start()

    async def _stop(self) -> None:
        # The hosts end first, while the services that they may still call answer.
        if self._sites is not None:
            await self._sites.stop()
        for child in reversed(self._children):
            await child.stop()
        if self._azure is not None:
            await self._azure.stop()
        self._folder.clear_running()
        self._folder.release()

    def _child_started(self, name: str, process: ProcessId) -> None:
        self._running.children[name] = process
        self._folder.write_running(self._running)

    def _child_ended(self, name: str) -> None:
        self._running.children.pop(name, None)
        self._folder.write_running(self._running)

    def _describe(self) -> list[dict[str, Any]]:
        children = [*self._children, *(self._sites.children if self._sites is not None else ())]
        return describe(self._running, {child.program.name: child.restarts for child in children})


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
