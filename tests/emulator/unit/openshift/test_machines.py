"""What machines write to their consoles, how much of it is kept, and how long Azure waits for them."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from emulator.core.clock import Clock
from emulator.core.platform import Platform
from emulator.core.world import World
from emulator.openshift.boot.machines import KEPT_CHARACTERS, Machines, redacted

VM = {
    "id": "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/VM",
    "name": "VM",
    "location": "eastus",
    "properties": {"hardwareProfile": {"vmSize": "Standard_D4s_v5"}, "networkProfile": {"networkInterfaces": []}},
}


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    """Make the table of machines of a new platform."""
    platform = Platform(tmp_path, clock=Clock(40), world=World())
    yield Machines(platform)
    asyncio.run(platform.stop())


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("GET https://a/b?sv=1&sig=a%2Bb&se=2: attempt", "GET https://a/b?sv=1&sig=REDACTED&se=2: attempt"),
        ("x -----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY----- y", "x <private key> y"),
        ("x -----BEGIN PRIVATE KEY-----\nabc", "x <private key>"),
    ],
)
def test_secrets_are_not_written(text: str, want: str) -> None:
    """Signatures and private keys are redacted."""
    assert redacted(text) == want


def test_a_console_keeps_its_last_lines(machines: Machines) -> None:
    """A console's size is limited, however long a machine keeps trying."""
    machine = machines.install(VM)
    machines.save(machine)

    for number in range(KEPT_CHARACTERS // 50):
        machines.log(machine, "ignition", f"attempt #{number} {'x' * 60}")

    log = machines.serial_log(machine.id.upper())
    assert len(log) == KEPT_CHARACTERS
    assert f"attempt #{KEPT_CHARACTERS // 50 - 1}" in log


def test_machines_are_forgotten_with_their_consoles(machines: Machines) -> None:
    """A new machine under the same id begins with an empty console."""
    machine = machines.install(VM)
    machines.save(machine)
    machines.log(machine, "kernel", "hello")

    machines.forget(machine.id)

    assert machines.get(machine.id) is None
    assert not machines.serial_log(machine.id)


@pytest.mark.parametrize(("scale", "seconds"), [(1, 2400), (40, 60), (100, 24), (1000, 24)])
def test_azure_waits_for_a_machine_as_long_as_this_computer_needs_at_least(
    tmp_path: Path, scale: float, seconds: float
) -> None:
    """Azure waits forty minutes by the clock's scale, but at least 24 real seconds, which machines may need."""
    now = datetime(2026, 3, 1, tzinfo=UTC)
    platform = Platform(tmp_path, clock=Clock(scale, lambda: now), world=World())
    machines = Machines(platform)
    machine = machines.install(VM)
    now += timedelta(seconds=seconds)
    assert not machines.given_up(machine)
    now += timedelta(seconds=1)
    assert machines.given_up(machine)
    asyncio.run(platform.stop())
