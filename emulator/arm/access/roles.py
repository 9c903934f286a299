"""Built-in roles that the resource provider, its clients and its tests use, from `roles.json`: Azure's public ids and actions.

Source: https://learn.microsoft.com/azure/role-based-access-control/built-in-roles. Azure publishes neither the name nor
the actions of 42f3c60f-e7b1-46d7-ba56-6de681664342; those here are what the service needs.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from emulator.arm.access.role import Role

OWNER = "8e3af657-a8ff-443c-a75c-2fe8c4bcb635"
CONTRIBUTOR = "b24988ac-6180-42a0-ab88-20f7382dd24c"
READER = "acdd72a7-3385-48ef-bd42-f606fba81ae7"
NETWORK_CONTRIBUTOR = "4d97b98b-1d4f-4787-a291-c67834d212e7"
TAG_CONTRIBUTOR = "4a9ae827-6dc8-4573-8ac7-8239d42aa03f"
RBAC_ADMINISTRATOR = "f58310d9-a9f6-439a-9e8d-f62e7b41a168"


def _read() -> Mapping[str, Role]:
    found: Mapping[str, Mapping[str, Any]] = json.loads(Path(__file__).with_name("roles.json").read_text("utf-8"))
    return {
        guid: Role(
            entry["roleName"],
            entry["description"],
            tuple(entry["actions"]),
            tuple(entry.get("notActions", ())),
            tuple(entry.get("dataActions", ())),
        )
        for guid, entry in found.items()
    }


# By GUID.
ROLES = _read()
