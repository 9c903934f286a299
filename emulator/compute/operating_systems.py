"""The `osProfile` of a virtual machine: what Azure checks before it creates a Linux machine.

Names, users and passwords are taken as they are; Azure has rules for each.
"""

import base64
import binascii

from emulator.arm.schema import Kind, Rule
from emulator.compute import exceptions
from emulator.compute.placement import kept
from emulator.json_object import Json

LONGEST_CUSTOM_DATA = 87_380


def _is_encoded(data: str) -> bool:
    """Tell whether data for a machine is base64 and not too long."""
    try:
        base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return False
    return len(data) <= LONGEST_CUSTOM_DATA


_TOO_LONG = base64.b64encode(bytes(LONGEST_CUSTOM_DATA)).decode()
OS_PROFILE: Kind = {
    "adminPassword": str,
    "adminUsername": kept(str, "somebody", "osProfile.adminUsername"),
    "allowExtensionOperations": bool,
    "computerName": kept(str, "other", "osProfile.computerName"),
    "customData": Rule(
        str, _is_encoded, ("{}", "a", _TOO_LONG), lambda _: exceptions.INVALID_CUSTOM_DATA(LONGEST_CUSTOM_DATA)
    ),
    "linuxConfiguration": {
        "disablePasswordAuthentication": kept(bool, True, "linuxConfiguration.disablePasswordAuthentication"),
        "enableVMAgentPlatformUpdates": bool,
        "patchSettings": object,
        "provisionVMAgent": bool,
        "ssh": {"publicKeys": [{"keyData": str, "path": str}]},
    },
    "requireGuestProvisionSignal": bool,
    "secrets": [object],
    "windowsConfiguration": object,
}


def prepare(profile: Json, machine_name: str, *, is_new: bool) -> None:
    """Check and complete the profile of a Linux machine.

    Args:
        profile: `properties.osProfile`, which is changed in place.
        machine_name: the default for `computerName`.
        is_new: whether the machine is being created.

    Raises:
        ServiceError: Azure would refuse the profile, or the local Azure lacks its operating system.
    """
    profile.setdefault("computerName", machine_name)
    if "windowsConfiguration" in profile:
        raise exceptions.NOT_HERE("virtual machines with Windows")
    user = profile.get("adminUsername")
    if not user:
        raise exceptions.MISSING("osProfile.adminUsername")
    linux = profile.setdefault("linuxConfiguration", {})
    linux.setdefault("disablePasswordAuthentication", False)
    linux.setdefault("provisionVMAgent", True)
    linux.setdefault("patchSettings", {"patchMode": "ImageDefault", "assessmentMode": "ImageDefault"})
    if is_new:
        _check_login(profile, linux)
    for key in linux.get("ssh", {}).get("publicKeys", ()):
        key.setdefault("path", f"/home/{user}/.ssh/authorized_keys")
    profile.setdefault("secrets", [])
    profile.setdefault("allowExtensionOperations", True)
    profile.setdefault("requireGuestProvisionSignal", True)


def _check_login(profile: Json, linux: Json) -> None:
    password = profile.get("adminPassword")
    keys = linux.get("ssh", {}).get("publicKeys")
    if not keys and (linux["disablePasswordAuthentication"] or not password):
        raise exceptions.NO_LOGIN()
    if not password:
        # As in Azure, a machine with SSH keys and no password allows no login by password.
        linux["disablePasswordAuthentication"] = True
