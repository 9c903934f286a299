"""Sign-in in a browser, for single-page applications: a choice of users instead of a password, and a code with PKCE.

The pages are ours. Parameters, codes and what a code is good for are Entra ID's.
"""

import base64
import hashlib
import hmac
import secrets
from html import escape
from urllib.parse import urlencode, urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from emulator.core.platform import Platform
from emulator.core.store import Document
from emulator.entra.exceptions import aadsts
from emulator.entra.models import EntraModel

_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sign in</title>
<h1>Sign in to {application}</h1>
<p>This is the local Azure. Choose who you are; it asks for no password.</p>
<ul>{users}</ul>
</html>
"""


class BrowserSignIn:
    """The authorize endpoint of all tenants, and the codes that it has given."""

    def __init__(self, entra: EntraModel, platform: Platform) -> None:
        self._entra = entra
        self._codes = platform.store.table("entra_codes")

    async def authorize(self, request: Request) -> Response:
        """Answer `GET /{tenant}/oauth2/v2.0/authorize`: let somebody choose a user, then go back with a code.

        Raises:
            ServiceError: a parameter is missing or wrong; AADSTS50011 for an address that is not registered.
        """
        asked = dict(request.query_params)
        for parameter in ("client_id", "redirect_uri", "scope", "code_challenge"):
            if not asked.get(parameter):
                raise aadsts(900144, parameter=parameter)
        tenant, client_id = self._entra.tenant(request.path_params["tenant"]), asked["client_id"].lower()
        self._entra.usable_principal(tenant["tenantId"], client_id)
        application = self._entra.application(client_id)
        if asked["redirect_uri"] not in addresses(application):
            raise aadsts(50011, address=asked["redirect_uri"], client_id=client_id)
        user = self._entra.people.user(asked.pop("chosen", ""))
        if user is not None and user["tenantId"] == tenant["tenantId"] and user["accountEnabled"]:
            answer = urlencode({"code": self._code(asked, client_id, user), "state": asked.get("state", "")})
            return RedirectResponse(f"{asked['redirect_uri']}#{answer}", status_code=302)
        known = sorted(self._entra.people.users(tenant["tenantId"]), key=lambda user: user["displayName"])
        choices = (f"<li><a href='?{escape(urlencode(asked | {'chosen': user['objectId']}))}'>"
                   f"{escape(user['userPrincipalName'])}</a></li>" for user in known)  # fmt: skip
        return HTMLResponse(_PAGE.format(application=escape(application["displayName"]), users="".join(choices)))

    def _code(self, asked: dict[str, str], client_id: str, user: Document) -> str:
        code = f"1.{secrets.token_urlsafe(48)}"
        kept = {name: asked.get(name, "") for name in ("redirect_uri", "code_challenge", "nonce")}
        about = {"clientId": client_id, "userId": user["objectId"]}
        self._codes.put(_key(code), kept | about)
        return code

    def redeem(self, client_id: str, form: dict[str, str]) -> tuple[Document, str]:
        """Return the user who has chosen to sign in, and the nonce of the id token. A code is good for one token.

        Raises:
            ServiceError: AADSTS9002313 for a code that is not known, or was given to another client or address;
                501481 for a wrong verifier.
        """
        kept = self._codes.get(_key(form.get("code", "")))
        user = None if kept is None else self._entra.people.user(kept["userId"])
        if kept is None or user is None or kept["clientId"] != client_id:
            raise aadsts(9002313)
        if kept["redirect_uri"] != form.get("redirect_uri"):
            raise aadsts(9002313)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if not hmac.compare_digest(challenge, kept["code_challenge"]):
            raise aadsts(501481)
        self._codes.delete(_key(form["code"]))
        return user, str(kept["nonce"])


def addresses(application: Document) -> list[str]:
    """Return the addresses to which users of a single-page application come back."""
    return list((application.get("members", {}).get("spa") or {}).get("redirectUris") or ())


def is_own_page(application: Document, origin: str) -> bool:
    """Tell whether a request comes from a page of the application, which proves itself by nothing else."""
    return any("{0.scheme}://{0.netloc}".format(urlsplit(address)) == origin for address in addresses(application))


def _key(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()
