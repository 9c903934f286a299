"""Quotas."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from emulator.compute import sizes
from emulator.compute.quotas import Quotas, of_disk, of_machine
from emulator.core.clock import Clock
from emulator.core.platform import Platform
from emulator.core.service_error import ServiceError
from emulator.core.world import World

SUBSCRIPTION = "00000000-0000-4000-8000-00000000000A"
ID = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/"


@pytest.fixture
def quotas(tmp_path: Path) -> Iterator[Quotas]:
    """Open quotas of which nothing is used."""
    platform = Platform(tmp_path, clock=Clock(), world=World())
    yield Quotas(platform)
    platform.journal.close()
    platform.store.close()


def _demand(size: str) -> dict[str, int]:
    found = sizes.find(size)
    assert found is not None
    return of_machine(found)


def test_fifty_clusters_fit(quotas: Quotas) -> None:
    """A cluster has four machines with 8 cores and three with 4, and a disk for each; no quota has to be raised."""
    for number in range(50 * 7):
        size = "Standard_D8s_v5" if number % 7 < 4 else "Standard_D4s_v5"
        demand = _demand(size) | of_disk("Premium_LRS")
        quotas.check(SUBSCRIPTION, "eastus", f"{ID}{number}", demand)
        quotas.take(SUBSCRIPTION, "eastus", f"{ID}{number}", demand)
    assert quotas.used(SUBSCRIPTION, "eastus")["cores"] == 2200


def test_a_resize_counts_once(quotas: Quotas) -> None:
    """A machine's new use replaces its old one."""
    quotas.set_limit(SUBSCRIPTION, "eastus", "standardDSv5Family", 16)
    quotas.take(SUBSCRIPTION, "eastus", f"{ID}vm", _demand("Standard_D8s_v5"))
    quotas.check(SUBSCRIPTION, "eastus", f"{ID}VM".upper(), _demand("Standard_D16s_v5"))
    with pytest.raises(ServiceError, match="Current Usage: 8, Additional Required: 16"):
        quotas.check(SUBSCRIPTION, "eastus", f"{ID}other", _demand("Standard_D16s_v5"))


def test_the_total_of_all_families_has_a_limit_too(quotas: Quotas) -> None:
    """Azure calls it Total Regional Cores; other regions and subscriptions have their own."""
    quotas.set_limit(SUBSCRIPTION, "eastus", "cores", 4)
    quotas.check(SUBSCRIPTION, "eastus2", f"{ID}vm", _demand("Standard_D8s_v5"))
    with pytest.raises(ServiceError, match="exceeding approved Total Regional Cores quota") as failure:
        quotas.check(SUBSCRIPTION, "eastus", f"{ID}vm", _demand("Standard_D8s_v5"))
    assert (failure.value.status_code, failure.value.code) == (409, "OperationNotAllowed")
