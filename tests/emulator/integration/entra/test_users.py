"""Tokens of users, and tokens for an application that the tenant has registered, as clients of that application get them."""

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import jwt
import msal  # type: ignore[import-untyped]  # it carries no type marker
import pytest
import requests

from emulator.entra.apis import AZURE_CLI
from emulator.entra.resources import ARM
from emulator.json_object import Json
from tests.emulator.integration.entra.stage import Stage

PASSWORD = "Passw0rd of a test"  # noqa: S105 - of the users made here
SECRET = "a secret that only this test knows"  # noqa: S105 - of the applications made here
OPERATOR = {
    "id": str(uuid4()),
    "allowedMemberTypes": ["User", "Application"],
    "description": "x",
    "displayName": "Operator",
    "isEnabled": True,
    "value": "Operator",
}
SCOPE = {"id": str(uuid4()), "value": "user_impersonation", "type": "User", "isEnabled": True}
CLI_MAY = [{"appId": AZURE_CLI.client_id, "delegatedPermissionIds": [SCOPE["id"]]}]


@dataclass(frozen=True)
class Api:
    """An application of the customer's tenant for which clients get tokens."""

    app_id: str
    principal_id: str

    @property
    def uri(self) -> str:
        return f"api://{self.app_id}"


def _api(stage: Stage, *, version: int | None = 2, clients: Any = CLI_MAY, **principal: Any) -> Api:
    """Register an API with a scope, an app role, and clients that need no consent."""
    app_id, tenant_id = str(uuid4()), stage.platform.world.tenant_id
    stage.entra.ensure_application(app_id, "clusters", tenant_id=tenant_id, secrets=[SECRET])
    api = {
        "requestedAccessTokenVersion": version,
        "oauth2PermissionScopes": [SCOPE],
        "preAuthorizedApplications": clients,
    }
    members = {
        "api": api,
        "identifierUris": [f"api://{app_id}"],
        "appRoles": [OPERATOR],
        "isFallbackPublicClient": True,
    }
    stage.entra.update_application(app_id, {"members": members})
    object_id = stage.entra.ensure_service_principal(tenant_id, app_id)
    stage.entra.update_service_principal(tenant_id, app_id, {"members": principal})
    return Api(app_id, object_id)


def _client(stage: Stage) -> str:
    """Register an application that gets tokens for itself; return its client id."""
    client_id, tenant_id = str(uuid4()), stage.platform.world.tenant_id
    stage.entra.ensure_application(client_id, "robot", tenant_id=tenant_id, secrets=[SECRET])
    stage.entra.ensure_service_principal(tenant_id, client_id)
    return client_id


def _user(stage: Stage) -> Json:
    name = f"user-{uuid4().hex[:8]}@customer.onmicrosoft.com"
    return stage.entra.people.add_user(stage.platform.world.tenant_id, name, PASSWORD, "A user")


def _post(tenant: str, form: Json) -> Json:
    answer = requests.post(f"https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token", form, timeout=60)
    return dict(answer.json())


def _sign_in(stage: Stage, user: Json, scope: str, client_id: str = AZURE_CLI.client_id, **more: str) -> Json:
    form = {"grant_type": "password", "username": user["userPrincipalName"], "password": PASSWORD}
    return _post(stage.platform.world.tenant_id, form | {"client_id": client_id, "scope": scope} | more)


def _as_application(stage: Stage, client_id: str, scope: str) -> Json:
    form = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": SECRET, "scope": scope}
    return _post(stage.platform.world.tenant_id, form)


def _verified(stage: Stage, token: str, audience: str, issuer: str = "") -> Json:
    """Verify a token as an API does, by the documents that the tenant publishes; return its claims."""
    authority = f"https://login.microsoftonline.com/{stage.platform.world.tenant_id}/v2.0"
    metadata = requests.get(f"{authority}/.well-known/openid-configuration", timeout=60).json()
    keys = requests.get(metadata["jwks_uri"], timeout=60).json()["keys"]
    kid = jwt.get_unverified_header(token)["kid"]
    key = next(jwt.PyJWK(key) for key in keys if key["kid"] == kid)
    claims: Json = jwt.decode(token, key, algorithms=["RS256"], audience=audience, issuer=issuer or metadata["issuer"])
    return claims


def test_a_user_gets_a_v2_token_for_a_registered_application_by_the_cli(stage: Stage) -> None:
    """The audience is the client id whatever was asked for; the client and the user's name have v2's claims."""
    api, user = _api(stage), _user(stage)
    for scope in (f"{api.uri}/.default", f"{api.uri}/user_impersonation", f"{api.app_id}/.default"):
        claims = _verified(stage, _sign_in(stage, user, scope)["access_token"], api.app_id)
        assert claims["oid"] == user["objectId"]
        assert claims["sub"] != claims["oid"]
        assert (claims["azp"], claims["azpacr"]) == (AZURE_CLI.client_id, "0")
        assert (claims["scp"], claims["ver"]) == ("user_impersonation", "2.0")
        assert claims["preferred_username"] == user["userPrincipalName"]
        assert claims["tid"] == stage.platform.world.tenant_id
        assert "appid" not in claims
        assert "roles" not in claims


def test_a_service_principal_gets_a_token_for_a_registered_application(stage: Stage) -> None:
    """It has no permissions of a user, its subject is its object id, and `idtyp` is left out unless asked for."""
    api, client_id = _api(stage), _client(stage)
    claims = _verified(stage, _as_application(stage, client_id, f"{api.uri}/.default")["access_token"], api.app_id)
    assert claims["oid"] == stage.entra.ensure_service_principal(stage.platform.world.tenant_id, client_id)
    assert claims["sub"] == claims["oid"]
    assert (claims["azp"], claims["azpacr"]) == (client_id, "1")
    assert not {"scp", "idtyp", "roles", "appid", "preferred_username"} & claims.keys()


def test_an_application_that_wants_no_v2_tokens_gets_v1(stage: Stage) -> None:
    """The audience is what the client asked for, the issuer the older one."""
    api, user, client_id = _api(stage, version=None), _user(stage), _client(stage)
    for token in (
        _sign_in(stage, user, f"{api.uri}/.default")["access_token"],
        _as_application(stage, client_id, f"{api.uri}/.default")["access_token"],
    ):
        claims = _verified(stage, token, api.uri, f"https://sts.windows.net/{stage.platform.world.tenant_id}/")
        assert claims["ver"] == "1.0"
        assert "azp" not in claims


def test_tokens_carry_the_roles_that_are_assigned(stage: Stage) -> None:
    """A user has those of its own groups, not of the groups around them; a service principal only its own."""
    api, user, client_id = _api(stage), _user(stage), _client(stage)
    tenant_id, people, roles = stage.platform.world.tenant_id, stage.entra.people, stage.entra.app_roles
    robot = stage.entra.ensure_service_principal(tenant_id, client_id)
    inner, outer = (people.add_group(tenant_id, name)["objectId"] for name in ("inner", "outer"))
    people.add_member(inner, "user", user["objectId"])
    people.add_member(inner, "servicePrincipal", robot)
    people.add_member(outer, "group", inner)

    def found() -> tuple[Any, Any]:
        tokens = (
            _sign_in(stage, user, f"{api.uri}/.default")["access_token"],
            _as_application(stage, client_id, f"{api.uri}/.default")["access_token"],
        )
        by_user, by_robot = (_verified(stage, token, api.app_id).get("roles") for token in tokens)
        return by_user, by_robot

    roles.assign(api.principal_id, str(OPERATOR["id"]), "group", outer)
    assert found() == (None, None)
    roles.assign(api.principal_id, str(OPERATOR["id"]), "group", inner)
    assert found() == (["Operator"], None)
    roles.assign(api.principal_id, str(OPERATOR["id"]), "servicePrincipal", robot)
    assert found() == (["Operator"], ["Operator"])


def test_an_application_may_demand_that_its_callers_are_assigned(stage: Stage) -> None:
    """Without an assignment a user gets AADSTS50105, a service principal AADSTS501051."""
    api, user, client_id = _api(stage, appRoleAssignmentRequired=True), _user(stage), _client(stage)
    assert _sign_in(stage, user, f"{api.uri}/.default")["error_codes"] == [50105]
    assert _as_application(stage, client_id, f"{api.uri}/.default")["error_codes"] == [501051]
    stage.entra.app_roles.assign(api.principal_id, str(OPERATOR["id"]), "user", user["objectId"])
    assert "access_token" in _sign_in(stage, user, f"{api.uri}/.default")


def test_a_client_needs_consent(stage: Stage) -> None:
    """Neither the CLI nor another application gets a user's token unless the API names it as pre-authorised."""
    api, user, client = _api(stage, clients=[]), _user(stage), _api(stage)
    for client_id in (AZURE_CLI.client_id, client.app_id):
        for permission in (".default", "user_impersonation"):
            refused = _sign_in(stage, user, f"{api.uri}/{permission}", client_id)
            assert (refused["error"], refused["suberror"]) == ("invalid_grant", "consent_required")
            assert refused["error_codes"] == [65001]
    assert _sign_in(stage, user, f"{api.uri}/nonsense")["error_codes"] == [650053]


def test_an_id_token_of_the_application_has_its_audience_and_no_permission(stage: Stage) -> None:
    """An API that looks at the audience alone would take it for an access token."""
    api, user = _api(stage), _user(stage)
    answer = _sign_in(stage, user, "openid profile", api.app_id, nonce="once")
    claims = _verified(stage, answer["id_token"], api.app_id)
    assert (claims["oid"], claims["nonce"], claims["ver"]) == (user["objectId"], "once", "2.0")
    assert not {"scp", "roles", "azp"} & claims.keys()
    assert (
        jwt.decode(answer["access_token"], options={"verify_signature": False})["aud"] == "https://graph.microsoft.com"
    )
    assert _sign_in(stage, user, f"{api.uri}/.default", api.app_id)["error_codes"] == [90009]


@pytest.mark.parametrize(
    ("changes", "want"),
    [
        ({"password": "wrong"}, 50126),
        ({"username": "nobody@customer.onmicrosoft.com"}, 50034),
        ({"username": ""}, 900144),
        ({"client_id": str(uuid4())}, 700016),
        ({"scope": "https://nobody.example/.default"}, 500011),
        ({"scope": "https://vault.azure.net/.default https://management.azure.com/.default"}, 28000),
        ({"grant_type": "refresh_token", "refresh_token": "made up"}, 9002313),
    ],
)
def test_a_sign_in_fails_as_in_azure(stage: Stage, changes: Json, want: int) -> None:
    """Each mistake has its AADSTS code."""
    form = {
        "grant_type": "password",
        "username": _user(stage)["userPrincipalName"],
        "password": PASSWORD,
        "client_id": AZURE_CLI.client_id,
        "scope": "https://management.azure.com/.default",
    }
    assert _post(stage.platform.world.tenant_id, form | changes)["error_codes"] == [want]


def test_a_registered_client_is_public_or_proves_who_it_is(stage: Stage) -> None:
    """A confidential client without its secret is refused, with it the id token is its own."""
    client_id, user = _client(stage), _user(stage)
    assert _sign_in(stage, user, "openid", client_id)["error_codes"] == [7000218]
    answer = _sign_in(stage, user, "openid", client_id, client_secret=SECRET)
    assert _verified(stage, answer["id_token"], client_id)["oid"] == user["objectId"]


def test_msal_signs_a_user_in_and_refreshes_for_another_service(stage: Stage) -> None:
    """As the CLI does: by password in any tenant, from then on by the refresh token; the tenant is the user's."""
    api, user = _api(stage), _user(stage)
    arm = "https://management.core.windows.net//.default"
    with requests.Session() as session:
        client = msal.PublicClientApplication(
            AZURE_CLI.client_id, authority="https://login.microsoftonline.com/organizations", http_client=session
        )
        with pytest.warns(DeprecationWarning, match="deprecated for public client flows"):
            first = client.acquire_token_by_username_password(user["userPrincipalName"], PASSWORD, [arm])
        account = client.get_accounts(user["userPrincipalName"])[0]
        again = client.acquire_token_silent_with_error([arm], account)
        other = client.acquire_token_silent_with_error([f"{api.uri}/.default"], account)
    assert again["token_source"] == "cache"  # noqa: S105 - where it comes from
    assert other["token_source"] == "identity_provider"  # noqa: S105 - likewise
    caller = stage.entra.authenticate(f"Bearer {first['access_token']}", ARM.identifiers)
    assert (caller.object_id, caller.name, caller.is_user) == (user["objectId"], user["userPrincipalName"], True)
    assert _verified(stage, other["access_token"], api.app_id)["oid"] == user["objectId"]


def test_a_new_password_ends_older_sign_ins(stage: Stage) -> None:
    """So does the end of the user; each has its code."""
    user = _user(stage)
    scope = "https://management.azure.com/.default offline_access"
    token = _sign_in(stage, user, scope)["refresh_token"]
    form = {"grant_type": "refresh_token", "client_id": AZURE_CLI.client_id, "scope": scope, "refresh_token": token}
    tenant_id, people = stage.platform.world.tenant_id, stage.entra.people
    assert "access_token" in _post(tenant_id, form)
    assert _post(tenant_id, form | {"client_id": _api(stage).app_id})["error_codes"] == [9002313]
    assert _post(stage.platform.world.rp_tenant_id, form)["error_codes"] == [50020]
    people.change_user(user["objectId"], {"accountEnabled": False})
    assert _post(tenant_id, form)["error_codes"] == [50057]
    people.change_user(user["objectId"], {"accountEnabled": True, "changesPassword": True})
    assert _sign_in(stage, user, scope)["error_codes"] == [50055]
    people.change_user(user["objectId"], {}, "Another passw0rd")
    assert _post(tenant_id, form)["error_codes"] == [50173]
    people.delete_user(user["objectId"])
    assert _post(tenant_id, form)["error_codes"] == [9002313]
