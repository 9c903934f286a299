"""The host's side of a worker process: start it, index, invoke, restart it when it dies.

The interface is small, so that another implementation can take its place: `start()` returns the index, `invoke()`
returns the result of one call, `stop()` ends the worker. If the process dies, each call in flight raises
`WorkerDiedError`.
"""

import asyncio
import os
import sys
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emulator.host.logs import log
from emulator.host.worker import dependencies
from emulator.host.worker.channel import encode_frame, read_frame_async

_REPOSITORY = Path(__file__).resolve().parents[3]

# The worker's own code comes from this repository, whose folder must not stay on the app's `sys.path`.
_BOOT = (
    "import sys; sys.path.insert(0, {root!r}); from emulator.host.worker import main; "
    "sys.path.remove({root!r}); main.main()"
)


# A published package brings its dependencies, the Functions SDK included. Without `site`, nothing else can be imported.
_ISOLATED_FLAGS = ("-s", "-S")
_ISOLATED_BOOT = (
    "import sys; sys.path[:] = [{root!r}, *filter(None, sys.path)]; from emulator.host.worker import main; "
    "sys.path[0] = {packages!r}; main.main(isolated=True)"
)


class WorkerFailedToLoadError(Exception):
    """The app cannot be served: its import or a check of its functions failed."""


class WorkerDiedError(Exception):
    """The worker process ended while a call was in flight, or never came up."""


class WorkerTimeoutError(WorkerDiedError):
    """A call exceeded `functionTimeout`, so the process was restarted."""


class WorkerStoppedError(Exception):
    """The host itself ended the worker; its work is put back and does not fail."""


@dataclass(frozen=True)
class FunctionError:
    """What a function raised, as the worker reports it."""

    type: str
    message: str
    stack: str

    @property
    def rpc_text(self) -> str:
        """The text with which the host passes on a failed result."""
        return f"Result: Failure\nException: {self.type}: {self.message}\nStack: {self.stack}"


class FunctionFailedError(Exception):
    """A function raised."""

    def __init__(self, error: FunctionError) -> None:
        super().__init__(f"{error.type}: {error.message}")
        self.error = error


def exit_text(return_code: int) -> str:
    """Describe an exit of the worker in the host's words: signal n becomes code 128 + n."""
    code = 128 - return_code if return_code < 0 else return_code
    return f"python exited with code {code} (0x{code:X})"


class _Process:
    """One run of the worker process, and its calls in flight."""

    def __init__(self, process: asyncio.subprocess.Process, writer: asyncio.StreamWriter) -> None:
        self.process = process
        self.writer = writer
        self.calls: dict[str, asyncio.Future[tuple[dict[str, Any], bytes]]] = {}
        self.index: asyncio.Future[list[dict[str, Any]]] = asyncio.get_running_loop().create_future()


class Worker:
    """Runs `main.py` with one of its engines in a process, and restarts that process when it dies."""

    def __init__(
        self, app_directory: Path, environment: dict[str, str], engine: str = "builtin", python: Path | None = None
    ) -> None:
        """Prepare a worker without starting it."""
        self._command = _command(app_directory, python)
        self._engine = engine
        self._app_directory = app_directory
        self._environment = environment
        self._life: _Process | None = None
        self._ready = asyncio.Event()
        self._stopping = False
        self._keeper: asyncio.Task[None] | None = None

    async def start(self) -> list[dict[str, Any]]:
        """Start the process and return its functions.

        Raises:
            WorkerFailedToLoadError: the app's author must fix what the message names.
        """
        life = await self._spawn()
        index = await life.index
        self._ready.set()
        self._keeper = asyncio.create_task(self._keep_alive())
        return index

    async def invoke(
        self, function: str, header: dict[str, Any], body: bytes = b"", timeout_seconds: float | None = None
    ) -> tuple[dict[str, Any], bytes]:
        """Run one function, after waiting for the process if it restarts.

        Args:
            function: the function's name.
            header: further members of the `invoke` frame's header; an `id` is made if there is none.
            body: body of the frame.
            timeout_seconds: how long the call may take; None for no limit.

        Raises:
            FunctionFailedError: the function raised.
            WorkerDiedError: the process ended, or the call took too long, so the process was restarted.
            WorkerStoppedError: the host is stopping.
        """
        await self._ready.wait()
        life = self._life
        if self._stopping or life is None:
            raise WorkerStoppedError
        call_id = header.get("id") or str(uuid.uuid4())
        answer: asyncio.Future[tuple[dict[str, Any], bytes]] = asyncio.get_running_loop().create_future()
        life.calls[call_id] = answer
        life.writer.write(encode_frame({"kind": "invoke", "function": function, **header, "id": call_id}, body))
        try:
            async with asyncio.timeout(timeout_seconds):
                result, payload = await answer
        except TimeoutError:
            self._ready.clear()  # Later calls wait for the next process.
            life.process.kill()
            message = f"Timeout value of {timeout_seconds:g}s exceeded by function: Functions.{function}"
            raise WorkerTimeoutError(message) from None
        finally:
            life.calls.pop(call_id, None)
        if "error" in result:
            raise FunctionFailedError(FunctionError(**result["error"]))
        return result, payload

    async def stop(self) -> None:
        """End the process; calls still in flight raise WorkerStoppedError."""
        self._stopping = True
        self._ready.set()
        if self._keeper is not None:
            self._keeper.cancel()
        if self._life is not None and self._life.process.returncode is None:
            self._life.process.kill()
            await self._life.process.wait()
            self._fail_calls(self._life, WorkerStoppedError())

    async def _spawn(self) -> _Process:
        child_input, host_output = os.pipe()
        host_input, child_output = os.pipe()
        process = await asyncio.create_subprocess_exec(
            *self._command,
            str(child_input),
            str(child_output),
            self._engine,
            str(self._app_directory),
            cwd=self._app_directory,
            env=self._environment,
            pass_fds=(child_input, child_output),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            # Ctrl-C in the terminal must reach only the host, which ends its worker in order.
            start_new_session=True,
        )
        os.close(child_input)
        os.close(child_output)
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=2**20)
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(host_input, "rb"))
        transport, protocol = await loop.connect_write_pipe(
            asyncio.streams.FlowControlMixin, os.fdopen(host_output, "wb")
        )
        life = _Process(process, asyncio.StreamWriter(transport, protocol, None, loop))
        self._life = life
        self._tasks = [
            asyncio.create_task(self._read_frames(life, reader)),
            asyncio.create_task(_forward_output(process)),
        ]
        return life

    async def _read_frames(self, life: _Process, reader: asyncio.StreamReader) -> None:
        while (frame := await read_frame_async(reader)) is not None:
            header, body = frame
            match header["kind"]:
                case "result":
                    answer = life.calls.get(header["id"])
                    if answer is not None and not answer.done():
                        answer.set_result((header, body))
                case "log":
                    _forward_record(header)
                case "index":
                    life.index.set_result(header["functions"])
                case "failed":
                    log("ERROR", "Worker", header["message"], stack=header["stack"])
                    life.index.set_exception(WorkerFailedToLoadError(header["message"]))
        if not life.index.done():
            life.index.set_exception(WorkerFailedToLoadError(exit_text(await life.process.wait())))

    async def _keep_alive(self) -> None:
        """Whenever the process ends, fail its calls in flight and start the next process."""
        while self._life is not None:
            life = self._life
            return_code = await life.process.wait()
            self._ready.clear()
            text = exit_text(return_code)
            log("ERROR", "Host.Worker", text, worker_pid=life.process.pid)
            self._fail_calls(life, WorkerDiedError(text))
            life.writer.close()
            try:
                await (await self._spawn()).index
            except WorkerFailedToLoadError:
                # The app loaded before, so somebody is editing it. Try again rather than give up.
                await asyncio.sleep(1)
                continue
            self._ready.set()

    @staticmethod
    def _fail_calls(life: _Process, error: Exception) -> None:
        for answer in life.calls.values():
            if not answer.done():
                answer.set_exception(error)


def _command(app_directory: Path, python: Path | None) -> tuple[str, ...]:
    """Return the interpreter with its flags and the code that starts the worker."""
    if python is None:
        return sys.executable, "-P", "-c", _BOOT.format(root=str(_REPOSITORY))
    boot = _ISOLATED_BOOT.format(root=str(_REPOSITORY), packages=str(app_directory / dependencies.FOLDER))
    return str(python), *_ISOLATED_FLAGS, "-c", boot


async def _forward_output(process: asyncio.subprocess.Process) -> None:
    """Log what the app prints, line by line."""
    if process.stdout is None:
        return
    while line := await process.stdout.readline():
        log("INFO", "Worker", line.decode(errors="replace").rstrip("\n"))


def _forward_record(header: dict[str, Any]) -> None:
    function = header["function"]
    log(
        header["level"],
        f"Function.{function}" if function else "Worker",
        header["message"],
        logger=header["logger"],
        exception=header["exception"],
        invocation_id=header["invocation"],
        instance_id=header["instance"],
        **{name: value for name, value in header["fields"].items() if name not in _OWN_FIELDS},
    )


_OWN_FIELDS = frozenset({"level", "category", "message", "logger", "exception", "invocation_id", "instance_id"})
