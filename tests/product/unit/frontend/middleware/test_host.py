"""Only the path of a request selects its cluster, whatever its `Host` says."""

import logging
import re

import pytest

from frontend.callers.caller import Caller
from frontend.messages import Route
from frontend.routes import ROUTES
from shared.arm.errors import NAMESPACE, RESOURCE_TYPE
from tests.product.unit.frontend.world import (
    CLUSTER,
    CLUSTERS,
    LOCATION,
    NEW,
    SUBSCRIPTION,
    World,
    admin_certificate,
    body,
)

VALUES = {
    "subscriptionId": SUBSCRIPTION,
    "resourceGroupName": "Customer",
    "resourceProviderNamespace": NAMESPACE,
    "resourceType": RESOURCE_TYPE,
    "resourceName": "C1",
    "location": "eastus",
    "dryRunId": f"create-{SUBSCRIPTION}",
    "operationId": SUBSCRIPTION,
    "digest": "0" * 64,
    "siteName": "edge",
    "phaseName": "agent",
    "clusterName": "hub",
    "planName": "site",
    "rowName": "deploy_network_template",
    "openShiftVersion": "4.17.9",
    "openShiftMinorVersion": "4.19",
    "deploymentName": "d1",
    "portalFile": "config.json",
    "path": "foo/bar",
}
OTHER = f"{CLUSTERS}/other"
HOSTILE = {
    "another cluster's id and a query": f"rp.example{OTHER}?a=",
    "a path": "rp.example/x",
    "a query": "rp.example?a=b",
    "a fragment": "rp.example#a",
    "a user": "user:password@rp.example",
    "a second host": "rp.example,other.example",
    "a blank": "rp.example x",
    "a line break": "rp.example\r\nX-Other: 1",
    "a port that is none": "rp.example:x",
    "no Unicode that DNS knows": "rp.exämple",
    "many characters": "x" * 8000,
    "an open bracket": "[::1",
}
every_route = pytest.mark.parametrize("route", ROUTES, ids=lambda route: str(route.name))


def path_of(route: Route) -> str:
    """Return a path that fits a route."""
    return "/" + re.sub(r"\{\*?(\w+)\}", lambda match: VALUES[match[1]], route.template)


def certificate_for(route: Route) -> bytes | None:
    """Return the certificate that a route requires; None for ARM's."""
    return admin_certificate() if route.caller is Caller.ADMIN else None


@every_route
def test_a_malformed_host_is_refused_on_every_route(world: World, route: Route) -> None:
    """For every verb, before anything is read or written."""
    certificate = certificate_for(route)
    for host in HOSTILE.values():
        for method in (*route.verbs, "OPTIONS"):
            reply = world.send(method, path_of(route), headers={"host": host}, certificate=certificate)
            error = reply.body["error"]
            assert (reply.status, error["code"], error["target"]) == (400, "InvalidParameter", "Host"), (method, host)
            assert len(error["message"]) < 1000


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE"])
def test_a_name_that_is_another_only_in_lower_case_reaches_no_other_cluster(world: World, method: str) -> None:
    """The lower case of the Kelvin sign is `k`, but a role on one name does not cover the other."""
    assert world.send("PUT", f"{CLUSTERS}/k1", body(name="k1")).status == 201
    before = dict(world.document)
    reply = world.send(method, f"{CLUSTERS}/\u212a1", body(name="k1") if method in ("PUT", "PATCH") else None)
    assert (reply.status, reply.body["error"]["code"]) == (404, "ResourceNotFound")
    assert world.document == before


@pytest.mark.parametrize("host", HOSTILE.values(), ids=HOSTILE)
def test_a_malformed_host_reaches_no_other_cluster(world: World, host: str) -> None:
    """It once selected another one."""
    assert world.send("PUT", OTHER, body(name="other")).status == 201
    before = dict(world.document)
    for method in ("GET", "PUT", "PATCH", "DELETE"):
        reply = world.send(method, CLUSTER, body() if method in ("PUT", "PATCH") else None, headers={"host": host})
        assert reply.status == 400
    assert world.document == before


def test_a_stranger_with_a_malformed_host_learns_nothing(world: World) -> None:
    """The answer is 403, whatever else is wrong."""
    assert world.send("GET", CLUSTER, headers={"host": "a/b"}, certificate=b"").status == 403


@every_route
def test_every_route_is_served_under_any_name(world: World, route: Route) -> None:
    """The service may have several names."""
    certificate = certificate_for(route)
    plain = world.send("GET", path_of(route), certificate=certificate)
    for host in ("rp.example", "RP.EXAMPLE:7443", "10.0.0.1", "[::1]:8443"):
        named = world.send("GET", path_of(route), headers={"host": host}, certificate=certificate)
        assert (named.status, named.body) == (plain.status, plain.body), host


def test_without_a_referer_links_are_of_the_host_and_the_matched_path(world: World) -> None:
    """Path and query do not come from the URL, which a host builds from its caller's header."""
    reply = world.send("PUT", CLUSTER, body(), headers={"host": "rp.example:7443"})
    operation_id = world.document["asyncOperationId"]
    link = f"https://rp.example:7443{LOCATION}/operationsstatus/{operation_id}?api-version={NEW}"
    assert reply.headers["Azure-AsyncOperation"] == link
    result = f"{LOCATION}/operationresults/{operation_id}"
    assert world.send("GET", result).headers["Location"] == f"https://rp.example{result}?api-version={NEW}"


def test_the_log_has_the_matched_path(world: World, caplog: pytest.LogCaptureFixture) -> None:
    """It has neither the host nor a line break from a name."""
    with caplog.at_level(logging.INFO, "frontend.access"):
        world.send("GET", f"{CLUSTERS}/a\nb", headers={"host": f"rp.example{OTHER}?a="})
    assert f"GET {CLUSTERS}/a%0Ab -> 400" in caplog.text
    assert "rp.example" not in caplog.text


def test_ids_have_the_literals_of_arm_and_the_names_of_the_caller(world: World) -> None:
    """GET and lists show them in this form, however the fixed words of the path were written."""
    path = CLUSTER.replace("resourceGroups", "RESOURCEgroups").replace("/subscriptions", "/Subscriptions")
    assert world.send("PUT", path, body()).body["id"] == CLUSTER


def test_a_group_may_be_called_as_a_part_of_the_path(world: World) -> None:
    """An operator finds the operation in such a group, too."""
    cluster = CLUSTER.replace("Customer", "operations")
    content = body()
    assert world.send("PUT", cluster, content).status == 201
    assert world.sre(f"{cluster}/operations/{world.document['asyncOperationId']}").status == 200
