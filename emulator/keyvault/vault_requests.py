"""The parts that all operations of a vault share: challenge, api-versions, access, bodies, paging."""

import base64
import binascii
import json
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeVar
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from emulator.core.clock import Clock
from emulator.core.service_error import ServiceError
from emulator.core.store import Document
from emulator.entra.exceptions import WrongAudienceError
from emulator.entra.models import EntraModel, Principal
from emulator.entra.resources import KEY_VAULT
from emulator.keyvault.exceptions import (
    BAD_PARAMETER,
    FORBIDDEN_BY_RBAC,
    REGION_HEADER,
    UNAUTHORIZED,
    VAULT_NOT_FOUND,
    WRONG_AUDIENCE,
    WRONG_ISSUER,
)
from emulator.keyvault.models import KeyVaultModel
from emulator.keyvault.orders import OrderModel
from emulator.keyvault.vaults import RETENTION_DAYS, retention_days

# Azure/azure-rest-api-specs, specification/keyvault/data-plane/Microsoft.KeyVault. Secrets are the same in all of them.
API_VERSIONS = ("2015-06-01", "2016-10-01", "7.0", "7.1", "7.2", "7.3", "7.4", "7.5", "7.6", "2025-07-01", "2026-04-01")
PREVIEW_VERSIONS = (
    *("7.2-preview", "7.3-preview", "7.4-preview.1", "7.5-preview.1", "7.6-preview.1", "7.6-preview.2"),
    *("2025-06-01-preview", "2026-01-01-preview"),
)
MAX_RESULTS = 25
# Key Vault answers in tens of milliseconds.
LATENCY_SECONDS = 0.03

Endpoint = Callable[[Request], Awaitable[Response]]
Work = Callable[[Request, Document], Awaitable[Response]]
# Tells whether a role allows a caller a data action at a scope.
DataAllowed = Callable[[Principal, str, str], bool]
Found = TypeVar("Found")


class Gate:
    """Checks every request to any vault before its operation runs."""

    def __init__(
        self, model: KeyVaultModel, orders: OrderModel, entra: EntraModel, clock: Clock, data_allowed: DataAllowed
    ) -> None:
        self._model = model
        self._orders = orders
        self._entra = entra
        self._clock = clock
        self._data_allowed = data_allowed

    def guarded(self, data_action: str, work: Work) -> Endpoint:
        """Wrap an operation's work in what all share: vault, token, api-version, access, latency."""

        async def endpoint(request: Request) -> Response:
            vault = self._enter(request, data_action)
            await self._clock.sleep(LATENCY_SECONDS)
            # Only after the sleep, in which the order that this request asks about may have become due.
            self._orders.settle(vault["name"])
            response = await work(request, vault)
            response.headers[REGION_HEADER] = vault["location"]
            response.headers["Cache-Control"] = "no-cache"
            return response

        return endpoint

    def _enter(self, request: Request, data_action: str) -> Document:
        """Return the request's vault, after checking that the caller may do what it asks.

        Raises:
            ServiceError: 404 for the vault, 401 for the token, 400 for the api-version, 403 for the right.
        """
        host = request.headers["host"].partition(":")[0].lower()
        vault = self._model.vault(host.partition(".")[0])
        if vault is None:
            raise VAULT_NOT_FOUND(host)
        caller = self._authenticate(request, vault)
        request.state.caller = caller.object_id
        version = request.query_params.get("api-version", "")
        if version not in API_VERSIONS + PREVIEW_VERSIONS:
            raise BAD_PARAMETER(
                f"The specified version ({version}) is not recognized. Consider using the latest supported version "
                f"({API_VERSIONS[-1]})."
            )
        authorize(self._data_allowed, caller, data_action, vault, request.path_params.get("name", ""))
        return vault

    def _authenticate(self, request: Request, vault: Document) -> Principal:
        authorization = request.headers.get("authorization")
        if not authorization:
            raise UNAUTHORIZED(vault=vault, message="AKV10000: Request is missing a Bearer or PoP token.")
        try:
            caller = self._entra.authenticate(authorization, KEY_VAULT.identifiers)
        except WrongAudienceError as error:
            raise WRONG_AUDIENCE(vault=vault, audience=error.audience) from error
        except ServiceError as error:
            raise UNAUTHORIZED(vault=vault, message=f"Error validating token: {error.message}") from error
        if caller.tenant_id != vault["tenantId"]:
            raise WRONG_ISSUER(vault=vault, tenant_id=caller.tenant_id)
        return caller


def authorize(data_allowed: DataAllowed, caller: Principal, data_action: str, vault: Document, name: str) -> None:
    """Check that a role allows a caller a data action on a vault, or on what has this name in it.

    Source: https://learn.microsoft.com/azure/role-based-access-control/permissions/security for the data actions.

    Args:
        data_allowed: asks the roles.
        caller: who calls.
        data_action: below `Microsoft.KeyVault/vaults/`, such as `secrets/getSecret/action`.
        vault: the vault.
        name: of a secret or certificate, or "".

    Raises:
        ServiceError: 403 `Forbidden`, inner `ForbiddenByRbac`.
    """
    kind = data_action.partition("/")[0]
    # Roles can be assigned on a single secret or certificate; issuers are parts of the vault.
    inside = f"/{kind}/{name}" if name and kind in {"secrets", "certificates"} else ""
    action, scope = f"Microsoft.KeyVault/vaults/{data_action}", f"{vault['resourceId']}{inside}"
    if not data_allowed(caller, action, scope):
        raise FORBIDDEN_BY_RBAC(caller=caller, action=action, scope=scope.lower(), vault=vault)


def recovery(vault: Document, attributes: dict[str, Any]) -> dict[str, Any]:
    """Return attributes, with the members that describe the vault's soft delete added."""
    days = retention_days(vault)
    level = ("Recoverable" if days == RETENTION_DAYS else "CustomizedRecoverable") + (
        "" if vault.get("purgeProtection") else "+Purgeable"
    )
    return attributes | {"recoveryLevel": level, "recoverableDays": days}


def page(request: Request, found: Iterable[Found], show: Callable[[Found], dict[str, Any]]) -> Response:
    """Return one page of items. The link to the next page names the last item of this one.

    Args:
        request: its query may have `maxresults`, 1-25, and `$skiptoken`.
        found: the items, in the order of their ids.
        show: returns the JSON object of an item, with its `id`.
    """
    query = request.query_params
    size_text = query.get("maxresults", str(MAX_RESULTS))
    if not size_text.isdigit() or not 1 <= int(size_text) <= MAX_RESULTS:
        raise BAD_PARAMETER(f"The parameter maxresults has the value {size_text}; it must be 1 to {MAX_RESULTS}.")
    size, after = int(size_text), _last_seen(query.get("$skiptoken", ""))
    items = [item for item in (show(document) for document in found) if item["id"].lower() > after]
    shown, next_link = items[:size], None
    if len(items) > size:
        token = base64.urlsafe_b64encode(shown[-1]["id"].lower().encode()).decode()
        parameters = {"api-version": query["api-version"], "$skiptoken": token, "maxresults": size}
        next_link = f"https://{request.headers['host']}{request.url.path}?{urlencode(parameters)}"
    return JSONResponse({"value": shown, "nextLink": next_link})


def _last_seen(token: str) -> str:
    try:
        return base64.b64decode(token, altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError) as error:
        raise BAD_PARAMETER("The parameter $skiptoken is invalid.") from error


async def body_of(request: Request) -> Document:
    """Return a request's body.

    Raises:
        ServiceError: 400 if it is not a JSON object.
    """
    try:
        body = json.loads(await request.body())
        # An escape can contain half a surrogate pair, which could not be sent back.
        json.dumps(body, ensure_ascii=False).encode()
    except ValueError as error:
        raise BAD_PARAMETER("The request body is not valid JSON.") from error
    if not isinstance(body, dict):
        raise BAD_PARAMETER("The request body must be a JSON object.")
    return body
