"""Certificates and kubeconfigs of an imaginary cluster, with the names that real ones have."""

import base64
import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

SERVER_NAME = "api-int.c1.example.org"
USER = "system:aro-service"
Key = ec.EllipticCurvePrivateKey
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
class Pair:
    """A certificate and its private key, PEM."""

    certificate: str
    key: str


class Authority:
    """A self-signed certificate authority."""

    def __init__(self, name: str) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        # Since 3.13, Python requires a key usage in the certificates of authorities.
        usages = dict.fromkeys(_USAGES, False) | {"digital_signature": True, "key_cert_sign": True}
        extensions = [x509.BasicConstraints(ca=True, path_length=None), x509.KeyUsage(**usages)]
        certificate = self._sign(self._name, self._key, extensions)
        self.pem = certificate.public_bytes(serialization.Encoding.PEM).decode()

    def issue(self, common_name: str, *, organization: str = "", names: tuple[str, ...] = (), days: int = 1) -> Pair:
        """Issue a certificate: for a server if it has names, otherwise for a user.

        Args:
            common_name: common name of the subject.
            organization: organization of the subject, which is the user's group; "" for none.
            names: DNS names of the server.
            days: days until it expires; below zero for a certificate that has expired.
        """
        key = ec.generate_private_key(ec.SECP256R1())
        attributes = [x509.NameAttribute(x509.NameOID.COMMON_NAME, common_name)]
        attributes += [x509.NameAttribute(x509.NameOID.ORGANIZATION_NAME, organization)] if organization else []
        extensions: list[x509.ExtensionType] = [x509.BasicConstraints(ca=False, path_length=None)]
        if names:
            extensions.append(x509.SubjectAlternativeName([x509.DNSName(name) for name in names]))
        certificate = self._sign(x509.Name(attributes), key, extensions, days)
        return Pair(
            certificate.public_bytes(serialization.Encoding.PEM).decode(),
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            ).decode(),
        )

    def _sign(
        self, subject: x509.Name, key: Key, extensions: list[x509.ExtensionType], days: int = 1
    ) -> x509.Certificate:
        now = datetime.now(UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=10))
            .not_valid_after(now + timedelta(days=days))
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
        )
        for extension in extensions:
            builder = builder.add_extension(
                extension, critical=isinstance(extension, x509.BasicConstraints | x509.KeyUsage)
            )
        return builder.sign(self._key, hashes.SHA256())


def kubeconfig(authority: Authority, client: Pair, server_name: str = SERVER_NAME) -> str:
    """Return a kubeconfig like the installer's, as JSON, which is YAML too.

    Args:
        authority: the authority of the API server's certificate.
        client: certificate and key of the user.
        server_name: host name of the API server.
    """

    def data(text: str) -> str:
        return base64.b64encode(text.encode()).decode()

    document: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": USER,
        "clusters": [
            {
                "name": "c1",
                "cluster": {"server": f"https://{server_name}:6443", "certificate-authority-data": data(authority.pem)},
            }
        ],
        "contexts": [{"name": USER, "context": {"cluster": "c1", "user": USER}}],
        "users": [
            {
                "name": USER,
                "user": {"client-certificate-data": data(client.certificate), "client-key-data": data(client.key)},
            }
        ],
    }
    return json.dumps(document)
