"""Management locks: which calls they stop. The resource type itself is in `authorization/locks.py`."""

from collections.abc import Iterator

from emulator.arm.access.exceptions import SCOPE_LOCKED
from emulator.arm.ids import scopes
from emulator.arm.resources import Reads
from emulator.json_object import Json

LOCKS = "Microsoft.Authorization/locks"
READ_ONLY, CAN_NOT_DELETE = "ReadOnly", "CanNotDelete"
# The last segment of an action, and what the message calls it. A POST counts as a write, even if it changes nothing.
# Source: https://github.com/Azure/azure-sdk-for-java/issues/2560
_OPERATIONS = {"write": "write", "action": "write", "delete": "delete"}


def check(arm: Reads, action: str, scope: str) -> None:
    """Check that no lock stops a call that its caller may make.

    A lock holds at its scope and below. What contains something that must not be deleted cannot be deleted either.

    Args:
        arm: the model.
        action: such as `Microsoft.Network/virtualNetworks/write`; reads, and the locks themselves, are never stopped.
        scope: id of a resource, resource group or subscription.

    Raises:
        ServiceError: 409 `ScopeLocked`.
    """
    operation = _OPERATIONS.get(action.rsplit("/", 1)[-1].lower())
    if operation is None or action.lower().startswith(f"{LOCKS}/".lower()):
        return
    stops = (READ_ONLY, CAN_NOT_DELETE) if operation == "delete" else (READ_ONLY,)
    found = [lock for lock in held(arm, scope) if lock["properties"]["level"] in stops]
    if operation == "delete":
        found += arm.scan(f"{scope}/", LOCKS)
    locked = dict.fromkeys(lock["id"][: lock["id"].lower().rfind(f"/providers/{LOCKS}/".lower())] for lock in found)
    if locked:
        raise SCOPE_LOCKED(scope=scope, operation=operation, locked=list(locked))


def held(arm: Reads, scope: str) -> Iterator[Json]:
    """Yield the locks that hold at a scope: its own and those of the scopes that contain it."""
    for part in scopes(scope):
        yield from arm.scan(f"{part}/providers/{LOCKS}/")
