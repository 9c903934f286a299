"""`python -m emulator versions`: the catalogue of OpenShift versions, as an operator changes it in Cosmos DB."""

import json
from pathlib import Path
from typing import Annotated

import typer

from emulator.run.commands import client
from emulator.run.errors import RunError
from emulator.run.state import StateFolder, default_root

versions = typer.Typer(help="Show and change the OpenShift versions that can be installed.", no_args_is_help=True)
State = Annotated[Path, typer.Option("--state", help="State folder of the platform.")]
DEFAULT_STATE = default_root()


@versions.command("list")
def list_versions(state: State = DEFAULT_STATE) -> None:
    """Show the entries, as JSON: an array, to copy one from."""
    found = client.get(client.require_endpoints(StateFolder(state)), "/versions")["value"]
    typer.echo(json.dumps(found, indent=2))


@versions.command()
def put(
    file: Annotated[Path, typer.Argument(help="JSON: an entry, with the members that docs/design.md lists.")],
    state: State = DEFAULT_STATE,
) -> None:
    """Put an entry in, in the place of the one of its version. The resource provider reads it within a minute.

    A wrong entry is not offered; `python -m emulator logs` says why. "enabled": false takes a version back.
    """
    try:
        entry = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RunError(f"{file} cannot be read as JSON: {error}") from error
    added = client.call(client.require_endpoints(StateFolder(state)), "PUT", "/versions", entry)
    typer.echo(f"The catalogue has version {added['version']}.")
