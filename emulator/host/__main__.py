"""Command line of the local Functions host: `python -m emulator.host --app DIR --state DIR --port N`."""

import argparse
import asyncio
import contextlib
import importlib.util
import signal
import sys
from pathlib import Path

from emulator.host.durable.database import TaskHubVersionError
from emulator.host.host_config import HostConfigurationError
from emulator.host.logs import configure_logging, log
from emulator.host.server import GRACE_SECONDS, Host, HostOptions, HostRefusedError
from emulator.host.worker.process import WorkerFailedToLoadError

try:
    import uvloop
except ImportError:  # It is not available on every platform; the standard loop also works, but is slower.
    uvloop = None  # type: ignore[assignment]  # None means not installed


# How long a host that could not start tells its status before it ends, and its supervisor tries again.
_RETRY_SECONDS = 60


def _parse_arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m emulator.host", description="Serve a function app locally.")
    parser.add_argument("--app", type=Path, required=True, help="folder with function_app.py and host.json")
    parser.add_argument("--state", type=Path, required=True, help="folder for the task hub and the keys")
    parser.add_argument("--port", type=int, required=True, help="port on localhost; 0 takes a free one")
    parser.add_argument("--socket", type=Path, help="Unix socket for the front end, whose headers are trusted")
    parser.add_argument("--time-scale", type=float, default=1.0, help="divides leases and redelivery")
    parser.add_argument("--worker", choices=("builtin", "runtime"), default="builtin", help="what loads the app")
    parser.add_argument("--python", type=Path, help="interpreter for a package with its own dependencies")
    parser.add_argument("--problem", action="append", default=[], help="why the host cannot start; its status tells it")
    parser.add_argument("--stay", action="store_true", help="tell the status for a minute if the host cannot start")
    parser.add_argument("--grace", type=float, default=GRACE_SECONDS, help="seconds for calls in flight at the end")
    parser.add_argument("--log", type=Path, help="file for JSON lines; standard error without it")
    return parser.parse_args(arguments)


async def _serve(options: HostOptions, *, stay: bool) -> int:
    host = Host(options)
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    starting = asyncio.create_task(host.start())
    stopping = asyncio.create_task(stopped.wait())
    await asyncio.wait((starting, stopping), return_when=asyncio.FIRST_COMPLETED)
    if not starting.done():
        # The host was told to stop while the app was still loading, which may never end.
        starting.cancel()
        await host.stop()
        return 0
    try:
        await starting
    except (HostConfigurationError, HostRefusedError, WorkerFailedToLoadError, TaskHubVersionError, OSError) as error:
        log("ERROR", "Host.Startup", str(error))
        sys.stderr.write(f"The host cannot start: {error}\n")
        sys.stderr.flush()
        if stay:
            host.fail(str(error))
            await asyncio.wait((stopping,), timeout=_RETRY_SECONDS)
        stopping.cancel()
        await host.stop()
        return 1
    sys.stdout.write(f"ready http://localhost:{host.port}\n")
    sys.stdout.flush()
    await stopping
    await host.stop()
    return 0


def main(arguments: list[str] | None = None) -> int:
    """Run the host until SIGTERM or SIGINT."""
    parsed = _parse_arguments(arguments)
    if parsed.worker == "runtime" and importlib.util.find_spec("azure_functions_runtime") is None:
        sys.stderr.write(
            "--worker runtime needs Microsoft's package azure-functions-runtime, which is for Python 3.13 and later; "
            f"this is {sys.version.split()[0]} without it. Use --worker builtin.\n"
        )
        return 2
    configure_logging(parsed.log)
    options = HostOptions(
        app_directory=parsed.app.resolve(),
        state_directory=parsed.state.resolve(),
        port=parsed.port,
        socket_path=parsed.socket,
        time_scale=parsed.time_scale,
        engine=parsed.worker,
        python=parsed.python,
        problems=tuple(parsed.problem),
        grace_seconds=parsed.grace,
    )
    runner = asyncio.Runner(loop_factory=uvloop.new_event_loop if uvloop else None)
    with contextlib.closing(runner):
        return runner.run(_serve(options, stay=parsed.stay))


if __name__ == "__main__":
    sys.exit(main())
