"""Wire format of secrets."""

from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from emulator.core.store import Document
from emulator.keyvault.models import KeyVaultModel, secret_id
from emulator.keyvault.vault_requests import body_of, page, recovery


class Responses:
    """The operations on secrets, in all vaults."""

    def __init__(self, model: KeyVaultModel) -> None:
        self._model = model

    async def set_secret(self, request: Request, vault: Document) -> Response:
        """Answer `PUT /secrets/{name}`."""
        version = self._model.set_secret(vault["name"], request.path_params["name"], await body_of(request))
        return JSONResponse(_bundle(vault, version, value=True))

    async def get_secret(self, request: Request, vault: Document) -> Response:
        """Answer `GET /secrets/{name}/{version}`; without a version, with the newest one."""
        name, version = request.path_params["name"], request.path_params.get("version", "")
        return JSONResponse(_bundle(vault, self._model.get_secret(vault["name"], name, version), value=True))

    async def update_secret(self, request: Request, vault: Document) -> Response:
        """Answer `PATCH /secrets/{name}/{version}`."""
        name, version = request.path_params["name"], request.path_params.get("version", "")
        return JSONResponse(
            _bundle(vault, self._model.update_secret(vault["name"], name, version, await body_of(request)))
        )

    async def delete_secret(self, request: Request, vault: Document) -> Response:
        """Answer `DELETE /secrets/{name}`."""
        return JSONResponse(_bundle(vault, self._model.delete_secret(vault["name"], request.path_params["name"])))

    async def list_secrets(self, request: Request, vault: Document) -> Response:
        """Answer `GET /secrets`."""
        return page(request, self._model.secrets(vault["name"]), partial(_item, vault, versioned=False))

    async def list_versions(self, request: Request, vault: Document) -> Response:
        """Answer `GET /secrets/{name}/versions`."""
        versions = self._model.versions(vault["name"], request.path_params["name"])
        return page(request, versions, partial(_item, vault, versioned=True))

    async def get_deleted_secret(self, request: Request, vault: Document) -> Response:
        """Answer `GET /deletedsecrets/{name}`."""
        return JSONResponse(_bundle(vault, self._model.deleted_secret(vault["name"], request.path_params["name"])))


def _common(vault: Document, version: Document, *, versioned: bool) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": secret_id(version, versioned=versioned),
        "attributes": recovery(vault, version["attributes"]),
    }
    shown |= {member: version[member] for member in ("contentType", "tags") if member in version}
    if version.get("managed"):
        key_id = f"https://{version['vault']}.vault.azure.net/keys/{version['name']}"
        shown |= {"managed": True, "kid": f"{key_id}/{version['version']}"}
    if version.get("deleted"):
        recovery_id = f"https://{version['vault']}.vault.azure.net/deletedsecrets/{version['name']}"
        shown |= {"recoveryId": recovery_id} | version["deleted"]
    return shown


def _bundle(vault: Document, version: Document, *, value: bool = False) -> dict[str, Any]:
    shown = _common(vault, version, versioned=True)
    return {"value": version["value"]} | shown if value else shown


def _item(vault: Document, version: Document, *, versioned: bool) -> dict[str, Any]:
    return _listed(_common(vault, version, versioned=versioned))


def _listed(shown: dict[str, Any]) -> dict[str, Any]:
    """Return a secret as lists have it: without the id of the key beside a certificate's secret."""
    return {member: value for member, value in shown.items() if member != "kid"}
