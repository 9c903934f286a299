"""GET and LIST show what live clusters say about themselves, and a PUT of what they show changes nothing."""

import copy
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from shared import deadline
from shared.clusters.api_versions import API_VERSIONS
from shared.clusters.secrets import SERVICE_KUBECONFIG, Purpose, secret_name
from shared.json_object import Json
from shared.openshift.client import NotDone
from shared.openshift.reads import Ask
from tests.api_versions import VERSIONS
from tests.kubernetes_pki import Authority, kubeconfig
from tests.product.unit.clusters.test_live import machine_set, service
from tests.product.unit.frontend.world import CLUSTER, CLUSTERS, NEW, OLD, SUBSCRIPTION, World, body, changed

LIST = f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.RedHatOpenShift/openShiftClusters"
ADDRESS = "10.1.0.5"
AUTHORITY = Authority("signer")
BUNDLE = {
    SERVICE_KUBECONFIG: kubeconfig(AUTHORITY, AUTHORITY.issue("system:aro-service"), "api-int.c1.example.org"),
    "kubeadminPassword": "canary-password",
}
# What a cluster answers that was upgraded, scaled and given a second ingress controller after its create.
OBJECTS: Json = {
    "ClusterVersion": {"status": {"desired": {"version": "4.18.1"}}},
    "Console.config.openshift.io": {"status": {"consoleURL": "https://console.example"}},
    "MachineSet": [machine_set("c1-worker-eastus2", 4), machine_set("c1-worker-eastus1", 1)],
    "IngressController": [
        {
            "metadata": {"name": "inner"},
            "spec": {
                "endpointPublishingStrategy": {"type": "LoadBalancerService", "loadBalancer": {"scope": "Internal"}}
            },
        },
        {"metadata": {"name": "default"}, "spec": {}},
    ],
    "Service": [service("router-default", "20.0.0.9"), service("router-inner", "10.0.0.8")],
}


def bring_up(world: World, name: str = "C1", client_id: str = "") -> Any:
    """Create a cluster and let it succeed, as far as the reading of live clusters goes; return its document."""
    client = {"client_id": client_id} if client_id else {}
    assert world.send("PUT", f"{CLUSTERS}/{name}", body(name=name.lower(), **client)).status == 201
    document = next(
        each
        for each in world.cosmos["OpenShiftClusters"].documents.values()
        if each["key"] == f"{CLUSTERS}/{name}".lower()
    )
    properties = document["openShiftCluster"]["properties"]
    properties["provisioningState"] = "Succeeded"
    document["lastAsyncOperationId"] = document.pop("asyncOperationId")
    properties["consoleProfile"] = {"url": "https://stored.example/"}
    properties["ingressProfiles"][0]["ip"] = "20.0.0.1"
    make_reachable(world, document)
    return document


def make_reachable(world: World, document: Any) -> None:
    """Give a cluster what the service reads it with."""
    document["openShiftCluster"]["properties"]["networkProfile"]["privateEndpointIp"] = ADDRESS
    vault_name = secret_name(document["id"], Purpose.CREDENTIALS)
    document["secrets"]["credentials"] = world.services.vault.put_secret(vault_name, BUNDLE)


def shown(world: World, api_version: str = NEW) -> Any:
    """GET the cluster; return its properties."""
    reply = world.send("GET", CLUSTER, api_version=api_version)
    assert reply.status == 200
    return reply.body["properties"]


def test_a_get_shows_the_live_cluster_and_stores_nothing_of_it(world: World) -> None:
    """Version, console, machine sets and ingress controllers; what the customer sent stays as it was sent."""
    document = bring_up(world)
    before = copy.deepcopy(document)
    world.live.objects = OBJECTS
    properties = shown(world)
    assert properties["clusterProfile"]["version"] == "4.18.1"
    assert properties["consoleProfile"]["url"] == "https://console.example/"
    assert [(each["name"], each["count"]) for each in properties["workerProfilesStatus"]] == [
        ("c1-worker-eastus1", 1),
        ("c1-worker-eastus2", 4),
    ]
    assert [each["name"] for each in properties["workerProfiles"]] == ["worker"]
    assert properties["ingressProfiles"] == [
        {"name": "default", "visibility": "Public", "ip": "20.0.0.9"},
        {"name": "inner", "visibility": "Private", "ip": "10.0.0.8"},
    ]
    assert world.document == before


def test_an_older_version_shows_the_machine_sets_as_worker_profiles(world: World) -> None:
    """Until they exist, it shows what the customer sent."""
    bring_up(world)
    assert [each["name"] for each in shown(world, OLD)["workerProfiles"]] == ["worker"]
    world.live.objects = OBJECTS
    properties = shown(world, OLD)
    assert [each["name"] for each in properties["workerProfiles"]] == ["c1-worker-eastus1", "c1-worker-eastus2"]
    assert "workerProfilesStatus" not in properties


def test_clusters_are_read_as_activities_read_them(world: World) -> None:
    """At the private endpoint, with the service's own credentials and never with the customer's secrets."""
    bring_up(world)
    shown(world)
    assert {ask.endpoint.url for ask in world.live.asked} == {f"https://{ADDRESS}:6443"}
    assert {ask.endpoint.server_name for ask in world.live.asked} == {"api-int.c1.example.org"}
    assert {ask.what.kind for ask in world.live.asked} == set(OBJECTS)
    # Secrets of the cluster would be among the reads.
    assert all(ask.what.name or ask.what.limit for ask in world.live.asked)


def test_the_reads_of_a_request_have_ten_seconds_from_its_arrival(world: World) -> None:
    """Whatever the request has done before."""
    bring_up(world)
    shown(world)
    with deadline.request():
        shown(world)
    assert len(world.live.seconds) == 2
    assert all(seconds <= deadline.LIVE_READS_SECONDS for seconds in world.live.seconds)


def test_a_list_reads_all_its_clusters_at_once(world: World) -> None:
    """One silent cluster costs the others nothing, and each shows its own values."""
    for number in range(3):
        bring_up(world, f"c{number}", f"11111111-0000-0000-0000-00000000000{number}")
    world.live.objects = OBJECTS
    value = world.send("GET", LIST).body["value"]
    assert [each["properties"]["clusterProfile"]["version"] for each in value] == ["4.18.1"] * 3
    assert len(world.live.seconds) == 1
    assert len(world.live.asked) == 3 * len(OBJECTS)


def test_the_next_page_is_known_before_clusters_are_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading may use up the time in which Key Vault, which has the key of the link, may be asked."""
    for number in range(11):
        bring_up(world, f"c{number}", f"11111111-0000-0000-0000-0000000000{number:02}")
    asked: list[str] = []
    vault, read = world.services.vault, world.services.read_clusters
    ask = vault.get_service_secret

    def note_vault(name: str) -> str:
        asked.append("vault")
        return ask(name)

    def note_clusters(asks: Sequence[Ask], seconds: float) -> list[Any]:
        asked.append("clusters")
        return read(asks, seconds)

    monkeypatch.setattr(vault, "get_service_secret", note_vault)
    world.services = replace(world.services, read_clusters=note_clusters)
    assert "nextLink" in world.send("GET", LIST).body
    assert asked == ["vault", "clusters"]


def test_what_cannot_be_read_is_shown_as_it_is_stored_and_the_log_says_why(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """One line, with a reason for each member, and no secret."""
    bring_up(world)
    world.live.objects = OBJECTS | {
        "MachineSet": NotDone("the API server answers 403 Forbidden"),
        "Service": NotDone("the API server answers 403 Forbidden"),
        "ClusterVersion": NotDone("the API server does not answer in time"),
    }
    with caplog.at_level(logging.WARNING):
        properties = shown(world)
    assert properties["clusterProfile"]["version"] == "4.17.9"
    assert "workerProfilesStatus" not in properties
    assert properties["ingressProfiles"][0]["ip"] == "20.0.0.1"
    (line,) = [record.getMessage() for record in caplog.records if "stored values" in record.getMessage()]
    assert line == (
        f"cluster {CLUSTER.lower()} is shown with stored values: version: the API server does not answer in time; "
        "worker_profiles, router_addresses: the API server answers 403 Forbidden"
    )


@pytest.mark.parametrize(
    "bundle",
    [
        pytest.param({SERVICE_KUBECONFIG: "{canary"}, id="no YAML"),
        pytest.param({SERVICE_KUBECONFIG: "canary: 1"}, id="no kubeconfig"),
        pytest.param({"canary": "x"}, id="no member"),
        pytest.param(None, id="no secret"),
    ],
)
def test_credentials_that_cannot_be_read_fail_nothing(
    world: World, caplog: pytest.LogCaptureFixture, bundle: Json | None
) -> None:
    """The log names the kind of problem, and quotes nothing of them."""
    document = bring_up(world)
    name = secret_name(document["id"], "credentials")
    document["secrets"]["credentials"] = (
        f"https://rp-cls.vault.azure.net/secrets/{name}/gone"
        if bundle is None
        else world.services.vault.put_secret(name, bundle)
    )
    with caplog.at_level(logging.WARNING):
        assert shown(world)["clusterProfile"]["version"] == "4.17.9"
    assert "its credentials cannot be used" in caplog.text
    assert "canary" not in caplog.text


@pytest.mark.parametrize(
    ("state", "failed", "read"),
    [
        ("Creating", "", False),
        ("Deleting", "", False),
        ("Failed", "Creating", False),
        ("Failed", "Deleting", False),
        ("Failed", "Updating", True),
        ("Failed", "", True),
        ("Updating", "", True),
        ("AdminUpdating", "", True),
        ("Succeeded", "Creating", True),
    ],
)
def test_only_clusters_that_are_up_are_read(world: World, state: str, failed: str, read: bool) -> None:
    """Others have no API server yet, or none any more."""
    properties = bring_up(world)["openShiftCluster"]["properties"]
    properties["provisioningState"], properties["failedProvisioningState"] = state, failed
    shown(world)
    assert bool(world.live.asked) == read


def test_stored_outbound_addresses_are_shown(world: World) -> None:
    """An operation that changes the load balancer stores them."""
    profile = bring_up(world)["openShiftCluster"]["properties"]["networkProfile"]["loadBalancerProfile"]
    profile["effectiveOutboundIps"] = [{"id": "/subscriptions/s/a"}, {"id": "/subscriptions/s/b"}]
    assert shown(world)["networkProfile"]["loadBalancerProfile"] == {
        "managedOutboundIps": {"count": 1},
        "effectiveOutboundIps": [{"id": "/subscriptions/s/a"}, {"id": "/subscriptions/s/b"}],
    }


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
@pytest.mark.parametrize("api_version", [version.name for version in API_VERSIONS])
def test_what_a_get_shows_of_a_live_cluster_can_be_sent_back(world: World, api_version: str, method: str) -> None:
    """It changes nothing and is not stored, although the document has other values."""
    document = bring_up(world)
    before = copy.deepcopy(document["openShiftCluster"])
    world.live.objects = OBJECTS
    sent = world.send("GET", CLUSTER, api_version=api_version).body
    reply = world.send(method, CLUSTER, sent, api_version=api_version)
    assert reply.status == 200
    assert "workerProfilesStatus" not in reply.body["properties"]
    after = world.document["openShiftCluster"]
    states = ("provisioningState", "lastProvisioningState", "failedProvisioningState")
    assert {**after["properties"], **dict.fromkeys(states)} == {**before["properties"], **dict.fromkeys(states)}


@pytest.mark.parametrize("api_version", [VERSIONS[0], OLD, "2023-07-01-preview", NEW])
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_machine_sets_are_not_compared_with_a_cluster_that_cannot_be_read(
    world: World, api_version: str, method: str
) -> None:
    """The answer is 409 with the reason, never 200; what is stored can be sent all the same."""
    bring_up(world)
    world.live.objects = dict(OBJECTS)
    sent = world.send("GET", CLUSTER, api_version=api_version).body
    world.live.objects["MachineSet"] = NotDone("the API server does not answer in time")
    reply = world.send(method, CLUSTER, sent, api_version=api_version)
    error = reply.body["error"]
    path = "properties.workerProfilesStatus" if api_version == NEW else "properties.workerProfiles"
    assert (reply.status, error["code"], error["target"]) == (409, "Conflict", path)
    assert "the API server does not answer in time" in error["message"]
    assert "asyncOperationId" not in world.document
    assert world.send(method, CLUSTER, body(api_version), api_version=api_version).status == 200


@pytest.mark.parametrize(
    ("path", "value", "want_target"),
    [
        pytest.param("properties.clusterProfile.version", "4.10.67", "", id="a version that is not the cluster's"),
        pytest.param("properties.consoleProfile.url", "https://x/", "", id="another console"),
        pytest.param(
            "properties.ingressProfiles.1.visibility",
            "Public",
            "properties.ingressProfiles['inner'].visibility",
            id="another visibility",
        ),
        pytest.param(
            "properties.ingressProfiles.0.ip",
            "1.2.3.4",
            "properties.ingressProfiles['default'].ip",
            id="another address",
        ),
        pytest.param("properties.apiserverProfile.url", "https://x/", "", id="another address of the API server"),
        pytest.param("properties.apiserverProfile.ip", "1.2.3.4", "", id="another IP address of the API server"),
        pytest.param(
            "properties.networkProfile.loadBalancerProfile.effectiveOutboundIps",
            [{"id": "/subscriptions/s/a"}],
            "",
            id="another outbound address",
        ),
        pytest.param(
            "properties.workerProfilesStatus.0.count",
            9,
            "properties.workerProfilesStatus['c1-worker-eastus1'].count",
            id="another number of machines",
        ),
        pytest.param(
            "properties.workerProfilesStatus.1", ..., "properties.workerProfilesStatus", id="fewer machine sets"
        ),
    ],
)
def test_a_value_that_no_get_shows_is_a_change(world: World, path: str, value: Any, want_target: str) -> None:
    """It is refused, because an update would not carry it out."""
    bring_up(world)
    world.live.objects = OBJECTS
    sent = changed(world.send("GET", CLUSTER).body, path, value)
    for method in ("PUT", "PATCH"):
        if value is ... and method == "PATCH":
            continue  # What a PATCH leaves out stays.
        reply = world.send(method, CLUSTER, sent)
        error = reply.body["error"]
        assert (reply.status, error["code"], error["target"]) == (400, "PropertyChangeNotAllowed", want_target or path)


def test_an_update_that_repeats_what_is_stored_reads_no_cluster(world: World) -> None:
    """It needs no more time than before, and works while the cluster is away."""
    bring_up(world)
    assert world.send("PUT", CLUSTER, body()).status == 200
    assert not world.live.asked


def test_an_update_reads_a_cluster_as_long_as_a_get_does(world: World) -> None:
    """That is more than it has for its own calls."""
    bring_up(world)
    with deadline.request():
        world.send("PATCH", CLUSTER, {"properties": {"clusterProfile": {"version": "4.18.1"}}})
    assert len(world.live.seconds) == 1
    assert deadline.REQUEST_SECONDS < world.live.seconds[0] <= deadline.LIVE_READS_SECONDS
