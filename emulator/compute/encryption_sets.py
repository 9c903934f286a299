"""Disk encryption sets: a customer's keys for disks. Disks can refer to them, but nothing is encrypted here."""

from emulator.arm.resources import ResourceType
from emulator.arm.schema import READ_ONLY, Choice, Required
from emulator.compute import exceptions
from emulator.compute.disks import DISK_ENCRYPTION_SET, LONGEST_NAME, NAME_PATTERN
from emulator.compute.versions import DISK_VERSIONS

DISK_ENCRYPTION_SETS = ResourceType(
    name=DISK_ENCRYPTION_SET.type,
    api_versions=tuple(version for version in DISK_VERSIONS if version >= "2019-07-01"),
    placement="region",
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
    name_pattern=NAME_PATTERN,
    name_refusal=lambda _: exceptions.INVALID_NAME(entity="diskEncryptionSet.name", most=LONGEST_NAME - 1),
    create_seconds=5,
    update_seconds=5,
    delete_seconds=5,
    reply="accepted",
    in_use=exceptions.ENCRYPTION_SET_IN_USE,
)
