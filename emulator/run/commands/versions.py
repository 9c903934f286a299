"""`python -m emulator versions`: shows the catalogue of OpenShift versions in Cosmos DB, and changes it."""

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
    """Show the entries of the catalogue as a JSON array."""
    found = client.get(client.require_endpoints(StateFolder(state)), "/versions")["value"]
    typer.echo(json.dumps(found, indent=2))


@versions.command()
def put(
    file: Annotated[Path, typer.Argument(help="JSON: an entry, with the members that docs/design.md lists.")],
    state: State = DEFAULT_STATE,
) -> None:
    """Add an entry, or replace the entry of the same version. The resource provider reads it within a minute.

    A wrong entry is not offered; `python -m emulator logs` says why. "enabled": false withdraws a version.
    """
    try:
        entry = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RunError(f"{file} cannot be read as JSON: {error}") from error
    added = client.call(client.require_endpoints(StateFolder(state)), "PUT", "/versions", entry)
    typer.echo(f"The catalogue has version {added['version']}.")
