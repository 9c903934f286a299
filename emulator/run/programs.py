"""The programs that run besides the services: Azurite, and a Functions host for each site."""

import asyncio
import hashlib
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from emulator.blobs import azurite as azurite_program
from emulator.core.platform import Platform
from emulator.run.children import Program
from emulator.run.tools import find_azurite, find_node

# The variables that a child inherits. None of them can lead it out of the local Azure or change how it works. The second row
# is the time of libfaketime, in which either all processes live, or none.
INHERITED = (
    *("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ"),
    *("LD_PRELOAD", "FAKETIME_TIMESTAMP_FILE", "FAKETIME_NO_CACHE", "FAKETIME_DISABLE_SHM"),
)
# The path of a Unix socket must fit into 108 bytes, on macOS into 104.
LONGEST_SOCKET_PATH = 100


def azurite(platform: Platform) -> Program:
    """Return the program that runs Azurite, which stores the data of the blob service."""
    folder = platform.root / "azurite"
    folder.mkdir(exist_ok=True)
    port = platform.ports["azurite"]
    return Program(
        name="azurite",
        arguments=(str(find_node()), *azurite_program.arguments(find_azurite(), port, folder)),
        environment=inherited() | azurite_program.environment(platform.store),
        ready=answers(port, "/", any_status=True),
    )


@dataclass(frozen=True)
class HostProgram:
    """A Functions host."""

    name: str
    app: Path
    state: Path
    port: int
    options: tuple[str, ...] = ()


def host(
    which: HostProgram,
    platform: Platform,
    environment: Mapping[str, str],
    ready: Callable[[], Awaitable[bool]],
) -> Program:
    """Return the program that runs a Functions host."""
    which.state.mkdir(parents=True, exist_ok=True)
    arguments = (
        *("--app", str(which.app), "--state", str(which.state), "--port", str(which.port)),
        *("--socket", str(socket_of(which.state)), "--time-scale", str(platform.clock.time_scale)),
        *("--log", str(platform.root / "logs" / f"{which.name}.log"), *which.options),
    )
    return Program(
        name=which.name,
        arguments=(sys.executable, "-m", "emulator.host", *arguments),
        environment=environment,
        ready=ready,
    )


def socket_of(state: Path) -> Path:
    """Return the path of the socket on which the host with this state folder listens to its front end."""
    path = state / "front_end.sock"
    if len(str(path)) <= LONGEST_SOCKET_PATH:
        return path
    name = hashlib.sha256(str(path).encode()).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"front-end-{os.getuid()}-{name}.sock"


def inherited() -> dict[str, str]:
    """Return the variables that every child inherits."""
    return {name: os.environ[name] for name in INHERITED if name in os.environ}


def answers(port: int, path: str, *, any_status: bool = False) -> Callable[[], Awaitable[bool]]:
    """Return a function that tells whether a program on localhost answers."""

    async def ready() -> bool:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            return False
        try:
            writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n".encode())
            status_line = await asyncio.wait_for(reader.readline(), 5)
        except (OSError, TimeoutError):
            return False
        else:
            return any_status or (b" 503 " not in status_line and bool(status_line))
        finally:
            writer.close()

    return ready
