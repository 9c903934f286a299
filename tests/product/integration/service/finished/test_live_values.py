"""What a GET and a list show of the live cluster: machines, console, routers; nothing of it is stored."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from shared.json_object import Json
from tests.local_azure import wait_for
from tests.product.integration.service.inventory import taken
from tests.product.integration.service.kubernetes_api import MACHINE_SETS, KubernetesApi
from tests.product.integration.service.stage import Cluster, begun, fault, met

pytestmark = [pytest.mark.slow(30), pytest.mark.xdist_group("standing")]

CONSOLE = "/apis/config.openshift.io/v1/consoles/cluster"
CLUSTER_VERSION = "/apis/config.openshift.io/v1/clusterversions/version"
CONTROLLERS = "/apis/operator.openshift.io/v1/namespaces/openshift-ingress-operator/ingresscontrollers"
INNER = {
    "apiVersion": "operator.openshift.io/v1",
    "kind": "IngressController",
    "metadata": {"name": "inner"},
    "spec": {"endpointPublishingStrategy": {"type": "LoadBalancerService", "loadBalancer": {"scope": "Internal"}}},
}


@pytest.fixture
def api(standing: Cluster, tmp_path: Path) -> KubernetesApi:
    """Give the cluster's API, as its administrator uses it."""
    return KubernetesApi(standing.customer, tmp_path)


def shown(cluster: Cluster) -> Json:
    """Return the properties that a GET shows."""
    answer = cluster.send("GET")
    assert answer.status_code == 200, answer.text
    properties: Json = answer.json()["properties"]
    return properties


def shown_if(cluster: Cluster, is_wanted: Callable[[Json], bool]) -> Json | None:
    """Return the properties that a GET shows, if they are the wanted ones."""
    properties = shown(cluster)
    return properties if is_wanted(properties) else None


def listed(cluster: Cluster) -> Json:
    """Return the properties that a list of the subscription's clusters shows."""
    path = f"/subscriptions/{cluster.customer.subscription_id}/providers/Microsoft.RedHatOpenShift/openShiftClusters"
    while path:
        page = cluster.send("GET", path).json()
        for each in page["value"]:
            if each["name"] == cluster.customer.cluster:
                properties: Json = each["properties"]
                return properties
        path = page.get("nextLink", "").removeprefix(cluster.azure.endpoints["arm"])
    raise AssertionError(cluster.customer.cluster)


def stored(cluster: Cluster) -> Json:
    """Return the properties in the cluster's document."""
    with taken(cluster.azure.state) as inventory:
        document = inventory.cluster(cluster.customer)
    assert document is not None
    properties: Json = document["openShiftCluster"]["properties"]
    return properties


def counts(properties: Json) -> dict[str, int]:
    """Return the count of each machine set."""
    return {each["name"]: each.get("count", 0) for each in properties.get("workerProfilesStatus", ())}


def wait_for_counts(cluster: Cluster, want: dict[str, int]) -> None:
    """Wait until a GET and a list show these machine sets."""
    wait_for(lambda: counts(shown(cluster)) == want, "a GET that shows the machine sets")
    wait_for(lambda: counts(listed(cluster)) == want, "a list that shows the machine sets")


@contextmanager
def scaled(api: KubernetesApi, machine_set: Json, replicas: int) -> Iterator[None]:
    """Scale a machine set for the duration of the block."""
    path, before = f"{MACHINE_SETS}/{machine_set['metadata']['name']}", machine_set["spec"]["replicas"]
    api.patch(path, {"spec": {"replicas": replicas}})
    try:
        yield
    finally:
        api.patch(path, {"spec": {"replicas": before}})


def test_a_get_and_a_list_show_the_machine_sets_that_exist(standing: Cluster, api: KubernetesApi) -> None:
    """They follow a machine set that is scaled inside the cluster, beside what the customer once sent."""
    found = sorted(api.list(MACHINE_SETS), key=lambda one: str(one["metadata"]["name"]))
    first, want = found[0], {one["metadata"]["name"]: one["spec"]["replicas"] for one in found}
    before = stored(standing)
    wait_for_counts(standing, want)
    with scaled(api, first, first["spec"]["replicas"] + 1):
        grown = want | {first["metadata"]["name"]: first["spec"]["replicas"] + 1}
        wait_for_counts(standing, grown)
    properties = wait_for(lambda: shown_if(standing, lambda now: counts(now) == want), "the former count")
    sent = properties["workerProfiles"]
    assert [each["name"] for each in sent] == ["worker"]
    (status,) = [each for each in properties["workerProfilesStatus"] if each["name"] == first["metadata"]["name"]]
    for member in ("vmSize", "diskSizeGB", "encryptionAtHost"):
        assert status[member] == sent[0][member]
    assert status["subnetId"].lower() == sent[0]["subnetId"].lower()
    assert stored(standing) == before
    assert "workerProfilesStatus" not in before


def test_a_get_shows_the_clusters_version_console_and_router(standing: Cluster, api: KubernetesApi) -> None:
    """The console follows the cluster's configuration; the router has the address of its Service."""
    before = stored(standing)
    url = api.get(CONSOLE)["status"]["consoleURL"]
    api.patch(f"{CONSOLE}/status", {"status": {"consoleURL": "https://console.example.org"}})
    try:
        wait_for(
            lambda: shown(standing)["consoleProfile"]["url"] == "https://console.example.org/", "the other console"
        )
    finally:
        api.patch(f"{CONSOLE}/status", {"status": {"consoleURL": url}})
    stays = f"{url}/"
    properties = wait_for(lambda: shown_if(standing, lambda now: now["consoleProfile"]["url"] == stays), "the console")
    assert properties["clusterProfile"]["version"] == api.get(CLUSTER_VERSION)["status"]["desired"]["version"]
    (service,) = api.list("/api/v1/namespaces/openshift-ingress/services?labelSelector=app=router")
    assert properties["ingressProfiles"] == [
        {"name": "default", "visibility": "Public", "ip": service["status"]["loadBalancer"]["ingress"][0]["ip"]}
    ]
    assert stored(standing) == before


def test_what_a_get_shows_of_the_live_cluster_can_be_put_back(standing: Cluster, api: KubernetesApi) -> None:
    """A second ingress controller is shown, its PUT is accepted, and it is not stored."""
    before = stored(standing)
    api.create(CONTROLLERS, INNER)
    try:
        wait_for(
            lambda: [each["name"] for each in shown(standing)["ingressProfiles"]] == ["default", "inner"],
            "the second ingress controller",
        )
        body = standing.send("GET").json()
        assert body["properties"]["ingressProfiles"][1] == {"name": "inner", "visibility": "Private"}
        # The cluster has to answer within the short time that an update has for it.
        accepted = wait_for(lambda: answer if (answer := standing.send("PUT", body=body)).ok else None, "the update")
        assert "workerProfilesStatus" not in accepted.json()["properties"]
        standing.succeed(begun(accepted))
    finally:
        api.delete(f"{CONTROLLERS}/inner")
    assert stored(standing)["ingressProfiles"] == before["ingressProfiles"]
    assert "workerProfilesStatus" not in stored(standing)


def test_a_cluster_that_does_not_answer_is_shown_as_it_is_stored(standing: Cluster) -> None:
    """Its API server keeps every read of the request waiting, and the request is answered all the same."""
    cluster = replace(standing, correlation_id=f"silent-{standing.customer.cluster}")
    held = {"service": "kubernetes", "kind": "hold", "delay_seconds": 3600, "count": 1000}
    with fault(cluster.azure, correlation_id=cluster.correlation_id, **held) as fault_id:
        for look in (shown, listed):
            properties = look(cluster)
            assert properties["consoleProfile"] == stored(cluster)["consoleProfile"]
            assert properties["clusterProfile"]["version"] == stored(cluster)["clusterProfile"]["version"]
            assert "workerProfilesStatus" not in properties
    wait_for(lambda: met(cluster.azure, fault_id), "the calls that waited")
