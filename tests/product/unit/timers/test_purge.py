"""The purge: ended instances are removed after the days that the settings keep them."""

import asyncio
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from shared import settings
from tests.product.unit.product_world import World
from timers import TIMERS, _timer
from timers.purge import purge


class Client:
    """The part of the durable client that the purge needs."""

    def __init__(self) -> None:
        self.purged: list[tuple[datetime, datetime, list[Any]]] = []

    async def purge_instance_history_by(self, begin: datetime, end: datetime, statuses: Any) -> Any:
        self.purged.append((begin, end, statuses))
        return SimpleNamespace(instances_deleted=3)


@pytest.mark.parametrize("name", TIMERS)
def test_with_invalid_settings_a_timer_touches_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    """It would delete what it takes for the leftovers of others, for example."""
    monkeypatch.setenv("RP_OBJECT_ID", "canary")
    settings.load.cache_clear()
    # The binding's client is not a client here: any use of it would fail.
    asyncio.run(_timer(name, TIMERS[name][0])(None, "client"))
    assert "RP_OBJECT_ID is not a GUID" in caplog.text
    assert all(not container.writes for container in world.cosmos.values())


def test_only_instances_that_ended_long_ago_are_purged(world: World) -> None:
    """Running instances stay, whatever their age."""
    assert world
    client = Client()
    before = datetime.now(UTC)
    asyncio.run(purge(client))  # type: ignore[arg-type] # a fake of the SDK's client
    ((_, end, statuses),) = client.purged
    assert before <= end + timedelta(days=7) <= datetime.now(UTC)
    assert {status.name for status in statuses} == {"Completed", "Failed", "Terminated", "Canceled"}
