"""The machine sizes that Azure offers to the customer's subscription.

The list of a region is long, and three rows need it in the same seconds, so they share one reading per operation. The
check of the sizes itself always reads from Azure.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock
from typing import Any

from azure.mgmt.compute import ComputeManagementClient

from activities.runtime.step import Step
from shared.arm.names import normal_location, same_location
from shared.azure import arm_lists
from shared.clusters.checks.vm_sizes import MASTER_SIZES, WORKER_SIZES, close_matches

MASTER = "properties.masterProfile"
SCSI, NVME = "SCSI", "NVMe"
# The command that shows what a region offers.
LIST = "az vm list-skus --location {location} --resource-type virtualMachines --all"
_VERSION = "2021-07-01"


@dataclass(frozen=True)
class Offer:
    """One size in the cluster's region.

    Attributes:
        name: in Azure's spelling.
        family: name of its quota.
        cores: vCPUs.
        zones: zones in which the subscription may use it; empty in a region without zones.
        closed: why the subscription may not use it anywhere in the region, or "".
        encrypts_at_host: whether its host can encrypt what it writes.
        generations: generations of machines that it boots, `V1` and `V2`.
        controllers: disk controllers that it has, `SCSI` and `NVMe`.
        trusted_launch: whether its machines may have Trusted Launch.
    """

    name: str
    family: str
    cores: int
    zones: frozenset[str]
    closed: str
    encrypts_at_host: bool
    generations: frozenset[str] = frozenset({"V1"})
    controllers: frozenset[str] = frozenset({SCSI})
    trusted_launch: bool = False


@dataclass
class _Reading:
    """The reading of one operation: the first row reads, the others wait for it."""

    lock: Lock = field(default_factory=Lock)
    offers: dict[str, Offer] | None = None


@lru_cache(maxsize=32)
def _reading(_operation_id: str) -> _Reading:
    return _Reading()


def offers(step: Step) -> dict[str, Offer]:
    """Return the region's offers of the sizes that clusters may have, including this cluster's, by lower-case name."""
    reading = _reading(step.call["operationId"])
    with reading.lock:
        if reading.offers is None:
            reading.offers = _read(step)
        return reading.offers


def read_anew(step: Step) -> None:
    """Read the current offers, even if a row of this operation has read them before."""
    reading = _reading(step.call["operationId"])
    with reading.lock:
        reading.offers = _read(step)


def _read(step: Step) -> dict[str, Offer]:
    sizes = {size.lower() for size in (*WORKER_SIZES, *wanted_sizes(step).values())}
    location = normal_location(step.cluster["location"])
    skus = arm_lists.entries(
        step.customer(ComputeManagementClient),
        f"/subscriptions/{step.subscription_id}/providers/Microsoft.Compute/skus",
        api_version=_VERSION,
        **{"$filter": f"location eq '{location}'"},
    )
    found = (sku for sku in skus if sku["resourceType"] == "virtualMachines" and sku["name"].lower() in sizes)
    return {sku["name"].lower(): _offer(sku, location) for sku in found}


def _offer(sku: dict[str, Any], location: str) -> Offer:
    zones = {
        zone
        for info in sku.get("locationInfo") or []
        if same_location(info["location"], location)
        for zone in info.get("zones") or []
    }
    closed = ""
    for restriction in sku.get("restrictions") or []:
        if restriction["type"] == "Location":
            closed = restriction["reasonCode"]
        else:
            zones -= set((restriction.get("restrictionInfo") or {}).get("zones") or [])
    capabilities = {each["name"]: each["value"] for each in sku.get("capabilities") or []}
    generations = _several(capabilities.get("HyperVGenerations", "V1"))
    return Offer(
        name=sku["name"],
        family=sku.get("family") or "",
        cores=int(capabilities.get("vCPUs", 0)),
        zones=frozenset(zones),
        closed=closed,
        encrypts_at_host=capabilities.get("EncryptionAtHostSupported") == "True",
        generations=generations,
        # A size without this capability has SCSI disks alone.
        controllers=_several(capabilities.get("DiskControllerTypes", SCSI)),
        # The capability is missing where Trusted Launch is possible, which takes the second generation.
        trusted_launch="V2" in generations and capabilities.get("TrustedLaunchDisabled") != "True",
    )


def _several(text: str) -> frozenset[str]:
    return frozenset(part.strip() for part in text.split(",") if part.strip())


def wanted_sizes(step: Step) -> dict[str, str]:
    """Return each size that the cluster wants, by its path in the request."""
    workers = {
        f'properties.workerProfiles["{profile["name"]}"].vmSize': profile["vmSize"]
        for profile in step.properties["workerProfiles"]
    }
    return {f"{MASTER}.vmSize": step.properties["masterProfile"]["vmSize"]} | workers


def advice(step: Step, target: str, size: str, fitting: frozenset[str] | None = None) -> str:
    """Return a sentence that names sizes which the cluster can have instead.

    Args:
        step: the step.
        target: path of the size in the request.
        size: the size that it cannot have.
        fitting: the sizes that would do, in Azure's spelling; None for all.
    """
    may = MASTER_SIZES if target.startswith(MASTER) else WORKER_SIZES
    open_sizes = frozenset(offer.name for offer in offers(step).values() if not offer.closed)
    close = close_matches(size, may & (open_sizes if fitting is None else open_sizes & fitting))
    hint = f"Choose for example {' or '.join(close)}, or one" if close else "Choose one"
    return f"{hint} that this command lists without restrictions: {LIST.format(location=step.cluster['location'])}"
