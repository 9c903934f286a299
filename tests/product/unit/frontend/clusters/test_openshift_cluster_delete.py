"""DELETE of a cluster."""

import pytest

from tests.product.unit.frontend.world import CLUSTER, LOCATION, NEW, SUBSCRIPTION, World, body, expect_address


def test_a_delete_answers_202_with_both_addresses_and_no_body(world: World) -> None:
    """The SDK follows the first, older clients the second."""
    world.send("PUT", CLUSTER, body())
    world.finish()
    reply = world.send("DELETE", CLUSTER)
    operation_id = world.document["asyncOperationId"]
    assert (reply.status, reply.text()) == (202, "")
    assert reply.headers["Azure-AsyncOperation"].endswith(
        f"{LOCATION}/operationsstatus/{operation_id}?api-version={NEW}"
    )
    assert reply.headers["Location"].endswith(f"{LOCATION}/operationresults/{operation_id}?api-version={NEW}")
    assert reply.headers["Retry-After"] == "15"
    assert world.document["openShiftCluster"]["properties"]["provisioningState"] == "Deleting"
    assert world.document["supersededOperationId"] is None
    assert reply.start is not None
    assert reply.start.input["plan"]["name"] == "delete"


def test_a_delete_of_nothing_answers_204(world: World) -> None:
    """Whatever the subscription's state: there is nothing to refuse."""
    world.cosmos["Subscriptions"].documents.clear()
    assert world.send("DELETE", CLUSTER).status == 204


def test_a_delete_cancels_a_create_that_runs(world: World) -> None:
    """A new operation takes the fence; its first row ends the old one."""
    world.send("PUT", CLUSTER, body())
    creating = world.document["asyncOperationId"]
    reply = world.send("DELETE", CLUSTER)
    assert reply.status == 202
    assert world.document["supersededOperationId"] == creating
    assert world.document["asyncOperationId"] != creating
    assert (world.document["attempt"], world.document["stopping"]) == (1, False)
    assert reply.start is not None
    assert "cancel_superseded" in [row["name"] for row in reply.start.input["plan"]["rows"]]


def test_a_delete_that_failed_leaves_what_it_superseded_to_the_next_one(world: World) -> None:
    """The create may still have deployments under way, and its client waits for its end."""
    world.send("PUT", CLUSTER, body())
    creating = world.document["asyncOperationId"]
    world.send("DELETE", CLUSTER)
    world.finish(failed=True)
    reply = world.send("DELETE", CLUSTER)
    assert world.document["supersededOperationId"] == creating
    assert reply.start is not None
    assert "cancel_superseded" in [row["name"] for row in reply.start.input["plan"]["rows"]]


@pytest.mark.parametrize("failed_in", ["Creating", "Updating", "Deleting"])
def test_a_failed_cluster_can_be_deleted(world: World, failed_in: str) -> None:
    """Whatever it failed in."""
    world.send("PUT", CLUSTER, body())
    world.finish(failed=True)
    world.document["openShiftCluster"]["properties"]["failedProvisioningState"] = failed_in
    assert world.send("DELETE", CLUSTER).status == 202


@pytest.mark.parametrize("state", ["Updating", "Deleting"])
def test_a_delete_waits_for_other_operations(world: World, state: str) -> None:
    """Only a create and a renewal can be cancelled by it."""
    world.send("PUT", CLUSTER, body())
    world.document["openShiftCluster"]["properties"]["provisioningState"] = state
    reply = world.send("DELETE", CLUSTER)
    assert (reply.status, reply.body["error"]["code"]) == (400, "RequestNotAllowed")
    expect_address(world, reply)


@pytest.mark.parametrize(
    ("state", "want_status"), [("Warned", 202), ("Suspended", 202), ("Unregistered", 400), ("Deleted", 400)]
)
def test_a_suspended_subscription_may_still_delete(world: World, state: str, want_status: int) -> None:
    """It may not make anything, but it may stop paying."""
    world.send("PUT", CLUSTER, body())
    world.finish()
    world.register(SUBSCRIPTION, state)
    assert world.send("DELETE", CLUSTER).status == want_status


def test_a_delete_that_loses_five_races_answers_409(world: World) -> None:
    """The caller may try again."""
    world.send("PUT", CLUSTER, body())
    races = iter(range(10))

    def write() -> None:
        world.document["_etag"] = f'"other-{next(races)}"'

    world.cosmos["OpenShiftClusters"].before_write = [write] * 5
    assert world.send("DELETE", CLUSTER).status == 409
