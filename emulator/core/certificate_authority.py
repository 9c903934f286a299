"""The local certificate authority, and a TLS context with a certificate for every server name that clients ask for."""

import ipaddress
import os
import ssl
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey
CA_YEARS = 10
# Longer than the months of a cluster that tests let pass; Apple's clients refuse servers' certificates of more than 825 days.
LEAF_DAYS = 820


def private_key_pem(key: PrivateKey) -> bytes:
    """Write a key as unencrypted PKCS#8 PEM."""
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def read_private_key(pem: str) -> PrivateKey:
    """Read an unencrypted private key, fast: callers do so repeatedly, while a client waits.

    Does not check that the primes of an RSA key are primes: the check would block every client for 30 ms, and an
    invalid key fails at its first signature anyway.

    Raises:
        ValueError: the text is not PEM, or the key is neither an RSA key nor an elliptic curve key.
    """
    try:
        key = load_pem_private_key(pem.encode(), None, unsafe_skip_rsa_key_validation=True)
    except TypeError as error:
        raise ValueError(str(error)) from error
    if not isinstance(key, rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey):
        raise ValueError(f"keys of {type(key).__name__} are not used here")  # noqa: TRY004 - wrong PEM, not a wrong argument
    return key


def write_private(path: Path, content: bytes) -> Path:
    """Write a file that only its owner can read, even while it is being written."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        # A file that exists already keeps its mode.
        os.fchmod(descriptor, 0o600)
        file.write(content)
    return path


class CertificateAuthority:
    """A certificate authority that is kept in a folder, as `<name>.pem` and `<name>.key`, and created if missing."""

    def __init__(self, folder: Path, name: str = "ca", common_name: str = "Local Azure CA") -> None:
        self.certificate_path = folder / f"{name}.pem"
        key_path = folder / f"{name}.key"
        if key_path.exists() and self.certificate_path.exists():
            self._certificate = x509.load_pem_x509_certificate(self.certificate_path.read_bytes())
            key = load_pem_private_key(key_path.read_bytes(), None)
            if not isinstance(key, ec.EllipticCurvePrivateKey):
                raise TypeError(f"{key_path} holds no EC key")
            self._key = key
            return
        folder.mkdir(parents=True, exist_ok=True)
        self._key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])
        now = datetime.now(UTC)
        self._certificate = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(subject)
            .public_key(self._key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(hours=1))
            .not_valid_after(now + timedelta(days=365 * CA_YEARS))
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(self._key.public_key()), critical=False)
            .add_extension(_key_usage(ca=True), critical=True)
            .sign(self._key, hashes.SHA256())
        )
        write_private(key_path, private_key_pem(self._key))
        self.certificate_path.write_bytes(self.pem())

    def pem(self) -> bytes:
        """Return the authority's own certificate, as PEM."""
        return self._certificate.public_bytes(Encoding.PEM)

    def chain(self, certificate: x509.Certificate) -> bytes:
        """Return what a server sends, as PEM: its certificate, and the authority's, by whose key a browser knows it."""
        return certificate.public_bytes(Encoding.PEM) + self.pem()

    def issue(
        self,
        common_name: str,
        *,
        names: tuple[str, ...] = (),
        organizations: tuple[str, ...] = (),
        client: bool = False,
        rsa_key: bool = False,
        days: int = LEAF_DAYS,
    ) -> tuple[x509.Certificate, PrivateKey]:
        """Issue a leaf certificate with a new key.

        Args:
            common_name: CN of the subject, cut after 64 characters.
            names: DNS names and IP addresses for the SAN.
            organizations: O of the subject, one for each group of a Kubernetes user.
            client: whether it is for client authentication instead of server authentication.
            rsa_key: whether to make an RSA 2048 key instead of P-256, for clients that insist on RSA (MSAL's
                certificate credential).
            days: validity from now, in days.
        """
        key: PrivateKey = (
            rsa.generate_private_key(public_exponent=65537, key_size=2048)
            if rsa_key
            else ec.generate_private_key(ec.SECP256R1())
        )
        usage = ExtendedKeyUsageOID.CLIENT_AUTH if client else ExtendedKeyUsageOID.SERVER_AUTH
        now = datetime.now(UTC)
        subject = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, one) for one in organizations]
        # A common name has at most 64 characters; the SAN has the whole name.
        subject.append(x509.NameAttribute(NameOID.COMMON_NAME, common_name[:64]))
        builder = (
            x509.CertificateBuilder()
            .subject_name(x509.Name(subject))
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(hours=1))
            .not_valid_after(now + timedelta(days=days))
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_key_usage(ca=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        )
        if names:
            builder = builder.add_extension(
                x509.SubjectAlternativeName([_general_name(name) for name in names]), critical=False
            )
        return self.sign(builder), key

    def sign(self, builder: x509.CertificateBuilder) -> x509.Certificate:
        """Sign a certificate of which the caller has set subject, key, validity and extensions."""
        authority = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        signed = builder.issuer_name(self._certificate.subject).add_extension(authority, critical=False)
        return signed.sign(self._key, hashes.SHA256())


def _key_usage(*, ca: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=not ca,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=ca,
        crl_sign=ca,
        encipher_only=False,
        decipher_only=False,
    )


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


class ServerNames:
    """TLS contexts by server name. The local CA issues a certificate for each name at its first handshake."""

    def __init__(self, authority: CertificateAuthority) -> None:
        self._authority = authority
        self._contexts: dict[str, ssl.SSLContext] = {}

    def context(self) -> ssl.SSLContext:
        """Return the context to listen with: it serves `localhost`, and switches to other names by SNI."""
        base = self._context_for("localhost")
        base.sni_callback = self._choose
        return base

    def _choose(self, connection: ssl.SSLObject, name: str | None, _context: ssl.SSLContext) -> None:
        if name and name != "localhost":
            connection.context = self._context_for(name)

    def _context_for(self, name: str) -> ssl.SSLContext:
        if name not in self._contexts:
            names = (name, "127.0.0.1", "::1") if name == "localhost" else (name,)
            certificate, key = self._authority.issue(name, names=names)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.minimum_version = ssl.TLSVersion.TLSv1_2
            # The ssl module reads a chain only from a file.
            with tempfile.TemporaryDirectory() as folder:
                chain = self._authority.chain(certificate) + private_key_pem(key)
                context.load_cert_chain(write_private(Path(folder) / "chain.pem", chain))
            self._contexts[name] = context
        return self._contexts[name]
