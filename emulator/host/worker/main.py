"""The worker process: an engine that loads the function app and runs it, and the channel to the host.

It exchanges frames (`channel.py`) with the host over two inherited descriptors. It dies with the host: the end of the
input stream ends the process at once, even while user code blocks the event loop.

Frames out: `index` or `failed` once, then `result` per invocation and `log` per record. Frames in: `invoke`.
"""

import asyncio
import logging
import os
import sys
import threading
import traceback
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from emulator.host.worker import dependencies
from emulator.host.worker.channel import encode_frame, read_frame
from emulator.host.worker.engine import Engine

_STANDARD_ATTRIBUTES = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class _Output:
    """The stream to the host; any thread may write a frame to it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def send(self, header: dict[str, Any], body: bytes = b"") -> None:
        frame = encode_frame(header, body)
        with self._lock:
            self._stream.write(frame)
            self._stream.flush()

    def answer(self, invocation_id: str, fields: dict[str, Any], body: bytes) -> None:
        self.send({"kind": "result", "id": invocation_id, **fields}, body)


class _HostLogHandler(logging.Handler):
    """Sends every record to the host, with the invocation that wrote it and its extra attributes."""

    def __init__(self, output: _Output, engine: Engine) -> None:
        super().__init__()
        self._output = output
        self._engine = engine

    def emit(self, record: logging.LogRecord) -> None:
        invocation = self._engine.current()
        try:
            self._output.send(
                {
                    "kind": "log",
                    "level": record.levelname,
                    "logger": record.name,
                    "message": record.getMessage(),
                    "exception": "".join(traceback.format_exception(*record.exc_info)) if record.exc_info else None,
                    "function": invocation.function if invocation else None,
                    "invocation": invocation.id if invocation else None,
                    "instance": invocation.instance if invocation else None,
                    "fields": {
                        name: value
                        for name, value in vars(record).items()
                        if name not in _STANDARD_ATTRIBUTES and isinstance(value, str | int | float | bool)
                    },
                }
            )
        except OSError:  # The host is gone; the reader thread ends this process.
            return


def _make_engine(kind: str) -> Engine:
    """Build the engine that the host asked for. Only that one is imported, because each imports a lot."""
    if kind == "runtime":
        from emulator.host.worker.runtime import RuntimeEngine  # noqa: PLC0415 - see above

        return RuntimeEngine()
    from emulator.host.worker.builtin import BuiltinEngine  # noqa: PLC0415 - see above

    return BuiltinEngine()


def _read_invocations(stream: BinaryIO, output: _Output, loaded: "Future[Engine]") -> None:
    """Read until the host is gone, even while the app still loads; then end this process, which must not outlive it."""
    while (frame := read_frame(stream)) is not None:
        header, body = frame
        loaded.result().dispatch(header, body, partial(output.answer, header["id"]))
    os._exit(0)


def _hide() -> None:
    """Hide the worker's own modules from the app, for which they do not exist in Azure either."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "emulator"]:
        del sys.modules[name]


async def _serve(stream: BinaryIO, output: _Output, kind: str, app_directory: Path, *, isolated: bool) -> None:
    loaded: Future[Engine] = Future()
    arguments = (stream, output, loaded)
    threading.Thread(target=_read_invocations, args=arguments, daemon=True, name="channel").start()
    try:
        engine = _make_engine(kind)
        _hide()
        root = logging.getLogger()
        root.setLevel(logging.DEBUG if os.environ.get("PYTHON_ENABLE_DEBUG_LOGGING") == "1" else logging.INFO)
        root.addHandler(_HostLogHandler(output, engine))
        functions = await engine.load(app_directory)
    except BaseException as error:  # noqa: BLE001 - a SystemExit of the app is a failed load too
        described = traceback.format_exception(error)
        hint = dependencies.hint(app_directory) if isinstance(error, ImportError) and isolated else ""
        message = ". ".join(filter(None, (f"{type(error).__name__}: {error}", hint)))
        output.send({"kind": "failed", "message": message, "stack": "".join(described)})
        return
    loaded.set_result(engine)
    output.send({"kind": "index", "functions": functions})
    await asyncio.Event().wait()


def main(*, isolated: bool = False) -> None:
    """Serve the host that started this process: `INPUT_FD OUTPUT_FD ENGINE APP_DIRECTORY`.

    Args:
        isolated: whether the app's dependencies come from its package only.
    """
    input_descriptor, output_descriptor, kind, app_directory = sys.argv[1:]
    stream = os.fdopen(int(input_descriptor), "rb", buffering=65536)
    output = _Output(os.fdopen(int(output_descriptor), "wb", buffering=65536))
    asyncio.run(_serve(stream, output, kind, Path(app_directory), isolated=isolated))
