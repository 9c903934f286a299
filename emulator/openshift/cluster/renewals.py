"""The certificates that the cluster's operators renew while it runs: Secrets whose annotations say when they end.

https://github.com/openshift/cluster-kube-apiserver-operator, `pkg/operator/certrotationcontroller`, and its likes in the
operators of the controller manager, of etcd and of machine configurations
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from emulator.core.certificate_authority import private_key_pem
from emulator.openshift.boot import key_pairs
from emulator.openshift.cluster import api_server_certificates
from emulator.openshift.cluster.cluster import Cluster, Key, PartState

BEGUN = "operator/kube-apiserver"
NOT_AFTER, NOT_BEFORE = (f"auth.openshift.io/certificate-not-{word}" for word in ("after", "before"))
_SERVING = "-serving-certkey"


@dataclass(frozen=True)
class Renewal:
    """Certificates that are renewed alike.

    Args:
        namespace: the Secrets' namespace.
        names: the Secrets' names.
        days: life of the certificates.
        renewed_after: their age when they are renewed, in days.
    """

    namespace: str
    names: tuple[str, ...]
    days: int
    renewed_after: int


_OPERATOR, _SERVERS = "openshift-kube-apiserver-operator", "openshift-kube-apiserver"
RENEWALS = (
    Renewal(api_server_certificates.CSR_SIGNER[0], (api_server_certificates.CSR_SIGNER[1],), 30, 15),
    Renewal(api_server_certificates.CSR_SIGNER[0], ("csr-signer-signer",), 60, 30),
    Renewal(_OPERATOR, ("kube-apiserver-to-kubelet-signer",), 365, 292),
    Renewal(_OPERATOR, ("aggregator-client-signer",), 30, 15),
    Renewal(_OPERATOR, ("kube-control-plane-signer",), 60, 30),
    Renewal(_OPERATOR, ("node-system-admin-client",), 730, 30),
    Renewal(
        _SERVERS,
        (
            *(f"{one}{_SERVING}" for one in ("service-network", "internal-loadbalancer", "external-loadbalancer")),
            *("localhost-serving-cert-certkey", "aggregator-client", "kubelet-client"),
        ),
        30,
        15,
    ),
    Renewal(_SERVERS, ("localhost-recovery-serving-certkey",), 3650, 2920),
    Renewal(
        "openshift-config-managed",
        ("kube-controller-manager-client-cert-key", "kube-scheduler-client-cert-key"),
        30,
        15,
    ),
    Renewal("openshift-etcd", ("etcd-signer", "etcd-metric-signer"), 1825, 1533),
    Renewal("openshift-machine-config-operator", ("machine-config-server-ca",), 3650, 2920),
)
_WATCHED = frozenset(("Secret", row.namespace, name) for row in RENEWALS for name in row.names)


class Due(PartState):
    """When the next certificate is renewed; in a new process, at once."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.at: datetime | None = None


def reconcile(cluster: Cluster, changed: Iterable[Key]) -> datetime | None:
    """Renew what is due or gone; return when the next certificate is due."""
    state, now = cluster.part(Due), cluster.platform.clock.now()
    if not cluster.reached(BEGUN):
        return None
    if state.at is None or state.at <= now or not _WATCHED.isdisjoint(changed):
        moments = [_keep(cluster, row, name) for row in RENEWALS for name in row.names]
        state.at = min(moments)
    return state.at


def _keep(cluster: Cluster, row: Renewal, name: str) -> datetime:
    """Renew a certificate if it is due; return when it is due next."""
    now = cluster.platform.clock.now()
    found = cluster.objects.get("Secret", name, row.namespace) or {}
    begun = ((found.get("metadata") or {}).get("annotations") or {}).get(NOT_BEFORE)
    age = timedelta(days=row.renewed_after)
    if begun and datetime.fromisoformat(begun) + age > now:
        return datetime.fromisoformat(begun) + age
    own = f"{row.namespace.removesuffix('-operator')}_{name}@{int(now.timestamp())}"
    certificate, key = issue(own, now, row.days)
    notes = {NOT_BEFORE: _time(now), NOT_AFTER: _time(certificate.not_valid_after_utc)}
    put_pair(cluster, name, row.namespace, (pem(certificate), private_key_pem(key).decode()), notes)
    if (row.namespace, name) == api_server_certificates.CSR_SIGNER:
        _trust(cluster, certificate)
    if name.endswith(_SERVING):
        api_server_certificates.rotate(cluster)
    return now + age


def _trust(cluster: Cluster, signer: x509.Certificate) -> None:
    """Let the API server trust a new signer of kubelets beside those that have not ended."""
    namespace, name = api_server_certificates.CSR_BUNDLE
    known = (cluster.objects.get("ConfigMap", name, namespace) or {}).get("data") or {}
    before = key_pairs.read(known["ca-bundle.crt"]) if known else ()
    now = cluster.platform.clock.now()
    bundle = "".join(map(pem, (*(one for one in before if one.not_valid_after_utc > now), signer)))
    metadata = {"name": name, "namespace": namespace}
    head = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}
    cluster.objects.put(head | {"data": {"ca-bundle.crt": bundle}})
    api_server_certificates.show(cluster)


def put_pair(
    cluster: Cluster, name: str, namespace: str, pair: tuple[str, str], annotations: dict[str, str] | None = None
) -> None:
    """Write a certificate chain and its key into a Secret."""
    metadata = {"name": name, "namespace": namespace, "annotations": annotations or {}}
    head = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": "kubernetes.io/tls"}
    cluster.objects.put(head | {"stringData": {"tls.crt": pair[0], "tls.key": pair[1]}})


def issue(
    common_name: str,
    now: datetime,
    days: int,
    authority: tuple[x509.Certificate, ec.EllipticCurvePrivateKey] | None = None,
) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    """Issue a server's certificate for a name; without an authority, make the certificate of a new authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    # X.520 allows a common name 64 characters; clients check the alternative name.
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name[:64])])
    now = now.astimezone(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(authority[0].subject if authority else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=authority is None, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )
    if authority is not None:
        identifier = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority[1].public_key())
        builder = (
            builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(common_name)]), critical=False)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(identifier, critical=False)
        )
    return builder.sign(authority[1] if authority else key, hashes.SHA256()), key


def pem(certificate: x509.Certificate) -> str:
    """Return a certificate as PEM."""
    return certificate.public_bytes(Encoding.PEM).decode()


def _time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
