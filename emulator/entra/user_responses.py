"""The wire format of token requests in a user's name: by password, by refresh token, and by the code of a browser."""

import base64
import json
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from emulator.core.store import Document
from emulator.entra import scopes
from emulator.entra.apis import CLIENTS, Api
from emulator.entra.browser_sign_in import BrowserSignIn, is_own_page
from emulator.entra.claims import PUBLIC
from emulator.entra.exceptions import aadsts, shared_with
from emulator.entra.models import TOKEN_SECONDS, EntraModel
from emulator.entra.scopes import DEFAULT, Wanted

CODE = "authorization_code"
GRANTS = ("password", "refresh_token", CODE)
# Words that stand for the tenant of the user.
ANY_TENANT = ("common", "organizations")
NO_STORE = {"Cache-Control": "no-store, no-cache", "Pragma": "no-cache"}

CheckClient = Callable[[Request, dict[str, str], str], Awaitable[str]]


class UserResponses:
    """The answers to users' clients.

    Args:
        entra: the directory.
        browsers: the sign-in in a browser, which gives codes.
        check_client: checks the credential of a client, as for tokens of its own; returns how it proved who it is.
    """

    def __init__(self, entra: EntraModel, browsers: BrowserSignIn, check_client: CheckClient) -> None:
        self._entra = entra
        self._browsers = browsers
        self._check_client = check_client

    async def token(self, request: Request, form: dict[str, str]) -> Response:
        """Answer a request for tokens in a user's name.

        Raises:
            ServiceError: the client, the user, the API or the permissions are not right.
        """
        client_id = required(form, "client_id").lower()
        request.state.caller = client_id
        by_password = form["grant_type"] == "password"
        tenant = self._tenant(request.path_params["tenant"], form, by_password=by_password)
        proof = await self._client(request, form, tenant)
        if by_password:
            user = self._entra.sign_ins.by_password(tenant, required(form, "username"), required(form, "password"))
        elif form["grant_type"] == CODE:
            user, form["nonce"] = self._browsers.redeem(client_id, form)
        else:
            user = self._entra.sign_ins.by_refresh_token(tenant, client_id, required(form, "refresh_token"))
        request.state.caller = user["userPrincipalName"]
        wanted = scopes.read(form.get("scope", ""))
        granted = self._consented(client_id, self._entra.issuing.api(tenant["tenantId"], wanted.audience), wanted)
        answer = {
            "token_type": "Bearer",
            "scope": _answered(wanted, granted),
            "expires_in": TOKEN_SECONDS - 1,
            "ext_expires_in": TOKEN_SECONDS - 1,
            "access_token": self._entra.issuing.user_token(user, client_id, wanted.audience, granted, proof),
            **self._further(user, client_id, wanted, form),
        }
        return JSONResponse(answer, headers=NO_STORE | shared_with(request))

    def _tenant(self, name: str, form: dict[str, str], *, by_password: bool) -> Document:
        """Return the tenant that the path names, or that of the user if the path leaves it open."""
        if name.lower() not in ANY_TENANT:
            return self._entra.tenant(name)
        if by_password:
            return self._entra.tenant_of(required(form, "username"))
        return self._entra.tenant(self._entra.sign_ins.home_of(required(form, "refresh_token")))

    async def _client(self, request: Request, form: dict[str, str], tenant: Document) -> str:
        """Check the client: one of Microsoft's, or a registered one that is public or has a credential."""
        client_id = form["client_id"].lower()
        if client_id in CLIENTS:
            return PUBLIC
        self._entra.usable_principal(tenant["tenantId"], client_id)
        proof = await self._check_client(request, form, tenant["tenantId"])
        application = self._entra.application(client_id)
        public = application.get("members", {}).get("isFallbackPublicClient")
        if proof == PUBLIC and not (public or is_own_page(application, request.headers.get("origin", ""))):
            raise aadsts(7000218)
        return proof

    def _consented(self, client_id: str, api: Api, wanted: Wanted) -> tuple[str, ...]:
        """Return the permissions for the token: those of OpenID Connect, or those of the API that the client has.

        Raises:
            ServiceError: AADSTS65001 if the client lacks them; 650053 if the API has no such permission; 90009 if the
                client asks for itself by a name.
        """
        client = self._entra.issuing.client_name(client_id)
        if not wanted.permissions:
            return tuple(sorted(wanted.openid - {"offline_access"}))
        if api.app_id == client_id and wanted.audience.lower() != client_id:
            raise aadsts(90009, client_id=client_id, client=client)
        granted = api.granted(client_id)
        for permission in wanted.permissions:
            if (
                permission != DEFAULT
                and permission not in granted
                and not api.is_azure
                and permission not in api.scopes()
            ):
                raise aadsts(650053, client=client, scope=permission, api_id=api.app_id)
        if not granted or not {*wanted.permissions} <= {*granted, DEFAULT}:
            raise aadsts(65001, client_id=client_id, client=client)
        return granted

    def _further(self, user: Document, client_id: str, wanted: Wanted, form: dict[str, str]) -> dict[str, Any]:
        """Return the tokens and facts that a client gets because it asks for them."""
        further: dict[str, Any] = {}
        if "offline_access" in wanted.openid:
            further["refresh_token"] = form.get("refresh_token") or self._entra.sign_ins.refresh_token(user, client_id)
        if "openid" in wanted.openid:
            further["id_token"] = self._entra.issuing.id_token(user, client_id, form.get("nonce", ""))
        if form.get("client_info") == "1":
            info = json.dumps({"uid": user["objectId"], "utid": user["tenantId"]})
            further["client_info"] = base64.urlsafe_b64encode(info.encode()).decode().rstrip("=")
        return further


def _answered(wanted: Wanted, granted: tuple[str, ...]) -> str:
    """Return the `scope` of the answer: what the token permits, and what was asked for, by which MSAL finds it again."""
    if not wanted.permissions:
        return " ".join(granted)
    return " ".join(dict.fromkeys([*(f"{wanted.audience}/{permission}" for permission in granted), *wanted.qualified]))


def required(form: dict[str, str], parameter: str) -> str:
    """Return a parameter of a request.

    Raises:
        ServiceError: AADSTS900144 if it is missing.
    """
    value = form.get(parameter, "")
    if not value:
        raise aadsts(900144, parameter=parameter)
    return value
