"""Clusters through every API version: what it lacks is kept, what it has is checked, and where versions differ."""

import copy
from typing import Any

import pytest

from tests.api_versions import CANCELED, STATES, VERSIONS, features, members
from tests.product.unit.frontend.world import CLUSTER, LOCATION, NEW, OLD, World, body, changed

FIRST = VERSIONS[0]
CP, NP, MP = "properties.clusterProfile", "properties.networkProfile", "properties.masterProfile"
SP, SDN, LB = "properties.servicePrincipalProfile", f"{NP}.softwareDefinedNetwork", f"{NP}.loadBalancerProfile"
WORKER = "properties.workerProfiles['worker']"
IS_OPTIONAL = [version for version in VERSIONS if members(version)[SP] == "m"]
every_version = pytest.mark.parametrize("version", VERSIONS)


def created(version: str = NEW, content: dict[str, Any] | None = None) -> World:
    """Return a world with a cluster that one version has created."""
    world = World()
    reply = world.send("PUT", CLUSTER, content or body(version), api_version=version)
    assert reply.status == 201, reply.text()
    world.finish()
    return world


def settled(world: World) -> Any:
    """Return what is stored of the cluster, without what every operation changes."""
    cluster = copy.deepcopy(world.document["openShiftCluster"])
    for name in ("provisioningState", "lastProvisioningState", "failedProvisioningState"):
        cluster["properties"].pop(name, None)
    return cluster


def at(cluster: Any, path: str) -> Any:
    """Return the value at a path without arrays."""
    for name in path.split("."):
        cluster = cluster.get(name, {})
    return cluster


@every_version
def test_whichever_version_creates_a_cluster_it_is_the_same(version: str) -> None:
    """Members that the version lacks have the defaults of those who leave them out."""
    stored = settled(created(version))
    assert stored == settled(created())
    assert at(stored, f"{CP}.fipsValidatedModules") == "Disabled"
    assert at(stored, f"{MP}.encryptionAtHost") == "Disabled"
    assert stored["properties"]["workerProfiles"][0]["encryptionAtHost"] == "Disabled"
    assert at(stored, f"{NP}.outboundType") == "Loadbalancer"
    assert at(stored, f"{NP}.preconfiguredNSG") == "Disabled"
    assert at(stored, SDN) == "OVNKubernetes"
    assert at(stored, f"{LB}.managedOutboundIps.count") == 1


@every_version
def test_the_answer_of_a_get_can_be_put_back_in_each_version(version: str) -> None:
    """Nothing of a cluster that any other version has created is changed."""
    for creator in VERSIONS:
        world = created(creator)
        properties = world.document["openShiftCluster"]["properties"]
        properties["apiserverProfile"] |= {"url": "https://api/", "ip": "1.2.3.4"}
        properties["consoleProfile"] = {"url": "https://console/"}
        properties["ingressProfiles"][0]["ip"] = "1.2.3.5"
        properties["networkProfile"]["loadBalancerProfile"]["effectiveOutboundIps"] = [{"id": "/ip"}]
        properties["fromTheFuture"] = {"a": [1]}
        before = settled(world)
        for method in ("PUT", "PATCH"):
            shown = world.send("GET", CLUSTER, api_version=version).body
            reply = world.send(method, CLUSTER, shown, api_version=version)
            assert reply.status == 200, reply.text()
            assert settled(world) == before
            world.finish()


@every_version
def test_an_update_through_each_version_is_seen_in_all(version: str) -> None:
    """With everything else as it was."""
    world = created()
    before = settled(world)
    assert world.send("PATCH", CLUSTER, {"tags": {"by": version}}, api_version=version).status == 200
    assert settled(world) == before | {"tags": {"by": version}}
    for reader in VERSIONS:
        assert world.send("GET", CLUSTER, api_version=reader).body["tags"] == {"by": version}


@every_version
def test_a_version_knows_its_own_states(version: str) -> None:
    """The last one is spelled in two ways, and older versions have none for it."""
    for state in (*STATES, "Canceled", "Cancelled"):
        sent = changed(body(version), "properties.provisioningState", state)
        want = 201 if state in (*STATES, CANCELED[version]) else 400
        reply = World().send("PUT", CLUSTER, sent, api_version=version)
        assert reply.status == want, (state, reply.text())
        assert want == 201 or reply.body["error"]["target"] == "properties.provisioningState"


@every_version
def test_a_version_answers_with_its_own_spelling_of_a_state(version: str) -> None:
    """A version that has no such state shows what is stored."""
    world = created()
    world.document["openShiftCluster"]["properties"]["provisioningState"] = "Canceled"
    shown = world.send("GET", CLUSTER, api_version=version).body["properties"]["provisioningState"]
    assert shown == (CANCELED[version] or "Canceled")


@every_version
def test_a_cluster_without_a_service_principal_is_refused(version: str) -> None:
    """Where the API could do with workload identity instead, the error says so."""
    for method, world in (("PUT", World()), ("PUT", created())):
        error = world.send(method, CLUSTER, changed(body(version), SP, ...), api_version=version).body["error"]
        # Older models are structures, which are there even if they are left out.
        assert error["target"].startswith(SP)
        assert ("workload identity" in error["message"]) == (version in IS_OPTIONAL)
        assert (error["target"] == SP) == (version in IS_OPTIONAL or method == "PUT")


@every_version
def test_the_number_of_workers_changes_in_the_first_version_alone(version: str) -> None:
    """The same holds for a PUT and for a PATCH."""
    patched: dict[str, Any] = {"properties": {"workerProfiles": [{"name": "worker", "count": 5}]}}
    for method, sent in (("PATCH", patched), ("PUT", changed(body(version), "properties.workerProfiles.0.count", 5))):
        world = created()
        reply = world.send(method, CLUSTER, sent, api_version=version)
        stored = world.document["openShiftCluster"]["properties"]["workerProfiles"]
        if version == FIRST:
            assert (reply.status, stored[0]["count"], len(stored)) == (200, 5, 1)
        else:
            error = reply.body["error"]
            assert (error["code"], error["target"]) == ("PropertyChangeNotAllowed", f"{WORKER}.count")


@pytest.mark.parametrize("count", [1, 51])
def test_a_new_number_of_workers_has_the_limits_of_a_create(count: int) -> None:
    """In the version that can change it."""
    sent = {"properties": {"workerProfiles": [{"name": "worker", "count": count}]}}
    error = created().send("PATCH", CLUSTER, sent, api_version=FIRST).body["error"]
    assert (error["code"], error["target"]) == ("InvalidParameter", f"{WORKER}.count")


@every_version
def test_an_update_checks_ingress_profiles_in_the_first_version_alone(version: str) -> None:
    """In the others, another value is a change that is not allowed."""
    sent = {"properties": {"ingressProfiles": [{"name": "default", "visibility": "Hidden"}]}}
    error = created().send("PATCH", CLUSTER, sent, api_version=version).body["error"]
    want = "InvalidParameter" if version == FIRST else "PropertyChangeNotAllowed"
    assert (error["code"], error["target"]) == (want, "properties.ingressProfiles['default'].visibility")


@pytest.mark.parametrize(
    ("openshift", "network", "want"),
    [
        ("4.9.0", "OpenShiftSDN", 201),
        ("4.9.0", "OVNKubernetes", 400),
        ("4.17.9", "OVNKubernetes", 201),
        ("4.17.9", "OpenShiftSDN", 400),
        ("4.17.9", "Other", 400),
        ("4.17.9", "", 400),
        ("4.17.9", ..., 400),
        ("x.y", "OVNKubernetes", 400),
    ],
)
def test_the_cluster_network_is_the_one_that_the_release_installs(openshift: str, network: Any, want: int) -> None:
    """The only version that knows the member requires it; the refusal says which one it is."""
    version = "2021-09-01-preview"
    content = changed(changed(body(version), f"{CP}.version", openshift), SDN, network)
    reply = World().send("PUT", CLUSTER, content, api_version=version)
    assert reply.status == want, reply.text()
    if want == 400 and openshift != "x.y":
        assert reply.body["error"]["target"] == SDN


@pytest.mark.parametrize(("name", "value"), [("podCidr", "100.64.0.0/16"), ("serviceCidr", "100.88.0.0/16")])
@pytest.mark.parametrize("version", ["2020-04-30", "2021-09-01-preview", "2022-04-01"])
def test_ranges_of_ovn_kubernetes_are_free_for_those_who_ask_for_another_network(
    version: str, name: str, value: str
) -> None:
    """The one version that can ask for it decides by what it asks; the others always refuse them."""
    content = changed(changed(body(version), f"{CP}.version", "4.9.0"), f"{NP}.{name}", value)
    asks = SDN in members(version)
    reply = World().send(
        "PUT", CLUSTER, changed(content, SDN, "OpenShiftSDN") if asks else content, api_version=version
    )
    assert reply.status == (201 if asks else 400), reply.text()
    assert asks or (reply.body["error"]["code"], reply.body["error"]["target"]) == ("InvalidCIDRRange", NP)


def test_the_cluster_network_of_a_cluster_of_an_older_build_follows_from_its_release() -> None:
    """The answer of a GET can be put back with it."""
    world = created(OLD, changed(body(OLD), f"{CP}.version", "4.9.0"))
    del world.document["openShiftCluster"]["properties"]["networkProfile"]["softwareDefinedNetwork"]
    version = "2021-09-01-preview"
    shown = changed(world.send("GET", CLUSTER, api_version=version).body, SDN, "OpenShiftSDN")
    assert world.send("PUT", CLUSTER, shown, api_version=version).status == 200
    assert at(world.document["openShiftCluster"], SDN) == "OpenShiftSDN"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("outboundIps", [{"id": "/subscriptions/x"}]),
        ("outboundIpPrefixes", [{"id": "/subscriptions/x"}]),
        ("allocatedOutboundPorts", 1024),
        ("allocatedOutboundPorts", 0),
    ],
)
@pytest.mark.parametrize("method", ["create", "PUT", "PATCH"])
def test_other_outbound_addresses_are_refused_by_name(method: str, name: str, value: Any) -> None:
    """The one version that has them has never built them; the others do not know them."""
    path, version = f"{LB}.{name}", "2023-07-01-preview"
    for each in (version, "2023-11-22"):
        world = World() if method == "create" else created()
        content = {} if method == "PATCH" else body(each)
        verb = method.replace("create", "PUT")
        reply = world.send(verb, CLUSTER, changed(content, path, value), api_version=each)
        if each == version:
            assert (reply.status, reply.body["error"]["code"]) == (400, "InvalidParameter")
            assert path in [
                refused["target"] for refused in reply.body["error"].get("details") or [reply.body["error"]]
            ]
        else:
            assert reply.status in (200, 201)


def test_a_profile_that_a_version_lost_stays_and_comes_back() -> None:
    """2023-09-04 has no load balancer, and its neighbours do."""
    world = created("2023-07-01-preview")
    shown = {version: world.send("GET", CLUSTER, api_version=version).body for version in VERSIONS}
    assert [name for name, cluster in shown.items() if at(cluster, LB)] == [
        version for version in VERSIONS if LB in members(version)
    ]
    assert world.send("PUT", CLUSTER, shown["2023-09-04"], api_version="2023-09-04").status == 200
    assert at(world.send("GET", CLUSTER, api_version="2023-11-22").body, f"{LB}.managedOutboundIps.count") == 1


@every_version
def test_openshift_versions_are_resources_in_versions_that_can_ask_for_one(version: str) -> None:
    """Others list them without name and type, or not at all."""
    listed = World().send("GET", f"{LOCATION}/openShiftVersions", api_version=version)
    one = World().send("GET", f"{LOCATION}/openShiftVersions/4.17.9", api_version=version)
    has = features(version)
    assert (listed.status == 200, one.status == 200) == ("openShiftVersions" in has, "openShiftVersion" in has)
    refused = [reply for reply in (listed, one) if reply.status != 200]
    assert all(reply.body["error"]["code"] == "InvalidResourceType" for reply in refused)
    if listed.status == 200:
        first = listed.body["value"][0]
        assert first["properties"] == {"version": "4.9.0"}
        assert {*first} == {"id", "properties"} | ({"name", "type"} if "openShiftVersion" in has else set())


@every_version
@pytest.mark.parametrize("child", ["syncSets", "machinePools", "syncIdentityProviders", "secrets"])
@pytest.mark.parametrize("rest", ["", "/one"])
def test_retired_children_are_not_found(version: str, child: str, rest: str) -> None:
    """In no version and by no verb, also under a cluster that exists."""
    world = created()
    for method in ("GET", "PUT", "PATCH", "DELETE"):
        reply = world.send(method, f"{CLUSTER}/{child}{rest}", {}, api_version=version)
        assert (reply.status, reply.body["error"]["code"]) == (404, "NotFound")
