"""Secrets of a cluster with a certificate and its key, and the certificates that the service makes for them."""

import base64
import binascii
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, load_pem_private_key
from cryptography.x509.oid import ExtendedKeyUsageOID

from shared.json_object import Json
from shared.openshift.client import Read

PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey
# What OpenShift's ingress operator makes for a router that was given nothing else, and with what it signs.
DEFAULT = Read("Secret", "router-certs-default", "openshift-ingress")
SIGNER = Read("Secret", "router-ca", "openshift-ingress-operator")


@dataclass(frozen=True)
class TLSPair:
    """A certificate with its key.

    Attributes:
        certificate: the first one of the Secret.
        key: its key.
    """

    certificate: x509.Certificate
    key: PrivateKey = field(repr=False)


def pair(secret: Json) -> TLSPair | None:
    """Return the pair in a Secret, or None if there is none that can be read."""
    data = secret.get("data") or {}
    try:
        chain, key = (base64.b64decode(data[name], validate=True) for name in ("tls.crt", "tls.key"))
        certificate = x509.load_pem_x509_certificates(chain)[0]
        # The cluster made the key. Checking its primes would cost 20 ms.
        loaded = load_pem_private_key(key, None, unsafe_skip_rsa_key_validation=True)
    except (KeyError, TypeError, ValueError, binascii.Error, x509.InvalidVersion):
        return None
    if not isinstance(loaded, PrivateKey):
        return None
    return TLSPair(certificate, loaded) if certificate.public_key() == loaded.public_key() else None


def data_of(chain: str, key: str) -> dict[str, str]:
    """Return the data of a Secret, encoded."""
    return {
        name: base64.b64encode(text.encode("ascii")).decode("ascii")
        for name, text in (("tls.crt", chain), ("tls.key", key))
    }


def days_left(certificate: x509.Certificate) -> int:
    """Return the whole days until a certificate ends, below zero if it has."""
    return (certificate.not_valid_after_utc - datetime.now(UTC)).days


def sign(
    signer: TLSPair | None,
    subject: x509.Name,
    key: PrivateKey,
    life: timedelta,
    *names: str,
) -> x509.Certificate:
    """Make a certificate: of an authority for nothing else if there is no signer, otherwise of a server.

    Args:
        signer: who signs it; None if it signs itself.
        subject: its subject.
        key: its key.
        life: how long it is valid.
        names: the names of the server.
    """
    now = datetime.now(UTC)
    usages = dict.fromkeys(
        (
            *("content_commitment", "data_encipherment", "key_agreement", "crl_sign"),
            *("encipher_only", "decipher_only"),
        ),
        False,
    )
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(signer.certificate.subject if signer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(seconds=1))
        .not_valid_after(now + life)
        .add_extension(
            x509.KeyUsage(**usages, digital_signature=True, key_encipherment=True, key_cert_sign=signer is None),
            critical=True,
        )
        .add_extension(
            x509.BasicConstraints(ca=signer is None, path_length=0 if signer is None else None), critical=True
        )
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )
    if signer:
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.key.public_key())
        server = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
        alternative = x509.SubjectAlternativeName([x509.DNSName(name) for name in names])
        builder = (
            builder.add_extension(issuer, critical=False)
            .add_extension(server, critical=False)
            .add_extension(alternative, critical=False)
        )
    return builder.sign(signer.key if signer else key, hashes.SHA256())


def pem(certificate: x509.Certificate) -> str:
    """Return a certificate as PEM."""
    return certificate.public_bytes(Encoding.PEM).decode("ascii")
