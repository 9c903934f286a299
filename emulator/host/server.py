"""The host itself: listeners, worker, durable runtime and timers, started and stopped in order."""

import asyncio
import contextlib
import os
import random
import socket
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn

from emulator.host.durable.client_binding import ManagementAddress
from emulator.host.durable.database import Database
from emulator.host.durable.dispatcher import Dispatcher, DurableRuntime
from emulator.host.durable.management import Management
from emulator.host.durable.store import TaskHub
from emulator.host.durable.work import WorkQueue
from emulator.host.function_index import build_index
from emulator.host.host_config import load_host_config
from emulator.host.http_server import FunctionsApplication, HostServices, HostState, RPCApplication
from emulator.host.keys import load_keys
from emulator.host.lease_owner import current_owner
from emulator.host.logs import log
from emulator.host.timer_leases import TimerLeases
from emulator.host.timers import TimerService
from emulator.host.worker.process import Worker

_LEASE_SECONDS = 300  # The message visibility timeout of the real storage provider.
_SHORTEST_LEASE_SECONDS = 5
_RPC_PORT = 17071
_RPC_FALLBACK_PORTS = range(30000, 31000)
GRACE_SECONDS = 3.0


@dataclass(frozen=True)
class HostOptions:
    """The options of a host.

    Args:
        app_directory: folder with `function_app.py` and `host.json`.
        state_directory: folder for the task hub and the keys.
        port: port on localhost; 0 takes a free one.
        socket_path: Unix socket for the front end.
        time_scale: divides leases and redelivery.
        engine: what loads the app.
        python: interpreter for a published package; None for a working tree.
        problems: why the host cannot start, if the platform knows that beforehand.
        grace_seconds: how long a host that stops waits for calls in flight.
    """

    app_directory: Path
    state_directory: Path
    port: int
    socket_path: Path | None
    time_scale: float
    engine: str = "builtin"
    python: Path | None = None
    problems: tuple[str, ...] = ()
    grace_seconds: float = GRACE_SECONDS


class HostRefusedError(Exception):
    """The platform knows that the host cannot start; the message says why."""


class _Server(uvicorn.Server):
    """A server that leaves signals to the host."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class Host:
    """One host: `start`, then `stop`."""

    def __init__(self, options: HostOptions) -> None:
        self._options = options
        self._state = HostState()
        self._servers: list[tuple[_Server, asyncio.Task[None]]] = []
        self._rpc_servers: list[tuple[_Server, asyncio.Task[None]]] = []
        self._worker: Worker | None = None
        self._dispatcher: Dispatcher | None = None
        self._timers: TimerService | None = None
        self._database: Database | None = None
        self.port = options.port

    async def start(self) -> None:
        """Listen, load the app, and serve it.

        Raises:
            OSError: the port or the socket is taken.
            HostRefusedError: the platform knows that the host cannot start.
            HostConfigurationError: host.json cannot be used.
            WorkerFailedToLoadError: the app cannot be loaded.
        """
        options = self._options
        keys = load_keys(options.state_directory)
        self._state.keys = keys
        rpc_port = await self._open()
        if options.problems:
            raise HostRefusedError(" ".join(options.problems))
        config = load_host_config(options.app_directory)
        lease_seconds = max(_SHORTEST_LEASE_SECONDS, _LEASE_SECONDS / options.time_scale)
        database = Database(options.state_directory / f"{config.hub_name}.sqlite", current_owner(), lease_seconds)
        self._database = database
        host_name = os.environ.setdefault("WEBSITE_HOSTNAME", f"localhost:{self.port}")
        address = ManagementAddress(
            host_name=host_name,
            hub_name=config.hub_name,
            system_key=keys.durable,
            rpc_base_url=f"http://127.0.0.1:{rpc_port}/durabletask/",
        )
        worker = Worker(options.app_directory, dict(os.environ), options.engine, options.python)
        self._worker = worker
        index = build_index(await worker.start(), config.route_prefix, _disabled_functions())
        for name, problem in index.refused.items():
            log("ERROR", "Host.Startup", f"The '{name}' function is in error: {problem}")
        log("INFO", "Host.Startup", f"Found {len(index.names)} functions: {', '.join(index.names)}")

        self._dispatcher = Dispatcher(DurableRuntime(WorkQueue(database), worker, index, config, address.binding))
        self._timers = TimerService(TimerLeases(database), worker, index, address.binding)
        management = Management(TaskHub(database), index, address, self._dispatcher.wake)
        self._dispatcher.start()
        self._state.services = HostServices(index, worker, config, keys, management, self._timers, address.binding)
        self._timers.start()

    async def _open(self) -> int:
        """Listen on every port and socket; return the port for the durable SDK's calls."""
        public, rpc = socket.create_server(("127.0.0.1", self._options.port)), _rpc_socket()
        self.port = public.getsockname()[1]
        self._servers.append(
            await self._listen(FunctionsApplication(self._state, trusts_platform_headers=False), public)
        )
        self._rpc_servers.append(await self._listen(RPCApplication(self._state), rpc))
        if self._options.socket_path is not None:
            front = _unix_socket(self._options.socket_path)
            trusted = FunctionsApplication(self._state, trusts_platform_headers=True)
            self._servers.append(await self._listen(trusted, front))
        return int(rpc.getsockname()[1])

    def fail(self, error: str) -> None:
        """Answer for a host that could not start: its status tells why, and functions get 503."""
        self._state.errors = (error,)

    async def stop(self) -> None:
        """Refuse new work, wait a little for calls in flight, put unfinished durable work back."""
        if self._timers is not None:
            self._timers.stop()
        for server, _ in self._servers:
            server.should_exit = True
        waits: list[Coroutine[Any, Any, Any]] = [
            asyncio.wait([task], timeout=self._options.grace_seconds) for _, task in self._servers
        ]
        if self._dispatcher is not None:
            waits.append(self._dispatcher.stop(self._options.grace_seconds))
        await asyncio.gather(*waits)
        if self._worker is not None:
            await self._worker.stop()
        if self._dispatcher is not None:
            await self._dispatcher.drain()
        self._state.services = None
        # The worker's own listener stops last, because calls in flight may have needed their durable client until now.
        self._servers += self._rpc_servers
        for server, task in self._servers:
            server.should_exit = server.force_exit = True
            await task
        if self._database is not None:
            WorkQueue(self._database).drop_leases(self._database.owner)
            self._database.close()
        if self._options.socket_path is not None:
            self._options.socket_path.unlink(missing_ok=True)

    async def _listen(self, application: Any, listener: socket.socket) -> tuple[_Server, asyncio.Task[None]]:
        config = uvicorn.Config(
            application,
            log_config=None,
            access_log=False,
            lifespan="off",
            proxy_headers=False,
            server_header=False,
            headers=[("Server", "Kestrel")],
            timeout_keep_alive=130,  # Kestrel's default, and longer than the front end keeps its connections.
            http="httptools",
        )
        server = _Server(config)
        task = asyncio.create_task(server.serve(sockets=[listener]))
        while not server.started:
            if task.done():
                await task
            await asyncio.sleep(0.005)
        return server, task


def _rpc_socket() -> socket.socket:
    """Listen on the usual port of the worker's rpc routes, or on another if a second host has that one."""
    for port in (_RPC_PORT, *random.sample(_RPC_FALLBACK_PORTS, len(_RPC_FALLBACK_PORTS))):
        with contextlib.suppress(OSError):
            return socket.create_server(("127.0.0.1", port))
    raise OSError("No port from 30000 to 31000 is free for the worker's durable client.")


def _unix_socket(path: Path) -> socket.socket:
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(path))
    path.chmod(0o600)
    listener.listen(1024)
    return listener


def _disabled_functions() -> frozenset[str]:
    """Return the lower-case names of the functions that app settings disable.

    Such a setting is named `AzureWebJobs.NAME.Disabled`, or has underscores instead of the dots.
    """
    names = set()
    for name, value in os.environ.items():
        plain = name.lower().replace("azurewebjobs_", "azurewebjobs.", 1)
        is_switch = plain.startswith("azurewebjobs.") and plain.endswith((".disabled", "_disabled"))
        if is_switch and value.lower() in ("true", "1"):
            names.add(plain[len("azurewebjobs.") : -len(".disabled")])
    return frozenset(names)
