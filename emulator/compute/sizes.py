"""The sizes of virtual machines: families with their cores, and the regions and zones that have them.

Names, cores and families are Azure's: https://learn.microsoft.com/azure/virtual-machines/sizes. Which sizes are missing
or restricted in a region, or cannot encrypt at host, is invented, so that callers can run into such cases.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True)
class Size:
    """A size of virtual machines."""

    name: str
    family: str
    cores: int
    memory_gb: float

    @property
    def data_disks(self) -> int:
        """The largest number of data disks."""
        return min(2 * self.cores, 32)

    @property
    def encrypts_at_host(self) -> bool:
        """Whether its hosts can encrypt what it writes."""
        return self.family not in _WITHOUT_ENCRYPTION

    @property
    def generations(self) -> tuple[str, ...]:
        """The generations of machines that it boots."""
        return ("V2",) if self.family in _NEWEST else ("V1", "V2")

    @property
    def controllers(self) -> tuple[str, ...]:
        """Its disk controllers."""
        return ("NVMe",) if self.family in _NEWEST else ("SCSI",)

    @property
    def trusted_launch(self) -> bool:
        """Whether its machines can have Trusted Launch."""
        return self.family not in _WITHOUT_TRUSTED_LAUNCH


@dataclass(frozen=True)
class Restriction:
    """A size that a region has, but that the subscriptions here may not use."""

    location: str
    size: str
    zones: tuple[str, ...] = ()


# Pattern of the name, family, GiB per core, and the numbers of cores.
_FAMILIES: tuple[tuple[str, str, float, tuple[int, ...]], ...] = (
    ("Standard_B{}ms", "standardBSFamily", 4, (2, 4, 8, 16)),
    ("Standard_D{}s_v3", "standardDSv3Family", 4, (2, 4, 8, 16, 32, 48, 64)),
    ("Standard_D{}s_v4", "standardDSv4Family", 4, (2, 4, 8, 16, 32, 48, 64)),
    ("Standard_D{}s_v5", "standardDSv5Family", 4, (2, 4, 8, 16, 32, 48, 64, 96)),
    ("Standard_D{}as_v4", "standardDASv4Family", 4, (2, 4, 8, 16, 32, 48, 64, 96)),
    ("Standard_D{}as_v5", "standardDASv5Family", 4, (2, 4, 8, 16, 32, 48, 64, 96)),
    ("Standard_D{}ds_v5", "standardDDSv5Family", 4, (2, 4, 8, 16, 32, 48, 64, 96)),
    ("Standard_D{}s_v6", "StandardDsv6Family", 4, (2, 4, 8, 16, 32, 48, 64, 96)),
    ("Standard_D{}ds_v6", "StandardDdsv6Family", 4, (2, 4, 8, 16, 32, 48, 64, 96)),
    ("Standard_D{}ls_v6", "StandardDlsv6Family", 2, (2, 4, 8, 16, 32, 48, 64, 96)),
    ("Standard_D{}lds_v6", "StandardDldsv6Family", 2, (2, 4, 8, 16, 32, 48, 64, 96)),
    ("Standard_E{}s_v3", "standardESv3Family", 8, (2, 4, 8, 16, 20, 32, 48)),
    ("Standard_E{}s_v4", "standardESv4Family", 8, (2, 4, 8, 16, 20, 32, 48, 64)),
    ("Standard_E{}s_v5", "standardESv5Family", 8, (2, 4, 8, 16, 20, 32, 48, 64, 96)),
    ("Standard_E{}as_v4", "standardEASv4Family", 8, (2, 4, 8, 16, 20, 32, 48, 64, 96)),
    ("Standard_E{}as_v5", "standardEASv5Family", 8, (2, 4, 8, 16, 20, 32, 48, 64, 96)),
    ("Standard_E{}ds_v5", "standardEDSv5Family", 8, (2, 4, 8, 16, 20, 32, 48, 64, 96)),
    ("Standard_E{}is_v3", "standardEISv3Family", 6.75, (64,)),
    ("Standard_E{}is_v4", "standardEISv4Family", 6.3, (80,)),
    ("Standard_E{}ids_v4", "standardEIDSv4Family", 6.3, (80,)),
    ("Standard_E{}is_v5", "standardEISv5Family", 6.4615, (104,)),
    ("Standard_E{}ids_v5", "standardEIDSv5Family", 6.4615, (104,)),
    ("Standard_F{}s_v2", "standardFSv2Family", 2, (2, 4, 8, 16, 32, 48, 64, 72)),
    ("Standard_L{}s", "standardLSFamily", 8, (4, 8, 16, 32)),
    ("Standard_L{}s_v2", "standardLSv2Family", 8, (8, 16, 32, 48, 64, 80)),
    ("Standard_L{}s_v3", "standardLSv3Family", 8, (8, 16, 32, 48, 64, 80)),
    ("Standard_L{}s_v4", "standardLsv4Family", 8, (2, 4, 8, 16, 32, 48, 64, 80, 96)),
    ("Standard_M{}ms", "standardMSFamily", 30.4, (128,)),
    ("Standard_NC{}as_T4_v3", "Standard NCASv3_T4 Family", 7, (4, 8, 16, 64)),
    ("Standard_NC{}s_v3", "standardNCSv3Family", 18.6667, (6, 12, 24)),
    ("Standard_NC{}rs_v3", "standardNCSv3Family", 18.6667, (24,)),
)
# The oldest family that clusters may use.
_WITHOUT_ENCRYPTION = ("standardLSFamily",)
# The families that boot only machines of the second generation, and have only NVMe disks.
_NEWEST = (
    *("StandardDsv6Family", "StandardDdsv6Family", "StandardDlsv6Family", "StandardDldsv6Family"),
    "standardLsv4Family",
)
# https://learn.microsoft.com/azure/virtual-machines/trusted-launch, sizes without it.
_WITHOUT_TRUSTED_LAUNCH = ("standardLSFamily", "standardMSFamily", "standardNCSv3Family")
_BY_NAME = {
    name.lower(): Size(name, family, count, round(per_core * count))
    for pattern, family, per_core, counts in _FAMILIES
    for count in counts
    for name in [pattern.format(count)]
}
FAMILIES = tuple(dict.fromkeys(family for _, family, _, _ in _FAMILIES))

# By region: patterns of the sizes that it does not have at all.
_NOT_OFFERED = {
    "westus": ("Standard_NC*", "Standard_*_v6", "Standard_L*_v4"),
    "australiaeast": ("Standard_NC*rs_v3", "Standard_M*"),
}
RESTRICTIONS = (
    Restriction("eastus", "Standard_NC24rs_v3"),
    Restriction("eastus", "Standard_E104is_v5"),
    Restriction("eastus", "Standard_M128ms", ("3",)),
    Restriction("westeurope", "Standard_D8s_v4", ("1", "2")),
)


def find(name: str) -> Size | None:
    """Return a size by its name, ignoring case, or None."""
    return _BY_NAME.get(name.lower())


def offered(size: Size, location: str) -> bool:
    """Tell whether a region has a size."""
    return not any(fnmatchcase(size.name, pattern) for pattern in _NOT_OFFERED.get(location, ()))


def in_location(location: str) -> Iterator[Size]:
    """Yield the sizes that a region has."""
    return (size for size in _BY_NAME.values() if offered(size, location))


def restricted(size: Size, location: str) -> Restriction | None:
    """Return what restricts a size in a region, or None."""
    return next((row for row in RESTRICTIONS if (row.location, row.size) == (location, size.name)), None)


def family_label(family: str) -> str:
    """Return the label of a family: `standardDSv5Family` becomes `Standard DSv5 Family vCPUs`."""
    words = re.fullmatch(r"[sS]tandard ?(.+?) ?Family", family)
    return f"Standard {words[1]} Family vCPUs" if words else f"{family} vCPUs"
