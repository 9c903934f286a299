"""`python -m emulator register`: makes a deployed site the resource provider's endpoint."""

from pathlib import Path
from typing import Annotated

import typer

from emulator.run.commands import client
from emulator.run.provider.registration import MANIFEST, read_manifest, registration
from emulator.run.state import StateFolder, default_root

State = Annotated[Path, typer.Option("--state", help="State folder of the platform.")]
DEFAULT_STATE = default_root()


def register(
    host: Annotated[str, typer.Argument(help="Public host name of the site, such as arorp-eastus.azurewebsites.net.")],
    *,
    manifest: Annotated[Path, typer.Option("--manifest", help="The provider manifest, JSON.")] = MANIFEST,
    application_id: Annotated[
        str, typer.Option("--application-id", help="Client id of the first-party application.")
    ] = "",
    role: Annotated[
        str,
        typer.Option(
            "--role",
            metavar="ID",
            help="Id of the role definition that the application gets in each subscription that registers the provider.",
        ),
    ] = "",
    managed_by_role: Annotated[
        str,
        typer.Option(
            "--managed-by-role",
            metavar="ID",
            help="Id of the role definition that it gets in each resource group that a cluster manages.",
        ),
    ] = "",
    state: State = DEFAULT_STATE,
) -> None:
    """Register a site as the endpoint of Microsoft.RedHatOpenShift, in place of an earlier one.

    In Azure only Microsoft can do this: the manifest goes to the team of Azure Resource Manager, which rolls it out.
    Here it takes effect at once, and stays until the next registration. ARM then sends the calls on clusters to the
    site, with its client certificate, and tells it of the subscriptions that have registered the provider.
    """
    document = registration(host, read_manifest(manifest), application_id, role, managed_by_role)
    client.call(client.require_endpoints(StateFolder(state)), "PUT", "/provider", document)
    types = ", ".join(row["name"] for row in document["manifest"]["resourceTypes"])
    typer.echo(f"Microsoft.RedHatOpenShift is served by https://{host}: {types}.")
