"""Keys and certificates as OpenShift's installer makes them: RSA 2048, SHA-256, PKCS#1 and X.509 in PEM."""

import ipaddress
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

DECADE = 3650
LEAF = ("digital_signature", "key_encipherment")
KEY_AND_CERTIFICATE = ("key", "crt")

_KEY_BITS = 2048
_SERIAL_BITS = 63
_EXTENDED = {"serverAuth": ExtendedKeyUsageOID.SERVER_AUTH, "clientAuth": ExtendedKeyUsageOID.CLIENT_AUTH}
_USAGES = (
    "digital_signature",
    "content_commitment",
    "key_encipherment",
    "data_encipherment",
    "key_agreement",
    "key_cert_sign",
    "crl_sign",
    "encipher_only",
    "decipher_only",
)


@dataclass(frozen=True)
class Certificate:
    """One certificate and its key, RSA 2048, in `tls/<file>.crt` and `tls/<file>.key`.

    Args:
        file: name of both files.
        common_name: common name of the subject; `{domain}` is the cluster's.
        organization: organization of the subject.
        unit: organizational unit of the subject.
        issuer: file of the certificate that signs it; empty if it signs itself.
        days: validity from the moment of the install.
        usages: key usages, as `cryptography` names them.
        extended: extended key usages.
        dns: names it serves.
        ip: addresses it serves; `{service_ip}` is the first of the service network.
        chained: whether the file contains the signer's certificate after its own.
        boot: which of its two files the bootstrap machine gets.
    """

    file: str
    common_name: str
    organization: str = ""
    unit: str = ""
    issuer: str = ""
    days: int = DECADE
    usages: tuple[str, ...] = LEAF
    extended: tuple[str, ...] = ()
    dns: tuple[str, ...] = ()
    ip: tuple[str, ...] = ()
    chained: bool = False
    boot: tuple[str, ...] = KEY_AND_CERTIFICATE

    @property
    def asset(self) -> str:
        """The name of its asset."""
        return f"tls/{self.file}"


@dataclass(frozen=True)
class Pair:
    """A private key and its certificate, PEM."""

    key: str = field(repr=False)
    certificate: str


def new_key() -> rsa.RSAPrivateKey:
    """Make a private key; other threads run meanwhile."""
    return rsa.generate_private_key(public_exponent=65537, key_size=_KEY_BITS)


def private_pem(key: rsa.RSAPrivateKey) -> str:
    """Return `RSA PRIVATE KEY`, PKCS#1."""
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    ).decode("ascii")


def public_pem(key: rsa.RSAPrivateKey) -> str:
    """Return `RSA PUBLIC KEY` as OpenShift's installer writes it: with the content of a `PUBLIC KEY`.

    The API server goes by the content, and does not read PKCS#1, which these words stand for.

    Source: openshift/installer `pkg/asset/tls/utils.go`, `PublicKeyToPem`; kubernetes/client-go
    `util/keyutil/key.go`, `parseRSAPublicKey`.
    """
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    text = key.public_key().public_bytes(serialization.Encoding.PEM, form).decode("ascii")
    return text.replace(" PUBLIC KEY", " RSA PUBLIC KEY")


def ssh_public(key: rsa.RSAPrivateKey) -> str:
    """Return the public half as a line for SSH."""
    return key.public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH).decode()


def certificates(bundle: str) -> str:
    """Return the certificates of a bundle in PEM, without any text that people wrote between them.

    Raises:
        ValueError: if there is none, one cannot be read, or there is anything else, such as a private key.
    """
    try:
        loaded = x509.load_pem_x509_certificates(bundle.encode())
    except (ValueError, x509.InvalidVersion):
        loaded = []
    if not loaded or len(loaded) != bundle.count("-----BEGIN "):
        raise ValueError("it holds no certificates in PEM, or not these alone")
    return "".join(certificate.public_bytes(serialization.Encoding.PEM).decode("ascii") for certificate in loaded)


def issue(row: Certificate, names: Mapping[str, str], now: str, signer: Pair | None) -> Pair:
    """Make a key, and its certificate.

    Args:
        row: the row of the certificate.
        names: values for the braces in it.
        now: start of its validity, RFC 3339.
        signer: the pair that signs it; None if it signs itself.
    """
    key = new_key()
    # This module made it a moment ago. Checking a key for malformation takes longer than signing.
    signing = _load(signer.key) if signer else key
    subject = _subject(row, names)
    issuer = x509.load_pem_x509_certificate(signer.certificate.encode()).subject if signer else subject
    begins = datetime.fromisoformat(now)
    builder = x509.CertificateBuilder(
        issuer_name=issuer,
        subject_name=subject,
        public_key=key.public_key(),
        serial_number=1 + secrets.randbits(_SERIAL_BITS - 1),
        not_valid_before=begins,
        not_valid_after=begins + timedelta(days=row.days),
    )
    for extension, critical in _extensions(row, names, key, signing if signer else None):
        builder = builder.add_extension(extension, critical)
    certificate = builder.sign(signing, hashes.SHA256())
    return Pair(private_pem(key), certificate.public_bytes(serialization.Encoding.PEM).decode("ascii"))


def _load(pem: str) -> rsa.RSAPrivateKey:
    key = serialization.load_pem_private_key(pem.encode(), None, unsafe_skip_rsa_key_validation=True)
    assert isinstance(key, rsa.RSAPrivateKey)  # noqa: S101 - the graph holds no other
    return key


def _subject(row: Certificate, names: Mapping[str, str]) -> x509.Name:
    parts = (
        (NameOID.ORGANIZATION_NAME, row.organization),
        (NameOID.ORGANIZATIONAL_UNIT_NAME, row.unit),
        (NameOID.COMMON_NAME, row.common_name.format(**names)),
    )
    # X.520 limits a name to 64 characters. OpenShift does not: its node bootstrapper has 73, long domains have more.
    return x509.Name([x509.NameAttribute(oid, value, _validate=False) for oid, value in parts if value])


def _extensions(
    row: Certificate, names: Mapping[str, str], key: rsa.RSAPrivateKey, signing: rsa.RSAPrivateKey | None
) -> list[tuple[x509.ExtensionType, bool]]:
    """Return the extensions, and whether each is critical."""
    extensions: list[tuple[x509.ExtensionType, bool]] = [
        (x509.BasicConstraints(ca=not row.issuer, path_length=None), True),
        (x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False),
    ]
    if row.usages:
        extensions.append((x509.KeyUsage(**{usage: usage in row.usages for usage in _USAGES}), True))
    if row.extended:
        extensions.append((x509.ExtendedKeyUsage([_EXTENDED[usage] for usage in row.extended]), False))
    alternative: list[x509.GeneralName] = [x509.DNSName(name.format(**names)) for name in row.dns]
    alternative += [x509.IPAddress(ipaddress.ip_address(address.format(**names))) for address in row.ip]
    if alternative:
        extensions.append((x509.SubjectAlternativeName(alternative), False))
    if signing:
        extensions.append((x509.AuthorityKeyIdentifier.from_issuer_public_key(signing.public_key()), False))
    return extensions
