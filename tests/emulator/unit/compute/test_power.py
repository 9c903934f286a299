"""What a kill leaves of a machine that was accepted and has not booted yet."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from emulator import entra
from emulator.arm.models import ArmModel
from emulator.compute import power, views
from emulator.core.clock import Clock
from emulator.core.platform import Platform
from emulator.core.world import World
from emulator.openshift.guests import Guests
from emulator.run import arm

ID = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/vm"


class Told(Guests):
    """Guests that record what they are told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def powered_on(self, vm: dict[str, Any]) -> None:
        """Record a boot."""
        self.told.append(f"on {vm['id']}")

    def stopped(self, vm_id: str) -> None:
        """Record a loss of power."""
        self.told.append(f"stopped {vm_id}")


@pytest.fixture
def model(tmp_path: Path) -> Iterator[ArmModel]:
    """Open ARM with guests that record what they are told."""
    platform = Platform(tmp_path, clock=Clock(), world=World())
    platform.ports |= {"arm": 1, "token": 2, "front_end": 3}
    platform._models[Guests] = Told()
    platform.services += [entra.create(platform), arm.create(platform)]
    yield platform.model(ArmModel)
    platform.journal.close()
    platform.store.close()


@pytest.mark.parametrize(
    ("noted", "told"),
    [
        (power.STARTING, [f"on {ID}"]),
        (power.RESTARTING, [f"stopped {ID}", f"on {ID}"]),
        (power.RUNNING, []),
        (power.DEALLOCATED, []),
    ],
)
def test_a_machine_that_was_to_be_booted_is_booted_at_the_next_start(
    model: ArmModel, noted: str, told: list[str]
) -> None:
    """The machine is booted once: another start finds it running."""
    model.documents.put(
        {
            "id": ID,
            "name": "vm",
            "type": "Microsoft.Compute/virtualMachines",
            "properties": {},
            "private": {"power": noted},
        }
    )
    power.boot_left_over(model)
    power.boot_left_over(model)
    guests = model.platform.model(Guests)
    assert isinstance(guests, Told)
    assert guests.told == told


@pytest.mark.parametrize(
    ("before", "action", "way", "after"),
    [
        (power.RUNNING, "deallocate", "deallocating", "deallocated"),
        (power.RUNNING, "powerOff", "stopping", "stopped"),
        (power.DEALLOCATED, "start", "starting", "running"),
    ],
)
def test_a_machine_is_shown_on_its_way_while_an_action_takes_its_time(
    model: ArmModel, before: str, action: str, way: str, after: str
) -> None:
    """So whoever looks at the power waits as long as whoever follows the operation."""
    stored: dict[str, Any] = {"id": ID, "name": "vm", "type": "Microsoft.Compute/virtualMachines", "changed": ""}
    stored |= {"private": {"power": before}, "properties": {"storageProfile": {"osDisk": {"name": "disk"}}}}
    now = datetime.now(UTC)
    done = power.ACTIONS[action]
    done.run(SimpleNamespace(arm=model, stored=stored))  # type: ignore[arg-type]  # it needs no more of a call

    def shown(seconds: float) -> str:
        code: str = views.instance_view(stored, now + timedelta(seconds=seconds))["statuses"][1]["code"]
        return code

    assert shown(done.seconds - 1) == f"PowerState/{way}"
    assert shown(done.seconds + 1) == f"PowerState/{after}"
