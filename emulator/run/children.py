"""Child processes: starts, watches and restarts them, as App Service does with an app."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from emulator.run.command_error import RunError
from emulator.run.state import ProcessId, end_trees

logger = logging.getLogger(__name__)

# Only a child that hangs takes that long: one that works gets a share of a machine on which others work too. One that
# ends is given up at once.
READY_SECONDS = 240.0
# A child that dies sooner is restarted after longer and longer pauses.
STABLE_SECONDS = 2.0
LONGEST_PAUSE_SECONDS = 5.0
LAST_LINES = 15


@dataclass(frozen=True)
class Program:
    """How to start one child."""

    name: str
    arguments: tuple[str, ...]
    environment: Mapping[str, str]
    ready: Callable[[], Awaitable[bool]]


class Child:
    """One supervised process, in a separate session, so that Ctrl-C reaches only the supervisor."""

    def __init__(self, program: Program, logs: Path, started: Callable[[str, ProcessId], None]) -> None:
        """Prepare a child without starting it."""
        self.program = program
        self.restarts = 0
        self.log = logs / f"{program.name}.log"
        self._started = started
        self._process: asyncio.subprocess.Process | None = None
        self._watch: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        """The process id, or None while it is being restarted."""
        process = self._process
        return process.pid if process is not None and process.returncode is None else None

    async def start(self) -> None:
        """Start the process; `wait_ready` waits until it answers."""
        await self._spawn()
        self._watch = asyncio.create_task(self._keep_alive(), name=f"watch {self.program.name}")

    async def wait_ready(self) -> None:
        """Wait until the process answers.

        Raises:
            RunError: the process does not come up; the message has the last lines of its log.
        """
        until = time.monotonic() + READY_SECONDS
        while not await self.program.ready():
            if self.restarts or time.monotonic() > until:
                raise RunError(
                    f"The process {self.program.name} does not come up. Its log, {self.log}, ends with:\n"
                    + "\n".join(f"    {line}" for line in last_lines(self.log))
                )
            await asyncio.sleep(0.02)

    async def stop(self) -> None:
        """End the process and all its descendants."""
        if self._watch is not None:
            self._watch.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._watch
        if self._process is not None and self._process.returncode is None:
            await asyncio.to_thread(end_trees, [ProcessId.of(self._process.pid)])
            await self._process.wait()

    async def _spawn(self) -> None:
        with self.log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *self.program.arguments,
                env=dict(self.program.environment),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        logger.info("process %s started with pid %s", self.program.name, self._process.pid)
        self._started(self.program.name, ProcessId.of(self._process.pid))

    async def _keep_alive(self) -> None:
        pause = 0.0
        while self._process is not None:
            born = time.monotonic()
            code = await self._process.wait()
            pause = 0.0 if time.monotonic() - born > STABLE_SECONDS else min(pause * 2 + 0.1, LONGEST_PAUSE_SECONDS)
            logger.warning("process %s ended with code %s; starting it again", self.program.name, code)
            await asyncio.sleep(pause)
            self.restarts += 1
            await self._spawn()


def last_lines(path: Path, count: int = LAST_LINES) -> list[str]:
    """Return the last lines of a log; read only the end of the file."""
    try:
        with path.open("rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - 200 * count))
            return file.read().decode(errors="replace").splitlines()[-count:]
    except FileNotFoundError:
        return []
