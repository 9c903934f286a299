"""A renewal by request: who may ask for it, what begins, and when it is refused."""

import copy

import pytest

from tests.product.unit.frontend.clusters.test_openshift_cluster_credentials import bring_up
from tests.product.unit.frontend.world import CLUSTER, World, expect_address

OWN = "2026-12-01-preview"
PATH = f"{CLUSTER}/renew"


@pytest.mark.parametrize(("state", "failed"), [("Succeeded", ""), ("Failed", "Updating")])
def test_it_begins_a_renewal_which_the_timer_then_does_not_repeat(world: World, state: str, failed: str) -> None:
    """Clients poll it like any other operation."""
    bring_up(world, state, failed)
    reply = world.send("POST", PATH, api_version=OWN)
    assert reply.status == 202
    assert reply.start is not None
    operation_id = world.document["asyncOperationId"]
    assert f"/operationsstatus/{operation_id}?" in reply.headers["Azure-AsyncOperation"]
    assert world.plan(operation_id)["name"] == "renew"
    assert world.document["openShiftCluster"]["properties"]["provisioningState"] == "AdminUpdating"
    assert world.document["renewedAt"]
    again = world.send("POST", PATH, api_version=OWN)
    assert (again.status, again.body["error"]["code"]) == (400, "RequestNotAllowed")
    expect_address(world, again)


@pytest.mark.parametrize(
    ("state", "failed"), [("Creating", ""), ("Deleting", ""), ("Failed", "Creating"), ("Failed", "Deleting")]
)
def test_a_cluster_that_is_not_up_is_left_alone(world: World, state: str, failed: str) -> None:
    """The refusal names the state."""
    bring_up(world, state, failed)
    before = copy.deepcopy(world.document)
    reply = world.send("POST", PATH, api_version=OWN)
    assert (reply.status, reply.body["error"]["code"]) == (400, "RequestNotAllowed")
    assert world.document == before


def test_a_stopped_cluster_is_refused_with_the_way_out(world: World) -> None:
    """Nothing is written."""
    bring_up(world)
    world.document["openShiftCluster"]["properties"]["powerState"] = "Stopped"
    before = copy.deepcopy(world.document)
    reply = world.send("POST", PATH, api_version=OWN)
    assert (reply.status, reply.body["error"]["code"]) == (400, "RequestNotAllowed")
    assert "Start it first" in reply.body["error"]["message"]
    assert world.document == before


def test_microsofts_versions_do_not_have_it(world: World) -> None:
    """It is this provider's own."""
    bring_up(world)
    reply = world.send("POST", PATH)
    assert (reply.status, reply.body["error"]["code"]) == (400, "InvalidResourceType")
    assert f"Use one of: {OWN}" in reply.body["error"]["message"]
