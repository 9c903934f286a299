"""Certificates of applications, in Graph's form: `keyCredentials` that a PATCH replaces as a whole.

A credential that exists is kept by its `keyId`, without its key, which Graph does not show in lists.
"""

import base64
import binascii
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from cryptography import x509

from emulator.core.service_error import ServiceError
from emulator.core.store import Document
from emulator.entra.application_certificates import certificate_record
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

    Raises:
        ServiceError: 400, for a credential that is not a certificate.
    """
    by_id = {record["keyId"]: record for record in known}
    return [by_id.get(str(credential.get("keyId"))) or _new(credential) for credential in wanted]


def _new(credential: dict[str, Any]) -> Document:
    der = _der(credential.get("key"))
    certificate = x509.load_der_x509_certificate(der)
    starts = _moment(credential.get("startDateTime"), certificate.not_valid_before_utc)
    expires = _moment(credential.get("endDateTime"), certificate.not_valid_after_utc)
    return certificate_record(
        der,
        key_id=credential.get("keyId") or str(uuid4()),
        display_name=credential.get("displayName") or "",
        starts=starts,
        expires=expires,
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
        raise _invalid_key() from None
    return der


def _invalid_key() -> ServiceError:
    return BAD_REQUEST("Key credential value is invalid: it is not an X.509 certificate.")


def _moment(text: str | None, otherwise: datetime) -> datetime:
    if not text:
        return otherwise
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BAD_REQUEST(f"Invalid value '{text}' for a time.") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
