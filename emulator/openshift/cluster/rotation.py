"""The certificates that the operators renew, because the installer's are valid for only one day.

The installer's own signers issue them, so clients that trust these signers trust the renewed certificates too.
"""

import base64
from datetime import UTC, datetime, timedelta

import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtendedKeyUsageOID

from emulator.core.certificate_authority import private_key_pem, read_private_key
from emulator.openshift.boot.installation import Installation
from emulator.openshift.kubernetes import go_yaml

DAYS = 30
SIGNERS = {
    "kube-apiserver-lb-server": "kube-apiserver-lb-signer",
    "kube-apiserver-internal-lb-server": "kube-apiserver-lb-signer",
    "kube-apiserver-localhost-server": "kube-apiserver-localhost-signer",
    "kube-apiserver-service-network-server": "kube-apiserver-service-network-signer",
}
# The bootstrap machine has the key of this signer, but not of the one that issued the kubelets' first certificate.
CLIENT_SIGNER = "kube-control-plane-signer"
KUBELET = "auth/kubeconfig-kubelet"


def server_pair(installation: Installation, name: str) -> tuple[str, str]:
    """Return a renewed server certificate with its chain, and its key."""
    old = x509.load_pem_x509_certificate(installation.text(f"tls/{name}.crt").encode())
    return _renew(old, _pair(installation, SIGNERS[name]), is_server=True)


def kubelet_kubeconfig(installation: Installation, signer: tuple[str, str] | None) -> str:
    """Return the kubeconfig with which new kubelets request a certificate, with its client certificate renewed.

    Args:
        installation: the files of the bootstrap machine.
        signer: certificate and key of the signer, as PEM; None for the installer's.
    """
    document = go_yaml.load(installation.text(KUBELET))
    user = document["users"][0]["user"]
    old = x509.load_pem_x509_certificate(base64.b64decode(user["client-certificate-data"]))
    certificate, key = _renew(old, signer or _pair(installation, CLIENT_SIGNER), is_server=False)
    user["client-certificate-data"] = base64.b64encode(certificate.encode()).decode()
    user["client-key-data"] = base64.b64encode(key.encode()).decode()
    return yaml.safe_dump(document)


def _pair(installation: Installation, signer: str) -> tuple[str, str]:
    return installation.text(f"tls/{signer}.crt"), installation.text(f"tls/{signer}.key")


def _renew(old: x509.Certificate, signer: tuple[str, str], *, is_server: bool) -> tuple[str, str]:
    """Issue a certificate for the same subject, names and uses.

    Raises:
        ValueError: if the signer cannot be read.
    """
    authority_pem, authority_key = signer[0], read_private_key(signer[1])
    authority = x509.load_pem_x509_certificate(authority_pem.encode())
    key = ec.generate_private_key(ec.SECP256R1())
    now = datetime.now(UTC)
    usage = ExtendedKeyUsageOID.SERVER_AUTH if is_server else ExtendedKeyUsageOID.CLIENT_AUTH
    builder = (
        x509.CertificateBuilder()
        .subject_name(old.subject)
        .issuer_name(authority.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(min(now + timedelta(days=DAYS), authority.not_valid_after_utc))
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()), critical=False)
    )
    for extension in old.extensions:
        if isinstance(extension.value, x509.SubjectAlternativeName):
            builder = builder.add_extension(extension.value, critical=extension.critical)
    certificate = builder.sign(authority_key, hashes.SHA256()).public_bytes(Encoding.PEM).decode()
    return certificate + (authority_pem if is_server else ""), private_key_pem(key).decode()
