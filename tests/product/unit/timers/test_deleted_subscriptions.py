"""The clusters of a deleted subscription are deleted."""

import asyncio
from typing import Any

import pytest

from shared import durations, settings
from tests.product.unit.cosmos_fake import plan_of
from tests.product.unit.product_world import CUSTOMER, OWN, World
from timers import quiet
from timers.deleted_subscriptions import sweep


def subscription(world: World) -> dict[str, Any]:
    """Return the subscription, as stored."""
    return world.cosmos["Subscriptions"].documents[CUSTOMER, CUSTOMER]


@pytest.fixture
def left(accepted: World) -> World:
    """Give the world a cluster whose subscription ARM has just deleted."""
    subscription(accepted).update({"deleting": True, "subscription": {"state": "Deleted"}})
    accepted.properties["provisioningState"] = "Succeeded"
    accepted.cluster.pop("asyncOperationId")
    return accepted


def swept(world: World) -> World:
    """Run the timer once."""
    asyncio.run(sweep(None))
    return world


def test_a_cluster_of_a_deleted_subscription_begins_to_be_deleted(left: World) -> None:
    """Like a DELETE: the document names an operation with its plan, which the watchdog starts."""
    swept(left)
    assert left.properties["provisioningState"] == "Deleting"
    operation_id = left.cluster["asyncOperationId"]
    operation = left.cosmos["AsyncOperations"].documents[operation_id, operation_id]
    plan = plan_of(left.cosmos["AsyncOperations"], operation_id)
    assert (plan["name"], operation["asyncOperation"]["status"]) == ("delete", "Deleting")
    assert operation["taskHub"] == "OpenShiftClusters"
    assert left.cluster["attempt"] == 1


def test_nothing_is_swept_where_arm_reports_no_subscriptions(left: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Callers with a token cannot report one, so a document can only be left over."""
    for name, value in OWN.items():
        monkeypatch.setenv(name, value)
    settings.load.cache_clear()
    assert swept(left).properties["provisioningState"] == "Succeeded"


def test_a_service_that_drains_leaves_it_for_later(left: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The update that it waits for ends the draining, and the next run deletes the cluster."""
    monkeypatch.setenv("DRAINING", "true")
    settings.load.cache_clear()
    assert swept(left).properties["provisioningState"] == "Succeeded"
    assert subscription(left)["deleting"] is True


def test_a_create_that_runs_is_canceled_by_it(left: World) -> None:
    """Nobody is left to wait for its end."""
    left.properties["provisioningState"] = "Creating"
    left.cluster.update({"asyncOperationId": "op", "restarts": {"count": 4, "since": "2026-03-01T09:00:00+00:00"}})
    swept(left)
    assert "restarts" not in left.cluster
    assert left.properties["provisioningState"] == "Deleting"
    assert left.cluster["supersededOperationId"] == "op"


def test_an_update_ends_first(left: World) -> None:
    """The subscription stays marked until its cluster could be deleted."""
    left.properties["provisioningState"] = "Updating"
    assert swept(left).properties["provisioningState"] == "Updating"
    assert subscription(left)["deleting"] is True


def test_the_mark_goes_when_every_cluster_is_on_its_way(left: World) -> None:
    """No cluster is deleted twice."""
    swept(left)
    operation_id = left.cluster["asyncOperationId"]
    assert subscription(left)["deleting"] is True
    swept(left)
    assert "deleting" not in subscription(left)
    assert left.cluster["asyncOperationId"] == operation_id


def test_a_run_that_found_none_lets_the_next_ones_rest(left: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Subscriptions are hardly ever deleted, and the timer runs each minute."""
    marked = subscription(left)
    marked.pop("deleting")
    now = [1000.0]
    monkeypatch.setattr(quiet, "monotonic", lambda: now[0])
    swept(left)
    marked["deleting"] = True
    now[0] += settings.load().look_back(durations.SUBSCRIPTIONS_QUIET).total_seconds() - 1
    assert swept(left).properties["provisioningState"] == "Succeeded"
    now[0] += 1
    assert swept(left).properties["provisioningState"] == "Deleting"


def test_other_subscriptions_keep_their_clusters(accepted: World) -> None:
    """Only those that are marked are looked at."""
    accepted.properties["provisioningState"] = "Succeeded"
    assert swept(accepted).properties["provisioningState"] == "Succeeded"


def test_a_cluster_that_is_written_meanwhile_is_met_again(left: World) -> None:
    """The other writer wins, and the mark stays."""
    left.cosmos["OpenShiftClusters"].before_write.append(lambda: left.cluster.update({"_etag": "newer"}))
    swept(left)
    assert left.properties["provisioningState"] == "Succeeded"
    assert subscription(left)["deleting"] is True
    assert swept(left).properties["provisioningState"] == "Deleting"


def test_trouble_with_one_subscription_is_logged_and_met_again(left: World, caplog: pytest.LogCaptureFixture) -> None:
    """The others are swept even so."""
    broken = {"id": "broken", "deleting": True, "subscription": {"state": "Deleted"}}
    documents = left.cosmos["Subscriptions"].documents
    left.cosmos["Subscriptions"].documents = {("broken", "broken"): broken, **documents}
    strange = {"id": "d", "key": "/subscriptions/broken/x", "partitionKey": "broken", "openShiftCluster": {}}
    left.cosmos["OpenShiftClusters"].documents["broken", "d"] = strange
    swept(left)
    assert "document d of container OpenShiftClusters cannot be read" in caplog.text
    assert left.cosmos["Subscriptions"].documents["broken", "broken"]["deleting"] is True
    ours = next(each for (key, _), each in left.cosmos["OpenShiftClusters"].documents.items() if key == CUSTOMER)
    assert ours["openShiftCluster"]["properties"]["provisioningState"] == "Deleting"
