"""`python -m emulator settings`: local.settings.json, with which `func start` runs the service on this machine."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from emulator.core.store import Store
from emulator.run.commands import client
from emulator.run.provider.deployment_record import deployed
from emulator.run.state import StateFolder, default_root

State = Annotated[Path, typer.Option("--state", help="State folder of the platform.")]
DEFAULT_STATE = default_root()
# The port of `func start`.
PORT = 7071
# What belongs to an app in Azure: its host's storage, its logs, its plan.
OF_AZURE = ("AzureWebJobsStorage", "APPLICATIONINSIGHTS_", "FUNCTIONS_", "SCM_", "ENABLE_ORYX_")
# Storage in Azurite, no virtual network, and a task hub of its own beside that of the deployed app, with which it shares
# the database.
OF_LAPTOP = {
    "FUNCTIONS_WORKER_RUNTIME": "python",
    "AzureWebJobsStorage": "UseDevelopmentStorage=true",
    "APP_SUBNET_ID": "",
    "TASK_HUB": "FuncStart",
}


def settings(
    state: State = DEFAULT_STATE,
    port: Annotated[int, typer.Option("--port", help="The port on which the host will listen.")] = PORT,
) -> None:
    """Print the deployed service's settings as local.settings.json, for `func start` on this machine.

    They have no secret. The terminal also needs the environment that `env` prints.
    """
    folder = StateFolder(state)
    client.require_endpoints(folder)
    store = Store(folder.root / "emulator.sqlite")
    try:
        found = deployed(store).settings
    finally:
        store.close()
    typer.echo(json.dumps(local_settings(found, port), indent=2))


def local_settings(found: Mapping[str, str], port: int) -> dict[str, Any]:
    """Return the contents of local.settings.json."""
    kept = {name: value for name, value in found.items() if not name.startswith(OF_AZURE)}
    return {"IsEncrypted": False, "Values": kept | OF_LAPTOP | {"PUBLIC_URL": f"http://localhost:{port}"}}
