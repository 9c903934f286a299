"""The commands: `up`, `down`, `status`, `env`, `reset`, `logs` and `explain`, and those of the modules beside this one."""

import asyncio
import logging
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Annotated, Literal

import typer

from emulator import mirror
from emulator.host.logs import configure_logging
from emulator.run import exports
from emulator.run.children import READY_SECONDS, last_lines
from emulator.run.command_error import RunError
from emulator.run.commands import client
from emulator.run.commands.browse import browse
from emulator.run.commands.faults import faults
from emulator.run.commands.register import register
from emulator.run.commands.settings import settings
from emulator.run.commands.versions import versions
from emulator.run.provider.callers import Callers
from emulator.run.state import PORTS, StateFolder, default_root
from emulator.run.tools import MIRROR

# Azurite and the host come up one after the other, and each has a limit of its own.
DETACHED_SECONDS = 2 * READY_SECONDS + 60

app = typer.Typer(
    help="A local Azure, with the OpenShift resource provider in it.",
    epilog="Begin with `python -m emulator up`. Each command has its own --help.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.add_typer(faults, name="faults")
app.command()(browse)
app.command()(register)
app.command()(settings)
app.add_typer(versions, name="versions")

State = Annotated[
    Path,
    typer.Option(
        "--state", help="Folder that holds everything: state, logs, certificates, endpoints.json.", file_okay=False
    ),
]
DEFAULT_STATE = default_root()
LAST_PORT = 65535
Worker = Literal["builtin", "runtime"]


def main() -> None:
    """Run a command; print what is wrong as one sentence instead of a trace."""
    # Only the owner may read state and logs, whichever process writes them.
    os.umask(0o077)
    try:
        app()
    except RunError as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(1)


@app.command()
def up(
    state: State = DEFAULT_STATE,
    *,
    detach: Annotated[bool, typer.Option("--detach", help="Return when all is up, and leave it running.")] = False,
    time_scale: Annotated[
        float, typer.Option("--time-scale", min=0.001, max=1000, help="How many times faster than Azure.")
    ] = 40.0,
    port: Annotated[
        list[str] | None,
        typer.Option("--port", metavar="NAME=NUMBER", help=f"Choose a port, of {', '.join(PORTS)}. 0: a free one."),
    ] = None,
    worker: Annotated[
        Worker,
        typer.Option(
            "--worker",
            envvar="FUNCTIONS_HOST_WORKER",
            help="What runs the functions: our worker, or Microsoft's runtime (Python 3.13 and later).",
        ),
    ] = "builtin",
    callers: Annotated[
        Callers | None,
        typer.Option(
            "--callers",
            help="Who calls the service: ARM, as Microsoft hosts it, or anyone with a token, as in one's own subscription. "
            "By default those of the last `up`, at first `arm`.",
        ),
    ] = None,
) -> None:
    """Start the local Azure and the resource provider, and keep them running until Ctrl-C.

    State survives `down` and `up`; `reset` removes it. Addresses, ids and secrets are in endpoints.json in the
    state folder. The ports are chosen at the first `up` and kept.
    """
    ports = dict(_port(choice) for choice in port or [])
    if detach:
        _detach(StateFolder(state), sys.argv[1:])
        return
    # Imported here, so that the other commands start fast: they do not need the services.
    from emulator.run.supervisor import Options, Supervisor  # noqa: PLC0415 - see above

    logs = StateFolder(state).logs
    logs.mkdir(parents=True, exist_ok=True)
    configure_logging(logs / "azure.log")
    # The journal says more about every call.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    typer.echo("Starting the local Azure ...")
    asyncio.run(Supervisor(Options(state, time_scale, ports, worker, callers)).run(typer.echo))


def _port(choice: str) -> tuple[str, int]:
    name, _, number = choice.partition("=")
    if name not in PORTS or not re.fullmatch("[0-9]{1,5}", number) or int(number) > LAST_PORT:
        raise RunError(f"--port {choice}: write NAME=NUMBER, up to {LAST_PORT}, with a name of {', '.join(PORTS)}")
    return name, int(number)


def _detach(folder: StateFolder, arguments: list[str]) -> None:
    """Start `up` in the background and wait until it is ready."""
    folder.logs.mkdir(parents=True, exist_ok=True)
    output = folder.logs / "up.log"
    command = [sys.executable, "-m", "emulator", *(argument for argument in arguments if argument != "--detach")]
    with output.open("wb") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, env=os.environ.copy()
        )
    until = time.monotonic() + DETACHED_SECONDS
    while process.poll() is None and time.monotonic() < until:
        running = folder.running()
        if running is not None and running.platform.pid == process.pid and folder.endpoints.exists():
            typer.echo(output.read_text(encoding="utf-8").rstrip())
            typer.echo(f"It goes on in the background. End it: python -m emulator down{folder.option()}")
            return
        time.sleep(0.05)
    if process.poll() is None:
        process.terminate()
    raise RunError("\n".join(last_lines(output)).removeprefix("Starting the local Azure ...\nerror: "))


@app.command()
def down(state: State = DEFAULT_STATE) -> None:
    """Stop the local Azure. Its state stays, and work in progress continues at the next `up`."""
    folder = StateFolder(state)
    if folder.stop():
        typer.echo("The local Azure is down.")
    else:
        typer.echo(f"No local Azure runs on {folder.root}.")


@app.command()
def status(state: State = DEFAULT_STATE) -> None:
    """Show the processes, their memory and CPU time, and the addresses. Exits with 3 when nothing runs."""
    folder = StateFolder(state)
    endpoints = client.endpoints(folder)
    if endpoints is None:
        typer.echo(
            f"No local Azure runs on {folder.root}. {_died(folder)}Start one with `python -m emulator up{folder.option()}`."
        )
        raise typer.Exit(3)
    health = client.get(endpoints, "/health")
    typer.echo(f"{'process':20}{'pid':>8}{'memory':>12}{'CPU':>10}{'restarts':>10}")
    for entry in health["processes"]:
        typer.echo(
            f"{entry['name']:20}{entry['pid'] or '-':>8}{entry['memoryMiB']:>8.0f} MiB"
            f"{entry.get('cpuSeconds', 0):>8.1f} s{entry.get('restarts', 0):>10}"
        )
    total = sum(entry["memoryMiB"] for entry in health["processes"])
    typer.echo(f"{'together':28}{total:>8.0f} MiB")
    for name in ("arm", "rp", "functions", "proxy", "control"):
        typer.echo(f"{name:20}{endpoints[name]}")


def _died(folder: StateFolder) -> str:
    """Return what to print about a platform that ended without `down`, or an empty text."""
    running = folder.running()
    if running is None or running.platform.process() is not None:
        return ""
    log = folder.logs / "azure.log"
    return f"The last one, of {running.started}, was killed or crashed; {log} ends with why. The next goes on from its state. "


@app.command()
def env(
    state: State = DEFAULT_STATE,
    deployer: Annotated[
        bool, typer.Option("--deployer", help="That of who deploys the service: ids, secret, an empty subscription.")
    ] = False,
) -> None:
    """Print the environment of the local Azure for a terminal, secrets included: eval "$(python -m emulator env)"."""
    folder = StateFolder(state)
    document = client.require_endpoints(folder)
    customer = exports.plain_environment(document) | exports.secret_environment(document)
    variables = exports.deployer_environment(document) | mirror.key(MIRROR) if deployer else customer
    typer.echo(exports.lines(variables | exports.terminal_environment(folder.root)))


@app.command()
def reset(state: State = DEFAULT_STATE) -> None:
    """Stop the local Azure and remove its state: resources, clusters, secrets, logs, ports."""
    folder = StateFolder(state)
    if folder.root.exists() and not folder.is_ours():
        raise RunError(f"{folder.root} does not look like a state folder of the local Azure; it stays as it is")
    down(state)
    folder.remove()
    typer.echo(f"Removed {folder.root}.")


@app.command()
def logs(
    identifier: Annotated[
        str, typer.Argument(help="A correlation, operation or request id, or a part of a resource id.")
    ] = "",
    state: State = DEFAULT_STATE,
    lines: Annotated[int, typer.Option("--lines", "-n", help="How many of the last lines.")] = 50,
) -> None:
    """Show the last log lines of all processes, or only those with an id, in chronological order."""
    from emulator.run.commands.logs import merged  # noqa: PLC0415 - only this command needs it

    folder = StateFolder(state)
    if not folder.is_ours():
        raise RunError(f"there is no local Azure in {folder.root}")
    for line in merged(folder.logs, identifier, lines):
        typer.echo(line)


@app.command()
def explain(
    operation_id: Annotated[
        str,
        typer.Argument(help="Id of an operation, as in its Azure-AsyncOperation address; without it, all are listed."),
    ] = "",
    state: State = DEFAULT_STATE,
) -> None:
    """Show what an operation did: its steps, the calls it made to Azure, and what went wrong.

    Works while the platform runs and after `down`.
    """
    from emulator.run.commands.explain import explain as tell  # noqa: PLC0415 - only this command needs it
    from emulator.run.commands.explain import recent  # noqa: PLC0415 - only this command needs it

    for line in tell(StateFolder(state), operation_id) if operation_id else recent(StateFolder(state)):
        typer.echo(line)
