"""Why the service asks its database for Strong: its own check before each change, in two of its processes."""

from collections.abc import Callable
from typing import Any

import pytest

from shared.store import Fence, FenceMoved
from shared.store.sites import Sites
from tests.emulator.integration.cosmos.conftest import LocalCosmos, Sessions, container, local_cosmos, sessions, stale

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
