"""The `osProfile` of a virtual machine: what Azure checks before it creates a Linux machine."""

import base64
import binascii
import re
from typing import Any

from emulator.arm.schema import Kind, Rule, matching
from emulator.compute import exceptions
from emulator.compute.placement import kept
from emulator.core.errors import ServiceError

Json = dict[str, Any]

LONGEST_NAME, LONGEST_WINDOWS_NAME, LONGEST_USER = 64, 15, 64
LONGEST_CUSTOM_DATA = 87_380
SHORTEST_PASSWORD, LONGEST_PASSWORD, KINDS_OF_CHARACTERS = 6, 72, 3
# Characters that host names, and those that computer names of Windows, cannot have.
LINUX_CHARACTERS = "` ~ ! @ # $ % ^ & * ( ) = + _ [ ] { } \\ | ; : ' \" , < > / ?"
WINDOWS_CHARACTERS = "` ~ ! @ # $ % ^ & * ( ) = + _ [ ] { } \\ | ; : . ' \" , < > / ?"
# Source of both lists: the description of OSProfile in azure-mgmt-compute.
RESERVED_USERS = (
    *("1", "123", "a", "actuser", "adm", "admin", "admin1", "admin2", "administrator", "aspnet", "backup", "console"),
    *(
        "david",
        "guest",
        "john",
        "owner",
        "root",
        "server",
        "sql",
        "support",
        "support_388945a0",
        "sys",
        "test",
        "test1",
    ),
    *("test2", "test3", "user", "user1", "user2", "user3", "user4", "user5", "video"),
)
RESERVED_PASSWORDS = (
    *("abc@123", "P@$$w0rd", "P@ssw0rd", "P@ssword123", "Pa$$word"),
    *("pass@word1", "Password!", "Password1", "Password22", "iloveyou!"),
)
_CHARACTERS = ("[A-Z]", "[a-z]", "[0-9]", r"[^A-Za-z0-9]")
_LINUX_NAME = re.compile(rf"(?=.{{1,{LONGEST_NAME}}}$)[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?")
_WINDOWS_NAME = re.compile(rf"(?!\d+$)[A-Za-z0-9-]{{1,{LONGEST_WINDOWS_NAME}}}")
_KEY = re.compile(r"(ssh-rsa|ssh-ed25519) [A-Za-z0-9+/=]+(\s.*)?")


def _is_linux_name(name: str) -> bool:
    return _LINUX_NAME.fullmatch(name) is not None


def _is_encoded(data: str) -> bool:
    """Tell whether data for a machine is base64 and not too long."""
    try:
        base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return False
    return len(data) <= LONGEST_CUSTOM_DATA


def _is_strong(password: str) -> bool:
    kinds = sum(1 for kind in _CHARACTERS if re.search(kind, password))
    return (
        SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD
        and kinds >= KINDS_OF_CHARACTERS
        and re.search(r"[\x00-\x1f]", password) is None
    )


def _invalid_linux_name(_found: object) -> ServiceError:
    return exceptions.INVALID_LINUX_NAME(longest=LONGEST_NAME, characters=LINUX_CHARACTERS)


_NOT_BASE64 = ("{}", "a")
_TOO_LONG = base64.b64encode(bytes(LONGEST_CUSTOM_DATA)).decode()
ENCODED_USER_DATA = str
_USER: Kind = matching(
    rf"[^\\/\"\[\]:|<>+=;,?*@&\s]{{0,{LONGEST_USER}}}",
    ("u" * (LONGEST_USER + 1), "two words", "user@home"),
    lambda _: exceptions.INVALID_VALUE("adminUsername"),
)
_USER = Rule(
    _USER,
    lambda user: user.lower() not in RESERVED_USERS,
    ("root", "admin", "Administrator", "user1"),
    lambda _: exceptions.USER_NOT_ALLOWED(),
)
_PASSWORD: Kind = Rule(
    str,
    lambda password: password not in RESERVED_PASSWORDS,
    ("P@ssw0rd", "Password!"),
    lambda _: exceptions.PASSWORD_NOT_ALLOWED(),
)
_PASSWORD = Rule(
    _PASSWORD,
    _is_strong,
    ("Ab1!x", "onlysmallletters", "small-and-special", "Aa1!" * 19),
    lambda _: exceptions.WEAK_PASSWORD(shortest=SHORTEST_PASSWORD, longest=LONGEST_PASSWORD, kinds=KINDS_OF_CHARACTERS),
)
OS_PROFILE: Kind = {
    "adminPassword": _PASSWORD,
    "adminUsername": kept(_USER, "somebody", "osProfile.adminUsername"),
    "allowExtensionOperations": bool,
    "computerName": kept(
        Rule(str, _is_linux_name, ("n" * (LONGEST_NAME + 1), "under_score", "end-", "two words"), _invalid_linux_name),
        "other",
        "osProfile.computerName",
    ),
    "customData": Rule(
        str, _is_encoded, (*_NOT_BASE64, _TOO_LONG), lambda _: exceptions.INVALID_CUSTOM_DATA(LONGEST_CUSTOM_DATA)
    ),
    "linuxConfiguration": {
        "disablePasswordAuthentication": kept(bool, True, "linuxConfiguration.disablePasswordAuthentication"),
        "enableVMAgentPlatformUpdates": bool,
        "patchSettings": object,
        "provisionVMAgent": bool,
        "ssh": {
            "publicKeys": [
                {
                    "keyData": Rule(
                        str,
                        lambda key: _KEY.match(key) is not None,
                        ("", "not a key", "ssh-dss AAAA"),
                        lambda _: exceptions.INVALID_VALUE("linuxConfiguration.ssh.publicKeys.keyData"),
                    ),
                    "path": str,
                }
            ]
        },
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
        if not _WINDOWS_NAME.fullmatch(profile["computerName"]):
            raise exceptions.INVALID_WINDOWS_NAME(longest=LONGEST_WINDOWS_NAME, characters=WINDOWS_CHARACTERS)
        raise exceptions.NOT_HERE("virtual machines with Windows")
    if not _is_linux_name(profile["computerName"]):
        raise exceptions.INVALID_LINUX_NAME(longest=LONGEST_NAME, characters=LINUX_CHARACTERS)
    user = profile.get("adminUsername")
    if not user:
        raise exceptions.MISSING("osProfile.adminUsername")
    linux = profile.setdefault("linuxConfiguration", {})
    linux.setdefault("disablePasswordAuthentication", False)
    linux.setdefault("provisionVMAgent", True)
    linux.setdefault("patchSettings", {"patchMode": "ImageDefault", "assessmentMode": "ImageDefault"})
    if is_new:
        _check_login(profile, linux)
    path = f"/home/{user}/.ssh/authorized_keys"
    for key in linux.get("ssh", {}).get("publicKeys", ()):
        if key.setdefault("path", path) != path:
            raise exceptions.KEY_ELSEWHERE(path)
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
