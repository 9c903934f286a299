"""DELETE of a resource group: first the resources of the resource provider, then everything else, then the group.

ARM asks the resource provider to delete its resources, and waits for that. Only then it deletes the rest, which those
resources may use, such as the network of a cluster. The provider can change existing resources of the group until then.

Source: https://learn.microsoft.com/azure/azure-resource-manager/management/delete-resource-group
"""

import logging

from emulator.arm import exceptions
from emulator.arm.forwarding import provider_calls
from emulator.arm.forwarding.front_door import Forwards
from emulator.arm.ids import parse_resource
from emulator.arm.resources import Checks, Reads, Writes
from emulator.arm.writes.removal import check_removable
from emulator.core.clock import rfc3339
from emulator.core.service_error import ServiceError
from emulator.entra.models import Principal
from emulator.json_object import Json

logger = logging.getLogger(__name__)

# How long the deletion of a group takes in addition to that of its contents.
GROUP_SECONDS = 15
# ARM repeats a DELETE that gets one of these, and any 5xx, for 15 minutes.
REPEATED = (408, 429)
SERVER_ERROR = 500
REPEATED_FOR_SECONDS = 15 * 60
REPEATED_AFTER_SECONDS = 15


async def begin(arm: Forwards, subscription_id: str, name: str, caller: Principal | None, correlation_id: str) -> Json:
    """Begin to delete a group with its contents; return the operation.

    The operation fails at its end if the resource provider does not delete a resource of its own, or if a resource
    outside the group refers to one inside. Everything that was not deleted until then stays.

    Raises:
        ServiceError: 404 if the group does not exist; otherwise an error of another service that a deletion updates.
    """
    group = arm.groups.get(subscription_id, name)
    waiting = arm.operations.get(group.get("deleting", {}).get("operationId", ""))
    if waiting is not None:
        return waiting
    if caller is not None and await arm.front_door.known(f"{group['id']}/"):
        operation = arm.operations.begin("delete", group["id"], GROUP_SECONDS, waits=True)
        arm.groups.begin_delete_of_contents(group, operation["id"], vars(caller), correlation_id)
        arm.platform.spawn(_run(arm, group), f"deletion of group {name}")
        return operation
    blocked = _blocked(arm, group)
    if blocked is not None:
        return arm.operations.begin("delete", group["id"], GROUP_SECONDS, error=blocked)
    operation = arm.operations.begin("delete", group["id"], GROUP_SECONDS + _seconds(arm, group))
    if "deleting" not in group:
        await _delete_contents(arm, group, operation)
    return operation


async def resume(arm: Forwards) -> None:
    """Continue the deletions that wait for the resource provider, after a restart."""
    for group in arm.groups.deleting_contents():
        arm.platform.spawn(_run(arm, group), f"deletion of group {group['name']}")


async def _run(arm: Forwards, group: Json) -> None:
    """Have the resource provider delete its resources, then delete the rest of the group."""
    deleting = group["deleting"]
    try:
        await _delete_provided(arm, group, Principal(**deleting["caller"]), deleting["correlationId"])
        if (blocked := _blocked(arm, group)) is not None:
            raise blocked
        operation = arm.operations.end(deleting["operationId"], GROUP_SECONDS + _seconds(arm, group))
        await _delete_contents(arm, group, operation)
    except ServiceError as error:
        logger.warning("group %s is not deleted: %s", group["name"], error)
        arm.groups.withdraw_delete(group)
        arm.operations.end(deleting["operationId"], 0, error)


async def _delete_provided(arm: Forwards, group: Json, caller: Principal, correlation_id: str) -> None:
    """Delete the resources of the resource provider in a group, one after the other.

    Raises:
        ServiceError: 409 `ResourceGroupDeletionBlocked`.
    """
    for resource in await arm.front_door.known(f"{group['id']}/"):
        if parse_resource(resource["id"]).parent is not None:
            continue
        until = arm.clock.after(REPEATED_FOR_SECONDS)
        while True:
            try:
                await provider_calls.delete(arm, caller, resource, correlation_id)
                break
            except ServiceError as error:
                repeated = error.status_code in REPEATED or error.status_code >= SERVER_ERROR
                if not repeated or arm.clock.now() >= until:
                    raise exceptions.group_deletion_blocked(group["name"], [(resource["id"], error)]) from error
            await arm.clock.sleep(REPEATED_AFTER_SECONDS)


def _leaving(arm: Reads, group: Json) -> list[Json]:
    """Return the contents of a group in the order in which they go.

    The resources of Microsoft.Authorization, which allow and deny, go last, with the group itself.
    """
    return [
        stored
        for stored in arm.scan(f"{group['id']}/")
        if not stored["type"].startswith("Microsoft.Authorization/")
        and stored.get("pending", {}).get("kind") != "delete"
    ]


def _seconds(arm: Reads, group: Json) -> float:
    return sum(arm.types[stored["type"].lower()].delete_seconds for stored in _leaving(arm, group))


async def _delete_contents(arm: Writes, group: Json, operation: Json) -> None:
    """Let each resource of a group end after the one before, and the group at the end of the operation.

    The other services delete theirs first. If the process is killed meanwhile, the group is there, and the caller, or
    `resume`, deletes it again.
    """
    leaving = _leaving(arm, group)
    for stored in leaving:
        await arm.types[stored["type"].lower()].removed(arm, stored)
    passed = 0.0
    arm.groups.begin_delete(group, operation["readyAt"])
    for stored in leaving:
        passed += arm.types[stored["type"].lower()].delete_seconds
        arm.documents.mark(stored, operation, rfc3339(arm.clock.after(passed)))


def _blocked(arm: Checks, group: Json) -> ServiceError | None:
    """Return the error that lists every resource of a group that cannot be deleted, or None."""
    errors: list[tuple[str, ServiceError]] = []
    for stored in arm.scan(f"{group['id']}/"):
        if parse_resource(stored["id"]).parent is not None:
            continue
        try:
            check_removable(arm, stored, leaving=f"{group['id']}/".lower())
        except ServiceError as error:
            errors.append((stored["id"], error))
    return exceptions.group_deletion_blocked(group["name"], errors) if errors else None
