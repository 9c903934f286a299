"""The marketplace images that exist here, including every OpenShift release from 4.3 whose bootstrap is described."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from emulator.compute import exceptions

# The word for the newest version of a SKU.
LATEST = "latest"


SCSI, NVME = "SCSI", "NVMe"


@dataclass(frozen=True)
class BootImage:
    """What a machine has to know of the image that it boots."""

    disk_gb: int
    generation: str
    controllers: tuple[str, ...] = (SCSI,)
    plan: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Image:
    """An offer of the marketplace.

    Args:
        publisher: name of the publisher.
        offer: name of the offer.
        latest: the version that `latest` stands for, by SKU.
        versions: regular expression of the versions that exist; `{sku}` stands for the digits of the SKU.
        disk_gb: size of the image's disk.
        second: the SKUs for machines of the second generation, which have drivers for NVMe disks too.
        is_bought: whether machines that boot it have to name a plan.
    """

    publisher: str
    offer: str
    latest: Mapping[str, str]
    versions: str
    disk_gb: int
    second: tuple[str, ...] = ()
    is_bought: bool = False

    def generation(self, sku: str) -> str:
        """Return the generation of the machines that boot from a SKU, `V1` or `V2`."""
        return "V2" if sku.lower() in self.second else "V1"

    def plan(self, sku: str) -> dict[str, str]:
        """Return the plan of a SKU; empty if nobody buys it."""
        return {"name": sku, "publisher": self.publisher, "product": self.offer} if self.is_bought else {}

    def boot(self, sku: str) -> BootImage:
        """Return what a machine has to know of a SKU."""
        generation = self.generation(sku)
        controllers = (SCSI, NVME) if generation == "V2" else (SCSI,)
        return BootImage(self.disk_gb, generation, controllers, plan=self.plan(sku))

    def has(self, sku: str, version: str) -> bool:
        """Tell whether a SKU has a version."""
        digits = "".join(re.findall(r"\d+", sku.removesuffix("-v2")))
        return re.fullmatch(self.versions.format(sku=digits), version) is not None


IMAGES = (
    Image(
        "azureopenshift",
        "aro4",
        {
            "aro_43": "43.81.20200311",
            "aro_44": "44.82.20201101",
            "aro_45": "45.82.20210101",
            "aro_46": "46.82.20210601",
            "aro_47": "47.84.20211101",
            "aro_48": "48.84.20220401",
            "aro_49": "49.84.20220701",
            "aro_410": "410.84.20221001",
            "aro_411": "411.86.20230101",
            "aro_412": "412.86.20230601",
            "aro_413": "413.92.20231001",
            "aro_414": "414.92.20240101",
            "aro_415": "415.92.20240601",
            "aro_416": "416.94.20241021",
            "aro_417": "417.94.20240701",
            "aro_418": "418.94.20250122",
            "aro_419": "419.6.20250523",
            "aro_420": "9.6.20251015",
            "419-v2": "419.6.20250523",
            "aro_420-v2": "9.6.20251015",
        },
        # From 4.20 on they are named after RHEL.
        r"(?:{sku}|9)\.\d+\.\d{{8}}",
        16,
        ("419-v2", "aro_420-v2"),
    ),
    Image(
        "redhat",
        "rh-ocp-worker",
        dict.fromkeys(("rh-ocp-worker", "rh-ocp-worker-gen1"), "413.92.2023101700"),
        r"\d{{3}}\.\d+\.\d{{10}}",
        16,
        ("rh-ocp-worker",),
        is_bought=True,
    ),
    Image(
        "Canonical",
        "0001-com-ubuntu-server-jammy",
        dict.fromkeys(("22_04-lts", "22_04-lts-gen2"), "22.04.202501010"),
        r"22\.04\.\d{{9}}",
        30,
        ("22_04-lts-gen2",),
    ),
    Image(
        "Canonical",
        "ubuntu-24_04-lts",
        dict.fromkeys(("server", "server-gen1", "minimal"), "24.04.202501010"),
        r"24\.04\.\d{{9}}",
        30,
        ("server", "minimal"),
    ),
)


def resolve(reference: Mapping[str, Any]) -> tuple[Image, str]:
    """Return the marketplace image that an `imageReference` names, and its exact version.

    Raises:
        ServiceError: 400 for a reference that is incomplete or not to the marketplace; 404 `PlatformImageNotFound`.
    """
    parts = [str(reference.get(part) or "") for part in ("publisher", "offer", "sku", "version")]
    publisher, offer, sku, version = parts
    image = next(
        (
            found
            for found in IMAGES
            if (found.publisher.lower(), found.offer.lower()) == (publisher.lower(), offer.lower())
        ),
        None,
    )
    if publisher.lower() not in {found.publisher.lower() for found in IMAGES}:
        raise exceptions.NOT_HERE(f"images of the publisher {publisher}")
    known = None if image is None else next((name for name in image.latest if name.lower() == sku.lower()), None)
    if image is None or known is None:
        raise exceptions.IMAGE_NOT_FOUND(parts)
    exact = image.latest[known] if version.lower() == LATEST else version
    if not image.has(known, exact):
        raise exceptions.IMAGE_NOT_FOUND(parts)
    return image, exact
