"""Certificates with their keys, as PEM texts: whether they belong together, and for which names they are."""

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from emulator.core.certificates import read_private_key


def problem(chain_pem: str, key_pem: str) -> str:
    """Return why nobody can serve with a certificate and a key, "" when one can."""
    try:
        certificate, *_ = x509.load_pem_x509_certificates(chain_pem.encode())
    except ValueError as error:
        return f"failed to parse the certificate: {error}"
    try:
        key = read_private_key(key_pem)
    except (TypeError, ValueError):
        # What the parser says may quote the key.
        return "failed to parse the private key"
    own, theirs = (
        public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        for public in (key.public_key(), certificate.public_key())
    )
    return "" if own == theirs else "private key does not match public key"


def names(chain_pem: str) -> tuple[str, ...]:
    """Return the DNS names of a certificate."""
    certificate = x509.load_pem_x509_certificate(chain_pem.encode())
    try:
        extension = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    except x509.ExtensionNotFound:
        return ()
    return tuple(extension.value.get_values_for_type(x509.DNSName))
