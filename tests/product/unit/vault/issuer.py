"""Certificates as an issuer makes them, for tests: a root, a leaf that it has signed, and keys as PEM."""

from datetime import UTC, datetime, timedelta
from functools import cache

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat


@cache
def issue(common_name: str = "api.c1.eastus.aroapp.io") -> tuple[str, str, str]:
    """Issue a certificate; return it, the one of its issuer and its key, each as PEM."""
    root_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    root, leaf = _signed("Root", root_key, root_key), _signed(common_name, key, root_key)
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    return leaf, root, private


def _signed(common_name: str, key: ec.EllipticCurvePrivateKey, signer: ec.EllipticCurvePrivateKey) -> str:
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, common_name)])
    issuer = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Root")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(issuer, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now)
        .not_valid_after(now + timedelta(days=1))
        .sign(signer, hashes.SHA256())
    )
    return certificate.public_bytes(Encoding.PEM).decode()
