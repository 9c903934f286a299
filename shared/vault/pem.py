"""The text in which Key Vault hands out a certificate of content type `application/x-pem-file`."""

import re

from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key

_KEY = re.compile(r"-----BEGIN PRIVATE KEY-----.+?-----END PRIVATE KEY-----\n?", re.DOTALL)
_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----\n?", re.DOTALL)


def split(text: str) -> tuple[str, str]:
    """Return the chain, leaf first, and the key.

    Key Vault writes the key first and the chain as its issuer gave it, which may be any order: the leaf is the
    certificate of the key.

    Args:
        text: one PKCS#8 key and its certificates.

    Raises:
        ValueError: when it is anything else; its text is not quoted.
    """
    keys, certificates = _KEY.findall(text), _CERTIFICATE.findall(text)
    if len(keys) != 1 or not certificates:
        raise ValueError(f"a certificate's secret holds {len(keys)} keys and {len(certificates)} certificates")
    own = load_pem_private_key(keys[0].encode("ascii"), None).public_key()
    chain = sorted(
        certificates, key=lambda one: x509.load_pem_x509_certificate(one.encode("ascii")).public_key() != own
    )
    if x509.load_pem_x509_certificate(chain[0].encode("ascii")).public_key() != own:
        raise ValueError("a certificate's secret holds the key of none of its certificates")
    return "".join(_line(one) for one in chain), _line(keys[0])


def _line(text: str) -> str:
    return text if text.endswith("\n") else f"{text}\n"
