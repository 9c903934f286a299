"""What a GET makes of the objects of a live cluster, whatever they are."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.clusters.live import live_values
from shared.clusters.live.live_values import Live
from shared.json_object import Json

SUBSCRIPTION = "dddddddd-0000-0000-0000-000000000001"
SUBNET = (
    f"/subscriptions/{SUBSCRIPTION}/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/vnet/subnets/worker"
)
DES = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/keys/providers/Microsoft.Compute/diskEncryptionSets/des"
OWNER = "ingresscontroller.operator.openshift.io/owning-ingresscontroller"
PICKS = {
    "version": live_values.version,
    "console_url": live_values.console_url,
    "worker_profiles": lambda found: live_values.worker_profiles(SUBSCRIPTION, found),
    "ingress_profiles": live_values.ingress_profiles,
    "router_addresses": live_values.router_addresses,
}


def machine_set(name: str = "c1-worker-eastus1", replicas: Any = 2, ready: Any = 2, **spec: Any) -> Json:
    """Make a MachineSet; `spec` changes members of its machines' provider spec, and `...` removes them."""
    value = {
        "vmSize": "Standard_D4s_v3",
        "osDisk": {"diskSizeGB": 128, "managedDisk": {"storageAccountType": "Premium_LRS"}},
        "resourceGroup": "aro-c1",
        "networkResourceGroup": "net",
        "vnet": "vnet",
        "subnet": "worker",
        "zone": "1",
    } | spec
    value = {member: each for member, each in value.items() if each is not ...}
    return {
        "metadata": {"name": name},
        "spec": {"replicas": replicas, "template": {"spec": {"providerSpec": {"value": value}}}},
        "status": {"replicas": replicas, "readyReplicas": ready},
    }


def only(found: Any) -> Any:
    """Return the profile of one machine set."""
    (profile,) = live_values.worker_profiles(SUBSCRIPTION, [found])
    return profile


def test_a_machine_set_is_a_worker_profile() -> None:
    """Its subnet is in the network's group, in the cluster's subscription."""
    assert only(machine_set()) == {
        "name": "c1-worker-eastus1",
        "count": 2,
        "vmSize": "Standard_D4s_v3",
        "diskSizeGB": 128,
        "subnetId": SUBNET,
        "encryptionAtHost": "Disabled",
    }


def test_encryption_is_shown() -> None:
    """Both of disks and at the host."""
    disk = {"diskSizeGB": 256, "managedDisk": {"diskEncryptionSet": {"id": DES}}}
    profile = only(machine_set(osDisk=disk, securityProfile={"encryptionAtHost": True}))
    assert (profile["encryptionAtHost"], profile["diskEncryptionSetId"]) == ("Enabled", DES)


def test_a_network_without_a_group_of_its_own_is_in_the_clusters() -> None:
    """As machine-api reads it."""
    assert "/resourceGroups/aro-c1/" in only(machine_set(networkResourceGroup=...))["subnetId"]


@pytest.mark.parametrize(
    ("found", "want_count"),
    [
        pytest.param(machine_set(ready=0), 2, id="no machine is ready"),
        pytest.param(machine_set(ready=None, replicas=0), 0, id="it has no machines"),
        pytest.param({"metadata": {"name": "c1-worker-eastus1"}, "spec": {}}, 1, id="it says nothing"),
        pytest.param(
            {"metadata": {"name": "c1-worker-eastus1"}, "spec": {"template": 7}, "status": {"readyReplicas": 1}},
            1,
            id="its provider spec is unreadable",
        ),
    ],
)
def test_without_a_ready_machine_or_a_readable_spec_only_name_and_count_are_shown(found: Json, want_count: int) -> None:
    """A set that names no count has one machine."""
    assert only(found) == {"name": "c1-worker-eastus1", "count": want_count}


def test_machine_sets_are_in_the_order_of_their_names_and_those_without_one_are_left_out() -> None:
    """The API server sorts them in another way than people."""
    found = [machine_set("b"), {"metadata": {}}, "nonsense", machine_set("a")]
    assert [profile["name"] for profile in live_values.worker_profiles(SUBSCRIPTION, found)] == ["a", "b"]


@pytest.mark.parametrize(
    ("spec", "missing"),
    [
        ({"zone": 1, "tags": {"a": 1}}, ""),
        ({"vmSize": 4}, "vmSize"),
        ({"vmSize": "<script>"}, "vmSize"),
        ({"osDisk": {"diskSizeGB": "128"}}, "diskSizeGB"),
        ({"osDisk": {"diskSizeGB": True}}, "diskSizeGB"),
        ({"osDisk": {"diskSizeGB": 2**40}}, "diskSizeGB"),
        ({"subnet": "a/b"}, "subnetId"),
        ({"vnet": ...}, "subnetId"),
    ],
)
def test_an_odd_member_is_left_out_alone(spec: Json, missing: str) -> None:
    """Numbers as zones or tags are common; nothing here reads them."""
    assert set(only(machine_set())) - set(only(machine_set(**spec))) == ({missing} if missing else set())


@pytest.mark.parametrize(
    ("strategy", "want"),
    [
        pytest.param(None, {"visibility": "Public"}, id="none"),
        pytest.param(
            {"type": "LoadBalancerService", "loadBalancer": {"scope": "External"}},
            {"visibility": "Public"},
            id="public",
        ),
        pytest.param(
            {"type": "LoadBalancerService", "loadBalancer": {"scope": "Internal"}},
            {"visibility": "Private"},
            id="private",
        ),
        pytest.param({"type": "LoadBalancerService"}, {"visibility": "Public"}, id="without a scope"),
        pytest.param({"type": "LoadBalancerService", "loadBalancer": {"scope": ["x"]}}, {}, id="a scope that is none"),
        pytest.param({"type": "HostNetwork"}, {}, id="on the nodes"),
        pytest.param("nonsense", {}, id="nonsense"),
    ],
)
def test_the_visibility_of_an_ingress_controller_follows_how_it_publishes(strategy: Any, want: Json) -> None:
    """Public unless it says otherwise; without a load balancer it is neither."""
    spec = {} if strategy is None else {"endpointPublishingStrategy": strategy}
    assert live_values.ingress_profiles([{"metadata": {"name": "default"}, "spec": spec}]) == [
        {"name": "default"} | want
    ]


def service(name: str, *addresses: Any, owner: str = "") -> Json:
    """Make the Service of a router."""
    metadata = {"name": name} | ({"labels": {OWNER: owner}} if owner else {})
    return {"metadata": metadata, "status": {"loadBalancer": {"ingress": [{"ip": each} for each in addresses]}}}


def test_the_address_of_a_controller_is_that_of_its_routers_service() -> None:
    """The label says whose it is; otherwise the name does. A Service without an address has none."""
    found = [
        service("router-default", "20.0.0.1"),
        service("other", "10.0.0.4", owner="internal"),
        service("router-new"),
        service("router-odd", "nonsense"),
        "nonsense",
    ]
    assert live_values.router_addresses(found) == {"default": "20.0.0.1", "internal": "10.0.0.4"}


@pytest.mark.parametrize(
    ("url", "want"),
    [
        ("https://console.apps.c1.example.com", "https://console.apps.c1.example.com/"),
        ("https://console.apps.c1.example.com/", "https://console.apps.c1.example.com/"),
        ("http://console.apps.c1.example.com", None),
        ("javascript:alert(1)", None),
        ("https://", None),
        ("https://[", None),
        ("https://x/" + "a" * 3000, None),
        (7, None),
        ("", None),
    ],
)
def test_the_console_is_an_https_address(url: Any, want: str | None) -> None:
    """Portals make a link of it, and the customer's administrators write it."""
    assert live_values.console_url({"status": {"consoleURL": url}}) == want


@pytest.mark.parametrize(
    ("said", "want"),
    [("4.18.1", "4.18.1"), ("4.19.0-rc.2", "4.19.0-rc.2"), ("newest", None), (4, None), ("4.1\n8.1", None)],
)
def test_the_version_is_the_desired_one(said: Any, want: str | None) -> None:
    """It has three numbers."""
    assert live_values.version({"status": {"desired": {"version": said}}}) == want


STORED: Any = {
    "id": f"/subscriptions/{SUBSCRIPTION}/resourceGroups/g/providers/Microsoft.RedHatOpenShift/openShiftClusters/c1",
    "properties": {
        "clusterProfile": {"version": "4.17.9", "domain": "c1"},
        "consoleProfile": {"url": "https://old/"},
        "workerProfiles": [{"name": "worker", "count": 3}],
        "ingressProfiles": [{"name": "default", "visibility": "Public", "ip": "20.0.0.1"}],
    },
}


def test_what_is_not_read_stays_as_it_is_stored() -> None:
    """And the stored cluster itself never changes."""
    before = copy.deepcopy(STORED)
    assert live_values.with_live_values(STORED, Live()) == STORED
    everything = Live("4.18.1", "https://new/", [{"name": "w"}], [{"name": "x"}], {"x": "20.0.0.2"})
    assert live_values.with_live_values(STORED, everything) != STORED
    assert before == STORED


def test_everything_that_is_read_is_shown() -> None:
    """What the customer sent stays, beside the machine sets that exist."""
    found = Live(
        version="4.18.1",
        console_url="https://new/",
        worker_profiles=[{"name": "c1-worker-eastus1", "count": 5}],
        ingress_profiles=[{"name": "default", "visibility": "Private"}, {"name": "more", "visibility": "Public"}],
        router_addresses={"default": "10.0.0.7"},
    )
    assert live_values.with_live_values(STORED, found)["properties"] == {
        "clusterProfile": {"version": "4.18.1", "domain": "c1"},
        "consoleProfile": {"url": "https://new/"},
        "workerProfiles": [{"name": "worker", "count": 3}],
        "workerProfilesStatus": [{"name": "c1-worker-eastus1", "count": 5}],
        "ingressProfiles": [
            {"name": "default", "visibility": "Private", "ip": "10.0.0.7"},
            {"name": "more", "visibility": "Public"},
        ],
    }


@pytest.mark.parametrize(
    ("found", "want"),
    [
        pytest.param(
            Live(ingress_profiles=[{"name": "default", "visibility": "Private"}]),
            [{"name": "default", "visibility": "Private", "ip": "20.0.0.1"}],
            id="no Services",
        ),
        pytest.param(
            Live(router_addresses={"default": "20.0.0.9"}),
            [{"name": "default", "visibility": "Public", "ip": "20.0.0.9"}],
            id="no controllers",
        ),
        pytest.param(
            Live(ingress_profiles=[], router_addresses={"default": "20.0.0.1"}),
            STORED["properties"]["ingressProfiles"],
            id="a moment without any controller",
        ),
    ],
)
def test_ingress_is_shown_as_far_as_it_is_read(found: Live, want: list[Json]) -> None:
    """Controllers and addresses come from two reads, and either may fail."""
    assert live_values.with_live_values(STORED, found)["properties"]["ingressProfiles"] == want


_LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
_MEMBERS = st.sampled_from(
    [
        *("metadata", "name", "labels", OWNER, "spec", "status", "desired", "version", "consoleURL", "replicas"),
        *("readyReplicas", "template", "providerSpec", "value", "vmSize", "osDisk", "diskSizeGB", "managedDisk"),
        *("diskEncryptionSet", "id", "securityProfile", "encryptionAtHost", "subnet", "vnet", "resourceGroup"),
        *("endpointPublishingStrategy", "type", "loadBalancer", "scope", "ingress", "ip"),
    ]
)
_JSON = st.recursive(
    _LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_MEMBERS, inner, max_size=6), max_leaves=30
)


@settings(derandomize=True, deadline=None)
@given(_JSON, st.lists(_JSON, max_size=3))
def test_no_object_is_too_odd(one: Any, many: list[Any]) -> None:
    """Whatever an API server answers, there is something to show."""
    found: Any = {member: pick(one if member in ("version", "console_url") else many) for member, pick in PICKS.items()}
    assert live_values.with_live_values(STORED, Live(**found))["id"] == STORED["id"]
