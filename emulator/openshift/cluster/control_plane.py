"""How machines join a cluster: masters as etcd members, all machines as nodes; and the objects of nodes."""

from uuid import NAMESPACE_URL, uuid5

from emulator.arm.models import ArmModel
from emulator.core.clock import rfc3339
from emulator.json_object import Json
from emulator.openshift.boot import kubeconfig
from emulator.openshift.boot.installation import InstallationError
from emulator.openshift.boot.machines import Machine
from emulator.openshift.cluster import certificate_requests
from emulator.openshift.cluster.certificate_requests import KUBELET, LIFE
from emulator.openshift.cluster.cluster import Cluster

SRV_TYPE = "Microsoft.Network/privateDnsZones/SRV"
KERNEL = "5.14.0-570.12.1.el9_6.x86_64"
KIB_IN_GIB = 1 << 20
# The disk that the installer gives every machine, and the limit on its pods.
DISK_GIB, MOST_PODS = 128, 250
# What the kubelet of OpenShift reserves by default, from memory: half a core, and 1 GiB of memory beside the 100 MiB that
# evict pods.
RESERVED_MILLICORES, RESERVED_MEMORY_KIB = 500, KIB_IN_GIB + 100 * 1024
# OpenShift 4.x is Kubernetes 1.(x + 13).
_KUBERNETES_AHEAD = 13


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
    if KUBELET not in machine.certificates:
        name = certificate_requests.file(cluster, KUBELET, machine.host_name, machine.role, by_node=False)
        now = cluster.platform.clock.now()
        known = {"since": rfc3339(now), "until": rfc3339(now + LIFE), "request": name}
        machine.certificates = machine.certificates | {KUBELET: known}
    return ""


async def _call(cluster: Cluster, machine: Machine, path: str) -> str:
    try:
        credentials = kubeconfig.read(machine.kubeconfig, "/etc/kubernetes/kubeconfig")
    except InstallationError as error:
        return str(error)
    return await credentials.call(cluster.downloads, machine, path)


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


def show_ready(cluster: Cluster, ready: dict[str, bool]) -> None:
    """Show which nodes are Ready, the others as Unknown; delete nodes without a machine."""
    for node in cluster.objects.list("Node"):
        name = node["metadata"]["name"]
        if name not in ready:
            cluster.objects.delete("Node", name)
        elif is_ready(node) != ready[name]:
            conditions = _conditions(rfc3339(cluster.platform.clock.now()), ready=ready[name])
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
