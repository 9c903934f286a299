"""Disk encryption sets: a customer's keys for disks. Disks can refer to them, but nothing is encrypted here."""

from collections.abc import Sequence

from emulator.arm.resources import ResourceType
from emulator.arm.schema import READ_ONLY, Choice, Required
from emulator.compute.disks import DISK_ENCRYPTION_SET
from emulator.compute.versions import DISK_VERSIONS
from emulator.core.errors import ServiceError


def _in_use(set_id: str, holders: Sequence[str]) -> ServiceError:
    return ServiceError(
        409,
        "OperationNotAllowed",
        f"Disk encryption set {set_id} cannot be deleted because it is in use by {', '.join(holders)}.",
    )


DISK_ENCRYPTION_SETS = ResourceType(
    name=DISK_ENCRYPTION_SET.type,
    api_versions=tuple(version for version in DISK_VERSIONS if version >= "2019-07-01"),
    placement="region",
    members={"identity": object},
    properties={
        "activeKey": Required({"keyUrl": Required(str), "sourceVault": {"id": Required(str)}}),
        "encryptionType": Choice(
            (
                "EncryptionAtRestWithCustomerKey",
                "EncryptionAtRestWithPlatformAndCustomerKeys",
                "ConfidentialVmEncryptedWithCustomerKey",
            )
        ),
        "federatedClientId": str,
        "lastKeyRotationTimestamp": READ_ONLY,
        "previousKeys": READ_ONLY,
        "provisioningState": READ_ONLY,
        "rotationToLatestKeyVersionEnabled": bool,
    },
    create_seconds=5,
    update_seconds=5,
    delete_seconds=5,
    reply="accepted",
    in_use=_in_use,
)
