"""The wire format of the sign-in endpoints: token requests, tokens and metadata documents.

What users ask for is in `user_responses.py`.
"""

import base64
import binascii
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qsl, unquote_plus, urlsplit

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from emulator.core.service_error import ServiceError
from emulator.core.store import Document
from emulator.entra import scopes
from emulator.entra.assertions import ASSERTION_TYPE, check_assertion
from emulator.entra.browser_sign_in import BrowserSignIn
from emulator.entra.claims import BY_CERTIFICATE, BY_SECRET, CLOCK_SKEW, PUBLIC
from emulator.entra.exceptions import aadsts
from emulator.entra.federation import Federation, is_federated
from emulator.entra.models import TOKEN_SECONDS, EntraModel
from emulator.entra.user_responses import GRANTS, NO_STORE, UserResponses, required

Endpoint = Callable[[Request], Awaitable[Response]]

PUBLIC_HOST = "login.microsoftonline.com"
# The names of the one directory, as instance discovery publishes them.
ALIASES = (PUBLIC_HOST, "login.windows.net", "login.microsoft.com", "sts.windows.net")
# Words that stand for any tenant. They have metadata, but service principals cannot get tokens from them.
ANY_TENANT = ("common", "organizations", "consumers")


class Responses:
    """The sign-in endpoints of one directory."""

    def __init__(
        self, entra: EntraModel, federation: Federation, browsers: BrowserSignIn, local_hosts: tuple[str, ...] = ()
    ) -> None:
        self._entra = entra
        self._federation = federation
        self._local_hosts = local_hosts
        self._users = UserResponses(entra, browsers, self._check_client)

    async def token(self, request: Request) -> Response:
        """Answer `POST /{tenant}/oauth2/v2.0/token`."""
        form = await _form(request)
        if form.get("grant_type") in GRANTS:
            return await self._users.token(request, form)
        issued = await self._issue(request, form)
        body = {"token_type": "Bearer", "expires_in": TOKEN_SECONDS - 1, "ext_expires_in": TOKEN_SECONDS - 1}
        return JSONResponse(body | {"access_token": issued}, headers=NO_STORE)

    async def no_token(self, request: Request) -> Response:
        """Refuse `GET` at the token endpoint."""
        raise aadsts(900561, method=request.method)

    async def _issue(self, request: Request, form: dict[str, str]) -> str:
        name = request.path_params["tenant"]
        if name.lower() in ANY_TENANT:
            raise aadsts(50059)
        tenant_id = self._entra.tenant(name)["tenantId"]
        if required(form, "grant_type") != "client_credentials":
            raise aadsts(70003, grant_type=form["grant_type"])
        client_id = required(form, "client_id").lower()
        request.state.caller = client_id
        audience = scopes.of_application(required(form, "scope"))
        self._entra.usable_principal(tenant_id, client_id)
        proof = await self._check_client(request, form, tenant_id)
        if proof == PUBLIC:
            raise aadsts(7000216)
        return self._entra.issue_token(tenant_id, client_id, audience, by_certificate=proof == BY_CERTIFICATE)

    async def _check_client(self, request: Request, form: dict[str, str], tenant_id: str) -> str:
        """Check the secret or assertion of a client, if it sends one; return how it proved who it is.

        Raises:
            ServiceError: the credential is wrong.
        """
        client_id = form["client_id"].lower()
        if "client_assertion" in form:
            await self._check_assertion(request, form, self._entra.application(client_id), tenant_id)
            return BY_CERTIFICATE
        if "client_secret" in form:
            self._entra.check_secret(client_id, form["client_secret"])
            return BY_SECRET
        return PUBLIC

    async def _check_assertion(
        self, request: Request, form: dict[str, str], application: Document, tenant_id: str
    ) -> None:
        if form.get("client_assertion_type") != ASSERTION_TYPE:
            raise aadsts(900144, parameter="client_assertion_type")
        assertion, now = form["client_assertion"], self._entra.now()
        if is_federated(assertion):
            await self._federation.check(application, assertion, now, CLOCK_SKEW)
            return
        tenants = {tenant_id, request.path_params["tenant"]}
        endpoints = [
            f"https://{host}/{tenant}{path}"
            for host in (*ALIASES, *self._local_hosts)
            for tenant in sorted(tenants)
            for path in ("/oauth2/v2.0/token", "/oauth2/token", "/v2.0")
        ]
        check_assertion(application, assertion, endpoints, now, CLOCK_SKEW)

    async def metadata(self, request: Request) -> Response:
        """Answer `GET /{tenant}/v2.0/.well-known/openid-configuration`."""
        tenant = self._metadata_tenant(request)
        base = f"https://{request.headers['host']}/{tenant}"
        body: dict[str, Any] = {
            "token_endpoint": f"{base}/oauth2/v2.0/token",
            "token_endpoint_auth_methods_supported": [
                "client_secret_post",
                "private_key_jwt",
                "client_secret_basic",
            ],
            "jwks_uri": f"{base}/discovery/v2.0/keys",
            "response_modes_supported": ["query", "fragment", "form_post"],
            "subject_types_supported": ["pairwise"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "response_types_supported": ["code", "id_token", "code id_token", "id_token token"],
            "authorization_endpoint": f"{base}/oauth2/v2.0/authorize",
            "end_session_endpoint": f"{base}/oauth2/v2.0/logout",
            "claims_supported": ["sub", "iss", "aud", "exp", "iat", "nbf", "oid", "tid", "appid", "ver"],
            "tenant_region_scope": "NA",
            "cloud_instance_name": "microsoftonline.com",
            "cloud_graph_host_name": "graph.windows.net",
            "msgraph_host": "graph.microsoft.com",
            "rbac_url": "https://pas.windows.net",
            "issuer": f"https://{PUBLIC_HOST}/{_issuer_tenant(tenant)}/v2.0",
            "device_authorization_endpoint": f"{base}/oauth2/v2.0/devicecode",
            "userinfo_endpoint": "https://graph.microsoft.com/oidc/userinfo",
            "scopes_supported": ["openid", "profile", "email", "offline_access"],
        }
        return JSONResponse(body)

    def _metadata_tenant(self, request: Request) -> str:
        name = str(request.path_params["tenant"]).lower()
        if name in ANY_TENANT:
            return name
        try:
            return str(self._entra.tenant(name)["tenantId"])
        except ServiceError as error:
            # The word that clients of the metadata documents look for.
            error.extra["oauth_error"] = "invalid_tenant"
            raise

    async def keys(self, request: Request) -> Response:
        """Answer `GET /{tenant}/discovery/v2.0/keys`."""
        tenant = self._metadata_tenant(request)
        issuer = f"https://{PUBLIC_HOST}/{_issuer_tenant(tenant)}/v2.0"
        return JSONResponse({"keys": [key | {"issuer": issuer} for key in self._entra.jwks()]})

    async def user_realm(self, request: Request) -> Response:
        """Answer `GET /common/userrealm/{name}`, which tells MSAL where a user signs in: all of them here."""
        domain = request.path_params["name"].rpartition("@")[2]
        realm = {
            "ver": "1.0",
            "account_type": "Managed",
            "domain_name": domain,
            "cloud_instance_name": "microsoftonline.com",
            "cloud_audience_urn": "urn:federation:MicrosoftOnline",
        }
        try:
            self._entra.tenant(domain)
        except ServiceError:
            realm = {"ver": "1.0", "account_type": "Unknown"}
        return JSONResponse(realm)

    async def instance(self, request: Request) -> Response:
        """Answer `GET /common/discovery/instance`, which tells MSAL whether an authority is known."""
        wanted = urlsplit(request.query_params.get("authorization_endpoint", ""))
        if wanted.netloc.lower() not in (*ALIASES, *self._local_hosts):
            raise aadsts(50049)
        tenant = wanted.path.strip("/").partition("/")[0] or "common"
        body = {
            "tenant_discovery_endpoint": f"https://{wanted.netloc}/{tenant}/v2.0/.well-known/openid-configuration",
            "api-version": "1.1",
            "metadata": [
                {"preferred_network": PUBLIC_HOST, "preferred_cache": "login.windows.net", "aliases": list(ALIASES)}
            ],
        }
        return JSONResponse(body)


def _issuer_tenant(tenant: str) -> str:
    return "{tenantid}" if tenant in ANY_TENANT else tenant


async def _form(request: Request) -> dict[str, str]:
    """Return the form; HTTP Basic credentials count as `client_id` and `client_secret`."""
    body = (await request.body()).decode("utf-8", "replace")
    form = dict(parse_qsl(body, keep_blank_values=True))
    scheme, _, encoded = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "basic":
        try:
            client_id, _, secret = base64.b64decode(encoded).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return form
        form |= {"client_id": unquote_plus(client_id), "client_secret": unquote_plus(secret)}
    return form
