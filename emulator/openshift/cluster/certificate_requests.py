"""Certificate requests: what the cluster approves by itself, and the certificates that it issues for approved ones.

kube-controller-manager signs, and approves what a node asks for with its certificate. The machine approver approves a new
machine's first request, and those for serving. Nobody in the cluster approves a request of the bootstrapper for a node
that exists already. https://github.com/openshift/cluster-machine-approver, `pkg/controller/csr_check.go`
"""

import base64
import logging
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from emulator.core.certificate_authority import PrivateKey, read_private_key
from emulator.json_object import Json
from emulator.openshift.boot import key_pairs
from emulator.openshift.boot.timeline import GARBLED
from emulator.openshift.cluster import api_server_certificates
from emulator.openshift.cluster.cluster import Cluster, Key, PartState
from emulator.openshift.kubernetes.secrets import decoded

logger = logging.getLogger(__name__)

KIND = "CertificateSigningRequest.certificates.k8s.io"
KUBELET, SERVING = "kubernetes.io/kube-apiserver-client-kubelet", "kubernetes.io/kubelet-serving"
_USAGES = {
    KUBELET: ExtendedKeyUsageOID.CLIENT_AUTH,
    SERVING: ExtendedKeyUsageOID.SERVER_AUTH,
    "kubernetes.io/kube-apiserver-client": ExtendedKeyUsageOID.CLIENT_AUTH,
}
_NODES, _NODE = "system:nodes", "system:node:"
_BOOTSTRAPPERS = "system:serviceaccounts:openshift-machine-config-operator"
BOOTSTRAPPER = "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper"
LIFE = timedelta(days=30)
# How long the cluster keeps requests, without regard to the time scale.
_DECIDED_KEPT, _PENDING_KEPT = timedelta(hours=1), timedelta(hours=24)


class Requests(PartState):
    """When a request is next to be removed."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.due: datetime | None = None


def file(cluster: Cluster, signer: str, node: str, role: str, *, by_node: bool) -> str:
    """Let a kubelet ask for a certificate; return the name of its request.

    Args:
        cluster: the cluster.
        signer: who is to sign.
        node: name of the node.
        role: role of the machine.
        by_node: whether the kubelet has a certificate with which it asks; otherwise it asks as the bootstrapper.
    """
    subject = [
        x509.NameAttribute(NameOID.ORGANIZATION_NAME, _NODES),
        # A host name may be longer than the 64 characters that X.520 allows a common name.
        x509.NameAttribute(NameOID.COMMON_NAME, f"{_NODE}{node}"[:64]),
    ]
    builder = x509.CertificateSigningRequestBuilder().subject_name(x509.Name(subject))
    if signer == SERVING:
        dns, ip = _addresses(cluster, node)
        names = [*map(x509.DNSName, dns), *map(x509.IPAddress, ip)]
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    request = builder.sign(ec.generate_private_key(ec.SECP256R1()), hashes.SHA256())
    groups = [_NODES] if by_node else [*(["system:serviceaccounts"] if role == "worker" else []), _BOOTSTRAPPERS]
    spec = {
        "request": base64.b64encode(request.public_bytes(Encoding.PEM)).decode(),
        "signerName": signer,
        "usages": ["digital signature", "server auth" if signer == SERVING else "client auth"],
        "username": f"{_NODE}{node}" if by_node else BOOTSTRAPPER,
        "groups": [*groups, "system:authenticated"],
    }
    head = {"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest"}
    created = cluster.objects.create(head | {"metadata": {"generateName": "csr-"}, "spec": spec})
    _settle(cluster, created)
    return str(created["metadata"]["name"])


def reconcile(cluster: Cluster, changed: Iterable[Key]) -> datetime | None:
    """Approve, sign and remove requests; return when the next one is to be removed, None if there is none."""
    state, now = cluster.part(Requests), cluster.platform.clock.now()
    if any(kind == KIND for kind, _, _ in changed) or (state.due is not None and state.due <= now):
        ends = [_settle(cluster, request) for request in cluster.objects.list(KIND)]
        state.due = min((end for end in ends if end > now), default=None)
    return state.due


def condition(request: Json, kind: str) -> bool:
    """Tell whether a request has a condition: `Approved`, `Denied` or `Failed`."""
    return any(one["type"] == kind for one in (request.get("status") or {}).get("conditions") or ())


def certificate(request: Json) -> x509.Certificate | None:
    """Return the certificate that was issued for a request, or None."""
    issued = (request.get("status") or {}).get("certificate")
    return x509.load_pem_x509_certificate(base64.b64decode(issued)) if issued else None


def _settle(cluster: Cluster, request: Json) -> datetime:
    """Do what is due for a request; return when it is removed."""
    name = request["metadata"]["name"]
    pending = not (condition(request, "Approved") or condition(request, "Denied") or condition(request, "Failed"))
    created = datetime.fromisoformat(request["metadata"]["creationTimestamp"])
    end = created + (_PENDING_KEPT if pending else _DECIDED_KEPT)
    if end <= cluster.platform.clock.now():
        cluster.objects.delete(KIND, name)
        return end
    try:
        if pending and (reason := _approval(cluster, request)):
            request = _note(cluster, request, "Approved", reason, "This CSR was approved by the cluster.")
        if condition(request, "Approved") and certificate(request) is None and not condition(request, "Failed"):
            _issue(cluster, request)
    except GARBLED:
        # Clients may ask for anything.
        logger.exception("cluster %s cannot work with the request %s", cluster.record.id, name)
    return end


def _approval(cluster: Cluster, request: Json) -> str:
    """Return the reason with which the cluster approves a request, "" if it leaves that to people."""
    spec = request["spec"]
    asked, signer, username = _request(spec), spec["signerName"], spec.get("username", "")
    common_name, node = _common_name(asked), _common_name(asked).removeprefix(_NODE)
    if signer == KUBELET and username == BOOTSTRAPPER:
        return "" if cluster.objects.get("Node", node) else "NodeCSRApprove"
    if not username.startswith(_NODE) or common_name != username[:64]:
        return ""
    if signer == SERVING:
        dns, ip = _addresses(cluster, username.removeprefix(_NODE))
        asked_dns, asked_ip = _alternatives(asked)
        return "NodeCSRApprove" if {*asked_dns} <= {*dns} and {*asked_ip} <= {*ip} else ""
    return "AutoApproved" if signer == KUBELET else ""


def _issue(cluster: Cluster, request: Json) -> None:
    """Sign what an approved request asks for, if one of the cluster's own signers is to do it."""
    spec = request["spec"]
    asked, signer = _request(spec), spec["signerName"]
    if signer not in _USAGES:
        return
    is_kubelet = [one.value for one in asked.subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)] == [
        _NODES
    ] and _common_name(asked).startswith(_NODE)
    if signer in (KUBELET, SERVING) and not is_kubelet:
        _note(cluster, request, "Failed", "SignerValidationFailure", f"subject organization is not {_NODES}")
        return
    issuer, key = authority(cluster)
    now = cluster.platform.clock.now().astimezone(UTC)
    life = min(LIFE, timedelta(seconds=spec.get("expirationSeconds") or LIFE.total_seconds()))
    builder = (
        x509.CertificateBuilder()
        .subject_name(asked.subject)
        .issuer_name(issuer.subject)
        .public_key(asked.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(
            min(now + life, issuer.not_valid_after_utc) if issuer.not_valid_after_utc > now else now + life
        )
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([_USAGES[signer]]), critical=False)
    )
    for extension in asked.extensions:
        if isinstance(extension.value, x509.SubjectAlternativeName):
            builder = builder.add_extension(extension.value, critical=False)
    pem = builder.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM)
    status = request["status"] | {"certificate": base64.b64encode(pem).decode()}
    cluster.objects.set_status(KIND, request["metadata"]["name"], status)


def authority(cluster: Cluster) -> tuple[x509.Certificate, PrivateKey]:
    """Return the signer of kubelets' certificates: the installer's, until an operator has made another.

    Raises:
        ValueError: if it cannot be read.
    """
    namespace, name = api_server_certificates.CSR_SIGNER
    data = (cluster.objects.get("Secret", name, namespace) or {}).get("data") or {}
    text = cluster.installation.text
    chain = decoded(data["tls.crt"]) if data else text("tls/kubelet-signer.crt")
    key = read_private_key(decoded(data["tls.key"]) if data else text("tls/kubelet-signer.key"))
    return key_pairs.read(chain)[0], key


def _note(cluster: Cluster, request: Json, kind: str, reason: str, message: str) -> Json:
    now = cluster.objects.now()
    told = {"type": kind, "status": "True", "reason": reason, "message": message}
    status = request.get("status") or {}
    conditions = [*(status.get("conditions") or ()), told | {"lastUpdateTime": now, "lastTransitionTime": now}]
    return cluster.objects.set_status(KIND, request["metadata"]["name"], status | {"conditions": conditions})


def _request(spec: Json) -> x509.CertificateSigningRequest:
    return x509.load_pem_x509_csr(base64.b64decode(spec["request"]))


def _common_name(request: x509.CertificateSigningRequest) -> str:
    return next((str(one.value) for one in request.subject.get_attributes_for_oid(NameOID.COMMON_NAME)), "")


def _addresses(cluster: Cluster, node: str) -> tuple[list[str], list[IPv4Address]]:
    """Return the names and the addresses of a node."""
    found = ((cluster.objects.get("Node", node) or {}).get("status") or {}).get("addresses") or ()
    names = [one["address"] for one in found if one["type"] == "Hostname"]
    return names, [IPv4Address(one["address"]) for one in found if one["type"] == "InternalIP"]


def _alternatives(request: x509.CertificateSigningRequest) -> tuple[list[str], list[object]]:
    try:
        names = request.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return [], []
    return names.get_values_for_type(x509.DNSName), list(names.get_values_for_type(x509.IPAddress))
