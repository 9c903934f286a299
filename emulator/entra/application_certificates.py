"""An application's registered certificates: the records that Entra ID checks assertions with, and Graph shows."""

import base64
from datetime import UTC, datetime

from cryptography import x509
from cryptography.hazmat.primitives import hashes

from emulator.core.clock import rfc3339
from emulator.core.store import Document
from emulator.entra.tokens import stable_id


def certificate_record(
    der: bytes,
    *,
    key_id: str = "",
    display_name: str = "",
    starts: datetime | None = None,
    expires: datetime | None = None,
) -> Document:
    """Return the record of a certificate.

    Args:
        der: the certificate.
        key_id: id of the credential; derived from the certificate if empty.
        display_name: what people see.
        starts: start of the credential's validity; that of the certificate if None.
        expires: end of its validity; that of the certificate if None.

    Raises:
        ValueError: the bytes are not a certificate.
    """
    certificate = x509.load_der_x509_certificate(der)
    sha1 = certificate.fingerprint(hashes.SHA1()).hex()  # noqa: S303 - the thumbprint that `x5t` uses
    return {
        "der": base64.b64encode(der).decode(),
        "sha1": sha1,
        "sha256": certificate.fingerprint(hashes.SHA256()).hex(),
        "keyId": key_id or stable_id("certificate", sha1),
        "displayName": display_name or certificate.subject.rfc4514_string(),
        "startDateTime": rfc3339(starts or certificate.not_valid_before_utc),
        "endDateTime": rfc3339(expires or certificate.not_valid_after_utc),
    }


def is_valid_at(record: Document, now: datetime) -> bool:
    """Tell whether a certificate's credential is valid at a time."""
    # Both are RFC 3339 in UTC, which sorts as text.
    return str(record["startDateTime"]) <= rfc3339(now.astimezone(UTC)) <= str(record["endDateTime"])
