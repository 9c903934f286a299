"""The check of client assertions: each claim and the key have to be right."""

import base64
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding

from emulator.core.certificate_authority import CertificateAuthority, PrivateKey
from emulator.core.service_error import ServiceError
from emulator.entra.application_certificates import certificate_record
from emulator.entra.assertions import check_assertion

CLIENT_ID = "cccccccc-0000-4000-8000-000000000009"
ENDPOINT = "https://login.microsoftonline.com/tenant/oauth2/v2.0/token"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
SKEW = timedelta(minutes=5)


@pytest.fixture(scope="module")
def credential(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], PrivateKey]:
    """Return an application with one registered certificate, and its key."""
    authority = CertificateAuthority(Path(tmp_path_factory.mktemp("ca")))
    certificate, key = authority.issue("test", rsa_key=True)
    der = certificate.public_bytes(Encoding.DER)
    known = certificate_record(der, starts=NOW - SKEW, expires=NOW + 2 * SKEW)
    return {"clientId": CLIENT_ID, "certificates": [known]}, key


def _assertion(
    credential: tuple[dict[str, Any], PrivateKey], header: dict[str, Any] | None = None, **changes: Any
) -> str:
    application, key = credential
    thumbprint = bytes.fromhex(application["certificates"][0]["sha256"])
    named = {"x5t#S256": base64.urlsafe_b64encode(thumbprint).decode().rstrip("=")}
    at = int(NOW.timestamp())
    claims = {"aud": ENDPOINT, "iss": CLIENT_ID, "sub": CLIENT_ID, "jti": "1", "nbf": at, "iat": at, "exp": at + 600}
    return jwt.encode(claims | changes, key, algorithm="PS256", headers=named if header is None else header)


def _check(credential: tuple[dict[str, Any], PrivateKey], assertion: str) -> None:
    check_assertion(credential[0], assertion, [ENDPOINT], NOW, SKEW)


def test_a_good_assertion_passes_twice(credential: tuple[dict[str, Any], PrivateKey]) -> None:
    """MSAL uses one assertion for ten minutes; a chain may be included, and the old thumbprint is accepted."""
    _check(credential, _assertion(credential))
    _check(credential, _assertion(credential))
    known = credential[0]["certificates"][0]
    old = base64.urlsafe_b64encode(bytes.fromhex(known["sha1"])).decode()
    _check(credential, _assertion(credential, {"x5t": old, "x5c": [known["der"]]}))


@pytest.mark.parametrize(
    ("changes", "want_code"),
    [
        ({"aud": "https://login.microsoftonline.com/other/oauth2/v2.0/token"}, 700023),
        ({"iss": "somebody"}, 700021),
        ({"sub": "somebody"}, 700021),
        ({"exp": int((NOW - SKEW).timestamp())}, 700024),
        ({"nbf": int((NOW + SKEW).timestamp()) + 1}, 700024),
        ({"exp": "soon"}, 50027),
        ({"aud": None}, 50027),
    ],
    ids=["another endpoint", "issuer", "subject", "expired", "not yet valid", "no number", "no audience"],
)
def test_each_claim_counts(
    credential: tuple[dict[str, Any], PrivateKey], changes: dict[str, Any], want_code: int
) -> None:
    """Each wrong claim has its own code."""
    with pytest.raises(ServiceError, match=f"^AADSTS{want_code}:"):
        _check(credential, _assertion(credential, **changes))


@pytest.mark.parametrize(
    "header",
    [{}, {"x5t": "####"}, {"x5t": "AAAA"}, {"x5t#S256": "AAAA", "x5c": []}],
    ids=["none", "no base64", "unknown", "unknown with an empty chain"],
)
def test_the_header_must_name_a_registered_certificate(
    credential: tuple[dict[str, Any], PrivateKey], header: dict[str, Any]
) -> None:
    """Otherwise no key verifies the assertion: AADSTS700027."""
    with pytest.raises(ServiceError, match="The key was not found"):
        _check(credential, _assertion(credential, header))


def test_another_key_under_a_registered_name_is_refused(
    credential: tuple[dict[str, Any], PrivateKey], tmp_path: Path
) -> None:
    """A thumbprint is public, so the signature decides."""
    _, key = CertificateAuthority(tmp_path).issue("thief", rsa_key=True)
    with pytest.raises(ServiceError, match=r"AADSTS700027.*use of the key to verify the signature failed"):
        _check(credential, _assertion((credential[0], key)))


def test_an_expired_certificate_is_refused(credential: tuple[dict[str, Any], PrivateKey]) -> None:
    """The registration says how long a certificate counts, whatever is in the certificate."""
    application, key = credential
    expired = certificate_record(
        base64.b64decode(application["certificates"][0]["der"]), starts=NOW - 2 * SKEW, expires=NOW - SKEW
    )
    with pytest.raises(ServiceError, match=r"AADSTS700027.*The key used is expired"):
        _check((application | {"certificates": [expired]}, key), _assertion(credential))


def test_what_is_no_jwt_is_refused(credential: tuple[dict[str, Any], PrivateKey]) -> None:
    """Text that is not a JWT gets AADSTS50027, an unsigned one AADSTS700027."""
    unsigned = jwt.encode({"sub": CLIENT_ID}, "", algorithm="none")
    for assertion in ("nonsense", "a.b.c"):
        with pytest.raises(ServiceError, match="AADSTS50027"):
            _check(credential, assertion)
    with pytest.raises(ServiceError, match="AADSTS700027"):
        _check(credential, unsigned)
