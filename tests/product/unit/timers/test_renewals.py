"""Clusters are renewed once a week, each in its own hour, and each day while something ends soon."""

import asyncio
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from shared import settings
from shared.arm.errors import CloudError
from shared.cluster_conditions import calendar, renewal_dates
from tests.product.unit.cosmos_fake import plan_of
from tests.product.unit.product_world import World, cluster_document
from timers import renewals

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)
WEEK, DAY = timedelta(days=7), timedelta(days=1)
WEEKS_HOURS = range(24 * 7 + 1)


@pytest.fixture
def old(accepted: World) -> World:
    """Give the world a finished cluster that was made long ago."""
    accepted.properties.update({"provisioningState": "Succeeded", "createdAt": "2025-01-01T00:00:00+00:00"})
    accepted.cluster.pop("asyncOperationId")
    return accepted


def run(world: World) -> World:
    """Run the timer once."""
    asyncio.run(renewals.renew(None))
    return world


def document(document_id: str = "doc-1", **more: Any) -> Any:
    """Make the document of a finished cluster."""
    made = cluster_document(id=document_id, **more)
    made["openShiftCluster"]["properties"] |= {
        "provisioningState": "Succeeded",
        "createdAt": "2026-01-01T00:00:00+00:00",
    }
    return made


def test_a_cluster_that_is_due_begins_to_be_renewed_once(old: World) -> None:
    """The document names an operation with its plan, which the watchdog starts."""
    run(old)
    assert (old.properties["provisioningState"], old.properties["lastProvisioningState"]) == (
        "AdminUpdating",
        "Succeeded",
    )
    operation_id = old.cluster["asyncOperationId"]
    assert plan_of(old.cosmos["AsyncOperations"], operation_id)["name"] == "renew"
    assert "begunBy" not in old.cosmos["AsyncOperations"].documents[operation_id, operation_id]
    begun = old.cluster["renewedAt"]
    old.cluster.pop("asyncOperationId")
    old.properties["provisioningState"] = "Succeeded"
    run(old)
    assert old.cluster["renewedAt"] == begun
    assert old.properties["provisioningState"] == "Succeeded"


@pytest.mark.parametrize(
    "more",
    [
        {"provisioningState": "Failed", "failedProvisioningState": "Creating"},
        {"provisioningState": "Failed", "failedProvisioningState": "Deleting"},
        {"powerState": "Stopped"},
        {"powerState": "Starting"},
    ],
    ids=lambda more: " ".join(more.values()),
)
def test_a_cluster_that_is_not_up_waits(old: World, more: dict[str, str]) -> None:
    """One that was stopped is renewed soon after its start."""
    old.properties.update(more)
    before = dict(old.properties)
    assert run(old).properties == before


def test_one_whose_update_has_failed_is_renewed(old: World) -> None:
    """It runs, and what it has ends."""
    old.properties.update({"provisioningState": "Failed", "failedProvisioningState": "Updating"})
    run(old)
    assert old.properties["provisioningState"] == "AdminUpdating"


def test_one_in_which_something_ends_soon_is_renewed_before_its_hour(old: World) -> None:
    """By what the conditions' timer has read last; the earliest of several counts."""
    now = datetime.now(UTC)
    old.cluster["renewedAt"] = (now - DAY).isoformat()
    old.cluster["id"] = next(f"doc-{n}" for n in range(99) if not _is_due(f"doc-{n}", now))
    old.cosmos["OpenShiftClusters"].documents = {
        (one["partitionKey"], one["id"]): one for one in old.cosmos["OpenShiftClusters"].documents.values()
    }
    assert run(old).properties["provisioningState"] == "Succeeded"
    ends = [(now + left).isoformat() for left in (timedelta(days=80), timedelta(days=3))]
    old.cosmos["ClusterConditions"].create_item(
        {
            "id": old.cluster["id"],
            "partitionKey": old.cluster["partitionKey"],
            "observedAt": now.isoformat(),
            "conditions": [],
            "expirations": [{"name": calendar.API_CERTIFICATE, "end": end, "detail": ""} for end in ends],
        }
    )
    assert run(old).properties["provisioningState"] == "AdminUpdating"


def _is_due(document_id: str, now: datetime) -> bool:
    return renewal_dates.is_due(document(document_id, renewedAt=(now - DAY).isoformat()), {}, now)


def test_nothing_begins_during_an_operation_or_while_the_service_drains(
    old: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next run looks again."""
    old.cluster["asyncOperationId"] = "op"
    assert run(old).properties["provisioningState"] == "Succeeded"
    old.cluster.pop("asyncOperationId")
    monkeypatch.setenv("DRAINING", "true")
    settings.load.cache_clear()
    assert run(old).properties["provisioningState"] == "Succeeded"


def test_a_run_begins_a_few_and_a_broken_document_stops_none(old: World, caplog: pytest.LogCaptureFixture) -> None:
    """The next run continues."""
    clusters = old.cosmos["OpenShiftClusters"].documents
    for number in range(25):
        made = document(f"doc-{number + 2}", key=f"/k/{number}", clusterResourceGroupIdKey=str(number))
        made |= {"clientIdKey": str(number), "_etag": "1"}
        made.pop("asyncOperationId")
        clusters[made["partitionKey"], made["id"]] = made
    clusters["p", "broken"] = {"id": "broken", "key": "/k", "partitionKey": "p", "openShiftCluster": {}}

    def states() -> Counter[str]:
        return Counter(
            str(one["openShiftCluster"].get("properties", {}).get("provisioningState")) for one in clusters.values()
        )

    run(old)
    assert states() == {"AdminUpdating": 20, "Succeeded": 6, "None": 1}
    run(old)
    assert states() == {"AdminUpdating": 26, "None": 1}
    assert "document broken of container OpenShiftClusters cannot be read" in caplog.text


def test_a_cluster_that_is_written_meanwhile_is_met_again(old: World) -> None:
    """The other writer wins."""
    old.cosmos["OpenShiftClusters"].before_write.append(lambda: old.cluster.update({"_etag": "newer"}))
    assert run(old).properties["provisioningState"] == "Succeeded"
    assert run(old).properties["provisioningState"] == "AdminUpdating"


def test_each_cluster_is_due_once_a_week_in_its_own_hour() -> None:
    """Whatever the hour: a fleet spreads over the week."""
    hours = Counter[datetime]()
    for number in range(300):
        made = document(f"doc-{number}", renewedAt=NOW.isoformat())
        due = [hour for hour in WEEKS_HOURS if renewal_dates.is_due(made, {}, NOW + timedelta(hours=hour))]
        assert due == list(range(due[0], len(WEEKS_HOURS)))
        hours[NOW + timedelta(hours=due[0])] += 1
    assert len(hours) > 100
    assert max(hours.values()) < 12


def test_a_young_cluster_waits_for_its_hour() -> None:
    """Everything in it is new."""
    made = document()
    made["openShiftCluster"]["properties"]["createdAt"] = NOW.isoformat()
    assert not renewal_dates.is_due(made, {}, NOW)
    assert renewal_dates.is_due(made, {}, NOW + WEEK)


@pytest.mark.parametrize(
    ("name", "left", "since", "want"),
    [
        (calendar.API_CERTIFICATE, timedelta(days=13), DAY, True),
        (calendar.API_CERTIFICATE, timedelta(days=-3), DAY, True),
        (calendar.API_CERTIFICATE, timedelta(days=15), DAY, False),
        (calendar.API_CERTIFICATE, timedelta(days=13), timedelta(hours=23), False),
        (calendar.SERVICE_PRINCIPAL, timedelta(days=1), DAY, False),
        (calendar.KUBELET_SIGNER, timedelta(days=1), DAY, False),
        ("unknown", timedelta(days=1), DAY, False),
    ],
    ids=["soon", "over", "later", "tried today", "the customer's", "the cluster's", "of another build"],
)
def test_what_a_renewal_is_there_for_is_tried_each_day_while_it_ends_soon(
    name: str, left: timedelta, since: timedelta, *, want: bool
) -> None:
    """Beside the hour of the week."""
    made = document(renewedAt=(NOW - since).isoformat())
    # An hour of the week that has not come since.
    number = next(n for n in range(99) if not renewal_dates.is_due(made | {"id": f"doc-{n}"}, {}, NOW))
    assert renewal_dates.is_due(made | {"id": f"doc-{number}"}, {name: NOW + left}, NOW) is want


def test_a_stopped_cluster_is_refused_with_the_way_out() -> None:
    """Also to whoever asks for it."""
    made = document()
    made["openShiftCluster"]["properties"]["powerState"] = "Stopped"
    with pytest.raises(CloudError, match="Start it first"):
        renewal_dates.note_begun(made, NOW)
    assert "renewedAt" not in made
