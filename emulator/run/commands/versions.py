"""`python -m emulator versions`: the resource provider's catalogue of OpenShift versions, through its operators' routes."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from emulator.run.command_error import RunError
from emulator.run.commands import client
from emulator.run.provider.catalogue import ROUTE
from emulator.run.provider.operators import as_operator
from emulator.run.state import StateFolder, default_root

versions = typer.Typer(help="Show and change the OpenShift versions that can be installed.", no_args_is_help=True)
State = Annotated[Path, typer.Option("--state", help="State folder of the platform.")]
Version = Annotated[str, typer.Argument(help="The version, x.y.z.")]
DEFAULT_STATE = default_root()


@versions.command("list")
def list_versions(state: State = DEFAULT_STATE) -> None:
    """Show the entries of the catalogue as a JSON array, each with what is wrong with it."""
    found = as_operator(client.require_endpoints(StateFolder(state)), "GET", ROUTE)["value"]
    typer.echo(json.dumps(found, indent=2))


@versions.command()
def put(
    file: Annotated[
        Path, typer.Argument(help="JSON: an entry as `list` shows it, such as examples/openShiftVersions/4.19.24.json.")
    ],
    state: State = DEFAULT_STATE,
) -> None:
    """Add an entry, or replace the entry of the same version. The resource provider refuses a wrong one."""
    try:
        entry = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RunError(f"{file} cannot be read as JSON: {error}") from error
    properties = entry.get("properties") if isinstance(entry, dict) else None
    version = properties.get("version") if isinstance(properties, dict) else None
    if not isinstance(version, str) or not version:
        raise RunError(f"{file} is not an entry of the catalogue: it has no 'properties' with a 'version'")
    as_operator(client.require_endpoints(StateFolder(state)), "PUT", f"{ROUTE}/{version}", entry)
    typer.echo(f"The catalogue has version {version}.")


@versions.command()
def disable(version: Version, state: State = DEFAULT_STATE) -> None:
    """Withdraw a version: it is offered no longer, and its entry stays. Clusters that have it keep it."""
    where, path = client.require_endpoints(StateFolder(state)), f"{ROUTE}/{version}"
    entry: dict[str, Any] = as_operator(where, "GET", path)
    entry["properties"] |= {"enabled": False, "default": False}
    as_operator(where, "PUT", path, entry, {"If-Match": entry["etag"]})
    typer.echo(f"Version {version} is disabled.")


@versions.command()
def delete(version: Version, state: State = DEFAULT_STATE) -> None:
    """Delete the entry of a version. Clusters that have it keep it."""
    as_operator(client.require_endpoints(StateFolder(state)), "DELETE", f"{ROUTE}/{version}")
    typer.echo(f"The catalogue does not have version {version}.")
