"""`python -m emulator faults`: injects failures, lists them and lifts them."""

from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

import typer

from emulator.core.faults import KINDS, Fault
from emulator.run.commands import client
from emulator.run.state import StateFolder, default_root

faults = typer.Typer(
    help="Make calls to the local Azure fail: which service, which operation, how often, how.", no_args_is_help=True
)
State = Annotated[Path, typer.Option("--state", help="State folder of the platform.")]
DEFAULT_STATE = default_root()
DEFAULTS = {member.name: member.default for member in fields(Fault)}


@faults.command("list")
def list_faults(state: State = DEFAULT_STATE) -> None:
    """Show the faults in force."""
    found = client.get(client.require_endpoints(StateFolder(state)), "/faults")["value"]
    for fault in found:
        typer.echo(_line(fault))
    if not found:
        typer.echo("No fault is in force.")


@faults.command()
def add(  # noqa: PLR0917 - each parameter is an option of the command line
    service: Annotated[str, typer.Option(help="Name of a service, as the journal writes it; * for all.")] = "*",
    operation: Annotated[
        str, typer.Option(help="Regular expression for the whole name of the operation, as the journal writes it.")
    ] = ".*",
    kind: Annotated[
        str,
        typer.Option(
            help=f"One of {', '.join(KINDS)}. status: answer an error instead of working; reset: cut the connection "
            "before the work; lost-response: cut it after the work; cut-...: cut it in the answer; delay: wait first; "
            "hold: wait until it is lifted; silence: wait, then cut; stale: let Cosmos DB answer reads with the past."
        ),
    ] = "status",
    correlation_id: Annotated[str, typer.Option(help="Of the calls that are meant; all without it.")] = "",
    step: Annotated[str, typer.Option(help="Regular expression for the step of an operation that calls.")] = ".*",
    count: Annotated[int, typer.Option(help="How many calls it meets.")] = 1,
    skip: Annotated[int, typer.Option(help="How many calls pass before the first is met.")] = 0,
    each: Annotated[
        str, typer.Option(help="operation: count for each operation of each step by itself; step: for each step.")
    ] = "",
    status_code: Annotated[int, typer.Option(help="For kind status: what to answer, such as 429 or 503.")] = 503,
    code: Annotated[str, typer.Option(help="For kind status: the error's code; the service's own without it.")] = "",
    message: Annotated[str, typer.Option(help="For kind status: the error's message.")] = Fault.message,
    retry_after: Annotated[int | None, typer.Option(help="For kind status: seconds in the header Retry-After.")] = None,
    delay_seconds: Annotated[
        float, typer.Option(help="For kinds delay, hold (at most), silence and stale: real seconds.")
    ] = 0.0,
    seconds: Annotated[float, typer.Option(help="An outage: every call, for so many real seconds.")] = 0.0,
    begins_at: Annotated[str, typer.Option(help="For an outage: the step whose first call begins it.")] = "",
    state: State = DEFAULT_STATE,
) -> None:
    """Put a fault in force.

    Examples: the next two subnet writes answer 429 and ask the caller to wait for a second:

    python -m emulator faults add --service arm --operation "PUT .*/subnets" --status-code 429 --retry-after 1 --count 2

    Cosmos DB is away for a minute:

    python -m emulator faults add --service cosmos --seconds 60

    In the next cluster, the console never becomes available:

    python -m emulator faults add --service machines --operation "operator console" --message "The route is missing."
    """
    wish = {
        "service": service,
        "operation": operation,
        "correlation_id": correlation_id,
        "step": step,
        "kind": kind,
        "count": count,
        "skip": skip,
        "each": each,
        "status_code": status_code,
        "code": code,
        "message": message,
        "retry_after": retry_after,
        "delay_seconds": delay_seconds,
        "seconds": seconds,
        "begins_at": begins_at,
    }
    added = client.call(client.require_endpoints(StateFolder(state)), "POST", "/faults", wish)
    typer.echo(_line(added))


@faults.command()
def clear(
    fault_id: Annotated[str, typer.Argument(help="Of one fault; all of them without it.")] = "",
    state: State = DEFAULT_STATE,
) -> None:
    """Lift one fault, or all."""
    path = f"/faults/{fault_id}" if fault_id else "/faults"
    lifted = client.call(client.require_endpoints(StateFolder(state)), "DELETE", path)["lifted"]
    typer.echo(f"Lifted {lifted}.")


def _line(fault: dict[str, Any]) -> str:
    changed = " ".join(
        f"{name}={value}" for name, value in fault.items() if name != "id" and value != DEFAULTS.get(name)
    )
    return f"{fault['id']}  {changed or 'every call, once: 503'}"
