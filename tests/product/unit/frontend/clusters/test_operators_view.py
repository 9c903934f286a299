"""`api-version=admin`: operators read clusters with their internal members, and change nothing."""

import copy
from typing import Any

import pytest

from frontend.messages import Reply
from tests.product.unit.frontend.world import (
    CLIENT_SECRET,
    CLUSTER,
    CLUSTERS,
    GROUP,
    LOCATION,
    PULL_SECRET,
    World,
    admin_certificate,
    body,
    changed,
)

TASK = "properties.maintenanceTask"


def ask(world: World, method: str, path: str, content: Any = None) -> Reply:
    """Send a request as an operator."""
    return world.send(method, path, content, api_version="admin", certificate=admin_certificate())


@pytest.fixture
def installed(world: World) -> World:
    """Give a world with a cluster that has everything that its install stores."""
    assert world.send("PUT", CLUSTER, body()).status == 201
    world.finish()
    world.document["secrets"] |= {"install": "https://canary/1", "credentials": "https://canary/2"}
    world.document["openShiftCluster"]["properties"] |= {
        "infraId": "c1-x",
        "storageSuffix": "abc",
        "zones": ["1", "2", "3"],
        "rhcosImage": {"sku": "aro_419"},
        "install": {"now": "2026-03-01", "beginsAgain": True},
        "registryProfiles": [{"name": "r.io", "username": "u", "password": "canary-registry"}],
        "adminKubeconfig": "canary-kubeconfig",
        "kubeadminPassword": "canary-password",
        "sshKey": "canary-key",
    }
    world.document["openShiftCluster"]["properties"]["networkProfile"]["privateEndpointIp"] = "10.0.0.9"
    world.document["openShiftCluster"]["properties"]["servicePrincipalProfile"]["objectId"] = "o"
    return world


def test_operators_see_internal_members_and_no_secret(installed: World) -> None:
    """In a GET and in lists, also not what another build may have stored."""
    shown = ask(installed, "GET", CLUSTER).body
    properties = shown["properties"]
    assert (properties["infraId"], properties["storageSuffix"], properties["zones"]) == ("c1-x", "abc", ["1", "2", "3"])
    assert properties["install"] == {"now": "2026-03-01", "beginsAgain": True}
    assert properties["rhcosImage"] == {"sku": "aro_419"}
    assert properties["installer"] == "openshift-install"
    assert properties["registryProfiles"] == [{"name": "r.io", "username": "u"}]
    assert properties["networkProfile"]["privateEndpointIp"] == "10.0.0.9"
    assert properties["servicePrincipalProfile"] == {
        "clientId": body()["properties"]["servicePrincipalProfile"]["clientId"],
        "objectId": "o",
    }
    assert properties["createdAt"]
    assert ask(installed, "GET", CLUSTERS).body["value"] == [shown]
    text = str(shown)
    assert not [secret for secret in (CLIENT_SECRET, PULL_SECRET, "canary") if secret in text]


def test_customers_see_no_internal_member(installed: World) -> None:
    """Whatever is stored."""
    properties = installed.send("GET", CLUSTER).body["properties"]
    assert not {"infraId", "storageSuffix", "zones", "install", "registryProfiles", "createdAt"} & properties.keys()


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_operators_create_no_cluster(world: World, method: str) -> None:
    """The error leads to the public versions."""
    reply = ask(world, method, CLUSTER, body())
    assert (reply.status, reply.body["error"]["code"]) == (400, "RequestNotAllowed")
    assert "Use a public api-version" in reply.body["error"]["message"]
    assert not world.cosmos["OpenShiftClusters"].documents


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
@pytest.mark.parametrize(
    ("path", "value", "want_code", "want_target"),
    [
        (TASK, "Everything", "InvalidParameter", TASK),
        (TASK, "Pending", "InvalidParameter", TASK),
        (TASK, "nonsense", "InvalidParameter", TASK),
        ("properties.operatorFlags", {"aro.x": "true"}, "InvalidParameter", "properties.operatorFlags"),
        ("properties.operatorVersion", "v1", "InvalidParameter", "properties.operatorVersion"),
        (
            "properties.featureProfile.gatewayEnabled",
            True,
            "InvalidParameter",
            "properties.featureProfile.gatewayEnabled",
        ),
        ("operatorFlagsMergeStrategy", "reset", "InvalidParameter", "operatorFlagsMergeStrategy"),
        (
            "properties.networkProfile.outboundType",
            "UserDefinedRouting",
            "PropertyChangeNotAllowed",
            "properties.networkProfile.outboundType",
        ),
        ("tags", {"a": "b"}, "PropertyChangeNotAllowed", "tags"),
        ("properties.infraId", "mine", "PropertyChangeNotAllowed", "properties.infraId"),
        ("properties.zones", ["9"], "PropertyChangeNotAllowed", "properties.zones"),
        ("properties.unknown", "x", "InvalidParameter", TASK),
        ("tags", {"team": "one"}, "InvalidParameter", TASK),
    ],
)
def test_a_change_is_refused_by_name(
    *, installed: World, method: str, path: str, value: Any, want_code: str, want_target: str
) -> None:
    """A body that changes nothing asks for all tasks of maintenance. Nothing is written, and no operation begins."""
    before = copy.deepcopy(installed.document)
    error = ask(installed, method, CLUSTER, changed({}, path, value)).body["error"]
    assert (error["code"], error["target"]) == (want_code, want_target)
    assert installed.document == before


def test_every_refused_member_is_reported_at_once(installed: World) -> None:
    """Each with its own code."""
    content = changed(changed({}, TASK, "Everything"), "tags", {"a": "b"})
    details = ask(installed, "PATCH", CLUSTER, content).body["error"]["details"]
    assert [(each["code"], each["target"]) for each in details] == [
        ("PropertyChangeNotAllowed", "tags"),
        ("InvalidParameter", TASK),
    ]


@pytest.mark.parametrize(
    ("path", "value"),
    [(TASK, 1), ("properties.zones", ["1", 2]), ("properties.featureProfile.gatewayEnabled", "true")],
)
def test_a_wrong_type_is_named(installed: World, path: str, value: Any) -> None:
    """As in every version."""
    error = ask(installed, "PATCH", CLUSTER, changed({}, path, value)).body["error"]
    assert (error["code"], error["target"]) == ("InvalidRequestContent", path)


def test_a_write_while_an_operation_runs_says_so(world: World) -> None:
    """It would be refused even if there were tasks, and the reply says where to wait for the end."""
    assert world.send("PUT", CLUSTER, body()).status == 201
    reply = ask(world, "PATCH", CLUSTER, {})
    error = reply.body["error"]
    assert error["code"] == "RequestNotAllowed"
    assert "Creating" in error["message"]
    assert world.document["asyncOperationId"] in reply.headers["Azure-AsyncOperation"]
    assert reply.headers["Azure-AsyncOperation"] in error["message"]


def test_operators_can_delete_a_cluster(installed: World) -> None:
    """As customers do."""
    reply = ask(installed, "DELETE", CLUSTER)
    assert reply.status == 202
    assert ask(installed, "GET", CLUSTER).body["properties"]["provisioningState"] == "Deleting"


def test_operators_list_the_versions_that_can_be_installed(world: World) -> None:
    """The path is that of customers."""
    names = [each["name"] for each in ask(world, "GET", f"{LOCATION}/openShiftVersions").body["value"]]
    assert names == ["4.9.0", "4.10.67", "4.17.9"]


def test_only_operators_may_name_the_version(world: World) -> None:
    """Neither ARM nor a caller without a certificate."""
    for certificate in (None, b""):
        assert (
            world.send(
                "GET",
                f"{GROUP}/providers/Microsoft.RedHatOpenShift/openShiftClusters",
                api_version="Admin",
                certificate=certificate,
            ).status
            == 403
        )
