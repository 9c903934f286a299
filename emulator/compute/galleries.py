"""Images of one's own: those alone, and galleries with definitions of images and their versions.

Nothing is copied: an image's machines boot what their customData makes them boot, as all machines here.
"""

from emulator.arm.ids import ResourceId, parse_resource
from emulator.arm.resources import Change, Reads, ResourceType
from emulator.arm.schema import READ_ONLY, Choice, Required
from emulator.compute import exceptions
from emulator.compute.images import SCSI, BootImage
from emulator.compute.placement import kept
from emulator.compute.versions import GALLERY_VERSIONS, MACHINE_VERSIONS

DISK_GB = 16
_GENERATION = Choice(("V1", "V2"))
_STORAGE = Choice(("Standard_LRS", "Standard_ZRS", "Premium_LRS", "PremiumV2_LRS"))
_REGION = {
    "encryption": object,
    "excludeFromLatest": bool,
    "name": Required(str),
    "regionalReplicaCount": int,
    "storageAccountType": _STORAGE,
}
GALLERIES = ResourceType(
    name="Microsoft.Compute/galleries",
    api_versions=GALLERY_VERSIONS,
    placement="region",
    properties={
        "description": str,
        "identifier": READ_ONLY,
        "provisioningState": READ_ONLY,
        "sharingProfile": object,
        "softDeletePolicy": object,
    },
    name_pattern=r"[A-Za-z0-9]([A-Za-z0-9_.]{0,78}[A-Za-z0-9])?",
    name_refusal=lambda _: exceptions.INVALID_GALLERY_NAME(),
    create_seconds=12,
    delete_seconds=5,
    reply="operation",
    writing_state="Creating",
)
DEFINITIONS = ResourceType(
    name="Microsoft.Compute/galleries/images",
    api_versions=GALLERY_VERSIONS,
    placement="region",
    properties={
        "architecture": Choice(("x64", "Arm64")),
        "description": str,
        "disallowed": object,
        "endOfLifeDate": str,
        "eula": str,
        "features": [{"name": Required(str), "value": Required(str)}],
        "hyperVGeneration": kept(_GENERATION, "V2", "galleryImage.properties.hyperVGeneration"),
        "identifier": Required({"offer": Required(str), "publisher": Required(str), "sku": Required(str)}),
        "osState": Required(Choice(("Generalized", "Specialized"))),
        "osType": Required(Choice(("Linux", "Windows"))),
        "privacyStatementUri": str,
        "provisioningState": READ_ONLY,
        "purchasePlan": {"name": str, "product": str, "publisher": str},
        "recommended": object,
        "releaseNoteUri": str,
    },
    name_pattern=r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,78}[A-Za-z0-9])?",
    create_seconds=6,
    delete_seconds=5,
    reply="operation",
    writing_state="Creating",
    prepare=lambda change: change.properties.setdefault("hyperVGeneration", "V1"),
)
VERSIONS = ResourceType(
    name="Microsoft.Compute/galleries/images/versions",
    api_versions=GALLERY_VERSIONS,
    placement="region",
    properties={
        "provisioningState": READ_ONLY,
        "publishingProfile": {
            "endOfLifeDate": str,
            "excludeFromLatest": bool,
            "publishedDate": READ_ONLY,
            "replicaCount": int,
            "replicationMode": Choice(("Full", "Shallow")),
            "storageAccountType": _STORAGE,
            "targetExtendedLocations": [object],
            "targetRegions": [_REGION],
        },
        "replicationStatus": READ_ONLY,
        "safetyProfile": object,
        "storageProfile": Required(
            {
                "dataDiskImages": [object],
                "osDiskImage": {
                    "hostCaching": Choice(("None", "ReadOnly", "ReadWrite")),
                    "sizeInGB": READ_ONLY,
                    "source": {"id": str, "storageAccountId": str, "uri": str},
                },
                "source": {"id": str},
            }
        ),
    },
    name_pattern=r"[0-9]{1,10}\.[0-9]{1,10}\.[0-9]{1,10}",
    name_refusal=lambda _: exceptions.INVALID_IMAGE_VERSION(),
    # Azure takes minutes to replicate even a small image.
    create_seconds=240,
    update_seconds=60,
    delete_seconds=20,
    reply="operation",
    writing_state="Creating",
)
IMAGES = ResourceType(
    name="Microsoft.Compute/images",
    api_versions=MACHINE_VERSIONS,
    placement="region",
    properties={
        "hyperVGeneration": _GENERATION,
        "provisioningState": READ_ONLY,
        "sourceVirtualMachine": {"id": str},
        "storageProfile": object,
    },
    create_seconds=30,
    delete_seconds=10,
    reply="operation",
    writing_state="Creating",
    prepare=lambda change: change.properties.setdefault("hyperVGeneration", "V1"),
)
TYPES = (GALLERIES, DEFINITIONS, VERSIONS, IMAGES)


def resolve(change: Change, reference: str) -> BootImage:
    """Return the image that an id names, for a machine.

    Raises:
        ServiceError: 404 `GalleryImageNotFound` or `NotFound`; 400 if it is not in the machine's region.
    """
    identifier = parse_resource(reference)
    stored = change.arm.load(identifier)
    if stored is None:
        raise exceptions.OWN_IMAGE_NOT_FOUND(str(identifier))
    if stored["type"].lower() == IMAGES.name.lower():
        return BootImage(DISK_GB, stored["properties"]["hyperVGeneration"])
    if stored["type"].lower() != VERSIONS.name.lower():
        raise exceptions.NOT_HERE(f"images of the type {stored['type']}")
    return _of_version(change.arm, identifier)


def _of_version(arm: Reads, identifier: ResourceId) -> BootImage:
    definition = arm.load(str(identifier).rpartition("/versions/")[0]) or {}
    properties = definition["properties"]
    features = {each["name"]: each["value"] for each in properties.get("features") or ()}
    return BootImage(
        DISK_GB,
        properties["hyperVGeneration"],
        tuple(name.strip() for name in features.get("DiskControllerTypes", SCSI).split(",")),
        plan=properties.get("purchasePlan") or {},
    )
