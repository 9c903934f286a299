"""How machines join a cluster: masters as etcd members, all machines as nodes; and the objects of nodes."""

import base64
from datetime import UTC, datetime, timedelta
from uuid import NAMESPACE_URL, uuid5

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from emulator.arm.models import ArmModel
from emulator.core.certificate_authority import read_private_key
from emulator.core.clock import rfc3339
from emulator.json_object import Json
from emulator.openshift.boot import kubeconfig
from emulator.openshift.boot.installation import InstallationError
from emulator.openshift.boot.machines import Machine
from emulator.openshift.cluster.cluster import Cluster
from emulator.openshift.release import kinds

SRV_TYPE = "Microsoft.Network/privateDnsZones/SRV"
CERTIFICATE_DAYS = 30
KERNEL = "5.14.0-570.12.1.el9_6.x86_64"
KIB_IN_GIB = 1 << 20
# The disk that the installer gives every machine, and the limit on its pods.
DISK_GIB, MOST_PODS = 128, 250
# What the kubelet of OpenShift reserves by default, from memory: half a core, and 1 GiB of memory beside the 100 MiB that
# evict pods.
RESERVED_MILLICORES, RESERVED_MEMORY_KIB = 500, KIB_IN_GIB + 100 * 1024
# OpenShift 4.x is Kubernetes 1.(x + 13).
_KUBERNETES_AHEAD = 13
_BOOTSTRAPPER = "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper"


async def join_etcd(cluster: Cluster, machine: Machine) -> str:
    """Let a master's etcd member find its peers, as releases up to 4.3 do; return why it cannot, or ""."""
    domain, count = cluster.installation.domain, cluster.installation.masters
    wanted = {f"etcd-{number}.{domain}" for number in range(count)}
    arm = cluster.platform.model(ArmModel)
    own = {configuration.get("privateIPAddress", "") for configuration in cluster.downloads.configurations(machine)}
    targets = {
        record["target"].rstrip(".")
        for found in arm.scan("/subscriptions/", SRV_TYPE)
        if found["name"] == "_etcd-server-ssl._tcp" and found["id"].split("/")[-3] == domain
        for record in found["properties"].get("srvRecords") or ()
    }
    if not wanted <= targets:
        return f"error looking up SRV record _etcd-server-ssl._tcp.{domain}: it names {sorted(targets) or 'nobody'}"
    if not any(own & set(cluster.downloads.addresses(machine, name)) for name in wanted):
        return f"could not find self: no record etcd-N.{domain} has the address {', '.join(sorted(own))}"
    return await _call(cluster, machine, "/readyz")


async def introduce(cluster: Cluster, machine: Machine) -> str:
    """Let a kubelet request its certificates from the API server; return why it cannot, or ""."""
    reason = await _call(cluster, machine, "/apis/certificates.k8s.io/v1/certificatesigningrequests?limit=1")
    if reason:
        return f"failed to run Kubelet: cannot create certificate signing request: {reason}"
    for usage, requestor in (
        ("kubelet-client", _BOOTSTRAPPER),
        ("kubelet-serving", f"system:node:{machine.host_name}"),
    ):
        _approve(cluster, machine, usage, requestor)
    return ""


async def _call(cluster: Cluster, machine: Machine, path: str) -> str:
    try:
        credentials = kubeconfig.read(machine.kubeconfig, "/etc/kubernetes/kubeconfig")
    except InstallationError as error:
        return str(error)
    return await credentials.call(cluster.downloads, machine, path)


def _approve(cluster: Cluster, machine: Machine, usage: str, requestor: str) -> None:
    """Create a kubelet's CertificateSigningRequest, already approved, with the certificate of the kubelet signer."""
    name = f"csr-{machine.host_name}-{usage.removeprefix('kubelet-')}"
    if cluster.objects.get("CertificateSigningRequest.certificates.k8s.io", name):
        return
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name(
        [
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, "system:nodes"),
            # A host name may be longer than the 64 characters that X.520 allows a common name.
            x509.NameAttribute(NameOID.COMMON_NAME, f"system:node:{machine.host_name}"[:64]),
        ]
    )
    request = x509.CertificateSigningRequestBuilder().subject_name(subject).sign(key, hashes.SHA256())
    now = rfc3339(cluster.platform.clock.now())
    created = cluster.objects.create(
        {
            "apiVersion": "certificates.k8s.io/v1",
            "kind": "CertificateSigningRequest",
            "metadata": {"name": name},
            "spec": {
                "request": base64.b64encode(request.public_bytes(Encoding.PEM)).decode(),
                "signerName": "kubernetes.io/kube-apiserver-client-kubelet"
                if usage == "kubelet-client"
                else "kubernetes.io/kubelet-serving",
                "usages": ["digital signature", "client auth" if usage == "kubelet-client" else "server auth"],
                "username": requestor,
            },
        }
    )
    condition = {
        "type": "Approved",
        "status": "True",
        "reason": "NodeCSRApprove",
        "message": "This CSR was approved by the Node CSR Approver",
        "lastUpdateTime": now,
        "lastTransitionTime": now,
    }
    status: Json = {"conditions": [condition]}
    certificate = _sign(cluster, request, client=usage == "kubelet-client")
    if certificate:
        status["certificate"] = certificate
    cluster.objects.set_status(kinds.full_name(created), name, status)


def _sign(cluster: Cluster, request: x509.CertificateSigningRequest, *, client: bool) -> str:
    """Return a certificate issued by the kubelet signer, in base64; "" if the signer cannot be read."""
    installation = cluster.installation
    try:
        authority = x509.load_pem_x509_certificate(installation.text("tls/kubelet-signer.crt").encode())
        key = read_private_key(installation.text("tls/kubelet-signer.key"))
    except ValueError:
        return ""
    now = datetime.now(UTC)
    usage = ExtendedKeyUsageOID.CLIENT_AUTH if client else ExtendedKeyUsageOID.SERVER_AUTH
    certificate = (
        x509.CertificateBuilder()
        .subject_name(request.subject)
        .issuer_name(authority.subject)
        .public_key(request.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(days=CERTIFICATE_DAYS))
        .add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
        .sign(key, hashes.SHA256())
    )
    return base64.b64encode(certificate.public_bytes(Encoding.PEM)).decode()


def put_node(cluster: Cluster, machine: Machine) -> None:
    """Create or update a machine's node."""
    addresses = [
        {"type": "InternalIP", "address": configuration["privateIPAddress"]}
        for configuration in cluster.downloads.configurations(machine)
        if configuration.get("privateIPAddress")
    ]
    version = cluster.installation.version
    minor = int(version.split(".")[1]) + _KUBERNETES_AHEAD
    cluster.objects.put(
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": machine.host_name, "labels": _labels(machine)},
            "spec": {"providerID": f"azure://{machine.id}", "taints": _taints(machine)},
        }
    )
    status = {
        **_resources(machine),
        "addresses": [{"type": "Hostname", "address": machine.host_name}, *addresses],
        "conditions": _conditions(rfc3339(cluster.platform.clock.now()), ready=True),
        "nodeInfo": {
            "architecture": "amd64",
            "containerRuntimeVersion": f"cri-o://1.{minor}.0",
            "kubeletVersion": f"v1.{minor}.0",
            "operatingSystem": "linux",
            "osImage": f"Red Hat Enterprise Linux CoreOS {version}",
            "kernelVersion": KERNEL,
            "kubeProxyVersion": f"v1.{minor}.0",
            "machineID": uuid5(NAMESPACE_URL, machine.id).hex,
            "systemUUID": str(uuid5(NAMESPACE_URL, machine.id)),
            "bootID": str(uuid5(NAMESPACE_URL, f"{machine.id} {machine.powered_at}")),
        },
    }
    cluster.objects.set_status("Node", machine.host_name, status)


def show_power(cluster: Cluster) -> None:
    """Show nodes as Ready while their machine is powered, otherwise as Unknown; delete nodes without a machine."""
    joined = {one.host_name: one for one in cluster.machines.of(cluster.record.id) if one.joined}
    for node in cluster.objects.list("Node"):
        name = node["metadata"]["name"]
        if name not in joined:
            cluster.objects.delete("Node", name)
        elif is_ready(node) != joined[name].powered:
            conditions = _conditions(rfc3339(cluster.platform.clock.now()), ready=joined[name].powered)
            cluster.objects.set_status("Node", name, node.get("status", {}) | {"conditions": conditions})


def is_ready(node: Json) -> bool:
    """Tell whether a node is Ready."""
    conditions = (node.get("status") or {}).get("conditions") or ()
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)


def _labels(machine: Machine) -> dict[str, str]:
    labels = {
        f"node-role.kubernetes.io/{machine.role}": "",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": machine.host_name,
        "kubernetes.io/os": "linux",
        "node.kubernetes.io/instance-type": machine.size,
        "node.openshift.io/os_id": "rhcos",
        "topology.kubernetes.io/region": machine.location,
        "topology.kubernetes.io/zone": f"{machine.location}-{machine.zone}" if machine.zone else "0",
    }
    return labels | ({"node-role.kubernetes.io/control-plane": ""} if machine.role == "master" else {})


def _taints(machine: Machine) -> list[Json]:
    return [{"key": "node-role.kubernetes.io/master", "effect": "NoSchedule"}] if machine.role == "master" else []


def _resources(machine: Machine) -> Json:
    """Return what a machine has, and what is left for pods beside the reserve of OpenShift's kubelet."""
    memory, disk = int(machine.memory_gib * KIB_IN_GIB), DISK_GIB * KIB_IN_GIB
    fixed = {"hugepages-1Gi": "0", "hugepages-2Mi": "0", "pods": str(MOST_PODS)}
    return {
        "capacity": {"cpu": str(machine.cores), "memory": f"{memory}Ki", "ephemeral-storage": f"{disk}Ki"} | fixed,
        "allocatable": {
            "cpu": f"{machine.cores * 1000 - RESERVED_MILLICORES}m",
            "memory": f"{memory - RESERVED_MEMORY_KIB}Ki",
            "ephemeral-storage": f"{disk - KIB_IN_GIB}Ki",
        }
        | fixed,
    }


def _conditions(now: str, *, ready: bool) -> list[Json]:
    shown: Json = {"lastHeartbeatTime": now, "lastTransitionTime": now}
    if not ready:
        unknown = {"reason": "NodeStatusUnknown", "message": "Kubelet stopped posting node status."}
        return [{"type": "Ready", "status": "Unknown"} | unknown | shown]
    return [
        {"type": "MemoryPressure", "status": "False", "reason": "KubeletHasSufficientMemory"} | shown,
        {"type": "DiskPressure", "status": "False", "reason": "KubeletHasNoDiskPressure"} | shown,
        {"type": "PIDPressure", "status": "False", "reason": "KubeletHasSufficientPID"} | shown,
        {
            "type": "Ready",
            "status": "True",
            "reason": "KubeletReady",
            "message": "kubelet is posting ready status",
        }
        | shown,
    ]
