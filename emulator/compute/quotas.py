"""Quotas: how much a subscription may use in a region, and how much it uses.

Usage is stored for each resource, so that adding it up does not require reading every virtual machine.
"""

from collections.abc import Iterator, Mapping

from emulator.arm.quotas import Limits
from emulator.compute import exceptions
from emulator.compute.sizes import FAMILIES, Size, family_label
from emulator.core.platform import Platform
from emulator.json_object import Json

CORES, MACHINES, PREMIUM_DISKS = "cores", "virtualMachines", "PremiumDiskCount"
# By name of the usage: its label for people, and its name in errors.
_LABELS = {
    CORES: ("Total Regional vCPUs", "Total Regional Cores"),
    MACHINES: ("Virtual Machines", "Virtual Machines"),
    PREMIUM_DISKS: ("Premium Storage Managed Disks", "Premium Storage Managed Disks"),
} | {family: (family_label(family), f"{family} Cores") for family in FAMILIES}
NAMES = tuple(_LABELS)
# Fifty clusters of three masters with 8 cores, three workers with 4 and a bootstrap machine with 8 take 2,200 cores.
_LIMITS = {MACHINES: 25_000, PREMIUM_DISKS: 50_000}
DEFAULT_CORES = 5_000


class Quotas:
    """Limits and usage of all subscriptions."""

    def __init__(self, platform: Platform) -> None:
        self._limits = Limits(platform)
        self._used = platform.store.table("compute_usage")

    def limit(self, subscription_id: str, location: str, name: str) -> int:
        """Return the limit of a usage."""
        return self._limits.get(subscription_id, location, name, _LIMITS.get(name, DEFAULT_CORES))

    def set_limit(self, subscription_id: str, location: str, name: str, limit: int) -> None:
        """Set the limit of a usage."""
        self._limits.set(subscription_id, location, name, limit)

    def used(self, subscription_id: str, location: str, *, without: str = "") -> dict[str, int]:
        """Return the usage by name."""
        place = f"{_place(subscription_id, location)}/"
        total = dict.fromkeys(NAMES, 0)
        for key, document in self._used.scan(place):
            if key != place + without.lower():
                for name, amount in document.items():
                    total[name] += amount
        return total

    def check(self, subscription_id: str, location: str, resource_id: str, demand: Mapping[str, int]) -> None:
        """Check that the limits allow what a resource needs, in place of what it uses now.

        Raises:
            ServiceError: 409 with the first limit that it would exceed.
        """
        used = self.used(subscription_id, location, without=resource_id)
        for name, amount in demand.items():
            limit = self.limit(subscription_id, location, name)
            if amount and used[name] + amount > limit:
                raise exceptions.QUOTA_EXCEEDED(
                    what=_LABELS[name][1],
                    location=location,
                    limit=limit,
                    used=used[name],
                    required=amount,
                    wanted=used[name] + amount,
                )

    def take(self, subscription_id: str, location: str, resource_id: str, demand: Mapping[str, int]) -> None:
        """Record what a resource uses."""
        self._used.put(f"{_place(subscription_id, location)}/{resource_id.lower()}", dict(demand))

    def release(self, subscription_id: str, location: str, resource_id: str) -> None:
        """Record that a resource no longer uses anything."""
        self._used.delete(f"{_place(subscription_id, location)}/{resource_id.lower()}")

    def usages(self, subscription_id: str, location: str) -> Iterator[Json]:
        """Yield the entries of the `usages` list."""
        used = self.used(subscription_id, location)
        for name, (label, _) in _LABELS.items():
            yield {
                "unit": "Count",
                "currentValue": used[name],
                "limit": self.limit(subscription_id, location, name),
                "name": {"value": name, "localizedValue": label},
            }


def of_machine(size: Size) -> dict[str, int]:
    """Return what a virtual machine of a size uses."""
    return {size.family: size.cores, CORES: size.cores, MACHINES: 1}


def of_disk(sku: str) -> dict[str, int]:
    """Return what a disk uses."""
    return {PREMIUM_DISKS: 1} if sku.startswith("Premium_") else {}


def _place(subscription_id: str, location: str) -> str:
    return f"{subscription_id}/{location}".lower()
