"""The PEM text of a Key Vault certificate whose content type is `application/x-pem-file`."""

import re

from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key

_KEY = re.compile(r"-----BEGIN PRIVATE KEY-----.+?-----END PRIVATE KEY-----\n?", re.DOTALL)
_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----\n?", re.DOTALL)


def split(text: str) -> tuple[str, str]:
    """Split the PEM text of a certificate: return the chain, leaf first, and the key.

    Key Vault writes the key first, then the chain in the issuer's order, which may be any. The leaf is the certificate
    that matches the key.

    Args:
        text: one PKCS#8 key and its certificates.

    Raises:
        ValueError: if it is anything else. The message does not quote the text.
    """
    keys, certificates = _KEY.findall(text), _CERTIFICATE.findall(text)
    if len(keys) != 1 or not certificates:
        raise ValueError(f"a certificate's secret holds {len(keys)} keys and {len(certificates)} certificates")
    # Key Vault made the key: checking its primes would cost 20 ms. A key of another certificate is refused below.
    public_key = load_pem_private_key(keys[0].encode("ascii"), None, unsafe_skip_rsa_key_validation=True).public_key()
    chain = sorted(
        certificates, key=lambda one: x509.load_pem_x509_certificate(one.encode("ascii")).public_key() != public_key
    )
    if x509.load_pem_x509_certificate(chain[0].encode("ascii")).public_key() != public_key:
        raise ValueError("a certificate's secret holds the key of none of its certificates")
    return "".join(_line(one) for one in chain), _line(keys[0])


def _line(text: str) -> str:
    return text if text.endswith("\n") else f"{text}\n"
