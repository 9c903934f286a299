"""The bootstrap machine's stages as others see them: its listeners, objects and calls, and what it waits for.

The checks of its own files run before: `boot/checks.py`.
"""

import copy
from collections.abc import Iterable

from starlette.responses import Response

from emulator.core.service_error import ServiceError
from emulator.openshift.boot.installation import InstallationError, Manifest
from emulator.openshift.boot.kubeconfig import credentials
from emulator.openshift.boot.timeline import NotYetError, WaitingError
from emulator.openshift.cluster import api_server_certificates, machine_config, rotation
from emulator.openshift.cluster.cluster import Cluster
from emulator.openshift.cluster.endpoint import Endpoint
from emulator.openshift.kubernetes import Objects
from emulator.openshift.kubernetes.secrets import decoded
from emulator.openshift.release import kinds

_CONFLICT = 409
_OVERRIDES = "original_cvo_overrides.patch"


async def machine_config_server(cluster: Cluster) -> None:
    """Serve the pools' configs on port 22623."""
    if not cluster.listeners.port("machine-config"):
        await _open_machine_config_server(cluster)


async def _open_machine_config_server(cluster: Cluster) -> None:
    first = machine_config.Configs(cluster.installation)

    def answer(path: str, host: str) -> Response:
        if not api_server_certificates.is_rotated(cluster):
            return first.answer(path, host)
        # What machines ask with must be valid whenever they boot.
        namespace, name = api_server_certificates.CSR_SIGNER
        data = (cluster.objects.get("Secret", name, namespace) or {}).get("data") or {}
        signer = (decoded(data["tls.crt"]), decoded(data["tls.key"])) if data else None
        known = rotation.kubelet_kubeconfig(cluster.installation, signer)
        return machine_config.Configs(cluster.installation, known).answer(path, host)

    await _listen(cluster, "machine-config", Endpoint(answer), "machine-config-server")


async def etcd_signer(cluster: Cluster) -> None:
    """Serve the signer of etcd's certificates on port 6443; machines call only its `/readyz`."""
    if not cluster.listeners.port("etcd-signer"):

        def answer(path: str, _host: str) -> Response:
            if path == "/readyz":
                return Response(b"ok", media_type="text/plain")
            return Response(b"404 page not found\n", 404, media_type="text/plain")

        await _listen(cluster, "etcd-signer", Endpoint(answer), "kube-apiserver-internal-lb-server")


async def etcd_on_masters(cluster: Cluster) -> None:
    """Wait until every master has an etcd member."""
    members = [one for one in cluster.machines.of(cluster.record.id, "master") if one.etcd]
    if len(members) < cluster.installation.masters:
        raise WaitingError


async def api_server(cluster: Cluster) -> None:
    """Start the temporary control plane's API server."""
    await listen_api(cluster)
    for definition in kinds.definitions():
        cluster.objects.define(definition)
    for obj in kinds.foundation():
        cluster.objects.put(obj)


async def listen_api(cluster: Cluster) -> None:
    """Let the API server listen, if it does not listen yet.

    Raises:
        InstallationError: if it cannot listen with these certificates.
    """
    if cluster.listeners.port("api"):
        return
    cluster.listeners.open("api", await _open_api(cluster))
    cluster.listeners.close("etcd-signer")


async def _open_api(cluster: Cluster) -> int:
    try:
        return await cluster.server.listen(api_server_certificates.serving(cluster))
    except (ValueError, OSError) as error:
        raise InstallationError(f"kube-apiserver: panic: unable to load server certificate: {error}") from error


async def manifests(cluster: Cluster) -> None:
    """Create the objects of the manifests, through the API server on the machine itself."""
    await _call(cluster, "auth/kubeconfig-loopback", "/api", "cluster-bootstrap")
    if failures := refused(cluster.objects, cluster.installation.manifests()):
        raise InstallationError(f"Failed to create {'; '.join(failures)}")
    # This one is rendered on the machine, by the operator of the API server.
    metadata = {"name": "admin-kubeconfig-client-ca", "namespace": "openshift-config"}
    bundle = {"ca-bundle.crt": cluster.installation.text("tls/admin-kubeconfig-ca-bundle.crt")}
    cluster.objects.put({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": bundle})


def refused(objects: Objects, manifests: Iterable[Manifest]) -> list[str]:
    """Create the objects of manifests; return one message for each object that failed."""
    left = [manifest for manifest in manifests if _failure(objects, manifest)]
    # Try the failed ones once more: the objects of later files exist now.
    return [failure for manifest in left if (failure := _failure(objects, manifest))]


def _failure(objects: Objects, manifest: Manifest) -> str:
    """Create an object; return why that failed, "" if the object exists now."""
    body = copy.deepcopy(manifest.body)
    try:
        created = objects.create(kinds.modern(body))
        if body.get("status"):
            kind = kinds.full_name(created)
            metadata = created["metadata"]
            objects.set_status(kind, metadata["name"], body["status"], metadata.get("namespace", ""))
    except ServiceError as error:
        return "" if error.status_code == _CONFLICT else f'"{manifest.path.rpartition("/")[2]}": {error.message}'
    return ""


async def masters_joined(cluster: Cluster) -> None:
    """Wait until every master is a node, so that etcd has its quorum without the bootstrap machine."""
    if len(cluster.masters()) < cluster.installation.masters:
        raise WaitingError


async def cvo_overrides(cluster: Cluster) -> None:
    """Merge the patch of the bootstrap machine's script into the ClusterVersion, through the load balancer."""
    if _OVERRIDES not in cluster.installation.text("/usr/local/bin/bootkube.sh"):
        return
    await _call(cluster, "auth/kubeconfig", "/apis/config.openshift.io/v1", "bootkube.sh")
    patch = cluster.installation.document(_OVERRIDES)
    version = cluster.objects.get(kinds.CLUSTER_VERSION, "version")
    if version is not None:
        spec = version["spec"] | (patch.get("spec") or {})
        cluster.objects.put(version | {"spec": {name: value for name, value in spec.items() if value is not None}})


async def complete(cluster: Cluster) -> None:
    """Report that the control plane runs on its own, through the load balancer, as all later clients reach it."""
    await _call(cluster, "auth/kubeconfig", "/api/v1/namespaces/kube-system", "progress.service")
    metadata = {"name": "bootstrap", "namespace": "kube-system"}
    cluster.objects.put({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"status": "complete"}})


async def _call(cluster: Cluster, kubeconfig: str, path: str, unit: str) -> None:
    """Call the API from the bootstrap machine.

    Raises:
        NotYetError: if the API does not answer, or does not know the caller.
        WaitingError: if the bootstrap machine is gone or powered off.
    """
    machine = cluster.bootstrap
    if machine is None or not machine.powered:
        raise WaitingError
    reason = await credentials(cluster.installation, kubeconfig).call(cluster.downloads, machine, path)
    if reason:
        raise NotYetError(f"{unit}: {reason}")


async def _listen(cluster: Cluster, name: str, endpoint: Endpoint, pair: str) -> None:
    installation = cluster.installation
    try:
        port = await endpoint.listen(installation.text(f"tls/{pair}.crt"), installation.text(f"tls/{pair}.key"))
    except ValueError as error:
        raise InstallationError(f"{name}: tls: failed to load {pair}: {error}") from error
    cluster.listeners.open(name, port, endpoint)


async def rotate(cluster: Cluster) -> None:
    """Serve with renewed certificates from now on, and give new machines a renewed client certificate."""
    api_server_certificates.rotate(cluster)
