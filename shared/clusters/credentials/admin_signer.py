"""The signer of a cluster's admin credentials, and the client certificates that it makes.

The cluster's API servers trust it for clients. Whoever has its key can make administrators, so it has a bundle of its
own in the vault, and signs only these certificates. The first one comes from the install graph, the
next from a revocation.
"""

import base64
from dataclasses import dataclass
from datetime import datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from shared import durations, kubernetes_yaml

Bundle = dict[str, str]
PublicKey = rsa.RSAPublicKey | ec.EllipticCurvePublicKey

_BITS = 2048
_NAME, _UNIT = "admin-kubeconfig-signer", "openshift"


@dataclass(frozen=True)
class Subject:
    """Whom a client certificate is for, as OpenShift reads it.

    Args:
        user: the common name.
        group: the organization; "" for none.
    """

    user: str
    group: str = ""

    @property
    def name(self) -> x509.Name:
        """The subject of the certificate."""
        parts = ((NameOID.ORGANIZATION_NAME, self.group), (NameOID.COMMON_NAME, self.user))
        return x509.Name([x509.NameAttribute(oid, value) for oid, value in parts if value])


# The service itself. No binding limits its group.
SERVICE = Subject("system:aro-service", "system:masters")
# The user of the kubeconfig that lasts. OpenShift's binding `cluster-admins` gives this user, and the group below, the
# rights of an administrator.
USER = Subject("system:admin")
_ADMINS = "system:cluster-admins"


def administrator(object_id: str) -> Subject:
    """Return the subject of a caller of requestAdminCredential. The cluster's audit log shows the object id."""
    return Subject(f"system:aro-admin:{object_id}", _ADMINS)


@dataclass(frozen=True)
class Signer:
    """The signer of one cluster."""

    certificate: x509.Certificate
    key: rsa.RSAPrivateKey

    @property
    def pem(self) -> str:
        """Its certificate, which API servers trust."""
        return pem(self.certificate)


def load(bundle: Bundle) -> Signer:
    """Return the signer that a bundle of the vault holds.

    Raises:
        ValueError: if the bundle holds none.
    """
    # The installer or this module made the key. Checking it for malformation takes longer than signing.
    key = serialization.load_pem_private_key(bundle["key"].encode(), None, unsafe_skip_rsa_key_validation=True)
    if not isinstance(key, rsa.RSAPrivateKey):
        raise ValueError("its key is not of RSA")  # noqa: TRY004 - about the bundle, not the code
    return Signer(x509.load_pem_x509_certificate(bundle["certificate"].encode()), key)


def bundle_of(certificate: str, key: str) -> Bundle:
    """Return the bundle of a signer, from its certificate and its key in PEM."""
    return {"certificate": certificate, "key": key}


def new(now: datetime) -> Bundle:
    """Make a signer, and return its bundle. Its name has the time, so that people can tell signers apart."""
    key = _new_key()
    name = x509.Name(
        [
            x509.NameAttribute(NameOID.ORGANIZATIONAL_UNIT_NAME, _UNIT),
            x509.NameAttribute(NameOID.COMMON_NAME, f"{_NAME}@{int(now.timestamp())}"),
        ]
    )
    begins = now - durations.CREDENTIAL_BACKDATED
    builder = (
        x509.CertificateBuilder(
            name, name, key.public_key(), x509.random_serial_number(), begins, now + durations.ADMIN_SIGNER
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(key_cert_sign=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )
    return bundle_of(pem(builder.sign(key, hashes.SHA256())), _private_pem(key))


def issue(signer: Signer, subject: Subject, key: PublicKey, now: datetime, life: timedelta) -> x509.Certificate:
    """Sign a client certificate. It begins a little earlier, for clocks that differ, and never outlives its signer.

    Args:
        signer: the cluster's signer.
        subject: whom it is for.
        key: the public key.
        now: the time.
        life: how long it lasts from now on.
    """
    begins = max(now - durations.CREDENTIAL_BACKDATED, signer.certificate.not_valid_before_utc)
    return (
        x509.CertificateBuilder(
            issuer_name=signer.certificate.subject,
            subject_name=subject.name,
            public_key=key,
            serial_number=x509.random_serial_number(),
            not_valid_before=begins,
            not_valid_after=min(now + life, signer.certificate.not_valid_after_utc),
        )
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(key_encipherment=isinstance(key, rsa.RSAPublicKey)), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.key.public_key()), critical=False)
        .sign(signer.key, hashes.SHA256())
    )


def remade(kubeconfig: str, signer: Signer, subject: Subject, now: datetime, life: timedelta) -> str:
    """Return a kubeconfig with a new key and certificate for its only user; the rest is as it was.

    Args:
        kubeconfig: the kubeconfig, YAML.
        signer: the cluster's signer.
        subject: whom the certificate is for.
        now: the time.
        life: how long it lasts from now on.
    """
    key = _new_key()
    document = kubernetes_yaml.load(kubeconfig)
    (user,) = document["users"]
    user["user"] = {
        "client-certificate-data": encoded(pem(issue(signer, subject, key.public_key(), now, life))),
        "client-key-data": encoded(_private_pem(key)),
    }
    return kubernetes_yaml.dump(document)


def encoded(text: str) -> str:
    """Return a text as kubeconfigs hold it."""
    return base64.b64encode(text.encode()).decode("ascii")


def _new_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=_BITS)


def _private_pem(key: rsa.RSAPrivateKey) -> str:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    ).decode("ascii")


def pem(certificate: x509.Certificate) -> str:
    """Return a certificate as text."""
    return certificate.public_bytes(serialization.Encoding.PEM).decode("ascii")


def _usage(*, key_cert_sign: bool = False, key_encipherment: bool = False) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=key_encipherment,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=key_cert_sign,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )
