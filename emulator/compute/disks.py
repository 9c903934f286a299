"""Managed disks: those created on their own, and those created with a virtual machine."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from uuid import NAMESPACE_URL, uuid4, uuid5

from emulator.arm.ids import parse_resource
from emulator.arm.resources import Change, Reads, ResourceType, Writes
from emulator.arm.schema import READ_ONLY, Choice, Reference, Required
from emulator.compute import exceptions
from emulator.compute.images import BootImage
from emulator.compute.placement import kept, only_zone
from emulator.compute.quotas import Quotas, of_disk
from emulator.compute.versions import DISK_VERSIONS
from emulator.core.clock import rfc3339
from emulator.json_object import Json

NAME = "Microsoft.Compute/disks"
MACHINES_NAME = "Microsoft.Compute/virtualMachines"
# The tiers of premium disks, each with the largest size in GiB that it covers.
_TIERS = (
    *((4, "P1"), (8, "P2"), (16, "P3"), (32, "P4"), (64, "P6"), (128, "P10"), (256, "P15"), (512, "P20")),
    *((1024, "P30"), (2048, "P40"), (4096, "P50"), (8192, "P60"), (16384, "P70"), (32767, "P80")),
)
SKU = Choice(
    (
        *("Standard_LRS", "StandardSSD_LRS", "StandardSSD_ZRS", "Premium_LRS", "Premium_ZRS"),
        *("PremiumV2_LRS", "UltraSSD_LRS"),
    ),
    lambda found: exceptions.INVALID_ACCOUNT_TYPE(found.value),
)
LONGEST_NAME = 80
NAME_PATTERN = r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,78}[A-Za-z0-9_])?"
# What a new disk can be made of.
CREATE_OPTIONS = (
    *("Empty", "Attach", "FromImage", "Import", "Copy", "Restore", "Upload", "CopyStart", "ImportSecure"),
    *("UploadPreparedSecure", "CopyFromSanSnapshot"),
)


DISK_ENCRYPTION_SET = Reference("Microsoft.Compute/diskEncryptionSets", "read")
PLATFORM_KEY = "EncryptionAtRestWithPlatformKey"


def of_machine(properties: Json) -> Iterator[Json]:
    """Yield the disks in a virtual machine's properties, the operating system disk first."""
    storage = properties["storageProfile"]
    yield storage["osDisk"]
    yield from storage.get("dataDisks", ())


def prepare(change: Change, image: BootImage | None) -> Counter[str]:
    """Complete the disks of a virtual machine, and return what the new ones add to the usage of quotas.

    Raises:
        ServiceError: the name of a new disk is taken, or a disk to attach is missing or belongs to another machine.
    """
    before = (
        {disk["name"].lower(): disk for disk in of_machine(change.existing["properties"])} if change.existing else {}
    )
    demand: Counter[str] = Counter()
    operating_system = change.properties["storageProfile"]["osDisk"]
    for disk in of_machine(change.properties):
        disk.setdefault("deleteOption", "Detach")
        disk.setdefault("caching", "None")
        if disk["createOption"] == "Attach":
            _attach(change, disk)
        else:
            _complete(change, disk, image if disk is operating_system else None)
            if disk["name"].lower() not in before:
                _require_new(change, disk)
                demand.update(of_disk(disk["managedDisk"]["storageAccountType"]))
        change.made.append(disk["managedDisk"]["id"])
    return demand


def make_missing(arm: Writes, machine: Json) -> None:
    """Create the disks of a virtual machine that do not exist yet."""
    storage = machine["properties"]["storageProfile"]
    for disk in of_machine(machine["properties"]):
        identifier = disk["managedDisk"]["id"]
        if disk["createOption"] == "Attach" or arm.load(identifier) is not None:
            continue
        sku = disk["managedDisk"]["storageAccountType"]
        created: Json = {"createOption": disk["createOption"]}
        if disk["createOption"] == "FromImage":
            reference = storage["imageReference"]
            if own := reference.get("id"):
                created["galleryImageReference"] = {"id": own}
            else:
                created["imageReference"] = {"id": _image_id(machine, reference)}
        document: Json = {
            "id": identifier,
            "name": disk["name"],
            "type": NAME,
            "location": machine["location"],
            "sku": {"name": sku, "tier": sku.partition("_")[0]},
            "properties": _computed(arm, identifier, sku, disk["diskSizeGB"]) | {"creationData": created},
        }
        if encryption_set := disk["managedDisk"].get("diskEncryptionSet"):
            document["properties"]["encryption"] = _encryption(arm, encryption_set["id"])
        if "osType" in disk:
            document["properties"]["osType"] = disk["osType"]
        if "zones" in machine:
            document["zones"] = machine["zones"]
        arm.documents.put(document)
        _take(arm, document)


def _complete(change: Change, disk: Json, image: BootImage | None) -> None:
    """Set the name, id, storage type and size of a disk that is created with its machine."""
    if image is not None:
        disk.setdefault("name", _name_before(change) or f"{change.id.name}_OsDisk_1_{uuid4().hex}")
        disk.setdefault("diskSizeGB", image.disk_gb)
        disk["osType"] = "Linux"
        if disk["diskSizeGB"] < image.disk_gb:
            raise exceptions.SMALLER_THAN_IMAGE(size=disk["diskSizeGB"], image=image.disk_gb)
    disk.setdefault("name", f"{change.id.name}_disk{disk.get('lun', 0) + 2}_{uuid4().hex}")
    if "diskSizeGB" not in disk:
        raise exceptions.MISSING("dataDisk.diskSizeGB")
    managed = disk.setdefault("managedDisk", {})
    managed.setdefault("storageAccountType", "Premium_LRS")
    managed["id"] = f"{change.id.scope}/providers/{NAME}/{disk['name']}"


def _name_before(change: Change) -> str:
    return str(change.existing["properties"]["storageProfile"]["osDisk"]["name"]) if change.existing else ""


def _require_new(change: Change, disk: Json) -> None:
    """Check that the name of a disk is free.

    Who may write the machine may have its disks made: nothing that a body refers to is one of them. Source: the
    permissions in openshift/machine-api-operator `install/0000_30_machine-api-operator_00_credentials-request.yaml`, with
    which its controllers make machines.
    """
    if change.arm.load(disk["managedDisk"]["id"]) is not None:
        raise exceptions.DISK_EXISTS(name=disk["name"], group=change.id.resource_group.upper())


def _attach(change: Change, disk: Json) -> None:
    """Complete the entry of a disk that exists already."""
    identifier = disk.get("managedDisk", {}).get("id", "")
    stored = change.arm.load(identifier) if identifier else None
    if stored is None:
        raise exceptions.MISSING("managedDisk.id")
    owner = next(iter(holders(change.arm, stored)), "")
    if owner.lower() not in ("", change.id.key):
        raise exceptions.DISK_OWNED(name=stored["name"], machine_id=owner)
    disk |= {"name": stored["name"], "diskSizeGB": stored["properties"]["diskSizeGB"]}
    disk["managedDisk"] |= {"id": stored["id"], "storageAccountType": stored["sku"]["name"]}


def holders(arm: Reads, stored: Json) -> list[str]:
    """Return the virtual machines that a disk is attached to."""
    found = arm.holders(stored["id"])
    return [holder for holder in found if parse_resource(holder).type.lower() == MACHINES_NAME.lower()]


def _image_id(machine: Json, image: Json) -> str:
    return (
        f"/Subscriptions/{machine['id'].split('/')[2]}/Providers/Microsoft.Compute/Locations/{machine['location']}/"
        f"Publishers/{image['publisher']}/ArtifactTypes/VMImage/Offers/{image['offer']}/Skus/{image['sku']}/"
        f"Versions/{image['exactVersion']}"
    )


def _computed(arm: Reads, identifier: str, sku: str, size_gb: int) -> Json:
    properties: Json = {
        "diskSizeGB": size_gb,
        "diskSizeBytes": size_gb * 2**30,
        "timeCreated": rfc3339(arm.clock.now()),
        "uniqueId": str(uuid5(NAMESPACE_URL, identifier.lower())),
        "hyperVGeneration": "V1",
        "encryption": {"type": PLATFORM_KEY},
        "networkAccessPolicy": "AllowAll",
        "publicNetworkAccess": "Enabled",
    }
    if sku.startswith("Premium_"):
        properties["tier"] = next(tier for largest, tier in _TIERS if size_gb <= largest)
    return properties


def _encryption(arm: Reads, set_id: str) -> Json:
    """Return a disk's encryption by a set that exists: its type is the set's."""
    encryption_set = arm.load(set_id)
    known = (encryption_set or {"properties": {}})["properties"].get("encryptionType")
    return {"type": known or "EncryptionAtRestWithCustomerKey", "diskEncryptionSetId": set_id}


def _take(arm: Reads, stored: Json) -> None:
    arm.platform.model(Quotas).take(
        stored["id"].split("/")[2], stored["location"], stored["id"], of_disk(stored["sku"]["name"])
    )


def _prepare_disk(change: Change) -> None:
    """Check and complete a disk that is created on its own."""
    only_zone(change)
    properties, existing = change.properties, change.existing
    sku = change.body.setdefault("sku", {"name": "Standard_LRS"})
    sku["tier"] = sku["name"].partition("_")[0]
    before = existing["properties"] if existing is not None else {}
    if before:
        properties["creationData"] = before["creationData"]
    elif properties["creationData"]["createOption"] != "Empty":
        raise exceptions.NOT_HERE("disks that are made of something else")
    size = properties.setdefault("diskSizeGB", before.get("diskSizeGB"))
    if size is None:
        raise exceptions.MISSING("disk.diskSizeGb")
    change.arm.platform.model(Quotas).check(
        change.id.subscription_id, change.location, str(change.id), of_disk(sku["name"])
    )
    kept = {name: before[name] for name in ("timeCreated", "osType") if name in before}
    if set_id := properties.get("encryption", {}).get("diskEncryptionSetId"):
        properties["encryption"] = _encryption(change.arm, set_id)
    change.body["properties"] = _computed(change.arm, str(change.id), sku["name"], size) | properties | kept


async def _disk_stored(arm: Reads, stored: Json) -> None:
    _take(arm, stored)


async def _disk_removed(arm: Reads, stored: Json) -> None:
    arm.platform.model(Quotas).release(stored["id"].split("/")[2], stored["location"], stored["id"])


def _render_disk(arm: Reads, stored: Json) -> Json:
    owner = next((arm.as_written(holder) for holder in holders(arm, stored)), None)
    if owner is None:
        return {"diskState": "Unattached"}
    return {"diskState": "Reserved" if owner["private"]["power"] == "deallocated" else "Attached"}


def _owner(arm: Reads, stored: Json) -> Json:
    found = holders(arm, stored)
    return {"managedBy": found[0]} if found else {}


DISKS = ResourceType(
    name=NAME,
    api_versions=DISK_VERSIONS,
    placement="region",
    members={
        "extendedLocation": object,
        "managedBy": READ_ONLY,
        "managedByExtended": READ_ONLY,
        "sku": {"name": Required(SKU), "tier": READ_ONLY},
        "zones": [str],
    },
    properties={
        "burstingEnabled": bool,
        "creationData": Required(
            {
                "createOption": Required(kept(Choice(CREATE_OPTIONS), "Copy", "creationData.createOption")),
                "imageReference": object,
                "sourceResourceId": str,
            }
        ),
        "dataAccessAuthMode": Choice(("AzureActiveDirectory", "None")),
        "diskIOPSReadWrite": int,
        "diskMBpsReadWrite": int,
        "diskSizeBytes": READ_ONLY,
        "diskSizeGB": int,
        "diskState": READ_ONLY,
        "encryption": {
            "diskEncryptionSetId": replace(DISK_ENCRYPTION_SET, bare=True),
            "type": Choice(
                (PLATFORM_KEY, "EncryptionAtRestWithCustomerKey", "EncryptionAtRestWithPlatformAndCustomerKeys")
            ),
        },
        "hyperVGeneration": kept(Choice(("V1", "V2")), "V2", "hyperVGeneration"),
        "maxShares": int,
        "networkAccessPolicy": Choice(("AllowAll", "AllowPrivate", "DenyAll")),
        "osType": Choice(("Linux", "Windows")),
        "provisioningState": READ_ONLY,
        "publicNetworkAccess": Choice(("Enabled", "Disabled")),
        "supportsHibernation": bool,
        "tier": Choice(tuple(tier for _, tier in _TIERS)),
        "timeCreated": READ_ONLY,
        "uniqueId": READ_ONLY,
    },
    name_pattern=NAME_PATTERN,
    name_refusal=lambda _: exceptions.INVALID_NAME(entity="disk.name", most=LONGEST_NAME - 1),
    create_seconds=3,
    update_seconds=3,
    delete_seconds=5,
    reply="accepted",
    prepare=_prepare_disk,
    render=_render_disk,
    shown=_owner,
    in_use=exceptions.DISK_ATTACHED,
    stored=_disk_stored,
    removed=_disk_removed,
)
