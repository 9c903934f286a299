"""The `osProfile` of a virtual machine: what Azure checks before it creates a Linux machine."""

import base64
import binascii
import re
from typing import Any

from emulator.compute import exceptions

Json = dict[str, Any]

LONGEST_NAME = 64
LONGEST_CUSTOM_DATA = 87_380
SHORTEST_PASSWORD, LONGEST_PASSWORD, KINDS_OF_CHARACTERS = 6, 72, 3
_RESERVED_USERS = (
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
_CHARACTERS = ("[A-Z]", "[a-z]", "[0-9]", r"[^A-Za-z0-9]")


def prepare(profile: Json, machine_name: str, *, is_new: bool) -> None:
    """Check and complete the profile of a Linux machine.

    Args:
        profile: `properties.osProfile`, which is changed in place.
        machine_name: the default for `computerName`.
        is_new: whether the machine is being created.

    Raises:
        ServiceError: 400 `InvalidParameter`.
    """
    if "windowsConfiguration" in profile:
        raise exceptions.not_here("virtual machines with Windows")
    profile.setdefault("computerName", machine_name)
    _check_name(profile["computerName"])
    check_encoded("customData", "Custom data in OSProfile", profile.get("customData", ""))
    user = profile.get("adminUsername")
    if not user:
        raise exceptions.missing("osProfile.adminUsername")
    if user.lower() in _RESERVED_USERS:
        raise exceptions.invalid_parameter(
            "adminUsername",
            "The Admin Username specified is not allowed. For more information about disallowed usernames, see "
            "https://aka.ms/vmosprofile",
        )
    linux = profile.setdefault("linuxConfiguration", {})
    linux.setdefault("disablePasswordAuthentication", False)
    linux.setdefault("provisionVMAgent", True)
    linux.setdefault("patchSettings", {"patchMode": "ImageDefault", "assessmentMode": "ImageDefault"})
    if is_new:
        _check_login(profile, linux)
    for key in linux.get("ssh", {}).get("publicKeys", ()):
        _check_key(key, user)
    profile.setdefault("secrets", [])
    profile.setdefault("allowExtensionOperations", True)
    profile.setdefault("requireGuestProvisionSignal", True)


def check_encoded(member: str, title: str, data: str) -> None:
    """Check that data for a machine is base64 and not too long.

    Args:
        member: target of the error.
        title: what the message calls the data.
        data: the data as sent.

    Raises:
        ServiceError: 400 `InvalidParameter`.
    """
    error = exceptions.invalid_parameter(
        member, f"{title} must be in Base64 encoding and with a maximum length of {LONGEST_CUSTOM_DATA} characters."
    )
    try:
        base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise error from None
    if len(data) > LONGEST_CUSTOM_DATA:
        raise error


def _check_name(name: str) -> None:
    if len(name) > LONGEST_NAME or not re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?", name):
        raise exceptions.invalid_parameter(
            "computerName",
            f"Linux host name cannot exceed {LONGEST_NAME} characters in length or contain the following characters: "
            "` ~ ! @ # $ % ^ & * ( ) = + _ [ ] { } \\ | ; : ' \" , < > / ?.",
        )


def _check_login(profile: Json, linux: Json) -> None:
    password = profile.get("adminPassword")
    keys = linux.get("ssh", {}).get("publicKeys")
    if not keys and (linux["disablePasswordAuthentication"] or not password):
        raise exceptions.invalid_parameter(
            "linuxConfiguration",
            "Authentication using either SSH or by user name and password must be enabled in Linux profile.",
        )
    if not password:
        # As in Azure, a machine with SSH keys and no password allows no login by password.
        linux["disablePasswordAuthentication"] = True
        return
    kinds = sum(1 for kind in _CHARACTERS if re.search(kind, password))
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD or kinds < KINDS_OF_CHARACTERS:
        raise exceptions.invalid_parameter(
            "adminPassword",
            f"The supplied password must be between {SHORTEST_PASSWORD}-{LONGEST_PASSWORD} characters long and must "
            f"satisfy at least {KINDS_OF_CHARACTERS} of password complexity requirements from the following: 1) "
            "Contains an uppercase character 2) Contains a lowercase character 3) Contains a numeric digit 4) Contains "
            "a special character 5) Control characters are not allowed",
        )


def _check_key(key: Json, user: str) -> None:
    path = f"/home/{user}/.ssh/authorized_keys"
    if key.setdefault("path", path) != path:
        raise exceptions.invalid_parameter(
            "linuxConfiguration.ssh.publicKeys.path",
            "Destination path for SSH public keys is currently limited to its default value "
            f"{path} due to a known issue in Linux provisioning agent.",
        )
    if not re.match(r"(ssh-rsa|ssh-ed25519) [A-Za-z0-9+/=]+", key.get("keyData", "")):
        raise exceptions.invalid_parameter(
            "linuxConfiguration.ssh.publicKeys.keyData",
            "The value of parameter linuxConfiguration.ssh.publicKeys.keyData is invalid.",
        )
