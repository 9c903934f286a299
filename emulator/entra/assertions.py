"""Client assertions: JWTs that an application signs with the key of one of its registered certificates."""

import base64
import binascii
from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
from cryptography import x509
from cryptography.hazmat.primitives import hashes

from emulator.core.store import Document
from emulator.entra.application_certificates import is_valid_at
from emulator.entra.exceptions import aadsts
from emulator.entra.tokens import SIGNATURE_ONLY

ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
ALGORITHMS = ["RS256", "PS256"]
# The headers that can name the certificate, with the member of a registered certificate that they must equal.
THUMBPRINTS = {"x5t#S256": "sha256", "x5t": "sha1"}
NO_KEY = "The key was not found."
EXPIRED = "The key used is expired."
BAD_SIGNATURE = "Key was found, but use of the key to verify the signature failed."


def check_assertion(
    application: Document, assertion: str, endpoints: Collection[str], now: datetime, skew: timedelta
) -> None:
    """Check that a registered key of the application signed the assertion, for this endpoint and the current time.

    An assertion may be used more than once: MSAL uses one for ten minutes, which Entra ID accepts.

    Args:
        application: the application, with its registered certificates.
        assertion: the JWT.
        endpoints: token endpoints that its audience may name.
        now: the current time.
        skew: by how much clocks may differ.

    Raises:
        ServiceError: AADSTS50027 malformed; 700027 wrong key or signature; 700021 other application; 700023 wrong
            audience; 700024 not valid yet, or expired.
    """
    client_id, header = application["clientId"], _header(assertion)
    certificate = _certificate_of(application, header, now)
    try:
        claims: dict[str, Any] = jwt.decode(
            assertion,
            certificate.public_key(),  # type: ignore[arg-type] # whichever kind it is: the algorithms say which fit
            algorithms=ALGORITHMS,
            options={**SIGNATURE_ONLY, "require": ["aud", "exp", "iss", "sub"]},
        )
    except (jwt.InvalidSignatureError, jwt.InvalidKeyError) as error:
        raise aadsts(700027, reason=BAD_SIGNATURE, thumbprint=_shown(certificate), client_id=client_id) from error
    except jwt.PyJWTError as error:
        raise aadsts(50027, reason=str(error)) from error
    if {str(claims["iss"]).lower(), str(claims["sub"]).lower()} != {client_id}:
        raise aadsts(700021)
    if str(claims["aud"]).lower() not in {endpoint.lower() for endpoint in endpoints}:
        raise aadsts(700023, audience=str(claims["aud"]), endpoint=next(iter(endpoints)))
    check_validity(claims, now, skew)


def _header(assertion: str) -> dict[str, Any]:
    try:
        header: dict[str, Any] = jwt.get_unverified_header(assertion)
    except jwt.PyJWTError as error:
        raise aadsts(50027, reason=str(error)) from error
    return header


def _certificate_of(application: Document, header: dict[str, Any], now: datetime) -> x509.Certificate:
    """Return the registered certificate that the header names; if the header has a chain, it must begin with it."""
    name = next((name for name in THUMBPRINTS if name in header), "")
    thumbprint = _hexadecimal(str(header.get(name, "")))
    for known in application["certificates"]:
        if name and known[THUMBPRINTS[name]] == thumbprint and _leads_chain(known, header):
            if not is_valid_at(known, now):
                raise aadsts(
                    700027, reason=EXPIRED, thumbprint=known["sha1"].upper(), client_id=application["clientId"]
                )
            return x509.load_der_x509_certificate(base64.b64decode(known["der"]))
    raise aadsts(700027, reason=NO_KEY, thumbprint=thumbprint.upper(), client_id=application["clientId"])


def _leads_chain(known: Document, header: dict[str, Any]) -> bool:
    chain = header.get("x5c")
    if chain is None:
        return True
    return bool(isinstance(chain, list) and chain and "".join(str(chain[0]).split()) == known["der"])


def check_validity(claims: dict[str, Any], now: datetime, skew: timedelta) -> None:
    """Check that an assertion is valid now.

    Raises:
        ServiceError: AADSTS700024 not valid yet, or expired; 50027 if a time is not a number.
    """
    try:
        expires = float(claims["exp"])
        not_before = float(claims.get("nbf", claims.get("iat", 0)))
    except (TypeError, ValueError) as error:
        raise aadsts(50027, reason="exp and nbf must be numbers") from error
    if not_before - skew.total_seconds() <= now.timestamp() < expires + skew.total_seconds():
        return
    raise aadsts(
        700024,
        now=f"{now:%Y-%m-%dT%H:%M:%S.%fZ}",
        not_before=f"{datetime.fromtimestamp(not_before, UTC):%Y-%m-%dT%H:%M:%S.%fZ}",
        expires=f"{datetime.fromtimestamp(expires, UTC):%Y-%m-%dT%H:%M:%S.%fZ}",
    )


def _hexadecimal(encoded: str) -> str:
    try:
        return base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).hex()
    except (binascii.Error, ValueError):
        return ""


def _shown(certificate: x509.Certificate) -> str:
    return certificate.fingerprint(hashes.SHA1()).hex().upper()  # noqa: S303 - the thumbprint that Entra ID shows
