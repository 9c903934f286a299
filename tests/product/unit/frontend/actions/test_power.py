"""POST of stop and start, what a stopped cluster refuses, and its schedule."""

from datetime import timedelta
from typing import Any

import pytest

from frontend.messages import Reply
from tests.api_versions import VERSIONS
from tests.product.unit.frontend.clusters.test_enrichment import make_reachable
from tests.product.unit.frontend.clusters.test_static_validation import NIGHTS
from tests.product.unit.frontend.world import (
    CLUSTER,
    LOCATION,
    NEW,
    NOW,
    World,
    admin_certificate,
    body,
    expect_address,
)

OWN = VERSIONS[-1]
SCHEDULED = {"properties": {"powerSchedule": NIGHTS}}


@pytest.fixture
def old(world: World) -> World:
    """Give the world a cluster that was created two days ago."""
    assert world.send("PUT", CLUSTER, body()).status == 201
    world.finish()
    world.document["openShiftCluster"]["properties"]["createdAt"] = (NOW - timedelta(days=2)).isoformat()
    make_reachable(world, world.document)
    return world


def post(world: World, action: str, **more: Any) -> Reply:
    """POST an action."""
    return world.send("POST", f"{CLUSTER}/{action}", api_version=OWN, **more)


def become(world: World, state: str, **power: Any) -> None:
    """Let the cluster have a power state."""
    world.document["openShiftCluster"]["properties"]["powerState"] = state
    world.document["power"] = {"since": NOW.isoformat()} | power


def refusal(reply: Reply) -> str:
    """Return the message of a request that the cluster's state does not allow."""
    assert (reply.status, reply.body["error"]["code"]) == (400, "RequestNotAllowed"), reply.text()
    return str(reply.body["error"]["message"])


@pytest.mark.parametrize(("action", "state"), [("stop", "Running"), ("start", "Stopped")])
def test_an_action_begins_an_operation_with_its_plan(old: World, action: str, state: str) -> None:
    """And answers with both addresses. The power state changes with the rows, not with the request."""
    become(old, state)
    reply = post(old, action)
    operation_id = old.document["asyncOperationId"]
    assert reply.status == 202
    assert f"{LOCATION}/operationsstatus/{operation_id}?" in reply.headers["Azure-AsyncOperation"]
    assert f"{LOCATION}/operationresults/{operation_id}?" in reply.headers["Location"]
    assert old.plan(operation_id)["name"] == action
    properties = old.document["openShiftCluster"]["properties"]
    assert (properties["provisioningState"], properties["powerState"]) == ("Updating", state)
    assert old.document["power"]["since"] == old.now.isoformat()


def test_an_operator_stops_and_starts_clusters_too(old: World) -> None:
    """Below the operators' path."""
    for action, state in (("stop", "Running"), ("start", "Stopped")):
        become(old, state)
        path = f"/sre{CLUSTER}/{action}"
        assert old.send("POST", path, api_version="", certificate=admin_certificate()).status == 202
        old.finish()


def test_a_cluster_is_not_stopped_in_its_first_24_hours(old: World) -> None:
    """The refusal says from when it is."""
    properties = old.document["openShiftCluster"]["properties"]
    properties["createdAt"] = (NOW - timedelta(hours=23)).isoformat()
    assert "Stop it after 2026-03-01T13:00:00Z" in refusal(post(old, "stop"))
    properties["createdAt"] = (NOW - timedelta(hours=25)).isoformat()
    properties["install"] = {"now": (NOW - timedelta(hours=22)).isoformat()}
    assert "Stop it after 2026-03-01T14:00:00Z" in refusal(post(old, "stop"))
    assert "asyncOperationId" not in old.document


def test_a_stopped_cluster_is_not_stopped_and_one_that_runs_is_not_started(old: World) -> None:
    """Each refusal says what to do instead."""
    assert "az vm start" in refusal(post(old, "start"))
    become(old, "Stopped")
    assert f"POST {CLUSTER}/start" in refusal(post(old, "stop"))


@pytest.mark.parametrize("action", ["stop", "start"])
@pytest.mark.parametrize("state", ["Stopping", "Starting"])
def test_what_has_failed_half_way_can_be_continued_or_undone(old: World, action: str, state: str) -> None:
    """Both ways are open."""
    become(old, state)
    assert post(old, action).status == 202


@pytest.mark.parametrize("action", ["stop", "start"])
def test_an_operation_that_runs_is_waited_for(old: World, action: str) -> None:
    """The refusal has its address."""
    become(old, "Stopping")
    assert old.send("PATCH", CLUSTER, {"tags": {"a": "b"}}).status == 200
    reply = post(old, action)
    refusal(reply)
    expect_address(old, reply)


@pytest.mark.parametrize(("action", "state"), [("stop", "Running"), ("start", "Stopped")])
def test_what_a_failed_update_has_begun_is_still_to_be_done_after_it(old: World, action: str, state: str) -> None:
    """A stop carries no principal into the cluster, and makes no workers."""
    become(old, state)
    worked = old.document["principal"]["worked"]
    tried = {"worked": worked, "tried": [worked | {"clientId": "another"}]}
    old.document.update(principal=tried, scaling={"before": 3, "begun": True})
    old.document["openShiftCluster"]["properties"].update(
        provisioningState="Failed", failedProvisioningState="Updating"
    )
    assert post(old, action).status == 202
    old.finish()
    assert old.document["openShiftCluster"]["properties"]["provisioningState"] == "Succeeded"
    assert old.document["principal"] == tried
    assert old.document["scaling"] == {"before": 3, "begun": True}
    assert "isAction" not in old.document


def test_of_two_callers_at_once_one_is_refused(old: World) -> None:
    """The loser reads again, and finds the operation of the winner."""
    old.cosmos["OpenShiftClusters"].before_write.append(lambda: post(old, "stop"))
    expect_address(old, post(old, "stop"))
    assert [each["id"] for each in old.operations() if "endTime" not in each["asyncOperation"]] == [
        old.document["asyncOperationId"]
    ]


def test_only_the_own_version_has_the_power_state(old: World) -> None:
    """A cluster from before it runs; one that is not up has none."""
    assert old.send("GET", CLUSTER, api_version=OWN).body["properties"]["powerState"] == "Running"
    assert "powerState" not in old.send("GET", CLUSTER).body["properties"]
    become(old, "Stopped")
    assert old.send("GET", CLUSTER, api_version=OWN).body["properties"]["powerState"] == "Stopped"
    become(old, "")
    old.document["openShiftCluster"]["properties"]["provisioningState"] = "Creating"
    assert "powerState" not in old.send("GET", CLUSTER, api_version=OWN).body["properties"]


def test_a_stopped_cluster_is_shown_without_being_asked(old: World) -> None:
    """Nobody would answer, and every GET would wait for that."""
    assert old.send("GET", CLUSTER, api_version=OWN).status == 200
    assert len(old.live.asked) > 0
    old.live.asked.clear()
    for state in ("Stopping", "Stopped", "Starting"):
        become(old, state)
        assert old.send("GET", CLUSTER, api_version=OWN).status == 200
    assert not old.live.asked


def test_what_changes_something_inside_needs_a_running_cluster(old: World) -> None:
    """It is refused by name; tags may change."""
    become(old, "Stopped")
    secret = {"properties": {"servicePrincipalProfile": {"clientSecret": "another"}}}
    message = refusal(old.send("PATCH", CLUSTER, secret))
    assert "power state 'Stopped'" in message
    assert message.endswith(f"Start it first: POST {CLUSTER}/start")
    assert old.send("PATCH", CLUSTER, {"tags": {"a": "b"}}).status == 200


def test_a_cluster_whose_start_failed_for_its_credential_takes_another_one(old: World) -> None:
    """Its nodes are ready by then; before that, it does not."""
    secret = {"properties": {"servicePrincipalProfile": {"clientSecret": "another"}}}
    become(old, "Starting", drained=True)
    assert "Start it again first" in refusal(old.send("PATCH", CLUSTER, secret))
    become(old, "Starting", drained=False)
    assert old.send("PATCH", CLUSTER, secret).status == 200


def test_a_schedule_is_kept_through_every_version_and_ends_with_a_put_without_it(old: World) -> None:
    """Versions that do not know it leave it alone."""
    assert old.send("PATCH", CLUSTER, SCHEDULED, api_version=OWN).body["properties"]["powerSchedule"] == NIGHTS
    old.finish()
    for version in (NEW, VERSIONS[0]):
        assert old.send("PUT", CLUSTER, body(version), api_version=version).status == 200
        old.finish()
        assert old.document["openShiftCluster"]["properties"]["powerSchedule"] == NIGHTS
    other = {"properties": {"powerSchedule": {"stopTime": "20:30"}}}
    reply = old.send("PATCH", CLUSTER, other, api_version=OWN)
    assert reply.body["properties"]["powerSchedule"] == NIGHTS | {"stopTime": "20:30"}
    old.finish()
    assert old.send("PUT", CLUSTER, body(OWN), api_version=OWN).status == 200
    assert "powerSchedule" not in old.document["openShiftCluster"]["properties"]


def test_a_new_schedule_does_nothing_for_the_hours_before_it(old: World) -> None:
    """The last stop that it would have made is over; a request that leaves it alone changes nothing of that."""
    assert old.send("PATCH", CLUSTER, SCHEDULED, api_version=OWN).status == 200
    assert old.document["power"]["since"] == old.now.isoformat()
    old.finish()
    old.now += timedelta(hours=1)
    assert old.send("PATCH", CLUSTER, {"tags": {"a": "b"}}, api_version=OWN).status == 200
    assert old.document["power"]["since"] == (old.now - timedelta(hours=1)).isoformat()


def test_a_schedule_that_starts_a_stopped_cluster_too_late_is_refused(old: World) -> None:
    """It says until when the cluster must be started; another day is accepted."""
    limit = old.now + timedelta(hours=12)
    become(old, "Stopped", startBefore=limit.isoformat())
    reply = old.send("PATCH", CLUSTER, SCHEDULED, api_version=OWN)
    error = reply.body["error"]
    assert (reply.status, error["code"], error["target"]) == (400, "InvalidParameter", "properties.powerSchedule")
    assert "before 2026-03-02T00:00:00Z" in error["message"]
    today = NIGHTS | {"days": ["Sunday"], "startTime": "20:00"}
    assert old.send("PATCH", CLUSTER, {"properties": {"powerSchedule": today}}, api_version=OWN).status == 200
