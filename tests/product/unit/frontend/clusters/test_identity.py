"""A request is judged by what it means: an identity of type `None`, and members that say nothing, ask for nothing."""

import copy
from typing import Any

import pytest

from tests.product.unit.frontend.world import CLUSTER, GROUP, LOCATION, NEW, World, body, changed

NONE = {"type": "None"}
PREVIEW = "2024-08-12-preview"
CP, SP, LB = (
    f"properties.{name}" for name in ("clusterProfile", "servicePrincipalProfile", "networkProfile.loadBalancerProfile")
)
WORKLOADS = "properties.platformWorkloadIdentityProfile"
ASSIGNED: dict[str, Any] = {f"{GROUP}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/aro-cluster": {}}


def terraform() -> dict[str, Any]:
    """Return the body of a create as Terraform's provider azurerm sends it: it writes "nothing" as an empty text."""
    content = body() | {"name": "C1", "identity": NONE, "tags": {}}
    empty = (f"{CP}.pullSecret", f"{CP}.version", "properties.masterProfile.diskEncryptionSetId")
    for path in (*empty, "properties.workerProfiles.0.diskEncryptionSetId"):
        content = changed(content, path, "")
    return content


def shown(world: World) -> Any:
    """GET the cluster; return what an update may not change: all but the state and who sent it."""
    found = world.send("GET", CLUSTER).body
    return changed(
        {name: value for name, value in found.items() if name != "systemData"}, "properties.provisioningState", ""
    )


def test_terraform_creates_applies_again_tags_and_deletes(world: World) -> None:
    """Applied twice there is no difference, and each answer shows the identity as it was sent."""
    created = world.send("PUT", CLUSTER, terraform())
    assert (created.status, created.body.get("identity")) == (201, NONE), created.text()
    world.finish()
    before = shown(world)
    assert before["identity"] == NONE
    assert world.send("PUT", CLUSTER, terraform()).status == 200
    world.finish()
    assert shown(world) == before
    for tags in ({"a": "1"}, {"a": "1"}, {}):
        reply = world.send("PATCH", CLUSTER, {"identity": NONE, "tags": tags})
        assert (reply.status, reply.body["identity"]) == (200, NONE), reply.text()
        world.finish()
        assert shown(world) == before | ({"tags": tags} if tags else {})
    deleted = world.send("DELETE", CLUSTER)
    assert deleted.status == 202
    assert f"{LOCATION}/operationresults/" in deleted.headers["Location"]


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
@pytest.mark.parametrize("api_version", [PREVIEW, NEW])
def test_a_cluster_that_was_made_without_an_identity_is_the_same_with_none(
    world: World, api_version: str, method: str
) -> None:
    """Terraform may import a cluster that another client made, and that other client does not take it away again."""
    assert world.send("PUT", CLUSTER, body()).status == 201
    world.finish()
    assert "identity" not in shown(world)
    reply = world.send(method, CLUSTER, body() | {"identity": NONE}, api_version=api_version)
    assert (reply.status, reply.body.get("identity")) == (200, NONE), reply.text()
    world.finish()
    assert world.send(method, CLUSTER, body(), api_version=api_version).body["identity"] == NONE


@pytest.mark.parametrize("api_version", [PREVIEW, NEW])
@pytest.mark.parametrize(
    ("path", "value", "want"),
    [
        ("identity", {}, NONE),
        ("identity", None, None),
        ("identity", {"type": None, "userAssignedIdentities": None}, NONE),
        ("identity", NONE | {"userAssignedIdentities": {}}, NONE),
        ("identity", NONE | {"principalId": "", "tenantId": ""}, NONE),
        (WORKLOADS, None, None),
        (WORKLOADS, {}, None),
        (WORKLOADS, {"upgradeableTo": "", "platformWorkloadIdentities": {}}, None),
    ],
)
def test_what_says_nothing_asks_for_no_workload_identity(
    world: World, api_version: str, path: str, value: Any, want: Any
) -> None:
    """Whatever its shape."""
    content = changed(body(api_version), path, value)
    for status in (201, 200):
        reply = world.send("PUT", CLUSTER, content, api_version=api_version)
        assert (reply.status, reply.body.get("identity")) == (status, want), reply.text()
        assert "platformWorkloadIdentityProfile" not in reply.body["properties"]
        world.finish()


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
@pytest.mark.parametrize("api_version", [PREVIEW, NEW])
@pytest.mark.parametrize(
    ("path", "value"),
    [
        *(("identity", {"type": kind}) for kind in ("SystemAssigned", "UserAssigned", "SystemAssigned,UserAssigned")),
        ("identity", {"type": "nonsense"}),
        ("identity", NONE | {"userAssignedIdentities": ASSIGNED}),
        ("identity", {"userAssignedIdentities": ASSIGNED}),
        (WORKLOADS, {"upgradeableTo": "4.18.0"}),
        (WORKLOADS, {"platformWorkloadIdentities": {"aro-operator": {}}}),
    ],
)
def test_half_a_workload_identity_is_refused_at_create_and_later(
    world: World, api_version: str, method: str, path: str, value: Any
) -> None:
    """By name, with what is missing, or with what may not be beside it."""
    content = changed(body(api_version), path, value)
    for made in (False, True):
        if made:
            assert (
                world.send("PUT", CLUSTER, body(api_version) | {"identity": NONE}, api_version=api_version).status
                == 201
            )
            world.finish()
        error = world.send(method if made else "PUT", CLUSTER, content, api_version=api_version).body["error"]
        assert (error["code"], error["target"]) == ("InvalidParameter", "identity")
        assert "workload identity needs both" in error["message"]


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
@pytest.mark.parametrize(
    ("api_version", "path", "value"),
    [
        (NEW, f"{SP}.clientSecret", ""),
        (NEW, f"{CP}.pullSecret", ""),
        (NEW, f"{CP}.version", ""),
        ("2023-07-01-preview", LB, {"managedOutboundIps": {"count": 1}, "outboundIps": [], "outboundIpPrefixes": []}),
    ],
)
def test_an_update_with_an_empty_value_changes_nothing(
    world: World, api_version: str, path: str, value: Any, method: str
) -> None:
    """It is the same as an update without it; a create judges it in the same way, if it may leave it out."""
    content = changed(body(api_version), path, value)
    creates = body(api_version) if path.startswith(SP) else content
    assert world.send("PUT", CLUSTER, creates, api_version=api_version).status == 201
    world.finish()
    before = copy.deepcopy(world.document)
    reply = world.send(method, CLUSTER, content, api_version=api_version)
    assert reply.status == 200, reply.text()
    world.finish()
    assert world.document["openShiftCluster"]["properties"] == before["openShiftCluster"]["properties"]
    assert world.document["secrets"] == before["secrets"]
