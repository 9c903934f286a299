"""Client certificates: ARM's are recognized by their bytes, operators' by their issuer and common name.

The platform puts the leaf, base64 DER, into a header, and removes any such header from the caller. It validates
nothing. TLS has proved that the caller holds the key; everything else is checked here.
"""

import base64
import binascii
from functools import cache
from urllib.parse import quote

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509 import Certificate
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from cryptography.x509.verification import (
    Criticality,
    ExtensionPolicy,
    Policy,
    PolicyBuilder,
    Store,
    VerificationError,
)

from frontend.services import Services
from shared.arm.errors import shown


def decode(header: str) -> Certificate | None:
    """Return the certificate in the header, or None if it cannot be read."""
    try:
        return x509.load_der_x509_certificate(base64.b64decode(header, validate=True)) if header else None
    except (binascii.Error, ValueError):
        return None


def name(certificate: Certificate | None) -> str:
    """Return how the log names who has a certificate: operators may share a subject, so the serial number tells which.

    Nothing in it has been verified yet. The text has one line, and no more characters than a log shows.
    """
    if certificate is None:
        return ""
    subject = quote(certificate.subject.rfc4514_string(), safe=" =,+.@")
    return f"Certificate {certificate.serial_number:x} of {shown(subject)}"


def is_arm(certificate: Certificate | None, services: Services) -> bool:
    """Tell whether the leaf is a certificate that ARM publishes, byte for byte, and valid now according to ARM.

    ARM publishes the next certificate before it uses it, so several may be valid at once.
    """
    if certificate is None:
        return False
    der, now = certificate.public_bytes(Encoding.DER), services.now()
    return any(
        published.der == der and published.not_before <= now <= published.not_after
        for published in services.arm_certificates()
    )


def is_admin(certificate: Certificate | None, services: Services) -> bool:
    """Tell whether the leaf chains to the pinned authorities, is meant for clients, and has the operators' name."""
    if certificate is None or _common_names(certificate) != [services.settings.admin_client_common_name]:
        return False
    verifier = (
        PolicyBuilder()
        .store(_authorities(services.settings.admin_ca_certificates))
        .time(services.now())
        .extension_policies(ca_policy=_CA, ee_policy=_LEAF)
        .build_client_verifier()
    )
    try:
        verifier.verify(certificate, _certificates(services.settings.admin_intermediate_certificates))
    except VerificationError:
        return False
    return True


def _common_names(certificate: Certificate) -> list[str]:
    return [str(name.value) for name in certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)]


@cache
def _authorities(pem: str) -> Store:
    return Store(x509.load_pem_x509_certificates(pem.encode()))


@cache
def _certificates(pem: str) -> list[Certificate]:
    return x509.load_pem_x509_certificates(pem.encode()) if pem else []


def _is_for_clients(_policy: Policy, _certificate: Certificate, usage: x509.ExtendedKeyUsage) -> None:
    if ExtendedKeyUsageOID.CLIENT_AUTH not in usage:
        raise ValueError("the certificate is not meant for clients")


def _is_authority(_policy: Policy, _certificate: Certificate, constraints: x509.BasicConstraints) -> None:
    if not constraints.ca:
        raise ValueError("the issuer is not a certificate authority")


# The library's default policy is that of the web, which requires a DNS name in the leaf. Operators' leaves have none.
_LEAF = ExtensionPolicy.permit_all().require_present(x509.ExtendedKeyUsage, Criticality.AGNOSTIC, _is_for_clients)
_CA = ExtensionPolicy.permit_all().require_present(x509.BasicConstraints, Criticality.AGNOSTIC, _is_authority)
