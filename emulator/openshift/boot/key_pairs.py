"""Certificates and their keys as PEM text: read them, and tell in Go's words why a client would not trust them."""

from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key

from emulator.core.certificate_authority import PrivateKey, read_private_key

Certificate = x509.Certificate
# Larger than the number of certificates on one machine, because its stages check the same ones again and again.
_CACHED = 256


@lru_cache(maxsize=_CACHED)
def read(chain_pem: str) -> tuple[x509.Certificate, ...]:
    """Return the certificates of a chain or a bundle, at least one.

    Raises:
        ValueError: if the text is not a series of certificates.
    """
    return tuple(x509.load_pem_x509_certificates(chain_pem.encode()))


@lru_cache(maxsize=_CACHED)
def problem(chain_pem: str, key_pem: str) -> str:
    """Return why a server cannot use a certificate with a key, "" if it can."""
    try:
        certificate, *_ = read(chain_pem)
    except ValueError as error:
        return f"failed to parse the certificate: {error}"
    try:
        key = read_private_key(key_pem)
    except (TypeError, ValueError):
        # The parser's message may quote the key.
        return "failed to parse the private key"
    own, theirs = (public.public_bytes(*_PUBLIC) for public in (key.public_key(), certificate.public_key()))
    return "" if own == theirs else "private key does not match public key"


_PUBLIC = (Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


@lru_cache(maxsize=_CACHED)
def is_public_key(public_pem: str, key_pem: str) -> bool:
    """Tell whether a public key belongs to a private key; either text may be malformed."""
    try:
        key: PrivateKey = read_private_key(key_pem)
        return load_pem_public_key(public_pem.encode()).public_bytes(*_PUBLIC) == key.public_key().public_bytes(
            *_PUBLIC
        )
    except (TypeError, ValueError):
        return False


def names(chain_pem: str) -> tuple[str, ...]:
    """Return the DNS names of a certificate."""
    return tuple(_alternatives(read(chain_pem)[0]).get_values_for_type(x509.DNSName))


def is_expired(certificate: x509.Certificate, now: datetime) -> str:
    """Return the error for a certificate that is not valid at a given time, "" if it is valid."""
    if certificate.not_valid_before_utc <= now <= certificate.not_valid_after_utc:
        return ""
    bound, word = certificate.not_valid_after_utc, "after"
    if now < certificate.not_valid_before_utc:
        bound, word = certificate.not_valid_before_utc, "before"
    return (
        f"x509: certificate has expired or is not yet valid: current time {now:%Y-%m-%dT%H:%M:%SZ} is {word} "
        f"{bound:%Y-%m-%dT%H:%M:%SZ}"
    )


def untrusted(
    certificate: x509.Certificate, authorities: Iterable[x509.Certificate], now: datetime, *names_: str
) -> str:
    """Return why a client that trusts these authorities refuses a certificate for these names, "" if it does not."""
    if expired := is_expired(certificate, now):
        return expired
    issuer = next((one for one in authorities if issued(certificate, one)), None)
    if issuer is None:
        return "x509: certificate signed by unknown authority"
    if expired := is_expired(issuer, now):
        return expired
    known = _alternatives(certificate)
    own = [*known.get_values_for_type(x509.DNSName), *map(str, known.get_values_for_type(x509.IPAddress))]
    missing = [name for name in names_ if name not in own]
    return f"x509: certificate is valid for {', '.join(own)}, not {', '.join(missing)}" if missing else ""


@lru_cache(maxsize=4 * _CACHED)
def issued(certificate: x509.Certificate, authority: x509.Certificate) -> bool:
    """Tell whether an authority issued a certificate."""
    try:
        certificate.verify_directly_issued_by(authority)
    except (ValueError, TypeError, InvalidSignature):
        return False
    return True


def _alternatives(certificate: x509.Certificate) -> x509.SubjectAlternativeName:
    try:
        return certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return x509.SubjectAlternativeName([])
