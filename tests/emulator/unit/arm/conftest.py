"""ARM's model in this process, on a clock that a test moves."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from emulator import entra, managed_identity
from emulator.arm.access.roles import OWNER
from emulator.arm.models import ArmModel
from emulator.arm.seeding import ensure_role
from emulator.core.clock import Clock
from emulator.core.platform import Platform
from emulator.core.world import World
from emulator.entra.models import Principal
from emulator.run import arm
from tests.emulator.groups import ensure_group

WORLD = World()
GROUP = f"/subscriptions/{WORLD.subscription_id}/resourceGroups/group"
CALLER = Principal("11111111-1111-4111-8111-111111111111", "owner-client", WORLD.tenant_id, "owner", "", {})


class Time:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        """Return the time."""
        return self.moment

    def pass_(self, seconds: float) -> None:
        """Let time pass."""
        self.moment += timedelta(seconds=seconds)


@pytest.fixture
def time() -> Time:
    """Return the test's clock."""
    return Time()


@pytest.fixture
def open_arm(tmp_path: Path, time: Time) -> Iterator[Callable[[], ArmModel]]:
    """Return a function that opens the state folder as a new process does after a kill of the former one."""
    opened: list[Platform] = []

    def open_folder() -> ArmModel:
        platform = Platform(tmp_path, clock=Clock(1, time.now), world=WORLD)
        opened.append(platform)
        platform.ports |= {"arm": 1, "token": 2, "front_end": 3}
        platform.services += [entra.create(platform), managed_identity.create(platform), arm.create(platform)]
        return platform.model(ArmModel)

    yield open_folder
    for platform in opened:
        platform.journal.close()
        platform.store.close()


@pytest.fixture
def model(open_arm: Callable[[], ArmModel]) -> ArmModel:
    """Open ARM with a subscription, an Owner and a resource group."""
    found = open_arm()
    found.subscriptions.ensure(WORLD.subscription_id, WORLD.tenant_id, "Customer")
    ensure_role(found, f"/subscriptions/{WORLD.subscription_id}", CALLER.object_id, OWNER)
    ensure_group(found, WORLD.subscription_id, "group", "eastus")
    return found
