"""What ARM says about a scope: its resource group, its locks, the state of its subscription.

A scope is the id of a subscription, a resource group or a resource.
"""

import string
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shared.arm import resource_id
from shared.azure.arm_reads import ArmNotFound, ArmReads, ArmRefused, Documents

_GROUPS = "2021-04-01"
_SUBSCRIPTIONS = "2022-12-01"
_LOCKS = "2020-05-01"
# Lower case for the letters A to Z alone. `str.lower` would turn the Kelvin sign into a k.
ASCII_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_MANAGEMENT_GROUPS = "/providers/microsoft.management/managementgroups/"
_LOCK_MARKER = "/providers/microsoft.authorization/locks/"
AT_SCOPE = "atScope()"
# ARM's states, and the state that ARM reports to a resource provider. A subscription with a payment overdue still
# works. https://learn.microsoft.com/azure/cost-management-billing/manage/subscription-states
_STATES: Mapping[str, str] = {
    "enabled": "Registered",
    "pastdue": "Registered",
    "warned": "Warned",
    "disabled": "Suspended",
    "deleted": "Deleted",
}
READ_ONLY, CAN_NOT_DELETE = "ReadOnly", "CanNotDelete"


@dataclass(frozen=True)
class Lock:
    """A management lock: its own id, its name, and `ReadOnly` or `CanNotDelete`."""

    id: str
    name: str
    level: str

    @property
    def scope(self) -> str:
        """The scope that is locked."""
        return self.id[: max(0, self.id.lower().rfind(_LOCK_MARKER))]


def find_group(arm: ArmReads, subscription_id: str, name: str) -> dict[str, Any] | None:
    """Return the document of a resource group, or None if it does not exist.

    Raises:
        ArmRefused: if the app may not read it.
        CloudError: 503 if ARM is away.
    """
    group = resource_id.try_parse(f"/subscriptions/{subscription_id}/resourceGroups/{name}")
    if group is None or group != group.group:
        return None
    return arm.get(str(group), _GROUPS)


def locks(arm: ArmReads, scope: str) -> list[Lock]:
    """Return the locks that hold at a scope: its own and those it inherits.

    If the scope does not exist, the locks of its nearest parent are returned: a lock on a subscription also holds for
    what is about to be created.

    Raises:
        ArmRefused: if the app may not read them, or one of them is not understood.
        CloudError: 503 if ARM is away.
    """
    _, entries = list_nearest(arm, scope, "locks", _LOCKS, AT_SCOPE)
    return [lock for lock in map(_lock, entries) if may_hold(lock.scope, scope)]


def _lock(document: dict[str, Any]) -> Lock:
    match document:
        case {"id": str(id_), "name": str(name), "properties": {"level": str(level)}}:
            return Lock(id_, name, CAN_NOT_DELETE if level.lower() == CAN_NOT_DELETE.lower() else READ_ONLY)
    raise ArmRefused("ARM's answer has a lock without an id, a name or a level.")


def subscription_state(arm: ArmReads, subscription_id: str) -> str | None:
    """Return `Registered`, `Warned`, `Suspended` or `Deleted`, or None if the app cannot see the subscription.

    Raises:
        CloudError: 503 if ARM is away.
    """
    try:
        document = arm.get(f"/subscriptions/{subscription_id}", _SUBSCRIPTIONS)
    except ArmRefused:
        return None
    return _STATES.get(str((document or {}).get("state")).lower())


def list_nearest(arm: ArmReads, scope: str, kind: str, api_version: str, filter_: str) -> tuple[str, Documents]:
    """List what `Microsoft.Authorization` holds at a scope, or at the nearest parent that exists.

    ARM decides by the text of a scope: what is assigned to a subscription also holds at a group that does not exist.

    Args:
        arm: reads ARM.
        scope: id of a subscription, a resource group or a resource.
        kind: such as `roleAssignments`.
        api_version: of that type.
        filter_: OData filter; none if it is empty.

    Returns:
        The scope that was read, and its list.

    Raises:
        ArmRefused: as `ArmReads.list`; also if the text is not a scope, or not even its subscription exists.
        CloudError: 503 if ARM is away.
    """
    place = resource_id.try_parse(scope)
    if place is None:
        raise ArmRefused(f"'{scope}' is not a scope.")
    while True:
        try:
            path = f"{place}/providers/Microsoft.Authorization/{kind}"
            return str(place), arm.list(path, api_version, {"$filter": filter_} if filter_ else {})
        except ArmNotFound:
            if place == place.parent:
                raise
            place = place.parent


def holds_at(held: str, scope: str) -> bool:
    """Tell whether what is granted at one scope certainly holds at another: at that scope itself, or above it.

    The root and management groups are above everything that ARM lists them for. Like ARM, this ignores case, but only
    of the letters A to Z: others may turn into different letters.
    """
    return bool(held) and _reaches(held.translate(ASCII_LOWER), scope.translate(ASCII_LOWER))


def may_hold(held: str, scope: str) -> bool:
    """Tell whether what restricts at one scope might hold at another: in doubt it does."""
    return _reaches(_folded(held.rstrip("/")), _folded(scope))


def _reaches(held: str, scope: str) -> bool:
    return held == "/" or held.startswith(_MANAGEMENT_GROUPS) or f"{scope}/".startswith(f"{held}/")


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
