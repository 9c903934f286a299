"""The two programs that run besides the services: Azurite, and the Functions host with the resource provider."""

import asyncio
import hashlib
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from emulator.blobs import azurite as azurite_program
from emulator.core.platform import Platform
from emulator.run.children import Program
from emulator.run.tools import REPOSITORY, find_azurite, find_node

# The variables that a child inherits. None of them can lead it out of the local Azure or change how it works.
INHERITED = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ")
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
        environment=_inherited() | azurite_program.environment(platform.store),
        ready=_answers(port, "/", any_status=True),
    )


def functions_host(
    platform: Platform, settings: Mapping[str, str], *, app: Path = REPOSITORY, worker: str = "builtin"
) -> Program:
    """Return the program that runs the Functions host with the app.

    Args:
        platform: the platform to which the host belongs.
        settings: the app settings, as an operator would set them.
        app: folder of the function app.
        worker: what runs the functions: a value of the host's option `--worker`.
    """
    port = platform.ports["functions"]
    folder = platform.root / "functions"
    folder.mkdir(exist_ok=True)
    arguments = (
        *("--app", str(app), "--state", str(folder), "--port", str(port)),
        *("--socket", str(front_end_socket(platform)), "--time-scale", str(platform.clock.time_scale)),
        *("--log", str(platform.root / "logs" / "functions.log"), "--worker", worker),
    )
    return Program(
        name="functions",
        arguments=(sys.executable, "-m", "emulator.host", *arguments),
        environment=_inherited() | dict(settings),
        ready=_answers(port, "/healthz"),
    )


def front_end_socket(platform: Platform) -> Path:
    """Return the path of the socket on which the host listens to its front end."""
    path = platform.root / "functions" / "front_end.sock"
    if len(str(path)) <= LONGEST_SOCKET_PATH:
        return path
    name = hashlib.sha256(str(path).encode()).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"front-end-{os.getuid()}-{name}.sock"


def _inherited() -> dict[str, str]:
    return {name: os.environ[name] for name in INHERITED if name in os.environ}


def _answers(port: int, path: str, *, any_status: bool = False) -> Callable[[], Awaitable[bool]]:
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
