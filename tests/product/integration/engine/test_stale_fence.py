"""Why the service asks its database for Strong: its own check before each change, in two of its processes."""

from collections.abc import Callable
from typing import Any

import pytest

from shared.store import Fence, FenceMoved
from shared.store.consistency import Levels, read_levels
from shared.store.sites import Sites
from tests.emulator.integration.cosmos.conftest import (
    ACCOUNT,
    CONTRIBUTOR,
    LocalCosmos,
    Sessions,
    container,
    local_cosmos,
    sessions,
    stale,
)

__all__ = ["container", "local_cosmos", "sessions"]


@pytest.mark.parametrize("level", ["Session", "Strong"])
def test_a_superseded_attempt_passes_its_fence_unless_the_account_is_strong(
    local_cosmos: LocalCosmos,
    sessions: Callable[[str], Sessions],
    level: str,
) -> None:
    """The service's own check before each change, in two of its processes: this is why it asks for Strong."""
    old, new = map(Sites, sessions(level))
    site: Any = {"id": "east", "asyncOperationId": "op", "attempt": 1}
    new.create(site)
    with stale(local_cosmos):
        new.update(lambda: new.get("/sites/east"), lambda document: {**document, "attempt": 2})
        passes = True
        try:
            old.fenced_read(Fence("/sites/east", "op", 1))
        except FenceMoved:
            passes = False
        assert passes == (level != "Strong")


@pytest.mark.parametrize(
    ("at_start", "now", "client"),
    [
        pytest.param("Strong", "Strong", "Strong", id="the SDK asks for no level, and gets the account's"),
        pytest.param("Session", "Strong", "Session", id="the SDK goes on asking for the level of its start"),
        pytest.param("Strong", "Eventual", "Eventual", id="the account has become weaker"),
    ],
)
def test_the_level_of_a_process_is_the_one_that_its_sdk_asks_for(
    local_cosmos: LocalCosmos, sessions: Callable[[str], Sessions], at_start: str, now: str, client: str
) -> None:
    """Readiness reports both levels, so they have to be those of the real client."""
    sessions(at_start)
    opened = local_cosmos.new_client(CONTRIBUTOR)
    local_cosmos.model.set_consistency(ACCOUNT, now)
    assert read_levels(opened) == Levels(account=now, client=client)
