"""Wire format of Key Vault's data plane: challenge, api-versions, bundles, paging."""

import base64
import binascii
import json
from collections.abc import Awaitable, Callable, Iterable
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from emulator.core.clock import Clock
from emulator.core.errors import ServiceError
from emulator.core.store import Document
from emulator.entra.models import EntraModel, Principal
from emulator.entra.resources import KEY_VAULT
from emulator.keyvault.exceptions import REGION_HEADER, bad_parameter, not_implemented, unauthorized, vault_not_found
from emulator.keyvault.models import RETENTION_DAYS, KeyVaultModel, secret_id

API_VERSIONS = ("7.0", "7.1", "7.2", "7.3", "7.4", "7.5", "7.6", "2025-07-01", "2026-04-01")
MAX_RESULTS = 25
# Key Vault answers in tens of milliseconds.
LATENCY_SECONDS = 0.03

Show = Callable[[Document], dict[str, Any]]
Endpoint = Callable[[Request], Awaitable[Response]]
Work = Callable[["Responses", Request, Document], Awaitable[Response]]


def guarded(permission: str, work: Work) -> Callable[["Responses"], Endpoint]:
    """Put what every operation shares before its work: vault, token, api-version, access policy, latency."""

    def bind(responses: "Responses") -> Endpoint:
        async def endpoint(request: Request) -> Response:
            vault = responses.enter(request, permission)
            await responses.clock.sleep(LATENCY_SECONDS)
            response = await work(responses, request, vault)
            response.headers[REGION_HEADER] = vault["location"]
            response.headers["Cache-Control"] = "no-cache"
            return response

        return endpoint

    return bind


class Responses:
    """The operations, on all vaults."""

    def __init__(self, model: KeyVaultModel, entra: EntraModel, clock: Clock) -> None:
        self._model = model
        self._entra = entra
        self.clock = clock

    def enter(self, request: Request, permission: str) -> Document:
        """Return the request's vault, once the caller may do what it asks.

        Raises:
            ServiceError: 404 vault, 401 token, 400 api-version, 403 permission.
        """
        host = request.headers["host"].partition(":")[0].lower()
        vault = self._model.vault(host.partition(".")[0])
        if vault is None:
            raise vault_not_found(host)
        caller = self._authenticate(request, vault)
        request.state.caller = caller.object_id
        version = request.query_params.get("api-version", "")
        if version not in API_VERSIONS:
            raise bad_parameter(
                f"The specified version ({version}) is not recognized. Consider using the latest supported version "
                f"({API_VERSIONS[-1]})."
            )
        self._model.authorize(vault, caller, permission)
        return vault

    def _authenticate(self, request: Request, vault: Document) -> Principal:
        authorization = request.headers.get("authorization")
        if not authorization:
            raise unauthorized(vault, "AKV10000: Request is missing a Bearer or PoP token.")
        try:
            caller = self._entra.authenticate(authorization, KEY_VAULT.identifiers)
        except ServiceError as error:
            raise unauthorized(vault, f"Error validating token: {error.message}") from error
        if caller.tenant_id != vault["tenantId"]:
            raise unauthorized(
                vault,
                f"AKV10032: Invalid issuer. Expected one of https://sts.windows.net/{vault['tenantId']}/, found "
                f"https://sts.windows.net/{caller.tenant_id}/.",
            )
        return caller

    async def set_secret(self, request: Request, vault: Document) -> Response:
        """Answer `PUT /secrets/{name}`."""
        version = self._model.set_secret(vault["name"], request.path_params["name"], await _body(request))
        return JSONResponse(_bundle(version, value=True))

    async def get_secret(self, request: Request, vault: Document) -> Response:
        """Answer `GET /secrets/{name}/{version}`; an empty version is the newest."""
        name, version = request.path_params["name"], request.path_params.get("version", "")
        return JSONResponse(_bundle(self._model.get_secret(vault["name"], name, version), value=True))

    async def update_secret(self, request: Request, vault: Document) -> Response:
        """Answer `PATCH /secrets/{name}/{version}`."""
        name, version = request.path_params["name"], request.path_params.get("version", "")
        return JSONResponse(_bundle(self._model.update_secret(vault["name"], name, version, await _body(request))))

    async def delete_secret(self, request: Request, vault: Document) -> Response:
        """Answer `DELETE /secrets/{name}`."""
        return JSONResponse(_bundle(self._model.delete_secret(vault["name"], request.path_params["name"])))

    async def list_secrets(self, request: Request, vault: Document) -> Response:
        """Answer `GET /secrets`."""
        return _page(request, self._model.secrets(vault["name"]), _item)

    async def list_versions(self, request: Request, vault: Document) -> Response:
        """Answer `GET /secrets/{name}/versions`."""
        return _page(request, self._model.versions(vault["name"], request.path_params["name"]), _version_item)

    async def get_deleted_secret(self, request: Request, vault: Document) -> Response:
        """Answer `GET /deletedsecrets/{name}`."""
        return JSONResponse(_bundle(self._model.deleted_secret(vault["name"], request.path_params["name"])))

    async def list_deleted_secrets(self, request: Request, vault: Document) -> Response:
        """Answer `GET /deletedsecrets`."""
        return _page(request, self._model.deleted_secrets(vault["name"]), _item)

    async def recover_secret(self, request: Request, vault: Document) -> Response:
        """Answer `POST /deletedsecrets/{name}/recover`."""
        recovered = self._model.recover_secret(vault["name"], request.path_params["name"])
        return JSONResponse(_bundle(recovered | {"deleted": None}))

    async def purge_secret(self, request: Request, vault: Document) -> Response:
        """Answer `DELETE /deletedsecrets/{name}`."""
        self._model.purge_secret(vault["name"], request.path_params["name"])
        return Response(status_code=204)

    async def refuse(self, request: Request, _vault: Document) -> Response:
        """Answer backup and restore, whose sealed blobs only Azure can open."""
        raise not_implemented(f"{request.method} {request.url.path}")


def _attributes(version: Document) -> dict[str, Any]:
    recovery = {"recoveryLevel": "Recoverable+Purgeable", "recoverableDays": RETENTION_DAYS}
    attributes: dict[str, Any] = version["attributes"]
    return attributes | recovery


def _common(version: Document, *, versioned: bool) -> dict[str, Any]:
    shown = {"id": secret_id(version, versioned=versioned), "attributes": _attributes(version)}
    shown |= {member: version[member] for member in ("contentType", "tags") if member in version}
    if version.get("deleted"):
        recovery_id = f"https://{version['vault']}.vault.azure.net/deletedsecrets/{version['name']}"
        shown |= {"recoveryId": recovery_id} | version["deleted"]
    return shown


def _bundle(version: Document, *, value: bool = False) -> dict[str, Any]:
    shown = _common(version, versioned=True)
    return {"value": version["value"]} | shown if value else shown


def _item(version: Document) -> dict[str, Any]:
    return _common(version, versioned=False)


def _version_item(version: Document) -> dict[str, Any]:
    return _common(version, versioned=True)


def _page(request: Request, found: Iterable[Document], show: Show) -> Response:
    """Return one page of items that come in the order of their ids; the link to the next names the last of this one."""
    query = request.query_params
    size_text = query.get("maxresults", str(MAX_RESULTS))
    if not size_text.isdigit() or not 1 <= int(size_text) <= MAX_RESULTS:
        raise bad_parameter(f"The parameter maxresults has the value {size_text}; it must be 1 to {MAX_RESULTS}.")
    size, after = int(size_text), _last_seen(query.get("$skiptoken", ""))
    items = [item for item in (show(document) for document in found) if item["id"].lower() > after]
    page, next_link = items[:size], None
    if len(items) > size:
        token = base64.urlsafe_b64encode(page[-1]["id"].lower().encode()).decode()
        parameters = {"api-version": query["api-version"], "$skiptoken": token, "maxresults": size}
        next_link = f"https://{request.headers['host']}{request.url.path}?{urlencode(parameters)}"
    return JSONResponse({"value": page, "nextLink": next_link})


def _last_seen(token: str) -> str:
    try:
        return base64.b64decode(token, altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError) as error:
        raise bad_parameter("The parameter $skiptoken is invalid.") from error


async def _body(request: Request) -> Document:
    try:
        body = json.loads(await request.body())
        # Half a surrogate pair can be written as an escape, and never be sent back.
        json.dumps(body, ensure_ascii=False).encode()
    except ValueError as error:
        raise bad_parameter("The request body is no valid JSON.") from error
    if not isinstance(body, dict):
        raise bad_parameter("The request body must be a JSON object.")
    return body
