"""Every condition, read over the wire from an emulated API server: before its objects exist, and once they do."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from emulator.core.clock import Clock
from emulator.core.platform import Platform
from emulator.core.world import World
from emulator.openshift.kubernetes.api_server_tls import Certificate, Serving
from emulator.openshift.kubernetes.server import ApiServer
from shared import fence
from shared.json_object import Json
from shared.openshift import client, conditions
from shared.openshift.client import Read
from shared.openshift.conditions import CONDITIONS
from tests.kubernetes_pki import SERVER_NAME
from tests.platform_server import Listening, listening
from tests.product.integration.openshift_client.stage import Cluster, Route, proxied

WORKER = {"machine.openshift.io/cluster-api-machine-role": "worker"}
# Group, version, kind, plural, whether it is namespaced.
KINDS = [
    ("config.openshift.io", "v1", "ClusterOperator", "clusteroperators", False),
    ("config.openshift.io", "v1", "ClusterVersion", "clusterversions", False),
    ("operator.openshift.io", "v1", "Console", "consoles", False),
    ("machine.openshift.io", "v1beta1", "Machine", "machines", True),
]


@pytest.fixture(scope="module")
def cluster() -> Cluster:
    """Give the certificate authorities, made only once because generating keys takes time."""
    return Cluster()


@pytest.fixture
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listening]:
    """Give an event loop, a store and a journal."""
    made = Platform(tmp_path_factory.mktemp("state"), clock=Clock(40), world=World())
    with listening(made) as running:
        yield running


@pytest.fixture(autouse=True)
def fenced() -> Iterator[None]:
    """Hold the fence, as an activity does."""
    token = fence.check.set(lambda: None)
    yield
    fence.check.reset(token)


@pytest.fixture
def route() -> Iterator[Route]:
    """Run a proxy and name it in the environment."""
    with proxied() as made:
        yield made


def serving(cluster: Cluster) -> Serving:
    """Return the certificates with which an API server listens."""
    made = cluster.certificate()
    return Serving([Certificate((SERVER_NAME,), made.certificate, made.key)], cluster.clients.pem)


@pytest.fixture
def api(platform: Listening, route: Route, cluster: Cluster) -> Iterator[ApiServer]:
    """Start an API server behind the proxy."""
    server = ApiServer(platform.platform, "c1")
    route.to = platform.run(server.listen(serving(cluster)))
    yield server
    platform.run(server.stop())


@pytest.fixture
def ask(api: ApiServer, cluster: Cluster) -> Callable[[str], str]:
    """Give a function that reads a condition and returns what is missing."""
    assert api.objects
    connected = cluster.connect()

    def ask(name: str) -> str:
        row = CONDITIONS[name]
        return row.test(*(client.read(connected, what) for what in row.reads))

    return ask


def definition(group: str, version: str, kind: str, plural: str, namespaced: bool) -> Json:
    """Return a CustomResourceDefinition like OpenShift's: it accepts any content and has a status subresource.

    Args:
        group: API group.
        version: the only version that is served.
        kind: name of the kind.
        plural: name of the kind in paths.
        namespaced: whether the objects are in namespaces.
    """
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    served = {"name": version, "served": True, "storage": True, "schema": schema, "subresources": {"status": {}}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced" if namespaced else "Cluster",
            "names": {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": f"{kind}List"},
            "versions": [served],
        },
    }


def conditioned(api: ApiServer, api_version: str, kind: str, name: str, conditions: Json, **metadata: Any) -> None:
    """Create an object and set its conditions.

    Args:
        api: the API server.
        api_version: `apiVersion` of the object.
        kind: kind of the object.
        name: name of the object.
        conditions: status of each condition, by type.
        metadata: further members of the object's `metadata`, such as its namespace.
    """
    namespace = metadata.get("namespace", "")
    api.objects.put({"apiVersion": api_version, "kind": kind, "metadata": {"name": name, **metadata}})
    group = api_version.partition("/")[0]
    told = [{"type": type_, "status": status, "reason": "R", "message": "m"} for type_, status in conditions.items()]
    api.objects.set_status(f"{kind}.{group}" if "/" in api_version else kind, name, {"conditions": told}, namespace)


def ready_cluster(api: ApiServer) -> None:
    """Create the objects that satisfy every condition."""
    objects = api.objects
    for row in KINDS:
        objects.define(definition(*row))
    objects.put(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "bootstrap", "namespace": "kube-system"},
            "data": {"status": "complete"},
        }
    )
    settled = {"Available": "True", "Progressing": "False", "Degraded": "False"}
    for name in ("kube-apiserver", "console", "ingress"):
        conditioned(api, "config.openshift.io/v1", "ClusterOperator", name, settled)
    conditioned(api, "config.openshift.io/v1", "ClusterVersion", "version", {"Available": "True"})
    objects.put({"apiVersion": "operator.openshift.io/v1", "kind": "Console", "metadata": {"name": "cluster"}})
    for namespace in (conditions.MACHINES, "openshift-ingress"):
        objects.put({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    for name in ("w-0", "w-1"):
        conditioned(api, "v1", "Node", name, {"Ready": "True"}, labels={"node-role.kubernetes.io/worker": ""})
        machine = {"name": name, "namespace": conditions.MACHINES, "labels": WORKER}
        objects.put({"apiVersion": "machine.openshift.io/v1beta1", "kind": "Machine", "metadata": machine})
        objects.set_status("Machine.machine.openshift.io", name, {"phase": "Running"}, conditions.MACHINES)
    # Masters count neither as worker machines nor as worker nodes.
    conditioned(api, "v1", "Node", "m-0", {"Ready": "False"}, labels={"node-role.kubernetes.io/master": ""})


@pytest.mark.parametrize("name", list(CONDITIONS))
def test_a_condition_waits_for_objects_and_kinds_that_do_not_exist(ask: Callable[[str], str], name: str) -> None:
    """A new API server knows none of OpenShift's kinds."""
    missing = ask(name)
    assert "does not exist yet" in missing or "there is no worker machine yet" in missing


@pytest.mark.parametrize("name", list(CONDITIONS))
def test_a_condition_holds_on_a_cluster_that_is_up(
    api: ApiServer, platform: Listening, ask: Callable[[str], str], name: str
) -> None:
    """A condition holds when the service's user reads it over the wire, including labels and namespaces."""

    async def come_up() -> None:
        ready_cluster(api)

    platform.run(come_up())
    assert ask(name) == ""


def test_an_operator_that_goes_away_is_told_with_reason_and_message(
    api: ApiServer, platform: Listening, ask: Callable[[str], str]
) -> None:
    """The wait quotes the reason and the message of the object's condition."""

    async def go_away() -> None:
        ready_cluster(api)
        conditioned(api, "config.openshift.io/v1", "ClusterOperator", "ingress", {"Available": "False"})

    platform.run(go_away())
    assert ask("ingress_controller_ready") == "ClusterOperator 'ingress' is not Available: R: m"


def test_a_user_without_rights_is_told_so(api: ApiServer, cluster: Cluster) -> None:
    """RBAC's message names user, verb and resource."""
    assert api.objects
    connected = cluster.connect(user=cluster.clients.issue("stranger"))
    with pytest.raises(client.NotDone, match=r'answers 403 Forbidden: .*User "stranger" cannot list resource "nodes"'):
        client.read(connected, conditions.NODES)


def test_a_deleted_object_is_gone_and_deleting_it_again_is_fine(
    api: ApiServer, platform: Listening, ask: Callable[[str], str], cluster: Cluster
) -> None:
    """Deletion is idempotent, because at-least-once delivery can delete twice."""

    async def come_up() -> None:
        ready_cluster(api)

    platform.run(come_up())
    machine = Read("Machine", "w-0", conditions.MACHINES)
    for _ in range(2):
        client.delete(cluster.connect(), machine)
    assert ask("workers_ready") == "1 of 2 worker machines are Running and 2 of 2 worker nodes are Ready"
    stranger = cluster.connect(user=cluster.clients.issue("stranger"))
    with pytest.raises(client.NotDone, match=r"403 Forbidden: .*cannot delete resource"):
        client.delete(stranger, machine)


def test_an_api_that_goes_away_and_comes_back_is_read_again(
    api: ApiServer, platform: Listening, route: Route, cluster: Cluster
) -> None:
    """The same client reaches the next server, because its pool drops the broken connection."""
    connected = cluster.connect()
    assert client.read(connected, conditions.NODES) == []
    platform.run(api.stop())
    with pytest.raises(client.NotDone, match=r"Tunnel connection failed: 504|not reached"):
        client.read(connected, conditions.NODES)
    route.to = platform.run(api.listen(serving(cluster)))
    assert client.read(connected, conditions.NODES) == []
