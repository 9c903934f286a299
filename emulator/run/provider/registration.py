"""The registration of the resource provider: its manifest, completed for one deployment. `up` and `register` use it."""

import json
from pathlib import Path

from emulator.json_object import Json
from emulator.run.command_error import RunError
from emulator.run.tools import REPOSITORY

MANIFEST = REPOSITORY / "infra" / "manifest.json"


def registration(
    host: str, manifest: Json, application_id: str = "", role: str = "", managed_by_role: str = ""
) -> Json:
    """Return the registration of a manifest.

    Args:
        host: the public host name at which the resource provider answers.
        manifest: the manifest, such as `infra/manifest.json`.
        application_id: client id of the first-party application; "" keeps that of the manifest.
        role: id of the role definition in subscriptions that registered the namespace; "" keeps that of the manifest.
        managed_by_role: the same, in groups that a resource of the namespace manages.
    """
    given = {"applicationId": application_id, "roleDefinitionId": role, "managedByRoleDefinitionId": managed_by_role}
    chosen = {name: value for name, value in given.items() if value}
    known = manifest.get("providerAuthorizations")
    authorizations = [entry | chosen for entry in known] if isinstance(known, list) else known
    return {"endpoint": f"https://{host}", "manifest": manifest | {"providerAuthorizations": authorizations}}


def read_manifest(file: Path) -> Json:
    """Return the manifest in a file.

    Raises:
        RunError: the file has no manifest.
    """
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RunError(f"{file} cannot be read as JSON: {error}") from error
    if not isinstance(manifest, dict):
        raise RunError(f"{file} has no manifest: it is not a JSON object")
    return manifest
