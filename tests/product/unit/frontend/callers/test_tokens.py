"""Which tokens are believed, and whose they are."""

import base64
import hmac
import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import assume, given
from hypothesis import strategies as st

from frontend.callers.rights import Role
from frontend.callers.tokens import MAX_CHARACTERS, Kind
from frontend.routes import ROUTES
from tests.product.unit.frontend.callers_world import (
    API,
    APPLICATION,
    AUTHORITY,
    CLI,
    KEY_ID,
    TENANT,
    USER,
    CallersWorld,
    application_token,
    claims,
    key,
    token,
    user_token,
)
from tests.product.unit.frontend.middleware.test_host import path_of
from tests.product.unit.frontend.world import CLUSTER, SUBSCRIPTION

OWN = CallersWorld()
OTHER = "99999999-0000-4000-8000-000000000009"
CHALLENGE = f'Bearer authorization_uri="{AUTHORITY}", resource="api://{API}"'


def now() -> int:
    """Return the time. A long run must not begin with it: its first tokens would be old at the end."""
    return int(time.time())


def part(content: Any) -> str:
    """Return a part of a token."""
    return base64.urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")


def signed_with_the_public_key() -> str:
    """Return a token that a careless verifier takes: it uses the public key as a shared secret."""
    public = key().public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    signed = f"{part({'alg': 'HS256', 'kid': KEY_ID})}.{part(claims())}"
    return f"{signed}.{base64.urlsafe_b64encode(hmac.digest(public, signed.encode(), 'sha256')).decode().rstrip('=')}"


REFUSED = {
    "expired": (lambda: token(exp=now() - 120), "expired"),
    "not yet valid": (lambda: token(nbf=now() + 120), "not valid yet"),
    "issued in the future": (lambda: token(iat=now() + 120), "not valid yet"),
    "for another application": (lambda: token(aud=OTHER), "another audience"),
    "for ARM": (lambda: token(aud="https://management.azure.com"), "another audience"),
    "for this and another application": (lambda: token(aud=[API, OTHER]), "another audience"),
    "for the URI of this application": (lambda: token(aud=f"api://{API}"), "another audience"),
    "of another tenant": (lambda: token(iss=AUTHORITY.replace(TENANT, OTHER) + "/v2.0", tid=OTHER), "another issuer"),
    "of another tenant by its claim alone": (lambda: token(tid=OTHER), "another tenant"),
    "of an issuer with a slash more": (lambda: token(iss=f"{AUTHORITY}/v2.0/"), "another issuer"),
    "of version 1.0": (
        lambda: token(ver="1.0", iss=f"https://sts.windows.net/{TENANT}/", appid=CLI, azp=...),
        "invalid",
    ),
    "of version 1.0 with the issuer of 2.0": (lambda: token(ver="1.0"), "version 2.0"),
    "an id token": (lambda: token(azp=..., scp=..., nonce="n"), "invalid"),
    "an id token that names its client": (lambda: token(scp=...), "not an access token"),
    "with another scope": (lambda: token(scp="User.Read"), "not an access token"),
    "with a scope that only begins like ours": (lambda: token(scp="user_impersonation.read"), "not an access token"),
    "with a scope that is not text": (lambda: token(scp=["user_impersonation"]), "not an access token"),
    "of an application whose subject is another": (lambda: application_token(sub=OTHER), "not an access token"),
    "without an object id": (lambda: token(oid=...), "invalid"),
    "with an object id that is none": (lambda: token(oid="ann"), "no object id"),
    "with an object id that is a number": (lambda: token(oid=1), "no object id"),
    "without an end": (lambda: token(exp=...), "invalid"),
    "with an end that is not a number": (lambda: token(exp="soon"), "invalid"),
    "signed with another key under a known name": (
        lambda: jwt.encode(claims(), key("stolen"), "RS256", headers={"kid": KEY_ID}),
        "signature of the token is wrong",
    ),
    "signed with a key that is not the tenant's": (lambda: token("unknown"), "key of this tenant"),
    "without a key's name": (lambda: jwt.encode(claims(), key(), "RS256"), "key of this tenant"),
    "with a key's name that is not text": (
        lambda: f"{part({'alg': 'RS256', 'kid': [KEY_ID]})}.{part(claims())}.AAAA",
        "invalid",
    ),
    "not signed": (lambda: f"{part({'alg': 'none', 'kid': KEY_ID})}.{part(claims())}.", "not a signed"),
    "not signed, with something for a signature": (
        lambda: f"{part({'alg': 'none', 'kid': KEY_ID})}.{part(claims())}.AAAA",
        "not signed with RS256",
    ),
    "signed with the public key as a secret": (signed_with_the_public_key, "not signed with RS256"),
    "signed with RS512": (
        lambda: jwt.encode(claims(), key(), "RS512", headers={"kid": KEY_ID}),
        "not signed with RS256",
    ),
    "changed after it was signed": (
        lambda: ".".join([user_token().split(".")[0], part(claims(oid=OTHER)), user_token().split(".")[2]]),
        "signature of the token is wrong",
    ),
    "huge": (lambda: token(padding="x" * MAX_CHARACTERS), "too long"),
    "garbage": (lambda: "garbage", "not a signed"),
    "three parts of garbage": (lambda: "a.b.c", "invalid"),
    "not ASCII": (lambda: "é.é.é", "not a signed"),
}


@pytest.mark.parametrize(("make", "want"), REFUSED.values(), ids=REFUSED)
def test_a_token_that_is_not_right_is_401(own: CallersWorld, make: Any, want: str) -> None:
    """The challenge says why, where to sign in, and what for; nobody is asked anything, and nothing else is read."""
    reply = own.call("GET", CLUSTER, token=make())
    error = reply.body["error"]
    assert (reply.status, error["code"]) == (401, "Unauthorized")
    assert want in error["message"]
    assert reply.headers["WWW-Authenticate"] == (
        f'{CHALLENGE}, error="invalid_token", error_description="{error["message"]}"'
    )
    assert not own.rights.asked


@pytest.mark.parametrize("header", ["Basic YTpi", "Bearer", "bearer ", f"Token {user_token()}", f"{user_token()}"])
def test_another_kind_of_authorization_is_401(own: CallersWorld, header: str) -> None:
    """Only bearer tokens are read."""
    reply = own.call("GET", CLUSTER, token="", headers={"authorization": header})
    assert (reply.status, reply.body["error"]["code"]) == (401, "Unauthorized")
    assert 'error="invalid_token"' in reply.headers["WWW-Authenticate"]


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: str(route.name))
def test_without_a_token_every_route_but_health_and_the_page_is_401(own: CallersWorld, route: Any) -> None:
    """For every verb, unknown paths included, whatever else is wrong with the request."""
    needs_a_token = route.name not in ("http_health", "http_health_ready", "http_portal", "http_portal_file")
    for method in ("GET", "PUT", "PATCH", "POST", "DELETE", "HEAD", "OPTIONS"):
        reply = own.call(method, path_of(route), token="", api_version="nonsense")
        assert (reply.status == 401) == needs_a_token, method
        if needs_a_token:
            assert reply.body["error"]["code"] == "Unauthorized", method
            assert reply.headers["WWW-Authenticate"] == CHALLENGE, method
            assert own.fetched == 0, method
            assert not own.rights.asked, method


def test_a_users_token_is_the_users(own: CallersWorld) -> None:
    """The object id decides, the name is only shown."""
    principal = own.verifier.principal_of(token(oid=USER.upper(), scp="profile user_impersonation", roles=["Operator"]))
    assert (principal.object_id, principal.kind, principal.name) == (USER, Kind.USER, "ann@example.com")
    assert principal.has(Role.OPERATOR)
    assert not principal.has(Role.OPERATOR_ADMIN)
    assert own.call("GET", CLUSTER).status == 404


def test_an_applications_token_is_the_applications(own: CallersWorld) -> None:
    """It has no user and no scope."""
    principal = own.verifier.principal_of(application_token(roles=["OperatorAdmin"]))
    assert (principal.object_id, principal.kind, principal.name) == (APPLICATION, Kind.APPLICATION, APPLICATION)
    assert principal.has(Role.OPERATOR)
    assert principal.has(Role.OPERATOR_ADMIN)
    assert own.call("GET", CLUSTER, token=application_token()).status == 404


@pytest.mark.parametrize("roles", [..., "Operator", [], ["operator"], [["Operator"]], {"Operator": 1}])
def test_what_is_no_role_gives_none(own: CallersWorld, roles: Any) -> None:
    """Roles are a list of names, in exactly this case."""
    assert not own.verifier.principal_of(token(roles=roles)).has(Role.OPERATOR)


@pytest.mark.parametrize("name", [..., "", 7, "x" * 257, "ann\r\nX: 1"])
def test_a_user_without_a_readable_name_is_named_by_the_object_id(own: CallersWorld, name: Any) -> None:
    """Names end up in documents and in messages."""
    assert own.verifier.principal_of(token(preferred_username=name)).name == USER


def test_clocks_may_differ_a_little(own: CallersWorld) -> None:
    """By less than a minute."""
    assert own.call("GET", CLUSTER, token=token(exp=now() - 30)).status == 404
    assert own.call("GET", CLUSTER, token=token(nbf=now() + 30)).status == 404


def test_keys_are_read_once_and_a_new_one_when_a_token_names_it(own: CallersWorld) -> None:
    """Entra rotates its keys. A removed one is believed no longer than until the next look."""
    for _ in range(3):
        assert own.call("GET", CLUSTER).status == 404
    assert own.fetched == 1
    own.clock, own.published = 61, ["key-2"]
    assert own.call("GET", CLUSTER, token=token("key-2")).status == 404
    assert own.call("GET", CLUSTER).status == 401
    assert own.fetched == 2


def test_a_storm_of_unknown_keys_causes_one_look_a_minute(own: CallersWorld) -> None:
    """Anybody can write a token that names a key."""
    assert own.call("GET", CLUSTER).status == 404
    own.clock = 61
    storm = [token(name) for name in ("x", "y", "z") for _ in range(5)]
    with ThreadPoolExecutor(8) as threads:
        replies = list(threads.map(lambda each: own.call("GET", CLUSTER, token=each), storm))
    assert {reply.status for reply in replies} == {401}
    assert own.fetched == 2
    own.clock += 59
    own.call("GET", CLUSTER, token=token("x"))
    assert own.fetched == 2


def test_known_keys_go_on_while_entra_is_away(own: CallersWorld) -> None:
    """For a day; an unknown key is then refused as always."""
    assert own.call("GET", CLUSTER).status == 404
    own.entra_is_away = True
    own.clock = 3601
    assert own.call("GET", CLUSTER).status == 404
    assert own.call("GET", CLUSTER, token=token("key-2")).status == 401
    own.clock = 24 * 3600 + 1
    assert own.call("GET", CLUSTER).status == 503


def test_without_any_key_nobody_can_be_told_from_anybody(own: CallersWorld) -> None:
    """That is not the caller's fault, so the answer is not 401."""
    own.entra_is_away = True
    reply = own.call("GET", CLUSTER)
    assert (reply.status, reply.body["error"]["code"]) == (503, "ServiceUnavailable")
    assert "Microsoft Entra ID" in reply.body["error"]["message"]
    assert int(reply.headers["Retry-After"]) > 0
    own.entra_is_away = False
    assert own.call("GET", CLUSTER).status == 404


def test_a_subscription_cannot_be_reported(own: CallersWorld) -> None:
    """Otherwise a caller could have every cluster of a subscription deleted."""
    reply = own.call("PUT", f"/subscriptions/{SUBSCRIPTION}", {"state": "Deleted"})
    assert (reply.status, reply.body["error"]["code"]) == (404, "NotFound")
    assert own.cosmos["Subscriptions"].documents[SUBSCRIPTION, SUBSCRIPTION]["subscription"]["state"] == "Registered"


@given(header=st.text(max_size=200) | st.binary(max_size=200).map(lambda raw: f"Bearer {raw.decode('latin-1')}"))
def test_any_authorization_is_answered_in_good_form(header: str) -> None:
    """Whatever a stranger sends, it is nobody's token."""
    reply = OWN.call("GET", CLUSTER, token="", headers={"authorization": header})
    assert reply.status == 401
    assert reply.headers["WWW-Authenticate"].isascii()


@given(index=st.integers(0, len(user_token()) - 1), letter=st.sampled_from("AZaz09-_."))
def test_a_token_with_any_other_letter_is_not_believed(index: int, letter: str) -> None:
    """The signature covers all of it."""
    sent = user_token()
    assume(sent[index] != letter)
    assert OWN.call("GET", CLUSTER, token=f"{sent[:index]}{letter}{sent[index + 1 :]}").status == 401
