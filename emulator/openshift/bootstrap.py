"""What the bootstrap machine does, stage by stage, and on what it stumbles: the checks are those of its programs.

A missing file is noticed by whoever reads it, as on a real machine: the renderers write an empty field without a word,
and the static pod that needs the file starts again and again.
"""

import ssl
from typing import TYPE_CHECKING

from emulator.core.errors import ServiceError
from emulator.openshift import certificates, host_system, kinds, machine_config, pairs, rotation, units
from emulator.openshift.endpoint import Endpoint, Reply
from emulator.openshift.installation import Installation, InstallationError, Json
from emulator.openshift.kubeconfig import credentials
from emulator.openshift.timeline import NotYetError, WaitingError
from emulator.openshift.versions import CLUSTER_VERSION

if TYPE_CHECKING:
    from emulator.openshift.cluster import Cluster

_PAIRS = (
    "apiserver-proxy",
    "etcd-client",
    "kube-apiserver-internal-lb-server",
    "kube-apiserver-lb-server",
    "kube-apiserver-localhost-server",
    "kube-apiserver-service-network-server",
    "kube-apiserver-to-kubelet-client",
)
# What the static pods read from /etc/kubernetes/secrets, a copy of the folder tls.
API_SERVER_FILES = (
    *(f"tls/{pair}.{kind}" for pair in _PAIRS for kind in ("crt", "key")),
    "tls/aggregator-signer.crt",
    "tls/etcd-ca-bundle.crt",
    "tls/kube-apiserver-complete-client-ca-bundle.crt",
    "tls/kubelet-client-ca-bundle.crt",
    "tls/service-account.pub",
)
CONTROLLER_FILES = (
    "tls/kube-apiserver-complete-server-ca-bundle.crt",
    "tls/kube-control-plane-ca-bundle.crt",
    "tls/kube-control-plane-kube-controller-manager-client.crt",
    "tls/kube-control-plane-kube-controller-manager-client.key",
    "tls/kube-control-plane-kube-scheduler-client.crt",
    "tls/kube-control-plane-kube-scheduler-client.key",
    "tls/kubelet-signer.crt",
    "tls/kubelet-signer.key",
    "tls/service-account.key",
)
_CONFLICT = 409
_OVERRIDES = "original_cvo_overrides.patch"


async def release_image(cluster: "Cluster") -> None:
    """Pull the release image, with the credentials in root's home."""
    installation = cluster.installation
    _runs(installation, "release-image.service")
    host_system.pull(installation)


async def manifests_present(cluster: "Cluster") -> None:
    """Copy the installer's manifests, of which there must be some; before that, the machine's own units have to run."""
    for name in ("kubelet.service", "bootkube.service"):
        _runs(cluster.installation, name)
    for folder in ("openshift", "manifests"):
        if not any(path.startswith(f"/opt/openshift/{folder}/") for path in cluster.installation.files):
            raise InstallationError(f"cp: cannot stat '{folder}/*': No such file or directory")


async def loopback(cluster: "Cluster") -> None:
    """Give the cluster version operator its kubeconfig."""
    server = credentials(cluster.installation, "auth/kubeconfig-loopback").server
    if server != "https://localhost:6443":
        raise InstallationError(f"kubeconfig-loopback: server {server} is not https://localhost:6443")


async def etcd_files(cluster: "Cluster") -> None:
    """Render etcd's files."""
    installation = cluster.installation
    _check_pair(installation, "etcd-signer")
    bundle = installation.text("tls/etcd-ca-bundle.crt")
    if installation.text("tls/etcd-signer.crt").strip() not in bundle:
        raise InstallationError("cluster-etcd-operator render: etcd-ca-bundle.crt does not hold etcd-signer.crt")
    installation.document("manifests/cluster-network-02-config.yml")
    status = installation.document("manifests/cluster-infrastructure-02-config.yml").get("status") or {}
    if not (status.get("platformStatus") or {}).get("type"):
        raise InstallationError("cluster-etcd-operator render: infrastructure status has no platform type")
    if not (installation.install_config.get("networking") or {}).get("machineNetwork"):
        raise InstallationError("cluster-etcd-operator render: install-config has no networking.machineNetwork")


async def cloud_config(cluster: "Cluster") -> None:
    """Render the cloud's configuration: the infrastructure names its config map and its key."""
    installation = cluster.installation
    spec = installation.document("manifests/cluster-infrastructure-02-config.yml").get("spec") or {}
    wanted = spec.get("cloudConfig") or {}
    if not wanted:
        return
    found = installation.document("manifests/cloud-provider-config.yaml")
    if wanted.get("name") != found["metadata"].get("name") or wanted.get("key") not in (found.get("data") or {}):
        raise InstallationError(
            f"cluster-config-operator render: cloud config {wanted.get('name')}/{wanted.get('key')} does not exist"
        )


async def machine_configs(cluster: "Cluster") -> None:
    """Render the machine configs of the pools, from all manifests so far."""
    installation = cluster.installation
    installation.manifests()
    secret = installation.document("manifests/openshift-config-secret-pull-secret.yaml")
    if secret.get("type") != "kubernetes.io/dockerconfigjson":
        raise InstallationError(f"machine-config-controller: pull secret is of type {secret.get('type')}")
    if installation.missing(["tls/root-ca.crt"]):
        raise InstallationError("machine-config-operator: open /assets/tls/root-ca.crt: no such file or directory")
    credentials(installation, "auth/kubeconfig-kubelet")


async def machine_config_server(cluster: "Cluster") -> None:
    """Serve the pools' configs on port 22623."""
    if "machine-config" not in cluster.ports:
        await _open_machine_config_server(cluster)


async def _open_machine_config_server(cluster: "Cluster") -> None:
    renewed = rotation.kubelet_kubeconfig(cluster.installation) if certificates.is_rotated(cluster) else ""
    configs = machine_config.Configs(cluster.installation, renewed)
    await _listen(cluster, "machine-config", Endpoint(configs.answer), "machine-config-server")


async def etcd_signer(cluster: "Cluster") -> None:
    """Serve the signer of etcd's certificates on port 6443; of it, machines look at `/readyz` alone."""
    if "etcd-signer" not in cluster.ports:

        def answer(path: str, _host: str) -> Reply:
            if path == "/readyz":
                return Reply(200, "text/plain", b"ok")
            return Reply(404, "text/plain", b"404 page not found\n")

        await _listen(cluster, "etcd-signer", Endpoint(answer), "kube-apiserver-internal-lb-server")


async def etcd_on_masters(cluster: "Cluster") -> None:
    """Wait until every master has a member of etcd."""
    members = [one for one in cluster.machines.of(cluster.record.id, "master") if one.etcd]
    if len(members) < cluster.installation.masters:
        raise WaitingError


async def api_server(cluster: "Cluster") -> None:
    """Start the temporary control plane's API server."""
    _require(cluster.installation, API_SERVER_FILES, "bootstrap-kube-apiserver")
    await listen_api(cluster)
    for definition in kinds.definitions():
        cluster.objects.define(definition)
    for obj in kinds.foundation():
        cluster.objects.put(obj)


async def listen_api(cluster: "Cluster") -> None:
    """Let the API server listen, if it does not yet.

    Raises:
        InstallationError: it cannot with these certificates.
    """
    if "api" in cluster.ports:
        return
    cluster.ports["api"] = await _open_api(cluster)
    signer = cluster.endpoints.pop("etcd-signer", None)
    cluster.ports.pop("etcd-signer", None)
    if signer is not None:
        signer.stop()


async def _open_api(cluster: "Cluster") -> int:
    try:
        for name in certificates.SERVERS:
            _check_pair(cluster.installation, name)
        return await cluster.server.listen(certificates.serving(cluster))
    except (InstallationError, ValueError, OSError) as error:
        raise InstallationError(f"kube-apiserver: panic: unable to load server certificate: {error}") from error


async def manifests(cluster: "Cluster") -> None:
    """Create the objects of the manifests, through the API server on the machine itself."""
    await _call(cluster, "auth/kubeconfig-loopback", "/api", "cluster-bootstrap")
    _require(cluster.installation, CONTROLLER_FILES, "bootstrap-kube-controller-manager")
    left = [manifest for manifest in cluster.installation.manifests() if not _create(cluster, manifest.body)]
    # Once more: what a later file creates is there now.
    failures = [failure for manifest in left if (failure := _failure(cluster, manifest.path, manifest.body))]
    if failures:
        raise InstallationError(f"Failed to create {'; '.join(failures)}")


def _create(cluster: "Cluster", body: Json) -> bool:
    return not _failure(cluster, "", body)


def _failure(cluster: "Cluster", path: str, body: Json) -> str:
    """Create an object; return why that failed, "" when it is there."""
    try:
        created = cluster.objects.create(kinds.modern(body))
        if body.get("status"):
            kind = kinds.full_name(created)
            metadata = created["metadata"]
            cluster.objects.set_status(kind, metadata["name"], body["status"], metadata.get("namespace", ""))
    except ServiceError as error:
        return "" if error.status_code == _CONFLICT else f'"{path.rpartition("/")[2]}": {error.message}'
    return ""


async def masters_joined(cluster: "Cluster") -> None:
    """Wait until every master is a node, and etcd with it has its quorum without the bootstrap machine."""
    _runs(cluster.installation, "approve-csr.service")
    if len(cluster.masters()) < cluster.installation.masters:
        raise WaitingError


async def cvo_overrides(cluster: "Cluster") -> None:
    """Merge into the version what the bootstrap machine's script has for it, through the balancer."""
    if _OVERRIDES not in cluster.installation.text("/usr/local/bin/bootkube.sh"):
        return
    await _call(cluster, "auth/kubeconfig", "/apis/config.openshift.io/v1", "bootkube.sh")
    patch = cluster.installation.document(_OVERRIDES)
    version = cluster.objects.get(CLUSTER_VERSION, "version")
    if version is not None:
        spec = version["spec"] | (patch.get("spec") or {})
        cluster.objects.put(version | {"spec": {name: value for name, value in spec.items() if value is not None}})


async def complete(cluster: "Cluster") -> None:
    """Report that the control plane stands on its own, through the balancer, as everybody after this will reach it."""
    _runs(cluster.installation, "progress.service")
    await _call(cluster, "auth/kubeconfig", "/api/v1/namespaces/kube-system", "progress.service")
    metadata = {"name": "bootstrap", "namespace": "kube-system"}
    cluster.objects.put({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"status": "complete"}})


async def _call(cluster: "Cluster", kubeconfig: str, path: str, unit: str) -> None:
    """Call the API from the bootstrap machine.

    Raises:
        NotYetError: it does not answer, or does not know the caller.
    """
    machine = cluster.bootstrap
    if machine is None or not machine.powered:
        raise WaitingError
    reason = await credentials(cluster.installation, kubeconfig).call(cluster.downloads, machine, path)
    if reason:
        raise NotYetError(f"{unit}: {reason}")


def _runs(installation: Installation, unit: str) -> None:
    if reason := units.failure(unit, installation.units, installation.files):
        raise InstallationError(reason)


def _require(installation: Installation, names: tuple[str, ...], pod: str) -> None:
    missing = installation.missing(list(names))
    if missing:
        file = missing[0].rpartition("/")[2]
        raise InstallationError(
            f"{pod}: open /etc/kubernetes/secrets/{file}: no such file or directory: back-off restarting failed "
            "container"
        )


def _check_pair(installation: Installation, name: str) -> None:
    """Check that a key belongs to its certificate.

    Raises:
        InstallationError: it does not, or either cannot be read.
    """
    problem = pairs.problem(installation.text(f"tls/{name}.crt"), installation.text(f"tls/{name}.key"))
    if problem:
        raise InstallationError(f"tls: {name}: {problem}")


async def _listen(cluster: "Cluster", name: str, endpoint: Endpoint, pair: str) -> None:
    installation = cluster.installation
    _require(installation, (f"tls/{pair}.crt", f"tls/{pair}.key"), name)
    try:
        port = await endpoint.listen(installation.text(f"tls/{pair}.crt"), installation.text(f"tls/{pair}.key"))
    except (ssl.SSLError, ValueError) as error:
        raise InstallationError(f"{name}: tls: failed to load {pair}: {error}") from error
    cluster.endpoints[name], cluster.ports[name] = endpoint, port


async def rotate(cluster: "Cluster") -> None:
    """Serve with renewed certificates from here on, and give new machines one too."""
    cluster.rotated, cluster.own_certificates = True, []
    certificates.show(cluster)
    old = cluster.endpoints.get("machine-config")
    # The new listener first: nobody is to find the port closed in between.
    await _open_machine_config_server(cluster)
    if old is not None:
        old.stop()
