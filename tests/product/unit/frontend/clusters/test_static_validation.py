"""Static rules, tested with PUT: one row per rule, with the code and target that clients react to."""

import json
from typing import Any

import pytest

from tests.product.unit.frontend.world import (
    CLUSTER,
    CLUSTERS,
    GROUP,
    NEW,
    OLD,
    SUBSCRIPTION,
    VNET,
    World,
    body,
    changed,
)

IP = "InvalidParameter"
CP, NP, MP = "properties.clusterProfile", "properties.networkProfile", "properties.masterProfile"
WP, SP = "properties.workerProfiles.0", "properties.servicePrincipalProfile"
WORKER, DEFAULT = "properties.workerProfiles['worker']", "properties.ingressProfiles['default']"
OTHER = "dddddddd-0000-0000-0000-000000000002"
DES = f"{GROUP}/providers/Microsoft.Compute/diskEncryptionSets/des"
INGRESS = {"name": "default", "visibility": "Public"}
ROUTED = body()["properties"] | {
    "apiserverProfile": {"visibility": "Private"},
    "ingressProfiles": [INGRESS | {"visibility": "Private"}],
}
ROUTED["networkProfile"] |= {"outboundType": "UserDefinedRouting", "loadBalancerProfile": {}}


def case(sentence: str, path: str, value: Any, want_code: str = IP, want_target: str = "") -> Any:
    """Return a case whose target is the path itself unless another is given."""
    return pytest.param(path, value, want_code, want_target or path, id=sentence)


PS, OWN = "properties.powerSchedule", "2026-12-01-preview"
NIGHTS = {"timeZone": "Europe/Berlin", "days": ["Monday", "Friday"], "stopTime": "19:00", "startTime": "07:00"}

# fmt: off
CASES = [
    case("the id is another cluster's", "id", f"{CLUSTERS}/other", "MismatchingResourceID"),
    case("the name is another one", "name", "other", "MismatchingResourceName"),
    case("the type is another one", "type", "Microsoft.Compute/virtualMachines", "MismatchingResourceType"),
    case("there is no location", "location", ...),
    case("the location is another region", "location", "westus"),
    case("there are no properties", "properties", ...),
    case("there is no cluster profile", CP, ...),
    case("there is no network profile", NP, ...),
    case("there is no master profile", MP, ...),
    case("there is no API server profile", "properties.apiserverProfile", ...),
    case("the state is unknown", "properties.provisioningState", "Dancing"),
    case("the pull secret is not JSON", f"{CP}.pullSecret", "{"),
    case("the pull secret is not an object", f"{CP}.pullSecret", "[]"),
    case("the pull secret's auths are not objects", f"{CP}.pullSecret", '{"auths": {"a": 1}}'),
    case("an entry of the pull secret has no credential", f"{CP}.pullSecret", '{"auths": {"a": {"email": "x@y"}}}'),
    case("an entry has a token of another kind alone", f"{CP}.pullSecret", '{"auths": {"a": {"identitytoken": "x"}}}'),
    case("a credential is not base64", f"{CP}.pullSecret", '{"auths": {"a": {"auth": "?"}}}'),
    case("a credential is not text", f"{CP}.pullSecret", '{"auths": {"a": {"auth": 1}}}'),
    case("the pull secret has a number that JSON does not", f"{CP}.pullSecret", '{"auths": {}, "a": NaN}'),
    case("a credential has no password", f"{CP}.pullSecret", '{"auths": {"a": {"auth": "Y2FuYXJ5"}}}'),
    case("a credential has no user", f"{CP}.pullSecret", '{"auths": {"a": {"auth": "OmNhbmFyeQ=="}}}'),
    case("the pull secret is brackets without end", f"{CP}.pullSecret", "[" * 20_000),
    case("there are too many tags", "tags", {f"t{number}": "" for number in range(51)}),
    case("a tag has no name", "tags", {"": "x"}, want_target='tags[""]'),
    case("a tag's value is too long", "tags", {"a": "x" * 257}, want_target='tags["a"]'),
    case("two tags differ only in case", "tags", {"team": "a", "b": "", "Team": "c"}, want_target='tags["Team"]'),
    *(case(f"a tag's name has {one}", "tags", {f"a{one}b": "x"}, want_target=f'tags["a{one}b"]') for one in "<>%&\\?/"),
    case("a tag's name has a control character", "tags", {"a\u0085b": "x"}, want_target='tags["a\u0085b"]'),
    case("a tag's name has a line break", "tags", {"a\nb": "x"}, want_target='tags["a\nb"]'),
    case("the pull secret is longer than a vault's secret", f"{CP}.pullSecret", '{"a": "' + "x" * 24_000 + '"}'),
    case("the client secret is longer than any", f"{SP}.clientSecret", "canary" * 200),
    case("there is no domain", f"{CP}.domain", ...),
    case("the domain is empty", f"{CP}.domain", ""),
    case("the domain has capitals", f"{CP}.domain", "C1"),
    case("a label of the domain is too long", f"{CP}.domain", "a" * 64),
    case("the domain begins with a digit", f"{CP}.domain", "1a"),
    case("the domain has one character", f"{CP}.domain", "a"),
    case("the domain is too long", f"{CP}.domain", ".".join(["a" * 60] * 5)),
    case("names under the domain are too long", f"{CP}.domain", ".".join(["a" * 58] * 4)),
    case("the domain has too many labels", f"{CP}.domain", ".".join(["ab"] * 35)),
    case("Azure keeps the domain for itself", f"{CP}.domain", "windows.net"),
    case("the domain ends with a line break", f"{CP}.domain", "abc\n"),
    case("the domain belongs to another region", f"{CP}.domain", "c1.westus.aroapp.io"),
    case("the domain is the parent's", f"{CP}.domain", "aroapp.io"),
    case("the domain is the zone itself", f"{CP}.domain", "eastus.aroapp.io"),
    case("the domain has two labels under the zone", f"{CP}.domain", "a1.b1.eastus.aroapp.io"),
    case("the version is not in the catalogue", f"{CP}.version", "4.0.0"),
    case("there is no cluster resource group", f"{CP}.resourceGroupId", ...),
    case("the cluster resource group is not an id", f"{CP}.resourceGroupId", "aro-c1"),
    case("the cluster resource group is a resource", f"{CP}.resourceGroupId", VNET),
    case("the cluster resource group has a bad name", f"{CP}.resourceGroupId", f"{GROUP}."),
    case("the cluster resource group is elsewhere", f"{CP}.resourceGroupId", f"/subscriptions/{OTHER}/resourceGroups/a"),
    case("the cluster resource group is the cluster's own", f"{CP}.resourceGroupId", GROUP.upper()),
    case("the range's prefix has a leading zero", f"{NP}.podCidr", "10.128.0.0/014"),
    case("the subnet's group has a bad name", f"{MP}.subnetId", f"{VNET}/subnets/master".replace("Customer", "a!")),
    case("FIPS is neither on nor off", f"{CP}.fipsValidatedModules", "maybe"),
    case("FIPS is not given", f"{CP}.fipsValidatedModules", ...),
    case("the console's URL is none", "properties.consoleProfile.url", "nonsense",
         want_target="properties.consoleProfile.url"),
    case("there is no service principal", SP, ...),
    case("the client id is not a UUID", f"{SP}.clientId", "me"),
    case("there is no client id", f"{SP}.clientId", ...),
    case("there is no client secret", f"{SP}.clientSecret", ...),
    case("the client secret is empty", f"{SP}.clientSecret", ""),
    case("the pod range is not a CIDR", f"{NP}.podCidr", "10.128.0.0"),
    case("there is no pod range", f"{NP}.podCidr", ...),
    case("there is no service range", f"{NP}.serviceCidr", ...),
    case("the service range is not a CIDR", f"{NP}.serviceCidr", "172.30.0.0"),
    case("the pod range has a netmask", f"{NP}.podCidr", "10.128.0.0/255.252.0.0"),
    case("the pod range is IPv6", f"{NP}.podCidr", "fd00::/48"),
    case("the pod range is reserved", f"{NP}.podCidr", "100.64.0.0/16", "InvalidCIDRRange", NP),
    case("the pod range holds a reserved one", f"{NP}.podCidr", "100.0.0.0/8", "InvalidCIDRRange", NP),
    case("the pod range is too small", f"{NP}.podCidr", "10.128.0.0/19"),
    case("the pod range begins in the middle", f"{NP}.podCidr", "10.129.0.0/14", "InvalidNetworkAddress"),
    case("the pod range has no machine's addresses", f"{NP}.podCidr", "224.0.0.0/4", "InvalidCIDRRange", NP),
    case("the pod range begins nowhere", f"{NP}.podCidr", "0.0.0.0/18", "InvalidCIDRRange", NP),
    case("the pod range has the address of Azure's DNS", f"{NP}.podCidr", "168.63.128.0/18", "InvalidCIDRRange", NP),
    case("the pod range is too small for its nodes", "properties",
         changed(changed(body(), f"{NP}.podCidr", "10.128.0.0/18"), f"{WP}.count", 30)["properties"],
         want_target=f"{NP}.podCidr"),
    case("the service range has no machine's addresses", f"{NP}.serviceCidr", "127.0.0.0/16", "InvalidCIDRRange", NP),
    case("the service range is the pod range", f"{NP}.serviceCidr", "10.128.0.0/14"),
    case("the service range is in the pod range", f"{NP}.serviceCidr", "10.130.0.0/16"),
    case("the service range is reserved", f"{NP}.serviceCidr", "100.88.128.0/17", "InvalidCIDRRange", NP),
    case("the service range is too small", f"{NP}.serviceCidr", "172.30.0.0/23"),
    case("the service range begins in the middle", f"{NP}.serviceCidr", "172.30.1.0/16", "InvalidNetworkAddress"),
    case("the outbound type is unknown", f"{NP}.outboundType", "Magic"),
    case("a public cluster has no load balancer", f"{NP}.outboundType", "UserDefinedRouting"),
    case("the NSG setting is unknown", f"{NP}.preconfiguredNSG", "yes"),
    case("a cluster that routes itself has a load balancer", "properties", ROUTED,
         want_target=f"{NP}.loadBalancerProfile"),
    case("no outbound address is asked for", f"{NP}.loadBalancerProfile", {"managedOutboundIps": {"count": 0}},
         want_target=f"{NP}.loadBalancerProfile.managedOutboundIps.count"),
    case("too many outbound addresses are asked for", f"{NP}.loadBalancerProfile", {"managedOutboundIps": {"count": 21}},
         want_target=f"{NP}.loadBalancerProfile.managedOutboundIps.count"),
    case("effective addresses are given", f"{NP}.loadBalancerProfile", {"effectiveOutboundIps": [{"id": "x"}]},
         want_target=f"{NP}.loadBalancerProfile.effectiveOutboundIps"),
    case("there is no master size", f"{MP}.vmSize", ...),
    case("the master size is unknown", f"{MP}.vmSize", "Standard_A0"),
    case("the master size has the wrong case", f"{MP}.vmSize", "standard_d8s_v3"),
    case("the master size is for workers", f"{MP}.vmSize", "Standard_D4s_v3"),
    case("the master size is too new", f"{MP}.vmSize", "Standard_D8s_v6"),
    case("the master subnet is not an id", f"{MP}.subnetId", "master"),
    case("there is no master subnet", f"{MP}.subnetId", ...),
    case("the master subnet is a network", f"{MP}.subnetId", VNET),
    case("the master subnet's network has a bad name", f"{MP}.subnetId", f"{VNET[:-4]}v/subnets/master"),
    case("the master subnet is elsewhere", f"{MP}.subnetId", f"{VNET}/subnets/m".replace(SUBSCRIPTION, OTHER) + "m"),
    case("encryption at host of masters is not given", f"{MP}.encryptionAtHost", ...),
    case("encryption at host of masters is neither on nor off", f"{MP}.encryptionAtHost", "maybe"),
    case("the disk encryption set is not an id", f"{MP}.diskEncryptionSetId", "des"),
    case("the disk encryption set is elsewhere", f"{MP}.diskEncryptionSetId", DES.replace(SUBSCRIPTION, OTHER)),
    case("the API server's visibility is unknown", "properties.apiserverProfile.visibility", "Hidden"),
    case("the API server's visibility is not given", "properties.apiserverProfile.visibility", ...),
    case("the API server's URL is none", "properties.apiserverProfile.url", "x"),
    case("the API server's address is none", "properties.apiserverProfile.ip", "1.2.3"),
    case("live workers are given", "properties.workerProfilesStatus", [{"name": "worker"}]),
    case("there are no workers", "properties.workerProfiles", ...),
    case("workers are an empty list", "properties.workerProfiles", []),
    case("there are two kinds of workers", "properties.workerProfiles", body()["properties"]["workerProfiles"] * 2),
    case("the workers have another name", f"{WP}.name", "infra", want_target="properties.workerProfiles['infra'].name"),
    case("the workers have no name", f"{WP}.name", ..., want_target="properties.workerProfiles[0].name"),
    case("the worker size is unknown", f"{WP}.vmSize", "huge", want_target=f"{WORKER}.vmSize"),
    case("there is no worker size", f"{WP}.vmSize", ..., want_target=f"{WORKER}.vmSize"),
    case("the worker size is too new", f"{WP}.vmSize", "Standard_D8ls_v6", want_target=f"{WORKER}.vmSize"),
    case("the worker disk is too small", f"{WP}.diskSizeGB", 127, want_target=f"{WORKER}.diskSizeGB"),
    case("the worker disk is larger than any machine starts from", f"{WP}.diskSizeGB", 4096,
         want_target=f"{WORKER}.diskSizeGB"),
    case("the worker disk is not given", f"{WP}.diskSizeGB", ..., want_target=f"{WORKER}.diskSizeGB"),
    case("the worker subnet is not an id", f"{WP}.subnetId", "worker", want_target=f"{WORKER}.subnetId"),
    case("there is no worker subnet", f"{WP}.subnetId", ..., want_target=f"{WORKER}.subnetId"),
    case("the master subnet is for a gateway", f"{MP}.subnetId", f"{VNET}/subnets/gatewaysubnet"),
    case("the worker subnet is for a firewall", f"{WP}.subnetId", f"{VNET}/subnets/AzureFirewallSubnet",
         want_target=f"{WORKER}.subnetId"),
    case("the master subnet's name begins with a dot", f"{MP}.subnetId", f"{VNET}/subnets/.master"),
    case("the master subnet's network's name ends with a hyphen", f"{MP}.subnetId", f"{VNET}-/subnets/master"),
    case("the worker subnet is in another network", f"{WP}.subnetId", f"{VNET}2/subnets/worker",
         want_target=f"{WORKER}.subnetId"),
    case("the worker subnet is the masters'", f"{WP}.subnetId", f"{VNET}/subnets/MASTER",
         want_target=f"{WORKER}.subnetId"),
    case("encryption at host of workers is empty", f"{WP}.encryptionAtHost", "",
         want_target=f"{WORKER}.encryptionAtHost"),
    case("encryption at host of workers is neither on nor off", f"{WP}.encryptionAtHost", "maybe",
         want_target=f"{WORKER}.encryptionAtHost"),
    case("there is one worker", f"{WP}.count", 1, want_target=f"{WORKER}.count"),
    case("the number of workers is not given", f"{WP}.count", ..., want_target=f"{WORKER}.count"),
    case("there are no workers at all", f"{WP}.count", 0, want_target=f"{WORKER}.count"),
    case("there are too many workers", f"{WP}.count", 51, want_target=f"{WORKER}.count"),
    case("the workers' encryption set is not the masters'", f"{WP}.diskEncryptionSetId", DES,
         want_target=f"{WORKER}.diskEncryptionSetId"),
    case("the masters' encryption set is not the workers'", f"{MP}.diskEncryptionSetId", DES,
         want_target=f"{WORKER}.diskEncryptionSetId"),
    case("there is no ingress", "properties.ingressProfiles", []),
    case("there are two ingresses", "properties.ingressProfiles", [INGRESS, INGRESS]),
    case("the ingress has no name", "properties.ingressProfiles.0.name", ...,
         want_target="properties.ingressProfiles[0].name"),
    case("the ingress' visibility is not given", "properties.ingressProfiles.0.visibility", ...,
         want_target=f"{DEFAULT}.visibility"),
    case("the ingress has another name", "properties.ingressProfiles.0.name", "x",
         want_target="properties.ingressProfiles['x'].name"),
    case("the ingress' visibility is unknown", "properties.ingressProfiles.0.visibility", "Hidden",
         want_target=f"{DEFAULT}.visibility"),
    case("the ingress' address is none", "properties.ingressProfiles.0.ip", "x", want_target=f"{DEFAULT}.ip"),
]
# fmt: on


# fmt: off
# What only older versions have, or have otherwise.
OLDER = [
    pytest.param("2020-04-30", "properties.provisioningState", "Canceled", "", id="the state is one of later versions"),
    pytest.param("2021-09-01-preview", f"{NP}.softwareDefinedNetwork", ..., "", id="the kind of network is not given"),
    pytest.param("2021-09-01-preview", f"{NP}.softwareDefinedNetwork", "Calico", "", id="the kind of network is unknown"),
    pytest.param("2021-09-01-preview", f"{NP}.softwareDefinedNetwork", "OpenShiftSDN", "", id="the release has another network"),
    pytest.param("2023-07-01-preview", f"{NP}.loadBalancerProfile", {"outboundIps": [{"id": "x"}]},
                 f"{NP}.loadBalancerProfile.outboundIps", id="outbound addresses of one's own are given"),
    pytest.param("2023-07-01-preview", f"{NP}.loadBalancerProfile", {"outboundIpPrefixes": [{"id": "x"}]},
                 f"{NP}.loadBalancerProfile.outboundIpPrefixes", id="outbound prefixes of one's own are given"),
    pytest.param("2023-07-01-preview", f"{NP}.loadBalancerProfile", {}, "", id="a load balancer has no kind of addresses"),
    pytest.param("2023-07-01-preview", f"{NP}.loadBalancerProfile",
                 {"managedOutboundIps": {"count": 1}, "outboundIpPrefixes": [{"id": "x"}]}, "",
                 id="a load balancer has two kinds of addresses"),
    pytest.param("2023-07-01-preview", f"{NP}.loadBalancerProfile",
                 {"managedOutboundIps": {"count": 1}, "allocatedOutboundPorts": 8},
                 f"{NP}.loadBalancerProfile.allocatedOutboundPorts", id="a number of ports is given"),
    pytest.param(OWN, "properties.longLivedCredentials", "Perhaps", "", id="the long life of credentials is neither on nor off"),
    pytest.param(OWN, "properties.powerState", "Dancing", "", id="the power state is unknown"),
    *(
        pytest.param(OWN, PS, {**NIGHTS, **other}, f"{PS}.{target}", id=sentence)
        for sentence, other, target in (
            ("a schedule has no time zone", {"timeZone": None}, "timeZone"),
            ("a schedule has an unknown time zone", {"timeZone": "Europe/Atlantis"}, "timeZone"),
            ("a schedule has a file name in place of a time zone", {"timeZone": "../../etc/localtime"}, "timeZone"),
            ("a schedule has no days, so it can never fire", {"days": []}, "days"),
            ("a schedule does not name days", {"days": None}, "days"),
            ("a schedule has an unknown day", {"days": ["Caturday"]}, "days"),
            ("a schedule has a day twice", {"days": ["Monday", "Monday"]}, "days"),
            ("a schedule does not stop", {"stopTime": None}, "stopTime"),
            ("a schedule stops at a time that no day has", {"stopTime": "24:00"}, "stopTime"),
            ("a schedule does not start", {"startTime": None}, "startTime"),
            ("a schedule starts at a time that is none", {"startTime": "7 am"}, "startTime"),
            ("a schedule starts when it stops, so it can never fire", {"startTime": "19:00"}, "startTime"),
        )
    ),
]
# fmt: on


@pytest.mark.parametrize(("version", "path", "value", "want_target"), OLDER)
def test_a_create_through_another_version_is_refused_when(
    world: World, version: str, path: str, value: Any, want_target: str
) -> None:
    """With its code and target."""
    error = world.send("PUT", CLUSTER, changed(body(version), path, value), api_version=version).body["error"]
    assert (error["code"], error["target"]) == (IP, want_target or path)


@pytest.mark.parametrize(("path", "value", "want_code", "want_target"), CASES)
def test_a_create_is_refused_when(world: World, path: str, value: Any, want_code: str, want_target: str) -> None:
    """With only this error, its code and target; nothing is written."""
    reply = world.send("PUT", CLUSTER, changed(body(), path, value))
    assert reply.status == 400, reply.text()
    error = reply.body["error"]
    assert (error["code"], error["target"]) == (want_code, want_target)
    assert not isinstance(value, str) or "Secret" in path or value in error["message"]
    # Workers must be in the masters' network, so an error of these is also an error of those.
    follows = [each for each in error.get("details", [])[1:] if not (path.startswith(MP) and WORKER in each["target"])]
    assert follows == []
    assert not world.cosmos["OpenShiftClusters"].documents
    assert not world.secrets.versions


# fmt: off
ALLOWED = [
    pytest.param("location", "EastUS", id="the location in another case"),
    pytest.param("id", CLUSTER.upper(), id="the id in another case"),
    pytest.param(f"{CP}.domain", "c1.eastus.aroapp.io", id="a name under the zone"),
    pytest.param(f"{CP}.domain", "c1.example.com", id="an own domain"),
    pytest.param(f"{CP}.domain", "notaroapp.io", id="an own domain that looks like the parent"),
    pytest.param(f"{CP}.pullSecret", ..., id="no pull secret"),
    pytest.param(f"{CP}.pullSecret", "{}", id="a pull secret without auths"),
    pytest.param(f"{CP}.version", "4.10.67", id="another version of the catalogue"),
    pytest.param(f"{CP}.resourceGroupId", f"/subscriptions/{SUBSCRIPTION.upper()}/RESOURCEGROUPS/A", id="a group in capitals"),
    pytest.param(f"{NP}.podCidr", "10.128.0.0/18", id="the smallest pod range"),
    pytest.param("properties", changed(changed(body(), f"{NP}.podCidr", "10.128.0.0/18"), f"{WP}.count", 29)["properties"],
                 id="as many nodes as the smallest pod range has room for"),
    pytest.param(f"{NP}.serviceCidr", "172.30.0.0/22", id="the smallest service range"),
    pytest.param(f"{NP}.outboundType", "", id="an empty outbound type"),
    pytest.param(f"{WP}.count", 50, id="fifty workers"),
    pytest.param(f"{WP}.count", 2, id="two workers"),
    pytest.param(f"{WP}.diskSizeGB", 4095, id="a large disk"),
    pytest.param("properties.provisioningState", "Succeeded", id="a known state"),
    pytest.param("properties.unknown", {"a": 1}, id="an unknown member"),
    pytest.param("tags", None, id="null tags"),
    pytest.param("tags", {f"t{number}": "x" * 256 for number in range(50)}, id="fifty tags with long values"),
    pytest.param("tags", {"x" * 512: "", "a.b:c d#é": ""}, id="a tag with a long name, and one with odd characters"),
    pytest.param(f"{CP}.pullSecret", '{"auths": {"a": {"credsStore": "desktop"}}}', id="a store of credentials"),
    pytest.param(f"{MP}.diskEncryptionSetId", None, id="null, which says nothing"),
]
# fmt: on


@pytest.mark.parametrize(("path", "value"), ALLOWED)
def test_a_create_is_accepted_with(world: World, path: str, value: Any) -> None:
    """Unusual values that are valid."""
    reply = world.send("PUT", CLUSTER, changed(body(), path, value))
    assert reply.status == 201, reply.text()


@pytest.mark.parametrize("written", ["East US", "EastUS", " east us "])
def test_a_location_is_the_same_however_it_is_written(world: World, written: str) -> None:
    """ARM ignores case and spaces; what is stored, and shown, is what ARM shows."""
    assert world.send("PUT", CLUSTER, changed(body(), "location", written)).body["location"] == "eastus"
    assert world.document["openShiftCluster"]["location"] == "eastus"
    world.finish()
    world.document["openShiftCluster"]["location"] = "EastUS"
    updated = world.send("PUT", CLUSTER, changed(body(), "location", written))
    assert (updated.status, updated.body["location"]) == (200, "eastus")
    world.finish()
    assert world.send("PATCH", CLUSTER, {"location": written}).body["location"] == "eastus"


def test_every_failure_is_reported_at_once(world: World) -> None:
    """The outer error is the first in the table's order; details has all of them."""
    bad = changed(changed(changed(body(), f"{WP}.count", 1), f"{CP}.domain", "C1"), f"{NP}.podCidr", "x")
    error = world.send("PUT", CLUSTER, bad).body["error"]
    want = [f"{CP}.domain", f"{NP}.podCidr", f"{WORKER}.count"]
    assert [detail["target"] for detail in error["details"]] == want
    assert (error["code"], error["target"]) == (IP, want[0])


def test_a_cluster_that_follows_the_customers_routes_has_no_load_balancer_profile(world: World) -> None:
    """It gets none by default, and is refused one at create and later."""
    routed = changed(body(), "properties.apiserverProfile.visibility", "Private")
    routed = changed(routed, "properties.ingressProfiles.0.visibility", "Private")
    routed = changed(routed, f"{NP}.outboundType", "UserDefinedRouting")
    asking = changed(routed, f"{NP}.loadBalancerProfile", {"managedOutboundIps": {"count": 2}})
    assert world.send("PUT", CLUSTER, asking).body["error"]["target"] == f"{NP}.loadBalancerProfile"
    assert world.send("PUT", CLUSTER, routed).status == 201
    world.finish()
    assert "loadBalancerProfile" not in world.document["openShiftCluster"]["properties"]["networkProfile"]
    profile = {"properties": {"networkProfile": {"loadBalancerProfile": {"managedOutboundIps": {"count": 2}}}}}
    for method, content in (("PUT", asking), ("PATCH", profile)):
        assert world.send(method, CLUSTER, content).body["error"]["target"] == f"{NP}.loadBalancerProfile"
    assert world.send("PUT", CLUSTER, routed).status == 200


def test_outbound_addresses_that_the_service_has_stored_are_shown_and_cannot_be_written(world: World) -> None:
    """A client may send back what it has read, with another number of addresses."""
    assert world.send("PUT", CLUSTER, body()).status == 201
    world.finish()
    stored = world.document["openShiftCluster"]["properties"]["networkProfile"]["loadBalancerProfile"]
    stored["effectiveOutboundIps"] = [{"id": "/address/1"}]
    shown = world.send("GET", CLUSTER).body
    path = f"{NP}.loadBalancerProfile"
    assert shown["properties"]["networkProfile"]["loadBalancerProfile"] == {
        "managedOutboundIps": {"count": 1},
        "effectiveOutboundIps": [{"id": "/address/1"}],
    }
    refused = world.send("PUT", CLUSTER, changed(shown, f"{path}.effectiveOutboundIps", [{"id": "/address/2"}]))
    assert refused.body["error"]["code"] == "PropertyChangeNotAllowed"
    assert world.send("PUT", CLUSTER, changed(shown, f"{path}.managedOutboundIps.count", 4)).status == 200
    kept = world.document["openShiftCluster"]["properties"]["networkProfile"]["loadBalancerProfile"]
    assert kept == {"managedOutboundIps": {"count": 4}, "effectiveOutboundIps": [{"id": "/address/1"}]}


def test_an_older_version_asks_only_for_what_it_knows(world: World) -> None:
    """Later members get the defaults of older clients."""
    assert world.send("PUT", CLUSTER, body(OLD), api_version=OLD).status == 201
    properties = world.document["openShiftCluster"]["properties"]
    assert properties["clusterProfile"]["fipsValidatedModules"] == "Disabled"
    assert properties["masterProfile"]["encryptionAtHost"] == "Disabled"
    assert properties["workerProfiles"][0]["encryptionAtHost"] == "Disabled"
    assert properties["networkProfile"]["outboundType"] == "Loadbalancer"


def test_an_older_version_ignores_what_came_later(world: World) -> None:
    """Unknown members are accepted, and have no effect."""
    later = changed(body(OLD), f"{NP}.outboundType", "nonsense")
    assert world.send("PUT", CLUSTER, changed(later, "identity", {"type": "x"}), api_version=OLD).status == 201
    assert world.document["openShiftCluster"]["properties"]["networkProfile"]["outboundType"] == "Loadbalancer"


def test_an_older_version_matches_names_in_any_case(world: World) -> None:
    """Its model was made by a decoder that does so."""
    odd = changed(changed(body(OLD), "location", ...), "LOCATION", "eastus")
    assert world.send("PUT", CLUSTER, odd, api_version=OLD).status == 201


def test_a_newer_version_matches_names_with_their_case(world: World) -> None:
    """So a misspelt member counts as missing."""
    odd = changed(changed(body(), "location", ...), "Location", "eastus")
    assert world.send("PUT", CLUSTER, odd).body["error"]["target"] == "location"


def test_missing_profiles_of_an_older_version_show_what_they_lack(world: World) -> None:
    """Its profiles are plain structures, so their members are missing."""
    reply = world.send("PUT", CLUSTER, changed(body(OLD), MP, ...), api_version=OLD)
    targets = [detail["target"] for detail in reply.body["error"]["details"]]
    assert targets == [f"{MP}.vmSize", f"{MP}.subnetId"]


def test_a_tag_whose_name_is_too_long_is_refused(world: World) -> None:
    """The target is shortened, like any long value."""
    error = world.send("PUT", CLUSTER, changed(body(), "tags", {"x" * 513: ""})).body["error"]
    assert (error["code"], error["target"][:7]) == (IP, 'tags["x')
    assert "513 characters" in error["message"]


def test_tags_of_an_update_have_the_same_limits(world: World) -> None:
    """In each version."""
    assert world.send("PUT", CLUSTER, body(OLD), api_version=OLD).status == 201
    world.finish()
    reply = world.send("PATCH", CLUSTER, {"tags": {"a/b": "x"}}, api_version=OLD)
    assert (reply.status, reply.body["error"]["target"]) == (400, 'tags["a/b"]')


def test_each_wrong_entry_of_a_pull_secret_is_told(world: World) -> None:
    """With its registry and where to get a right one, but without the credential."""
    auths = {"one.io": {"auth": "canary"}, "two.io": {}, "quay.io": {"auth": "dTpw"}}
    content = changed(body(), f"{CP}.pullSecret", json.dumps({"auths": auths}))
    error = world.send("PUT", CLUSTER, content).body["error"]
    assert {detail["target"] for detail in error["details"]} == {f"{CP}.pullSecret"}
    one, two = (detail["message"] for detail in error["details"])
    assert "'one.io' has an 'auth' that is not base64. Download" in one
    assert "'two.io' has neither 'auth' nor 'credsStore'" in two
    assert "canary" not in str(error)


def test_a_wrong_size_comes_with_a_close_one(world: World) -> None:
    """Clients contain lists that become outdated."""
    reply = world.send("PUT", CLUSTER, changed(body(), f"{MP}.vmSize", "standard_d8s_V3"))
    assert "did you mean Standard_D8s_v3?" in reply.body["error"]["message"]


def test_no_error_repeats_a_secret(world: World) -> None:
    """Clients log errors and show them on screens."""
    bad = changed(body(), f"{CP}.pullSecret", '"canary-pull"')
    bad = changed(bad, f"{SP}.clientSecret", ["canary-client"])
    assert "canary" not in world.send("PUT", CLUSTER, bad).text()
    bad = changed(changed(bad, f"{SP}.clientSecret", "canary-client"), "location", "canary-free")
    text = world.send("PUT", CLUSTER, bad, api_version=NEW).text()
    assert "canary-pull" not in text
    assert "canary-client" not in text


def test_a_body_with_thousands_of_workers_is_refused_without_looking_at_each(world: World) -> None:
    """Only one is allowed; the answer says so first and stays short, whatever the body contains."""
    wrong = body()["properties"]["workerProfiles"][0] | {"vmSize": "Standard_D4_v5"}
    reply = world.send("PUT", CLUSTER, changed(body(), "properties.workerProfiles", [wrong] * 2000))
    assert reply.status == 400
    assert reply.body["error"]["target"] == "properties.workerProfiles"
    assert len(reply.body["error"]["details"]) < 100
