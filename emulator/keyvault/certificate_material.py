"""Makes the keys, requests and certificates of a policy, and the value of the secret that has them."""

import base64
import calendar
import ipaddress
from datetime import datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, pkcs12

from emulator.core.certificate_authority import CertificateAuthority, PrivateKey, private_key_pem, read_private_key
from emulator.core.store import Document
from emulator.keyvault.policies import KEY_USAGE, PEM, SELF, subject_of

_CURVES: dict[str, ec.EllipticCurve] = {"P-256": ec.SECP256R1(), "P-384": ec.SECP384R1(), "P-521": ec.SECP521R1()}


def new_key(policy: Document) -> str:
    """Make the key that a policy asks for, as PKCS#8 PEM. An RSA key takes tens of milliseconds or more."""
    wanted = policy["key_props"]
    if wanted["kty"] == "EC":
        return private_key_pem(ec.generate_private_key(_CURVES[wanted["crv"]])).decode()
    return private_key_pem(rsa.generate_private_key(public_exponent=65537, key_size=wanted["key_size"])).decode()


def request(policy: Document, key_pem: str) -> str:
    """Return the certificate signing request, DER in base64."""
    builder = x509.CertificateSigningRequestBuilder(subject_of(policy))
    for extension, critical in _extensions(policy):
        builder = builder.add_extension(extension, critical=critical)
    signed = builder.sign(read_private_key(key_pem), hashes.SHA256())
    return base64.b64encode(signed.public_bytes(Encoding.DER)).decode()


def issue(policy: Document, key_pem: str, authority: CertificateAuthority, now: datetime) -> list[x509.Certificate]:
    """Return the certificate of a policy, followed by its issuer's unless it signs itself."""
    key, own = read_private_key(key_pem), policy["issuer"]["name"] == SELF
    subject = subject_of(policy)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=10))
        .not_valid_after(_months_later(now, policy["x509_props"]["validity_months"]))
    )
    extensions = [*_extensions(policy), (x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)]
    for extension, critical in extensions:
        builder = builder.add_extension(extension, critical=critical)
    if own:
        return [builder.issuer_name(subject).sign(key, hashes.SHA256())]
    return [authority.sign(builder), x509.load_pem_x509_certificate(authority.pem())]


def secret_value(policy: Document, key_pem: str, chain: list[x509.Certificate]) -> str:
    """Return the value of the certificate's secret: PEM, or PKCS#12 in base64.

    Args:
        policy: a complete policy; it says whether the key may be exported. If not, the value lacks it.
        key_pem: the certificate's key.
        chain: the certificate, then its issuer's.
    """
    key = key_pem if policy["key_props"]["exportable"] else ""
    if policy["secret_props"]["contentType"] == PEM:
        return key + "".join(certificate.public_bytes(Encoding.PEM).decode() for certificate in chain)
    private: PrivateKey | None = read_private_key(key) if key else None
    packed = pkcs12.serialize_key_and_certificates(None, private, chain[0], chain[1:] or None, NoEncryption())
    return base64.b64encode(packed).decode()


def _extensions(policy: Document) -> list[tuple[x509.ExtensionType, bool]]:
    wanted = policy["x509_props"]
    usage = {name: kv in wanted["key_usage"] for kv, name in KEY_USAGE.items()}
    extensions: list[tuple[x509.ExtensionType, bool]] = [
        (x509.BasicConstraints(ca=False, path_length=None), True),
        (x509.KeyUsage(**usage), True),
        (x509.ExtendedKeyUsage([x509.ObjectIdentifier(oid) for oid in wanted["ekus"]]), False),
    ]
    if names := _general_names(wanted.get("sans", {})):
        extensions.append((x509.SubjectAlternativeName(names), False))
    return extensions


def _general_names(sans: Document) -> list[x509.GeneralName]:
    return [
        *(x509.DNSName(name) for name in sans.get("dns_names", ())),
        *(x509.RFC822Name(name) for name in sans.get("emails", ())),
        *(x509.UniformResourceIdentifier(name) for name in sans.get("uris", ())),
        *(x509.IPAddress(ipaddress.ip_address(name)) for name in sans.get("ipAddresses", ())),
    ]


def _months_later(moment: datetime, months: int) -> datetime:
    years, month = divmod(moment.month - 1 + months, 12)
    last = calendar.monthrange(moment.year + years, month + 1)[1]
    return moment.replace(year=moment.year + years, month=month + 1, day=min(moment.day, last))
