"""The network of a cluster: deployed, read back, published."""

from typing import Any

import pytest

from activities.azure import network
from activities.runtime.step import Step
from shared.azure import templates
from tests.product.unit.activities.azure import network_fake
from tests.product.unit.activities.azure.network_fake import API_RECORD, ENDPOINT_ADDRESS, INTERNAL, PUBLIC, ZONE
from tests.product.unit.activities.calls import call, payload
from tests.product.unit.product_world import CLUSTER_GROUP, CLUSTER_ID, NETWORK, World

DEPLOYMENT = f"{CLUSTER_GROUP}/providers/Microsoft.Resources/deployments/network".lower()
ZONE_PATH = "Microsoft.Network/privateDnsZones/c1.eastus.aroapp.io"
DONE = {"outcome": "done"}
OWNED = {"etag": "e7", "properties": {"TTL": 300, "metadata": {"resourceId": CLUSTER_ID}, "ARecords": []}}


@pytest.fixture
def laid(accepted: World) -> World:
    """Let the deployment of the network be done."""
    network_fake.lay(accepted)
    return accepted


def test_the_network_is_deployed_once(laid: World) -> None:
    """A second delivery finds it running, a later one finds it done."""
    assert call("deploy_network_template")["outcome"] == "wait"
    laid.azure.resources[DEPLOYMENT]["properties"]["provisioningState"] = "Running"
    assert call("deploy_network_template")["outcome"] == "wait"
    laid.azure.resources[DEPLOYMENT]["properties"]["provisioningState"] = "Succeeded"
    assert call("deploy_network_template", "status") == DONE
    assert call("deploy_network_template") == DONE
    assert laid.azure.changes() == ["PUT deployments/network"]
    sent = {
        name: given["value"] for name, given in laid.azure.resources[DEPLOYMENT]["properties"]["parameters"].items()
    }
    assert sent == {
        "infraId": laid.properties["infraId"],
        "location": "eastus",
        "domain": "c1.eastus.aroapp.io",
        "virtualNetworkId": NETWORK,
        "masterSubnetId": f"{NETWORK}/subnets/master",
        "masterAddresses": ["10.0.0.10", "10.0.0.11", "10.0.0.12"],
        "apiServerVisibility": "Public",
        "outboundWays": [{"frontend": "outbound", "publicIpAddress": f"{laid.properties['infraId']}-outbound-pip-v4"}],
        "resourceProviderSubscriptionId": "bbbbbbbb-0000-0000-0000-000000000001",
    }
    assert set(sent) == set(templates.load("network")["parameters"])


def test_addresses_that_the_masters_have_are_sent_again(accepted: World) -> None:
    """The first run has none to send. What it found changes nothing, so the finished deployment is recognized."""
    call("decide_names")
    accepted.properties["apiserverProfile"] = {"visibility": "Public"}
    call("deploy_network_template")
    sent = accepted.azure.resources[DEPLOYMENT]
    assert sent["properties"]["parameters"]["masterAddresses"]["value"] == []
    network_fake.lay(accepted)
    sent["properties"]["provisioningState"] = "Succeeded"
    assert call("deploy_network_template", "status") == DONE
    assert accepted.azure.changes() == ["PUT deployments/network"]
    sent["properties"]["provisioningState"] = "Failed"
    call("deploy_network_template")
    again = accepted.azure.resources[DEPLOYMENT]["properties"]["parameters"]["masterAddresses"]["value"]
    assert again == ["10.0.0.10", "10.0.0.11", "10.0.0.12"]


def test_nothing_is_deployed_while_the_masters_interfaces_may_not_be_read(laid: World) -> None:
    """A refused read says nothing about the masters: without their addresses, the deployment would free them again."""
    laid.azure.fails("GET", "/networkInterfaces/[^/]+$", 403, "AuthorizationFailed")
    outcome = call("deploy_network_template")
    assert (outcome["outcome"], outcome["retryClass"]) == ("failed", "authorization")
    assert laid.azure.changes() == []


@pytest.mark.parametrize(
    ("networking", "want"),
    [
        ({"loadBalancerProfile": {"managedOutboundIps": {"count": 3}}}, ["", "-2", "-3"]),
        ({"outboundType": "UserDefinedRouting"}, []),
    ],
    ids=["three addresses", "own routes"],
)
def test_the_ways_out_of_the_request_are_deployed_and_their_addresses_stored(
    laid: World, networking: dict[str, Any], want: list[str]
) -> None:
    """They are stored once the deployment has succeeded; with routes of the customer's there are none."""
    laid.properties["networkProfile"] = networking
    call("deploy_network_template")
    given = laid.azure.resources[DEPLOYMENT]["properties"]["parameters"]["outboundWays"]["value"]
    assert [way["frontend"] for way in given] == [f"outbound{suffix}" for suffix in want]
    laid.azure.resources[DEPLOYMENT]["properties"]["provisioningState"] = "Succeeded"
    assert call("deploy_network_template", "status") == DONE
    prefix = (
        f"{CLUSTER_GROUP}/providers/Microsoft.Network/publicIPAddresses/{laid.properties['infraId']}-outbound-pip-v4"
    )
    profile = laid.properties["networkProfile"].get("loadBalancerProfile", {})
    assert profile.get("effectiveOutboundIps", []) == [{"id": prefix + suffix} for suffix in want]


def test_nothing_is_deployed_before_names_are_decided(accepted: World) -> None:
    """Validate says what is missing."""
    assert "infraId" in call("deploy_network_template")["error"]["message"]
    assert accepted.azure.changes() == []


def test_what_would_be_deployed_can_be_looked_at(laid: World) -> None:
    """Render sends nothing."""
    document = laid.store.clusters.get(laid.cluster["key"])
    assert document is not None
    row = {"name": "deploy_network_template", "phase": "bootstrap"}
    (rendered,) = network.deploy_network_template.render(Step(payload(row, "render"), document))
    types = [resource["type"] for resource in rendered["properties"]["template"]["resources"]]
    assert types.count("Microsoft.Network/loadBalancers") == 3
    assert laid.azure.changes() == []


def zone(world: World, changed: dict[str, Any] | None = None, link: str = "Completed") -> None:
    """Create the records of the private zone, some of them changed or (None) missing."""
    records = {
        "api": ("A", {"aRecords": [{"ipv4Address": INTERNAL}]}),
        "api-int": ("A", {"aRecords": [{"ipv4Address": INTERNAL}]}),
        **{f"etcd-{n}": ("A", {"aRecords": [{"ipv4Address": f"10.0.0.{n + 10}"}]}) for n in range(3)},
        "_etcd-server-ssl._tcp": (
            "SRV",
            {
                "srvRecords": [
                    {"priority": 10, "weight": 10, "port": 2380, "target": f"etcd-{n}.c1.eastus.aroapp.io"}
                    for n in range(3)
                ]
            },
        ),
    } | (changed or {})
    found = [
        {"name": name, "type": f"Microsoft.Network/privateDnsZones/{one[0]}", "properties": one[1]}
        for name, one in records.items()
        if one
    ]
    links = [{"name": "c1-network-link", "properties": {"virtualNetworkLinkState": link}}] if link else []
    world.azure.resources[f"{ZONE}/all"] = {"value": found}
    world.azure.on("GET", "/privateDnsZones/[^/]+/all$", lambda _request: (200, {"value": found}, {}))
    world.azure.on("GET", "/virtualNetworkLinks$", lambda _request: (200, {"value": links}, {}))


def test_a_zone_that_says_the_right_things_is_ready(laid: World) -> None:
    """Every record, and the link to the network."""
    zone(laid)
    assert call("private_dns_ready") == DONE


@pytest.mark.parametrize(
    ("name", "value", "want"),
    [
        ("api-int", "10.0.0.99", "'api-int.c1.eastus.aroapp.io' (A) says 10.0.0.99 and has to say 10.0.0.4."),
        ("etcd-1", "10.0.0.10", "'etcd-1.c1.eastus.aroapp.io' (A) says 10.0.0.10 and has to say 10.0.0.11."),
    ],
    ids=["internal address", "another master's address"],
)
def test_a_wrong_record_fails_by_name(laid: World, name: str, value: str, want: str) -> None:
    """The error has the actual and the expected values, and the zone."""
    zone(laid, {name: ("A", {"aRecords": [{"ipv4Address": value}]})})
    error = call("private_dns_ready")["error"]
    assert want in error["message"]
    assert error["details"][0] == {"code": "AzureResource", "message": f"{CLUSTER_GROUP}/providers/{ZONE_PATH}"}


@pytest.mark.parametrize(
    ("changed", "want"),
    [
        ({"changed": {"api-int": None}}, "record 'api-int.c1.eastus.aroapp.io' (A) is not there"),
        ({"link": "InProgress"}, "the zone's link to the virtual network is InProgress"),
        ({"link": ""}, "the zone is not linked to the virtual network"),
    ],
    ids=["record", "link on its way", "no link"],
)
def test_what_is_missing_in_the_zone_is_waited_for(laid: World, changed: dict[str, Any], want: str) -> None:
    """The wait says what is missing."""
    zone(laid, **changed)
    assert call("private_dns_ready") == {"outcome": "wait", "message": want}


@pytest.mark.parametrize(("visibility", "want"), [("Public", PUBLIC), ("Private", INTERNAL)])
def test_the_api_servers_address_is_published_and_stored_once(laid: World, visibility: str, want: str) -> None:
    """The address depends on visibility; the second run writes neither record nor document."""
    laid.properties["apiserverProfile"]["visibility"] = visibility
    laid.azure.resources[API_RECORD] = OWNED
    network_fake.endpoint(laid, "Succeeded")
    assert call("update_api_address") == DONE
    writes = len(laid.cosmos["OpenShiftClusters"].writes)
    assert call("update_api_address") == DONE
    assert len(laid.cosmos["OpenShiftClusters"].writes) == writes
    assert laid.azure.changes() == ["PUT A/api.c1"]
    (sent,) = [request for request in laid.azure.calls if request.method == "PUT"]
    assert sent.headers["if-match"] == "e7"
    assert sent.json["properties"]["metadata"] == {"resourceId": CLUSTER_ID}
    assert sent.json["properties"]["ARecords"] == [{"ipv4Address": want}]
    assert laid.properties["apiserverProfile"]["ip"] == want
    assert laid.properties["networkProfile"]["privateEndpointIp"] == ENDPOINT_ADDRESS


def test_the_record_of_another_cluster_is_not_taken(laid: World) -> None:
    """The cluster lost the domain meanwhile, and its new owner keeps it."""
    laid.azure.resources[API_RECORD] = {"etag": "e1", "properties": {"metadata": {"resourceId": "/other"}}}
    network_fake.endpoint(laid, "Succeeded")
    assert call("update_api_address")["error"]["code"] == "DuplicateDomain"
    assert laid.azure.changes() == []


def test_a_domain_of_the_customers_own_gets_no_record(laid: World) -> None:
    """Its addresses are stored even so."""
    laid.properties["clusterProfile"]["domain"] = "c1.customer.example"
    network_fake.endpoint(laid, "Succeeded")
    assert call("update_api_address") == DONE
    assert laid.azure.changes() == []
    assert laid.properties["apiserverProfile"]["ip"] == PUBLIC


def test_the_master_subnet_may_have_private_link_services(accepted: World) -> None:
    """The same PUT switches off its policies; a subnet that allows them already is left alone."""
    call("decide_names")
    for name in ("master", "worker"):
        properties = {"addressPrefix": "10.0.0.0/24", "privateLinkServiceNetworkPolicies": "Enabled"}
        network_fake.put(accepted, f"{NETWORK}/subnets/{name}", properties)
    while call("attach_nsgs") != DONE:
        pass
    policies = [
        accepted.azure.resources[f"{NETWORK}/subnets/{name}".lower()]["properties"]["privateLinkServiceNetworkPolicies"]
        for name in ("master", "worker")
    ]
    assert policies == ["Disabled", "Enabled"]
    assert accepted.azure.changes() == ["PUT subnets/master", "PUT subnets/worker"]


def test_security_groups_of_the_customers_stay_on_the_subnets(accepted: World) -> None:
    """Only the master subnet's policies change; a subnet that has lost its group is named."""
    call("decide_names")
    accepted.properties["networkProfile"] = {"preconfiguredNSG": "Enabled"}
    for name in ("master", "worker"):
        properties = {
            "addressPrefix": "10.0.0.0/24",
            "privateLinkServiceNetworkPolicies": "Enabled",
            "networkSecurityGroup": {"id": f"/groups/{name}-own"},
        }
        network_fake.put(accepted, f"{NETWORK}/subnets/{name}", properties)
    while call("attach_nsgs") != DONE:
        pass
    while call("detach_nsgs") != DONE:
        pass
    subnets = [accepted.azure.resources[f"{NETWORK}/subnets/{name}".lower()] for name in ("master", "worker")]
    groups = [subnet["properties"]["networkSecurityGroup"]["id"] for subnet in subnets]
    assert groups == ["/groups/master-own", "/groups/worker-own"]
    assert accepted.azure.changes() == ["PUT subnets/master"]
    del subnets[1]["properties"]["networkSecurityGroup"]
    error = call("attach_nsgs")["error"]
    assert (error["code"], error["target"]) == ("InvalidLinkedVNet", 'properties.workerProfiles["worker"].subnetId')
    assert "az network vnet subnet update" in error["message"]
