"""What customers may choose about a cluster's network: outbound addresses, routes of their own, groups of their own."""

import random
from dataclasses import replace
from http import HTTPStatus
from uuid import uuid4

import pytest

from shared.json_object import Json
from tests.local_azure import LocalAzure, unique, wait_for
from tests.product.integration.service import rights
from tests.product.integration.service.customer_resources import NETWORK_CONTRIBUTOR, Resources
from tests.product.integration.service.inventory import taken
from tests.product.integration.service.outbound import Outbound
from tests.product.integration.service.stage import Cluster, fault, prepare

pytestmark = pytest.mark.slow(40)

NETWORK = "microsoft.network/"
# How long a call is kept at most, if nobody lets it go. The product's own time-out is a little longer.
HELD_SECONDS = 50
MASTER, WORKER = "properties.masterProfile.subnetId", 'properties.workerProfiles["worker"].subnetId'
TO_APPLIANCE = {"addressPrefix": "0.0.0.0/0", "nextHopType": "VirtualAppliance", "nextHopIpAddress": "10.9.0.4"}
# What lets clients in through a customer's own group: the API server, and the router's ports.
OPEN = {
    "access": "Allow",
    "direction": "Inbound",
    "protocol": "Tcp",
    "priority": 200,
    "sourceAddressPrefix": "*",
    "sourcePortRange": "*",
    "destinationAddressPrefix": "*",
    "destinationPortRanges": ["80", "443", "6443"],
}


def resources_of(cluster: Cluster, group: str) -> dict[str, Json]:
    """Return the resources of a group by type and name, in lower case."""
    prefix = f"/subscriptions/{cluster.customer.subscription_id}/resourcegroups/{group}/providers/".lower()
    with taken(cluster.azure.state) as inventory:
        return {each["id"].lower().removeprefix(prefix): each for each in inventory.resources(prefix)}


def managed(cluster: Cluster) -> dict[str, Json]:
    """Return the resources of the cluster's own group by type and name, in lower case."""
    return resources_of(cluster, f"aro-{cluster.customer.cluster}")


def test_the_number_of_outbound_addresses_goes_down_and_up_while_a_service_keeps_its_own(
    azure: LocalAzure, rng: random.Random
) -> None:
    """Three at create, one, two: the first stays, the router's parts of the load balancer stay, clients see which."""
    (cluster,) = prepare(azure, unique(rng))
    outbound = Outbound(cluster)
    body = cluster.body
    body["properties"]["networkProfile"]["loadBalancerProfile"] = {"managedOutboundIps": {"count": 3}}
    cluster.succeed(cluster.create(body))
    first, service = outbound.addresses()["outbound-pip-v4"], outbound.of_services()
    assert len(service["frontendIPConfigurations"]) == 1
    assert len(service["loadBalancingRules"]) == 2
    router = cluster.send("GET").json()["properties"]["ingressProfiles"][0]["ip"]
    outbound.expect(3)
    for count in (1, 2):
        cluster.succeed(outbound.patch(count))
        outbound.expect(count)
        assert outbound.addresses()["outbound-pip-v4"] == first
        assert outbound.of_services() == service
    assert cluster.send("GET").json()["properties"]["ingressProfiles"][0]["ip"] == router
    document_id = cluster.document_id()
    cluster.succeed(cluster.delete())
    cluster.expect_nothing_left(document_id)
    with taken(azure.state) as inventory:
        correlation_ids = [each["correlationData"]["correlationId"] for each in inventory.operations(cluster.customer)]
    actions = rights.used(azure, correlation_ids)
    assert actions <= rights.granted()
    assert "Microsoft.Network/publicIPAddresses/delete" in actions


def test_a_service_that_the_cluster_adds_during_an_update_is_kept(own_cluster: Cluster) -> None:
    """The update has read the load balancer before; it does not write what it has read, and reads again."""
    azure, cluster = own_cluster.azure, replace(own_cluster, correlation_id=str(uuid4()))
    outbound = Outbound(cluster)
    wish = {"service": "arm", "operation": "PUT Microsoft.Network/loadBalancers", "kind": "hold"}
    wish |= {"step": "reconcile_load_balancer_profile", "correlation_id": cluster.correlation_id}
    with fault(azure, **wish, delay_seconds=HELD_SECONDS) as held:
        update = outbound.patch(3)
        wait_for(lambda: held not in {each["id"] for each in azure.control("GET", "/faults")["value"]}, "the PUT")
        outbound.add_service("asked")
    cluster.succeed(update)
    outbound.expect(3)
    service = outbound.of_services()
    assert all("asked" in service[kind] for kind in service)
    (refused,) = [call for call in cluster.calls(update) if call["fault"] == held]
    assert refused["status"] == HTTPStatus.PRECONDITION_FAILED


def test_an_update_to_more_addresses_than_the_quota_has_changes_nothing(own_cluster: Cluster) -> None:
    """The error names the quota and the member; without it the same request succeeds.

    The quota is the region's: another test that deletes a cluster there would make room.
    """
    azure, cluster = own_cluster.azure, own_cluster
    outbound = Outbound(cluster)
    before = outbound.addresses()
    limit = {"subscription": cluster.customer.subscription_id, "location": azure.endpoints["location"]}
    limit |= {"family": "PublicIPAddresses"}
    # A region that holds exactly what this cluster has.
    azure.control("PUT", "/quotas", limit | {"limit": outbound.in_region()})
    try:
        error = cluster.fail(outbound.patch(2))
    finally:
        azure.control("PUT", "/quotas", limit | {"limit": 1000})
    assert error["code"] == "ResourceQuotaExceeded"
    assert error["target"] == "properties.networkProfile.loadBalancerProfile.managedOutboundIps.count"
    assert outbound.addresses() == before
    cluster.succeed(outbound.patch(2))
    outbound.expect(2)


def _routed(cluster: Cluster) -> Json:
    """Return the body of a private cluster that follows the customer's routes."""
    body = cluster.body
    for profile in (body["properties"]["apiserverProfile"], *body["properties"]["ingressProfiles"]):
        profile["visibility"] = "Private"
    body["properties"]["networkProfile"]["outboundType"] = "UserDefinedRouting"
    return body


def test_a_cluster_follows_the_customers_routes_and_has_no_public_address(
    azure: LocalAzure, rng: random.Random
) -> None:
    """It is refused while a subnet has no way out; then it lives behind internal load balancers alone."""
    (cluster,) = prepare(azure, unique(rng))
    resources, body = Resources(cluster), _routed(cluster)
    location = azure.endpoints["location"]

    error = cluster.fail(cluster.create(body))
    assert [(each["code"], each.get("target")) for each in error["details"][:2]] == [
        ("InvalidLinkedRouteTable", MASTER),
        ("InvalidLinkedRouteTable", WORKER),
    ]
    assert "--route-table" in error["details"][0]["message"]
    routes = resources.route_table(location, TO_APPLIANCE | {"nextHopType": "None", "nextHopIpAddress": None})
    resources.grant(NETWORK_CONTRIBUTOR, routes)
    resources.attach(routeTable={"id": routes})
    error = cluster.fail(cluster.create(body))
    assert "az network route-table route create" in str(error)
    assert managed(cluster) == {}

    resources.route_table(location, TO_APPLIANCE)
    cluster.succeed(cluster.create(body))
    made = managed(cluster)
    assert not [name for name in made if name.startswith(f"{NETWORK}publicipaddresses/")]
    balancers = [each for each in made.values() if each["type"].lower() == f"{NETWORK}loadbalancers"]
    assert len(balancers) == 2
    assert not [name for name in made if "/outboundrules/" in name]
    profile = cluster.send("GET").json()["properties"]["networkProfile"]
    assert profile["outboundType"] == "UserDefinedRouting"
    assert "loadBalancerProfile" not in profile
    update = Outbound(cluster).patch_tags()
    cluster.succeed(update)
    skipped = {each["name"] for each in cluster.report(update)["skipped"]}
    assert skipped >= {"validate_load_balancer_profile", "reconcile_load_balancer_profile"}
    document_id = cluster.document_id()
    cluster.succeed(cluster.delete())
    cluster.expect_nothing_left(document_id)
    assert f"{NETWORK}routetables/routes" in resources_of(cluster, cluster.customer.group)


def test_a_cluster_with_groups_of_the_customers_is_refused_while_its_subnets_have_none(
    azure: LocalAzure, rng: random.Random
) -> None:
    """The error names both subnets and the command."""
    (cluster,) = prepare(azure, unique(rng))
    body = cluster.body
    body["properties"]["networkProfile"]["preconfiguredNSG"] = "Enabled"
    error = cluster.fail(cluster.create(body))
    told = [
        (each["code"], each.get("target"), "--network-security-group" in each["message"]) for each in error["details"]
    ]
    assert told[:2] == [("InvalidLinkedVNet", MASTER, True), ("InvalidLinkedVNet", WORKER, True)]
    assert managed(cluster) == {}
    cluster.succeed(cluster.delete())


def test_a_cluster_uses_the_customers_security_groups_and_leaves_them_where_they_are(
    azure: LocalAzure, rng: random.Random
) -> None:
    """It is refused without the right to join them; create, update and delete attach nothing."""
    (cluster,) = prepare(azure, unique(rng))
    resources, body = Resources(cluster), cluster.body
    body["properties"]["networkProfile"]["preconfiguredNSG"] = "Enabled"
    group = resources.security_group(azure.endpoints["location"], OPEN)
    resources.attach(networkSecurityGroup={"id": group})
    error = cluster.fail(cluster.create(body))
    assert "networkSecurityGroups/join/action" in str(error)
    assert f"--scope '{group}'" in str(error)
    assert managed(cluster) == {}
    resources.grant(NETWORK_CONTRIBUTOR, group)

    cluster.succeed(cluster.create(body))
    _expect_attached(cluster, group)
    cluster.succeed(Outbound(cluster).patch_tags())
    _expect_attached(cluster, group)
    cluster.succeed(cluster.delete())
    assert cluster.send("GET").status_code == 404
    assert managed(cluster) == {}
    _expect_attached(cluster, group)
    assert [rule for rule in resources_of(cluster, cluster.customer.group) if "/securityrules/" in rule] == [
        f"{NETWORK}networksecuritygroups/own-nsg/securityrules/rule-0"
    ]


def _expect_attached(cluster: Cluster, group: str) -> None:
    """Check that both subnets have the customer's group."""
    with taken(cluster.azure.state) as inventory:
        assert {attached.lower() for attached in inventory.attached(cluster.customer)} == {group.lower()}
