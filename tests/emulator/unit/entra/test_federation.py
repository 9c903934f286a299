"""The check of federated assertions: what the credential says, and what the issuer publishes, must fit the token."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from emulator.core.clock import Clock
from emulator.core.platform import Platform
from emulator.core.service_error import ServiceError
from emulator.core.world import World
from emulator.entra import federation
from emulator.entra.federation import Federation, is_federated

ISSUER = "https://issuer.z1.web.core.windows.net/tenant/cluster"
SUBJECT = "system:serviceaccount:openshift-ingress-operator:ingress-operator"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
SKEW = timedelta(minutes=5)
KEY, OTHER = (rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2))
RECORD = {"issuer": ISSUER, "subject": SUBJECT, "audiences": ["openshift"]}
DISCOVERY, KEYS = f"{ISSUER}/.well-known/openid-configuration", f"{ISSUER}/openid/v1/jwks"


def _published(key: rsa.RSAPrivateKey = KEY) -> dict[str, Any]:
    known = json.loads(RSAAlgorithm.to_jwk(key.public_key())) | {"kid": "one", "use": "sig", "alg": "RS256"}
    return {DISCOVERY: {"issuer": ISSUER, "jwks_uri": KEYS}, KEYS: {"keys": [known]}}


def _token(*, kid: str = "one", **changes: Any) -> str:
    at = int(NOW.timestamp())
    claims = {"iss": ISSUER, "sub": SUBJECT, "aud": ["openshift"], "iat": at, "nbf": at, "exp": at + 3600}
    return jwt.encode(claims | changes, KEY, algorithm="RS256", headers={"kid": kid})


@pytest.fixture
def documents(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return what the internet has, by address."""
    found = _published()

    async def read(_client: httpx.AsyncClient, url: str) -> dict[str, Any]:
        await asyncio.sleep(0)
        if url not in found:
            raise httpx.ConnectError(f"there is no {url}")
        return dict(found[url])

    monkeypatch.setattr(federation, "_read", read)
    return found


@pytest.fixture
def platform(tmp_path: Path) -> Platform:
    """Return a platform whose proxy nothing reaches."""
    made = Platform(tmp_path, clock=Clock(1), world=World())
    made.ports["proxy"] = 1
    made.journal.close()
    made.store.close()
    return made


def _check(platform: Platform, token: str, *credentials: dict[str, Any]) -> None:
    application = {"clientId": "one", "federatedCredentials": list(credentials)}
    asyncio.run(Federation(platform).check(application, token, NOW, SKEW))


def test_a_token_that_fits_a_credential_and_a_published_key_is_taken(
    platform: Platform, documents: dict[str, Any]
) -> None:
    """One credential among others suffices, and one audience among others."""
    assert len(documents) == 2
    _check(platform, _token(), RECORD | {"subject": "another"}, RECORD)
    _check(platform, _token(aud="openshift"), RECORD)
    assert is_federated(_token())
    assert not is_federated(_token(iss="one"))
    assert not is_federated("nonsense")


@pytest.mark.parametrize(
    ("changes", "credentials", "want"),
    [
        ({}, (), "70021: .*Assertion Issuer: 'https://issuer"),
        ({"iss": f"{ISSUER}/"}, (RECORD,), f"700211: .*issuer '{ISSUER}/'"),
        ({}, (RECORD | {"issuer": ISSUER.upper()},), "700211: "),
        ({"sub": "somebody"}, (RECORD,), "700213: .*subject 'somebody'"),
        ({"sub": SUBJECT.upper()}, (RECORD,), "700213: "),
        ({"aud": "api://AzureADTokenExchange"}, (RECORD,), "700212: .*audience 'api://AzureADTokenExchange'"),
        ({"kid": "another"}, (RECORD,), f"7000272: .*identifier another .* identity provider {ISSUER}"),
        ({"exp": int((NOW - SKEW).timestamp())}, (RECORD,), "700024: "),
        ({"nbf": int((NOW + SKEW).timestamp()) + 1}, (RECORD,), "700024: "),
    ],
    ids=[
        "no credential",
        "a slash at the issuer's end",
        "issuer in another case",
        "subject",
        "subject in another case",
        "audience",
        "key",
        "expired",
        "not yet valid",
    ],
)
def test_what_does_not_fit_has_its_own_code(
    platform: Platform, documents: dict[str, Any], changes: dict[str, Any], credentials: Any, want: str
) -> None:
    """Issuer, subject and audience must be equal, letter by letter."""
    assert len(documents) == 2
    with pytest.raises(ServiceError, match=f"AADSTS{want}"):
        _check(platform, _token(**changes), *credentials)


def test_a_key_that_was_made_again_under_the_old_name_does_not_verify(
    platform: Platform, documents: dict[str, Any]
) -> None:
    """The issuer's keys decide, not their names."""
    documents |= _published(OTHER)
    with pytest.raises(ServiceError, match="AADSTS50013: "):
        _check(platform, _token(), RECORD)


@pytest.mark.parametrize(
    "published",
    [
        {},
        {DISCOVERY: {"issuer": ISSUER, "jwks_uri": KEYS}},
        {DISCOVERY: {"issuer": f"{ISSUER}/", "jwks_uri": KEYS}, KEYS: _published()[KEYS]},
        {DISCOVERY: {"issuer": ISSUER, "jwks_uri": KEYS}, KEYS: {"keys": []}},
        {DISCOVERY: ["nonsense"]},
    ],
    ids=["nothing", "no keys", "another issuer", "an empty list of keys", "no object"],
)
def test_an_issuer_must_publish_its_documents(
    platform: Platform, documents: dict[str, Any], published: dict[str, Any]
) -> None:
    """Whatever is wrong with them, the error is the same: AADSTS50166."""
    documents.clear()
    documents |= published
    with pytest.raises(ServiceError, match="AADSTS50166: Request to External OIDC endpoint failed"):
        _check(platform, _token(), RECORD)


def test_an_issuer_that_nothing_reaches_is_refused(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the connection were refused."""
    monkeypatch.setattr(httpx.AsyncClient, "get", AsyncMock(side_effect=httpx.ConnectError("refused")))
    with pytest.raises(ServiceError, match="AADSTS50166: "):
        _check(platform, _token(), RECORD)
