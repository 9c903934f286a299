"""Certificates of applications, in Graph's form: `keyCredentials` that a PATCH replaces as a whole.

A credential that exists is kept by its `keyId`, without its key, which Graph does not show in lists.
"""

import base64
import binascii
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from cryptography import x509

from emulator.core.store import Document
from emulator.entra.certificates import certificate_record
from emulator.graph.exceptions import BAD_REQUEST

TYPE = "AsymmetricX509Cert"
USAGE = "Verify"


def shown(record: Document) -> dict[str, Any]:
    """Return a certificate as Graph shows it."""
    return {
        "customKeyIdentifier": record["sha1"].upper(),
        "displayName": record["displayName"],
        "endDateTime": record["endDateTime"],
        "key": None,
        "keyId": record["keyId"],
        "startDateTime": record["startDateTime"],
        "type": TYPE,
        "usage": USAGE,
    }


def replaced(known: Sequence[Document], wanted: Sequence[dict[str, Any]]) -> list[Document]:
    """Return an application's certificates after a request with these `keyCredentials`.

    Args:
        known: the certificates that it has.
        wanted: those of the request: known ones by `keyId`, new ones with their key.

    Raises:
        ServiceError: 400, for a credential that is not a certificate.
    """
    by_id = {record["keyId"]: record for record in known}
    return [by_id.get(str(credential.get("keyId"))) or _new(credential) for credential in wanted]


def _new(credential: dict[str, Any]) -> Document:
    der = _der(credential.get("key"))
    certificate = x509.load_der_x509_certificate(der)
    return certificate_record(
        der,
        key_id=credential.get("keyId") or str(uuid4()),
        display_name=credential.get("displayName") or "",
        starts=certificate.not_valid_before_utc,
        expires=certificate.not_valid_after_utc,
    )


def _der(key: str | None) -> bytes:
    """Return the certificate in a request: base64 of DER, with or without line breaks.

    Raises:
        ServiceError: 400 if the text is not a certificate.
    """
    try:
        der = base64.b64decode("".join((key or "").split()), validate=True)
        x509.load_der_x509_certificate(der)
    except (binascii.Error, ValueError):
        raise BAD_REQUEST("Key credential value is invalid: it is not an X.509 certificate.") from None
    return der
