"""The state folder: its files, the platform that uses it, and its ports.

Everything that outlives a process is in this folder, so `reset` only has to remove it.
"""

import contextlib
import fcntl
import json
import os
import shutil
import socket
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

import psutil

from emulator.core.certificate_authority import write_private
from emulator.core.ports import listen_on_free_port
from emulator.run.command_error import RunError

# The purpose of each port. `--port name=number` chooses its number.
PORTS: Mapping[str, str] = {
    "arm": "Azure Resource Manager, HTTPS",
    "token": "Microsoft Entra ID, HTTPS",
    "front_end": "the App Service front end of the function app, HTTPS with a client certificate",
    "functions": "the Functions host itself, HTTP",
    "proxy": "the CONNECT proxy for the public names of Azure",
    "identity": "the managed identity endpoint of the function app, HTTP",
    "control": "faults, journal and health of the local Azure, HTTP",
    "azurite": "Azurite, HTTP",
}
END_SECONDS = 8.0
# The state folder of the local Azure that a terminal uses.
STATE_VARIABLE = "LOCAL_AZURE_STATE"


@dataclass(frozen=True)
class ProcessId:
    """A process, identified by pid and start time, because the system reuses pids."""

    pid: int
    created: float

    @classmethod
    def of(cls, pid: int) -> "ProcessId":
        """Return the identity of a living process."""
        return cls(pid, psutil.Process(pid).create_time())

    def process(self) -> psutil.Process | None:
        """Return the process, or None if it has ended."""
        try:
            process = psutil.Process(self.pid)
            lives = process.status() != psutil.STATUS_ZOMBIE and abs(process.create_time() - self.created) < 1
        except psutil.NoSuchProcess:
            return None
        return process if lives else None


@dataclass
class Running:
    """What `run.json` says about the platform that uses the folder."""

    platform: ProcessId
    time_scale: float
    started: str
    children: dict[str, ProcessId] = field(default_factory=dict)


class StateFolder:
    """A state folder, which at most one platform uses at a time."""

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()
        self.logs = self.root / "logs"
        self.endpoints = self.root / "endpoints.json"
        self._lock: IO[str] | None = None

    def acquire(self) -> None:
        """Lock the folder for this platform, until the process ends.

        Raises:
            RunError: another platform uses the folder.
        """
        self.logs.mkdir(parents=True, exist_ok=True)
        # The folder holds keys and secrets. It may exist already, made with another umask.
        self.root.chmod(0o700)
        self._lock = (self.root / "lock").open("a", encoding="utf-8")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._lock.close()
            running = self.running()
            where = f" as process {running.platform.pid}, since {running.started}" if running else ""
            raise RunError(
                f"A local Azure already runs on {self.root}{where}. Its addresses are in {self.endpoints}. "
                f"Stop it with `python -m emulator down{self.option()}`, or give this one a folder of its own with --state."
            ) from None

    def release(self) -> None:
        """Unlock the folder. The end of the process unlocks it too."""
        if self._lock is not None:
            self._lock.close()

    def option(self) -> str:
        """Return the option, with a leading space, that selects this folder on a command line; "" for the default."""
        return "" if self.root == default_root() else f" --state {self.root}"

    def running(self) -> Running | None:
        """Return what the last platform on this folder wrote about itself, even if that platform has ended, or None."""
        try:
            document = json.loads((self.root / "run.json").read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return None
        return Running(
            platform=ProcessId(**document["platform"]),
            time_scale=document["time_scale"],
            started=document["started"],
            children={name: ProcessId(**child) for name, child in document["children"].items()},
        )

    def write_running(self, running: Running) -> None:
        """Write `run.json`, atomically."""
        self._write_json("run.json", asdict(running))

    def clear_running(self) -> None:
        """Remove `run.json` and `endpoints.json`, because no platform runs here any more."""
        (self.root / "run.json").unlink(missing_ok=True)
        self.endpoints.unlink(missing_ok=True)

    def write_endpoints(self, document: dict[str, Any]) -> None:
        """Write `endpoints.json`, which holds secrets."""
        self._write_json("endpoints.json", document)

    def _write_json(self, name: str, document: dict[str, Any]) -> None:
        text = json.dumps(document, indent=2) + "\n"
        write_private(self.root / f"{name}.new", text.encode()).replace(self.root / name)

    def stop(self) -> bool:
        """Stop the platform of this folder and processes that it leaves behind; return whether one ran.

        The platform gets a signal first, and time to end the host before the services that the host may still call.
        """
        running = self.running()
        platform = None if running is None else running.platform.process()
        if running is not None and platform is not None:
            _signal(platform, force=False)
            until = time.monotonic() + 3 * END_SECONDS
            while _lives(platform) and time.monotonic() < until:
                time.sleep(0.02)
            end_trees([running.platform, *running.children.values()])
        else:
            self.end_leftovers()
        self.clear_running()
        return platform is not None

    def end_leftovers(self) -> None:
        """End the children of a platform that was killed, which no parent will end, and remove what it wrote about itself.

        `up --detach` waits for `endpoints.json` of the new platform, so the old file must not be there.
        """
        running = self.running()
        if running is not None and running.platform.process() is None:
            end_trees([child for child in running.children.values() if child.process()])
            self.clear_running()

    def choose_ports(self, wanted: Mapping[str, int]) -> dict[str, int]:
        """Return a free port for each name: the wanted one, else that of the last run, else any free one.

        Raises:
            RunError: a port is taken; the message has the option that chooses another.
        """
        path = self.root / "ports.json"
        kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        ports: dict[str, int] = {}
        # All sockets stay open until every port is chosen, so that no two names get the same free one.
        sockets = []
        try:
            for name, meaning in PORTS.items():
                port = wanted.get(name, kept.get(name, 0))
                try:
                    sockets.append(socket.create_server(("127.0.0.1", port)) if port else listen_on_free_port())
                except OSError as error:
                    raise RunError(
                        f"Port {port} ({name}: {meaning}) cannot be used: {os.strerror(error.errno or 0)}. "
                        f"Choose another with `--port {name}=NUMBER`; `--port {name}=0` takes any free one."
                    ) from error
                ports[name] = sockets[-1].getsockname()[1]
        finally:
            for opened in sockets:
                opened.close()
        self._write_json("ports.json", ports)
        return ports

    def is_ours(self) -> bool:
        """Tell whether a platform has used this folder; only such a folder may be removed."""
        return (self.root / "lock").exists()

    def remove(self) -> None:
        """Remove the folder with its contents."""
        shutil.rmtree(self.root, ignore_errors=True)


def default_root() -> Path:
    """Return the folder that commands use by default: that of the terminal's `emulator env`, or `.local`."""
    return Path(os.environ.get(STATE_VARIABLE, ".local")).absolute()


def end_trees(roots: list[ProcessId]) -> None:
    """End processes with all their descendants: with SIGTERM first, then with SIGKILL.

    SIGTERM goes to the processes themselves first, and they end their descendants in order: a host whose worker dies
    before the host is told to stop would take that for a crash of the app.
    """
    asked = [process for root in roots if (process := root.process()) is not None]
    tree = [*asked, *(child for process in asked for child in descendants(process))]
    for processes, force in ((asked, False), (tree, False), (tree, True)):
        living = [process for process in processes if _lives(process)]
        for process in living:
            _signal(process, force=force)
        until = time.monotonic() + END_SECONDS
        while living and time.monotonic() < until:
            time.sleep(0.02)
            living = [process for process in living if _lives(process)]


def descendants(process: psutil.Process) -> list[psutil.Process]:
    """Return the descendants of a process, or none if the process has ended meanwhile."""
    try:
        return process.children(recursive=True)
    except psutil.NoSuchProcess:
        # It ended by itself in between, as one does whose parent has just been told to stop.
        return []


def _lives(process: psutil.Process) -> bool:
    # A zombie counts as ended: only its parent can remove it, by reading the exit code.
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _signal(process: psutil.Process, *, force: bool) -> None:
    with contextlib.suppress(psutil.NoSuchProcess):
        if force:
            process.kill()
        else:
            process.terminate()
