"""Clusters stop and start by their schedules."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from shared import durations, settings
from tests.product.unit.cosmos_fake import plan_of
from tests.product.unit.product_world import World
from timers import power_schedules, quiet
from timers.power_schedules import switch

# A Monday.
NOW = datetime(2026, 11, 23, 20, tzinfo=UTC)
SCHEDULE = {"timeZone": "UTC", "days": ["Monday", "Tuesday"], "stopTime": "19:00", "startTime": "07:00"}


class Clock(datetime):
    """The time of a run."""

    moment = NOW

    @classmethod
    def now(cls, tz: Any = None) -> Any:
        """Return the time of the run."""
        return cls.moment.astimezone(tz)


@pytest.fixture
def scheduled(accepted: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """Give the world a cluster that stops at seven in the evening; it is eight."""
    monkeypatch.setattr(power_schedules, "datetime", Clock)
    Clock.moment = NOW
    accepted.properties.update(
        provisioningState="Succeeded", powerSchedule=dict(SCHEDULE), createdAt="2026-01-01T00:00:00+00:00"
    )
    accepted.cluster.pop("asyncOperationId")
    accepted.cluster["power"] = {"since": "2026-11-23T12:00:00+00:00"}
    return accepted


def run(world: World, moment: datetime = NOW) -> str:
    """Run the timer once; return the plan of the operation that the cluster names by now, or ""."""
    Clock.moment = moment
    asyncio.run(switch(None))
    operation_id = world.cluster.get("asyncOperationId")
    return str(plan_of(world.cosmos["AsyncOperations"], operation_id)["name"]) if operation_id else ""


def end(world: World, state: str) -> None:
    """End the operation that runs, with a power state."""
    world.properties.update(provisioningState="Succeeded", powerState=state)
    world.cluster.pop("asyncOperationId")


def test_a_cluster_stops_and_starts_when_its_schedule_says(scheduled: World) -> None:
    """Each event begins one operation, which the watchdog starts."""
    assert run(scheduled) == "stop"
    assert scheduled.properties["provisioningState"] == "Updating"
    end(scheduled, "Stopped")
    assert run(scheduled, NOW + timedelta(hours=1)) == ""
    assert run(scheduled, NOW + timedelta(hours=11)) == "start"
    end(scheduled, "Running")
    assert run(scheduled, NOW + timedelta(hours=12)) == ""


def test_what_has_begun_is_not_begun_again_however_it_ends(scheduled: World) -> None:
    """The next event is another chance."""
    assert run(scheduled) == "stop"
    end(scheduled, "Running")
    assert run(scheduled, NOW + timedelta(minutes=1)) == ""
    assert run(scheduled, NOW + timedelta(hours=23)) == "stop"


def test_an_event_before_its_owners_last_stop_or_start_is_over(scheduled: World) -> None:
    """Somebody who starts a cluster in the evening works with it."""
    scheduled.cluster["power"]["since"] = (NOW - timedelta(minutes=30)).isoformat()
    assert run(scheduled) == ""


def test_an_operation_that_runs_is_waited_for_until_the_next_event(scheduled: World) -> None:
    """Then that one counts."""
    scheduled.properties["provisioningState"] = "Creating"
    assert run(scheduled) == ""
    assert "asyncOperationId" not in scheduled.cluster
    scheduled.properties["provisioningState"] = "Succeeded"
    assert run(scheduled, NOW + timedelta(minutes=5)) == "stop"
    end(scheduled, "Running")
    scheduled.properties["provisioningState"] = "Creating"
    assert run(scheduled, NOW + timedelta(hours=10)) == ""
    scheduled.properties["provisioningState"] = "Succeeded"
    assert run(scheduled, NOW + timedelta(hours=12)) == ""


def test_a_cluster_is_started_a_day_before_it_has_to_be_if_its_schedule_has_not_done_it(scheduled: World) -> None:
    """Once: if that fails, the schedule's next start is another chance. A cluster that runs is left alone."""
    latest = NOW + timedelta(days=3)
    scheduled.properties["powerState"] = "Stopped"
    scheduled.properties["powerSchedule"]["days"] = ["Monday"]
    scheduled.cluster["power"] = {"since": NOW.isoformat(), "startBefore": latest.isoformat(), "drained": True}
    assert run(scheduled, latest - timedelta(days=1, minutes=1)) == ""
    assert run(scheduled, latest - timedelta(days=1)) == "start"
    end(scheduled, "Starting")
    assert run(scheduled, latest - timedelta(hours=23)) == ""
    assert run(scheduled, NOW + timedelta(days=6, hours=11)) == "start"
    end(scheduled, "Running")
    assert run(scheduled, NOW + timedelta(days=6, hours=12)) == ""


def test_a_cluster_that_is_too_young_is_not_stopped(scheduled: World) -> None:
    """As by hand."""
    scheduled.properties["createdAt"] = (NOW - timedelta(hours=10)).isoformat()
    assert run(scheduled) == ""
    assert scheduled.cluster["power"] == {"since": "2026-11-23T12:00:00+00:00"}


def test_a_cluster_without_a_schedule_is_left_alone(scheduled: World) -> None:
    """And after a run that found none, the next ones rest."""
    schedule = scheduled.properties.pop("powerSchedule")
    now = [1000.0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quiet, "monotonic", lambda: now[0])
        assert run(scheduled) == ""
        scheduled.properties["powerSchedule"] = schedule
        now[0] += settings.load().look_back(durations.SCHEDULES_QUIET).total_seconds() - 1
        assert run(scheduled) == ""
        now[0] += 1
        assert run(scheduled) == "stop"


def test_a_service_that_drains_begins_nothing(scheduled: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next run does, after the draining."""
    monkeypatch.setenv("DRAINING", "true")
    settings.load.cache_clear()
    assert run(scheduled) == ""


def test_another_writer_wins(scheduled: World) -> None:
    """The next run decides again."""
    scheduled.cosmos["OpenShiftClusters"].before_write.append(lambda: scheduled.cluster.update({"_etag": "newer"}))
    assert run(scheduled) == ""
    assert run(scheduled, NOW + timedelta(minutes=1)) == "stop"


def test_a_schedule_that_cannot_be_read_stops_no_other(scheduled: World, caplog: pytest.LogCaptureFixture) -> None:
    """It is logged."""
    broken = {
        "id": "d",
        "key": "/subscriptions/broken/x",
        "partitionKey": "broken",
        "openShiftCluster": {"properties": {"powerSchedule": {**SCHEDULE, "timeZone": "Europe/Atlantis"}}},
    }
    documents = scheduled.cosmos["OpenShiftClusters"].documents
    scheduled.cosmos["OpenShiftClusters"].documents = {("broken", "d"): broken, **documents}
    asyncio.run(switch(None))
    assert "document d of container OpenShiftClusters cannot be read" in caplog.text
    ours = next(each for each in scheduled.cosmos["OpenShiftClusters"].documents.values() if each["id"] == "doc-1")
    assert ours["openShiftCluster"]["properties"]["provisioningState"] == "Updating"
