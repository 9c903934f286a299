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
from emulator.host.front_end import FrontEnd
from emulator.run import programs
from emulator.run.azure import Azure, make_platform, make_seed
from emulator.run.certificates import write_client_certificates, write_front_end_certificate
from emulator.run.children import Child, Program
from emulator.run.endpoints import endpoints, render
from emulator.run.errors import RunError
from emulator.run.processes import allow_open_files, describe
from emulator.run.settings import app_settings
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
    """

    state: Path
    time_scale: float
    ports: Mapping[str, int] = field(default_factory=dict)
    worker: str = "builtin"


class Supervisor:
    """Starts the local Azure, keeps it running, and stops it."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._folder = StateFolder(options.state)
        self._azure: Azure | None = None
        self._front_end = FrontEnd()
        self._children: list[Child] = []
        self._running = Running(ProcessId(0, 0), options.time_scale, "")

    async def run(self, tell: Tell) -> None:
        """Run the local Azure until Ctrl-C, SIGTERM, or the end of the terminal.

        Args:
            tell: shows a text to the user.

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
        world = World()
        try:
            seeded = await make_seed(folder.root, ports, world=world)
            platform = make_platform(folder.root, ports, time_scale=options.time_scale, world=world)
        except SchemaMismatchError as error:
            raise RunError(f"{error}. `python -m emulator reset{folder.option()}` removes the old state.") from error
        self._azure = Azure(platform)
        # Azurite and the host are the slowest: they load while everything else starts.
        await self._start_child(programs.azurite(platform))
        await self._azure.start()
        await self._start_child(
            programs.functions_host(platform, app_settings(platform, seeded), worker=options.worker)
        )
        certificate, key = write_front_end_certificate(platform)
        await self._front_end.start(ports["front_end"], certificate, key, programs.front_end_socket(platform))
        document = endpoints(platform, seeded)
        for child in self._children:
            await child.wait_ready()
        control = platform.model(ControlModel)
        control.processes = self._describe
        control.after_rollover = partial(write_client_certificates, platform)
        control.ready = True
        folder.write_endpoints(document)
        return render(document, folder, sys.executable)

    async def _start_child(self, program: Program) -> None:
        child = Child(program, self._folder.logs, self._child_started)
        self._children.append(child)
        await child.start()

    async def _stop(self) -> None:
        # The host ends first, while the services that it may still call answer.
        for child in reversed(self._children):
            await child.stop()
        await self._front_end.stop()
        if self._azure is not None:
            await self._azure.stop()
        self._folder.clear_running()
        self._folder.release()

    def _child_started(self, name: str, process: ProcessId) -> None:
        self._running.children[name] = process
        self._folder.write_running(self._running)

    def _describe(self) -> list[dict[str, Any]]:
        return describe(self._running, {child.program.name: child.restarts for child in self._children})


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
