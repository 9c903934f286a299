"""Sign-in of users in a browser, as a single-page application has it: with a code and PKCE."""

import base64
import hashlib
import re
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import jwt
import pytest
import requests

from tests.emulator.integration.entra.stage import Stage
from tests.emulator.integration.entra.test_users import PASSWORD, SCOPE

LOGIN = "https://login.microsoftonline.com"
PAGE = "https://clusters.example.com/portal/signed-in.html"
ORIGIN = "https://clusters.example.com"
VERIFIER = "v" * 43
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")


@pytest.fixture
def client_id(stage: Stage) -> str:
    """Register an application that has a page and asks for tokens for itself."""
    client_id, tenant_id = str(uuid4()), stage.platform.world.tenant_id
    stage.entra.ensure_application(client_id, "clusters", tenant_id=tenant_id)
    api = {"requestedAccessTokenVersion": 2, "oauth2PermissionScopes": [SCOPE]}
    stage.entra.update_application(client_id, {"members": {"api": api, "spa": {"redirectUris": [PAGE]}}})
    stage.entra.ensure_service_principal(tenant_id, client_id)
    return client_id


def _address(stage: Stage, endpoint: str) -> str:
    return f"{LOGIN}/{stage.platform.world.tenant_id}/oauth2/v2.0/{endpoint}"


def _authorize(stage: Stage, client_id: str, **changes: str) -> requests.Response:
    asked = {
        "client_id": client_id,
        "response_type": "code",
        "redirect_uri": PAGE,
        "scope": f"{client_id}/user_impersonation openid profile offline_access",
        "state": "a state",
        "nonce": "a nonce",
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
    }
    return requests.get(_address(stage, "authorize"), asked | changes, timeout=60)


def _choose(stage: Stage, client_id: str, name: str) -> dict[str, str]:
    """Choose a user on the page; return what the application's page gets."""
    links = dict(re.findall(r"<a href='([^']+)'>([^<]+)</a>", _authorize(stage, client_id).text))
    (link,) = [unescape(link) for link, user in links.items() if user == name]
    answer = requests.get(_address(stage, "authorize") + link, allow_redirects=False, timeout=60)
    assert answer.status_code == 302
    target = urlsplit(answer.headers["Location"])
    assert f"{target.scheme}://{target.netloc}{target.path}" == PAGE
    return {name: values[0] for name, values in parse_qs(target.fragment).items()}


def _redeem(stage: Stage, client_id: str, code: str, origin: str = ORIGIN, **changes: str) -> Any:
    form = {
        "grant_type": "authorization_code",
        "client_id": client_id,
        "code": code,
        "redirect_uri": PAGE,
        "code_verifier": VERIFIER,
        "scope": f"{client_id}/user_impersonation openid profile offline_access",
        "client_info": "1",
    }
    headers = {"Origin": origin} if origin else {}
    return requests.post(_address(stage, "token"), form | changes, headers=headers, timeout=60)


def _name(stage: Stage) -> str:
    name = f"user-{uuid4().hex[:8]}@customer.onmicrosoft.com"
    stage.entra.people.add_user(stage.platform.world.tenant_id, name, PASSWORD, "A <b>user</b>")
    return name


def test_whoever_chooses_a_user_gets_that_users_tokens(stage: Stage, client_id: str) -> None:
    """They can be read by the application's page, and renewed from there."""
    name = _name(stage)
    came = _choose(stage, client_id, name)
    assert came["state"] == "a state"
    answer = _redeem(stage, client_id, came["code"])
    assert answer.headers["Access-Control-Allow-Origin"] == ORIGIN
    tokens = answer.json()
    shown = [jwt.decode(tokens[kind], options={"verify_signature": False}) for kind in ("access_token", "id_token")]
    assert [(claims["aud"], claims["preferred_username"]) for claims in shown] == [(client_id, name)] * 2
    assert (shown[0]["scp"], shown[1]["nonce"]) == ("user_impersonation", "a nonce")
    renewal = {"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]}
    assert "access_token" in _redeem(stage, client_id, "", **renewal).json()


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        pytest.param({"code_verifier": "w" * 43}, 501481, id="who has not asked for it"),
        pytest.param({"redirect_uri": "https://evil.example"}, 9002313, id="from another address"),
        pytest.param({"code": "1.another"}, 9002313, id="a code that nobody got"),
        pytest.param({"origin": "https://evil.example"}, 7000218, id="from a page of another site"),
        pytest.param({"origin": ""}, 7000218, id="from no page"),
    ],
)
def test_a_code_is_good_only_for_the_page_that_has_asked_for_it(
    stage: Stage, client_id: str, changes: dict[str, str], code: int
) -> None:
    """A refusal can be read by the page, too."""
    came = _choose(stage, client_id, _name(stage))
    refused = _redeem(stage, client_id, **({"code": came["code"]} | changes))
    assert refused.json()["error_codes"] == [code]
    assert refused.headers.get("Access-Control-Allow-Origin", "") == changes.get("origin", ORIGIN)


def test_a_code_is_good_for_one_token(stage: Stage, client_id: str) -> None:
    """Whoever has read it later gets nothing."""
    came = _choose(stage, client_id, _name(stage))
    assert _redeem(stage, client_id, came["code"]).ok
    assert _redeem(stage, client_id, came["code"]).json()["error_codes"] == [9002313]


def test_nobody_is_sent_to_an_address_that_is_not_registered(stage: Stage, client_id: str) -> None:
    """A page of another site could ask for a code in the name of this application."""
    refused = _authorize(stage, client_id, redirect_uri="https://evil.example/")
    assert refused.json()["error_codes"] == [50011]


def test_names_are_text_on_the_page(stage: Stage, client_id: str) -> None:
    """A user could have called himself anything."""
    stage.entra.people.add_user(stage.platform.world.tenant_id, "<b>@customer.onmicrosoft.com", PASSWORD, "x")
    assert "<b>" not in _authorize(stage, client_id).text
