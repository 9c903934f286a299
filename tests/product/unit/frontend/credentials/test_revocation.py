"""The action that ends all admin credentials: what it answers, and when it is refused."""

import copy
from typing import Any

import pytest

from frontend.messages import Reply
from tests.product.unit.frontend.callers_world import CallersWorld
from tests.product.unit.frontend.clusters.test_openshift_cluster_credentials import OWN, bring_up
from tests.product.unit.frontend.world import CLUSTER, GROUP, NEW, World, body, expect_address

PATH = f"{CLUSTER}/revokeCredentials"
LIST = "Microsoft.RedHatOpenShift/openShiftClusters/listAdminCredentials/action"
WRITE = "Microsoft.RedHatOpenShift/openShiftClusters/write"


def revoke(world: World, **more: Any) -> Reply:
    """Ask for the end of all credentials."""
    return world.send("POST", PATH, **{"api_version": OWN} | more)


def refused(world: World, **more: Any) -> tuple[int, str]:
    """Return how a request is refused; nothing is written."""
    before = copy.deepcopy([each.documents for each in world.cosmos.values()])
    reply = revoke(world, **more)
    assert [each.documents for each in world.cosmos.values()] == before
    return reply.status, reply.body["error"]["code"]


def test_it_begins_an_operation_and_says_what_it_does_not_end(world: World) -> None:
    """Clients poll it like any other."""
    bring_up(world)
    reply = revoke(world)
    assert reply.status == 202
    assert reply.body == {
        "notRevoked": ["the password of kubeadmin", "OAuth tokens of users", "tokens of service accounts"]
    }
    operation_id = world.document["asyncOperationId"]
    assert f"/operationsstatus/{operation_id}?" in reply.headers["Azure-AsyncOperation"]
    plan = world.plan(operation_id)
    assert (plan["name"], plan["skipped"]) == ("revoke_credentials", [])
    assert len([row for row in plan["rows"] if row["executor"] != "check_plan"]) <= 12
    assert reply.start is not None
    assert world.document["openShiftCluster"]["properties"]["provisioningState"] == "Updating"


def test_a_second_caller_is_told_of_the_first_ones_operation(world: World) -> None:
    """There is one revocation at a time."""
    bring_up(world)
    revoke(world)
    reply = revoke(world)
    assert (reply.status, reply.body["error"]["code"]) == (400, "RequestNotAllowed")
    expect_address(world, reply)


@pytest.mark.parametrize(("state", "failed", "status"), [("Failed", "Updating", 202), ("Succeeded", "", 202)])
def test_it_can_be_repeated_after_a_failure(world: World, state: str, failed: str, status: int) -> None:
    """And after a success: each ends what was given since."""
    bring_up(world, state, failed)
    assert revoke(world).status == status


@pytest.mark.parametrize(
    ("state", "failed"),
    [("Creating", ""), ("Updating", ""), ("Deleting", ""), ("Failed", "Creating"), ("Failed", "Deleting")],
)
def test_a_cluster_that_is_not_at_rest_is_left_alone(world: World, state: str, failed: str) -> None:
    """The refusal names the state."""
    bring_up(world, state, failed)
    assert refused(world) == (400, "RequestNotAllowed")


def test_a_stopped_cluster_is_started_first(world: World) -> None:
    """Its API servers would come back with what they trusted before."""
    bring_up(world)
    world.document["openShiftCluster"]["properties"]["powerState"] = "Stopped"
    reply = revoke(world)
    assert (reply.status, reply.body["error"]["code"]) == (400, "RequestNotAllowed")
    assert "needs a running cluster" in reply.body["error"]["message"]


@pytest.mark.parametrize("name", ["if-match", "if-none-match"])
def test_a_condition_that_does_not_hold_refuses_it(world: World, name: str) -> None:
    """As for every change."""
    bring_up(world)
    wrong = '"x"' if name == "if-match" else "*"
    assert refused(world, headers={name: wrong}) == (412, "PreconditionFailed")
    assert revoke(world, headers={"if-match": world.document["_etag"]}).status == 202


def test_a_cluster_without_credentials_or_without_a_document_is_told_so(world: World) -> None:
    """There is nothing to revoke."""
    assert refused(world) == (404, "ResourceNotFound")
    bring_up(world)
    del world.document["secrets"]["credentials"]
    assert refused(world) == (400, "RequestNotAllowed")


def test_only_this_providers_version_has_it(world: World) -> None:
    """Others name it."""
    bring_up(world)
    assert refused(world, api_version=NEW) == (400, "InvalidResourceType")


@pytest.mark.parametrize("lacking", [WRITE, LIST])
def test_a_caller_needs_both_rights(own: CallersWorld, lacking: str) -> None:
    """It changes the cluster, and it takes access away."""
    own.call("PUT", CLUSTER, body())
    own.finish()
    own.document["secrets"]["credentials"] = "https://rp-cls.vault.azure.net/secrets/x-credentials/1"
    own.rights.deny(lacking, GROUP)
    error = own.call("POST", PATH, api_version=OWN).body["error"]
    assert error["code"] == "AuthorizationFailed"
    assert f"'{lacking}'" in error["message"]
    own.rights.denied.clear()
    assert own.call("POST", PATH, api_version=OWN).status == 202
