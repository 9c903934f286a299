"""Child processes: other programs, run with limits of time, processor time, memory and file size.

Their output goes to files, so the limit of a file's size holds for it, too, and none of it is in this process's memory.
"""

import json
import logging
import os
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from shared.children.child_network import ChildNetwork

# Files and connections of a child at once, of which programs need a few dozen.
_OPEN_FILES = 256
_START = str(Path(__file__).with_name("child_start.py"))
_log = logging.getLogger(__name__)
_FILE_TOO_LARGE, _NO_CPU = "file too large", "SIGXCPU"
_NO_MEMORY = ("out of memory", "cannot allocate memory", "failed to reserve page summary memory")


@dataclass(frozen=True)
class Limits:
    """What a child may use.

    Args:
        seconds: how long it may run.
        cpu_seconds: how much processor time it may use, all its threads together.
        memory_bytes: how much memory it may write to. Address space that a program only reserves does not count: Go
            reserves half a gigabyte.
        file_bytes: the size of each file that it writes, its output among them.
    """

    seconds: float
    cpu_seconds: int
    memory_bytes: int
    file_bytes: int

    def of_resources(self) -> str:
        """Return the limits that the kernel enforces, as `child_start.py` reads them."""
        limits = {
            # The kernel warns at the first, and ends the child at the second.
            resource.RLIMIT_CPU: (self.cpu_seconds, self.cpu_seconds + 5),
            resource.RLIMIT_DATA: (self.memory_bytes, self.memory_bytes),
            resource.RLIMIT_FSIZE: (self.file_bytes, self.file_bytes),
            resource.RLIMIT_NOFILE: (_OPEN_FILES, _OPEN_FILES),
            resource.RLIMIT_CORE: (0, 0),
        }
        return ",".join(f"{which}:{soft}:{hard}" for which, (soft, hard) in limits.items())

    def exceeded(self, code: int, output: str) -> str:
        """Return which limit ended a child, as the end of a sentence; "" if none did.

        Args:
            code: what `run` returned.
            output: what it wrote. Programs in Go end with a code of their own, and name the reason there.
        """
        if code == -signal.SIGXFSZ or (code and _FILE_TOO_LARGE in output):
            return f"it wrote more than {self.file_bytes} bytes into one file, or said as much"
        if code == -signal.SIGXCPU or (code and _NO_CPU in output):
            return f"it used more than {self.cpu_seconds} seconds of processor time"
        if code and any(text in output for text in _NO_MEMORY):
            return f"it needed more than {self.memory_bytes} bytes of memory"
        return ""


@dataclass(frozen=True)
class Confinement:
    """What a child may use besides the program itself; nothing else, and no other process.

    Args:
        readable: files and folders that it may read.
        startable: files and folders that it may read, and start programs of.
        writable: files and folders that it may read and write.
        port: where on 127.0.0.1 each of its connections leads, whatever it asks for; None if it has no network.
    """

    readable: Sequence[Path] = ()
    startable: Sequence[Path] = ()
    writable: Sequence[Path] = ()
    port: int | None = None

    def for_start(self, program: str) -> str:
        """Return the confinement as `child_start.py` reads it. Paths that do not exist are left out."""
        uses = {"read": self.readable, "execute": (*self.startable, Path(program)), "write": self.writable}
        paths = {use: [str(path) for path in named if path.exists()] for use, named in uses.items()}
        return json.dumps({"paths": paths, "connected": self.port is not None})


def run(
    words: Sequence[str],
    limits: Limits,
    *,
    folder: Path,
    environment: Mapping[str, str],
    output: Path,
    errors: Path | None = None,
    confinement: Confinement | None = None,
) -> int:
    """Run a program, and end everything that it has started.

    Args:
        words: the path of the program, and its arguments.
        limits: what it may use.
        folder: its working folder.
        environment: all of its environment.
        output: the file for its output.
        errors: the file for its errors; None for the same.
        confinement: what it may use; None for all that this service may. If the kernel does not know how to confine it,
            the log says so, once.

    Returns:
        Its exit code, or the negative number of the signal that ended it.

    Raises:
        OSError: it cannot be started.
        subprocess.TimeoutExpired: it ran for too long.
    """
    parent, child = socket.socketpair()
    confined = confinement.for_start(words[0]) if confinement else ""
    command = [sys.executable, "-I", "-S", _START, str(child.fileno()), limits.of_resources(), confined, *words]
    with parent, output.open("wb") as out, (errors or Path(os.devnull)).open("wb") as err:
        with child:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err if errors else out,
                pass_fds=(child.fileno(),),
                start_new_session=True,
            )
        try:
            report, listener = _child_report(parent)
            port = confinement.port if confinement else None
            with ChildNetwork(listener, port) if listener is not None and port else nullcontext():
                unconfined, _, number = report.partition("!")
                if number:
                    raise OSError(int(number), os.strerror(int(number)), words[0])
                if unconfined:
                    _log_once(Path(words[0]).name, unconfined)
                return process.wait(limits.seconds)
        finally:
            # With everything that it has started, which could write on. A process group's number is not reused while
            # the group exists.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _child_report(parent: socket.socket) -> tuple[str, int | None]:
    """Return what the child says before the program starts, and the listener of its filter."""
    report, listener = b"", None
    while True:
        piece, descriptors, _, _ = socket.recv_fds(parent, 1024, 1)
        if not piece:
            return report.decode().replace("+", ""), listener
        report += piece
        listener = descriptors[0] if descriptors else listener


@cache
def _log_once(program: str, unconfined: str) -> None:
    _log.warning(
        "%s runs with this service's rights to: %s. The kernel lets no process give them up (Landlock, seccomp), so "
        "the checks of what the program is given are all that confines it.",
        program,
        unconfined,
    )


def text_of(output: Path, most: int, start: int = 0) -> str:
    """Return a part of what a child wrote, as text.

    Args:
        output: the file.
        most: how many bytes at most.
        start: where to begin.
    """
    with output.open("rb") as file:
        file.seek(start)
        return file.read(most).decode(errors="replace")
