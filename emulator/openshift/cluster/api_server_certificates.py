"""The certificates that the API server presents: the cluster's own, and those that a customer gave it for names."""

from cryptography.hazmat.primitives.serialization import Encoding

from emulator.openshift.boot import key_pairs
from emulator.openshift.cluster import rotation
from emulator.openshift.cluster.cluster import Cluster, PartState
from emulator.openshift.kubernetes import Certificate, Serving
from emulator.openshift.kubernetes.secrets import decoded

# Presented for names that no other certificate is for.
DEFAULT_SERVER = "kube-apiserver-service-network-server"
SERVERS = (
    DEFAULT_SERVER,
    "kube-apiserver-lb-server",
    "kube-apiserver-internal-lb-server",
    "kube-apiserver-localhost-server",
)
# Where the operator keeps the certificates that it was given for certain names.
NAMED_NAMESPACE, NAMED_SECRET = "openshift-kube-apiserver", "user-serving-cert-{:03}"
# When this row has come true, the operator has renewed the certificates.
ROTATED = "operator/kube-apiserver"
CLIENT_CA, ADMIN_CA = "tls/kube-apiserver-complete-client-ca-bundle.crt", "tls/admin-kubeconfig-ca-bundle.crt"
# The signer of kubelets' certificates, and the bundle of those that are in force.
CSR_SIGNER = ("openshift-kube-controller-manager-operator", "csr-signer")
CSR_BUNDLE = ("openshift-config-managed", "csr-controller-ca")
# The authorities of administrators, and the roll-out that puts a change of them into force.
ADMIN_CLIENT_CA, ADMIN_ROLLOUT = ("openshift-config", "admin-kubeconfig-client-ca"), "kube-apiserver-client-ca"


class Certificates(PartState):
    """Whether the cluster serves with renewed certificates, set just before its record says so; and its own ones."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.rotated = False
        self.own: list[Certificate] = []


def show(cluster: Cluster) -> None:
    """Let the API server present the certificates that are in force now, if it listens."""
    port = cluster.listeners.port("api")
    if port:
        cluster.server.renew(port, serving(cluster))


def rotate(cluster: Cluster) -> None:
    """Present renewed certificates from now on."""
    state = cluster.part(Certificates)
    state.rotated, state.own = True, []
    show(cluster)


def is_rotated(cluster: Cluster) -> bool:
    """Tell whether the installer's certificates have been renewed."""
    return cluster.part(Certificates).rotated or cluster.reached(ROTATED)


def serving(cluster: Cluster) -> Serving:
    """Return what the API server presents: customers' certificates for their names, otherwise its own."""
    installation, state = cluster.installation, cluster.part(Certificates)
    if not state.own:
        shown = [
            rotation.server_pair(installation, name)
            if is_rotated(cluster)
            else (installation.text(f"tls/{name}.crt"), installation.text(f"tls/{name}.key"))
            for name in SERVERS
        ]
        state.own = [Certificate(key_pairs.names(chain), chain, key) for chain, key in shown]
    default, *own = state.own
    return Serving([default, *named(cluster), *own], _client_authorities(cluster))


def _client_authorities(cluster: Cluster) -> str:
    """Return the authorities of client certificates: the installer's, with today's for administrators and kubelets."""
    text = cluster.installation.text
    admins = cluster.record.rollouts.get(ADMIN_ROLLOUT, {}).get("shown")
    namespace, name = CSR_BUNDLE
    data = (cluster.objects.get("ConfigMap", name, namespace) or {}).get("data") or {}
    former = {*key_pairs.read(text(ADMIN_CA))} if admins else set()
    kept = "".join(_pem(one) for one in key_pairs.read(text(CLIENT_CA)) if one not in former)
    return "\n".join((kept, admins or "", data.get("ca-bundle.crt", "")))


def trust(cluster: Cluster, bundle: str) -> None:
    """Accept administrators of these authorities from now on, and no others, if the bundle can be read."""
    try:
        key_pairs.read(bundle)
    except ValueError:
        return
    cluster.record.rollouts[ADMIN_ROLLOUT]["shown"] = bundle
    show(cluster)


def _pem(certificate: key_pairs.Certificate) -> str:
    return certificate.public_bytes(Encoding.PEM).decode()


def give(cluster: Cluster, given: list[Certificate]) -> None:
    """Let the API server present certificates for certain names, instead of those that it was given before.

    The certificates are copied, so a later change of the customer's Secrets counts only with the next roll-out.
    """
    if not given and not cluster.record.named:
        return
    namespace = NAMED_NAMESPACE
    for number, certificate in enumerate(given):
        data = {"tls.crt": certificate.chain_pem, "tls.key": certificate.key_pem}
        metadata = {"name": NAMED_SECRET.format(number), "namespace": namespace}
        head = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": "kubernetes.io/tls"}
        cluster.objects.put(head | {"stringData": data})
    for number in range(len(given), len(cluster.record.named)):
        cluster.objects.delete("Secret", NAMED_SECRET.format(number), namespace)
    cluster.record.named = [list(certificate.names) for certificate in given]
    cluster.save()
    show(cluster)


def named(cluster: Cluster) -> list[Certificate]:
    """Return the certificates that the API server was given for certain names."""
    found = []
    for number, names in enumerate(cluster.record.named):
        secret = cluster.objects.get("Secret", NAMED_SECRET.format(number), NAMED_NAMESPACE) or {}
        data = secret.get("data") or {}
        chain, key = (decoded(data.get(name, "")) for name in ("tls.crt", "tls.key"))
        if not key_pairs.problem(chain, key):
            found.append(Certificate(tuple(names), chain, key))
    return found
