"""ARM's client certificates: what it presents to resource providers, and what it publishes about them."""

import base64
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import Encoding

from emulator.core.certificate_authority import private_key_pem
from emulator.core.clock import rfc3339
from emulator.core.platform import Platform

COMMON_NAME = "management.azure.com"
CURRENT, NEXT = "current", "next"


class ArmIdentity:
    """The certificate in use and the next one. Both are published, so that providers already accept the next one."""

    def __init__(self, platform: Platform) -> None:
        self._authority = platform.authority
        self._table = platform.store.table("arm_certificates")
        for slot in (CURRENT, NEXT):
            if self._table.get(slot) is None:
                self._table.put(slot, self._issue())

    def client_certificate(self) -> tuple[bytes, bytes]:
        """Return the certificate in use and its key, as PEM."""
        found = self._slot(CURRENT)
        return found["certificate"].encode(), found["key"].encode()

    def roll_over(self) -> None:
        """Replace the certificate in use by the next one, and issue a new next one."""
        self._table.put(CURRENT, self._slot(NEXT))
        self._table.put(NEXT, self._issue())

    def published(self) -> list[dict[str, str]]:
        """Return `clientCertificates` for ARM's authentication metadata."""
        return [self._publish(self._slot(slot)) for slot in (CURRENT, NEXT)]

    def _slot(self, slot: str) -> dict[str, Any]:
        found = self._table.get(slot)
        if found is None:
            raise LookupError(f"ARM has no {slot} certificate")
        return found

    def _issue(self) -> dict[str, str]:
        certificate, key = self._authority.issue(COMMON_NAME, names=(COMMON_NAME,), client=True)
        return {
            "certificate": certificate.public_bytes(Encoding.PEM).decode(),
            "key": private_key_pem(key).decode(),
        }

    def _publish(self, stored: dict[str, str]) -> dict[str, str]:
        certificate = x509.load_pem_x509_certificate(stored["certificate"].encode())
        return {
            # Windows, and therefore ARM, names a certificate by its SHA-1 thumbprint.
            "thumbprint": certificate.fingerprint(hashes.SHA1()).hex().upper(),  # noqa: S303 - a name, not a proof
            "notBefore": rfc3339(certificate.not_valid_before_utc),
            "notAfter": rfc3339(certificate.not_valid_after_utc),
            "certificate": base64.b64encode(certificate.public_bytes(Encoding.DER)).decode(),
        }
