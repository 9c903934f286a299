"""Every step that writes to clusters, tested against the kinds and objects of a release on an emulated API server."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kubernetes.client import ApiClient

from activities.cluster import cluster_api
from emulator.core.clock import Clock
from emulator.core.platform import Platform
from emulator.core.world import World as EmulatorWorld
from emulator.openshift.kubernetes.api_server_tls import Certificate, Serving
from emulator.openshift.kubernetes.server import ApiServer
from emulator.openshift.release import kinds, manifests
from shared.json_object import Json
from shared.openshift import client
from shared.openshift.client import Read
from tests.kubernetes_pki import SERVER_NAME, Authority
from tests.platform_server import Listening, listening
from tests.product.integration.openshift_client.stage import Cluster, proxied
from tests.product.unit.activities.cluster.cluster_api_fake import run
from tests.product.unit.product_world import World, accepted, world

__all__ = ["accepted", "world"]

MINOR = 19
STEPS = [
    "activities.cluster.logging:ensure_logging",
    "activities.cluster.ifreload:ensure_ifreload",
    "activities.cluster.cluster_certificates:configure_api_server_certificate",
    "activities.cluster.cluster_certificates:configure_ingress_certificate",
    "activities.cluster.cluster_configuration:update_console_branding",
    "activities.cluster.cluster_configuration:disable_alertmanager_warning",
    "activities.cluster.cluster_configuration:disable_updates",
    "activities.cluster.cluster_configuration:disable_samples",
    "activities.cluster.cluster_configuration:disable_operator_hub_sources",
]
CONFIG, OPERATOR = "config.openshift.io/v1", "operator.openshift.io/v1"
# Objects that the operators of a release create: API version, kind, name, namespace, spec.
CONFIGURED = [
    (CONFIG, "APIServer", "cluster", "", {}),
    (CONFIG, "ClusterVersion", "version", "", {"clusterID": "1", "channel": "stable-4.19"}),
    (CONFIG, "OperatorHub", "cluster", "", {}),
    (OPERATOR, "Console", "cluster", "", {"managementState": "Managed"}),
    (OPERATOR, "IngressController", "default", "openshift-ingress-operator", {}),
    ("samples.operator.openshift.io/v1", "Config", "cluster", "", {"managementState": "Managed"}),
]


@pytest.fixture
def local(tmp_path: Path) -> Iterator[Listening]:
    """Give an event loop, a store and a journal."""
    with listening(Platform(tmp_path, clock=Clock(40), world=EmulatorWorld())) as running:
        yield running


@pytest.fixture
def server(local: Listening) -> Iterator[ApiServer]:
    """Give an API server that does not know OpenShift's kinds and namespaces yet."""
    made = ApiServer(local.platform, "c1")
    yield made
    local.run(made.stop())


@pytest.fixture
def connected(
    server: ApiServer, local: Listening, accepted: World, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ApiClient]:
    """Start the API server where the steps find it, and put the cluster's certificates into Key Vault."""
    cluster = Cluster()
    pair = cluster.certificate()
    serving = Serving([Certificate((SERVER_NAME,), pair.certificate, pair.key)], cluster.clients.pem)
    for which in ("apiserver", "ingress"):
        issued = Authority("public-ca").issue(which, names=("api.c1.eastus.aroapp.io",))
        accepted.vault("rp-cls").versions[f"doc-1-{which}"] = [issued.key + issued.certificate]
    with proxied() as route:
        route.to = local.run(server.listen(serving))
        made = cluster.connect()
        monkeypatch.setattr(cluster_api, "connect", lambda _step: made)
        yield made


def known(server: ApiServer) -> None:
    """Add OpenShift's kinds and namespaces to the API server."""
    for definition in kinds.definitions():
        server.objects.define(definition)
    for one in kinds.foundation():
        server.objects.put(one)


def released(server: ApiServer) -> None:
    """Add the objects that a release and its operators create."""
    for one in (*manifests.security_context_constraints(MINOR), manifests.alertmanager(MINOR)):
        server.objects.put(one)
    for api_version, kind, name, namespace, spec in CONFIGURED:
        metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
        server.objects.put({"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec})


def told(connected: ApiClient) -> dict[str, Json]:
    """Return every object of the kinds that the steps write."""
    listed = (
        "Namespace",
        "ConfigMap",
        "Secret",
        "ServiceAccount",
        "DaemonSet",
        "SecurityContextConstraints",
        "APIServer",
        "ClusterVersion",
        "OperatorHub",
        "Console",
        "IngressController",
        "Config.samples.operator.openshift.io",
    )
    return {
        f"{kind} {one['metadata'].get('namespace', '')}/{one['metadata']['name']}": one
        for kind in listed
        for one in client.read(connected, Read(kind))
    }


def in_loop(local: Listening, act: Callable[[ApiServer], None], server: ApiServer) -> None:
    """Change the objects inside the server's own event loop, as operators do.

    Args:
        local: the platform with the event loop.
        act: makes the change.
        server: the API server that has the objects.
    """

    async def inside() -> None:
        act(server)

    local.run(inside())


def test_every_step_waits_for_a_young_cluster(server: ApiServer, local: Listening, connected: ApiClient) -> None:
    """First the kinds are missing, then the objects. A waiting step leaves nothing half made except unused Secrets."""
    for know in (lambda _server: None, known):
        in_loop(local, know, server)
        for target in STEPS:
            outcome = run(target)
            assert outcome["outcome"] == "wait", target
            assert "does not exist yet" in outcome["message"] or "not found" in outcome["message"]
    assert not client.read(connected, Read("DaemonSet"))


def test_every_step_is_done_on_a_cluster_that_is_up_and_done_again_changes_nothing(
    server: ApiServer, local: Listening, connected: ApiClient
) -> None:
    """The API server accepts each object under the schema of its kind; a second run changes nothing."""
    in_loop(local, known, server)
    in_loop(local, released, server)
    before = told(connected)
    assert {target: run(target)["outcome"] for target in STEPS} == dict.fromkeys(STEPS, "done")
    after = told(connected)
    assert {target: run(target)["outcome"] for target in STEPS} == dict.fromkeys(STEPS, "done")
    assert told(connected) == after
    made = {name for name in after if name not in before}
    assert made == {
        "Namespace /openshift-azure-logging",
        "ConfigMap openshift-azure-logging/fluent-config",
        "Secret openshift-azure-logging/certificates",
        "ServiceAccount openshift-azure-logging/geneva",
        "SecurityContextConstraints /privileged-genevalogging",
        "DaemonSet openshift-azure-logging/mdsd",
        "Namespace /openshift-azure-ifreload",
        "SecurityContextConstraints /privileged-ifreload",
        "DaemonSet openshift-azure-ifreload/ifreload",
        "Secret openshift-config/doc-1-apiserver",
        "Secret openshift-ingress/doc-1-ingress",
    }
    assert {name for name in before if before[name] != after[name]} == {
        "APIServer /cluster",
        "ClusterVersion /version",
        "OperatorHub /cluster",
        "Console /cluster",
        "IngressController openshift-ingress-operator/default",
        "Config.samples.operator.openshift.io /cluster",
        "Secret openshift-monitoring/alertmanager-main",
    }
