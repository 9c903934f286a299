"""DELETE: of a resource with what is below it, and of a resource group with all that is in it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from emulator.arm import exceptions
from emulator.arm.ids import parse_resource
from emulator.arm.operations import ResourceOperation
from emulator.arm.writes.guards import Conditions, check_conditions, require_idle
from emulator.core.clock import rfc3339
from emulator.core.errors import ServiceError
from emulator.entra.models import Principal

if TYPE_CHECKING:
    from emulator.arm.models import ArmModel

Json = dict[str, Any]

# What a group's deletion takes beyond its contents.
GROUP_SECONDS = 15


async def delete(
    arm: "ArmModel", caller: Principal, resource_id: str, api_version: str, conditions: Conditions | None
) -> ResourceOperation:
    """Delete a resource; one that is not there counts as deleted.

    Raises:
        ServiceError: the caller may not, or it is in use.
    """
    identifier = parse_resource(resource_id)
    if identifier.subscription_id:
        arm.subscriptions.for_caller(identifier.subscription_id, caller)
    row = arm.row(identifier, api_version)
    if row.inline_only:
        raise exceptions.method_not_supported("DELETE")
    arm.authorize(caller, f"{row.name}/delete", str(identifier))
    if identifier.resource_group:
        arm.groups.get(identifier.subscription_id, identifier.resource_group)
    stored = arm.load(identifier)
    if stored is None:
        return ResourceOperation(str(identifier), api_version, 204, {})
    check_conditions(identifier, stored, conditions)
    pending = stored.get("pending", {})
    if pending.get("kind") == "delete":
        return ResourceOperation(stored["id"], api_version, 202, {}, pending["operationId"])
    require_idle(arm, row, identifier, stored)
    check_removable(arm, stored)
    answered = arm.render(stored) if row.answers_deleted else {}
    below = list(arm.scan(f"{identifier}/"))
    for document in (*below, stored):
        await arm.types[document["type"].lower()].removed(arm, document)
    if row.delete_seconds == 0:
        arm.documents.drop(stored)
        return ResourceOperation(stored["id"], api_version, 200, answered)
    operation = arm.operations.begin("delete", stored["id"], row.delete_seconds, api_version=api_version)
    for document in (*below, stored):
        arm.documents.mark(document, operation)
    return ResourceOperation(stored["id"], api_version, 202, {}, operation["id"])


def check_removable(arm: "ArmModel", stored: Json, *, leaving: str = "") -> None:
    """Let a deletion pass.

    Args:
        arm: the model.
        stored: the resource.
        leaving: lower-case beginning of the ids that go along: what refers from there does not count.

    Raises:
        ServiceError: something still refers to it, or to a child of it; or it must stay.
    """
    row = arm.types[stored["type"].lower()]
    own = f"{stored['id']}/".lower()
    if row.removable is not None and not leaving:
        row.removable(arm, stored)
    if row.in_use is not None:
        holders = [
            holder
            for holder in arm.documents.references.holders(arm, stored["id"])
            if not holder.lower().startswith((own, leaving or own))
        ]
        if holders:
            raise row.in_use(stored["id"], holders)
    for child in arm.scan(own):
        check_removable(arm, child, leaving=leaving or own)


async def delete_group(arm: "ArmModel", subscription_id: str, name: str) -> Json:
    """Begin to delete a group with all that is in it; return the operation.

    It fails in the end, and leaves everything, when something outside the group refers into it, or when a resource
    provider still has something there.

    Raises:
        ServiceError: 404 there is no such group; what the provider of something in it answers.
    """
    group = arm.groups.get(subscription_id, name)
    contents = list(arm.scan(f"{group['id']}/"))
    clusters = await arm.front_door.known(f"{group['id']}/")
    blocked = (
        exceptions.clusters_left(name, [cluster["id"] for cluster in clusters])
        if clusters
        else _blocked(arm, group, contents)
    )
    if blocked is not None:
        return arm.operations.begin("delete", group["id"], GROUP_SECONDS, error=blocked)
    # What allows and denies goes last, with the group itself.
    leaving = [
        stored
        for stored in contents
        if not stored["type"].startswith("Microsoft.Authorization/")
        and stored.get("pending", {}).get("kind") != "delete"
    ]
    seconds = [arm.types[stored["type"].lower()].delete_seconds for stored in leaving]
    operation = arm.operations.begin("delete", group["id"], GROUP_SECONDS + sum(seconds))
    if "deleting" not in group:
        arm.groups.begin_delete(group, GROUP_SECONDS + sum(seconds))
        try:
            for index, stored in enumerate(leaving):
                await arm.types[stored["type"].lower()].removed(arm, stored)
                arm.documents.mark(stored, operation, rfc3339(arm.clock.after(sum(seconds[: index + 1]))))
        except ServiceError:
            # What is gone is gone; the caller has to ask again for the rest.
            arm.groups.withdraw_delete(group)
            raise
    return operation


def _blocked(arm: "ArmModel", group: Json, contents: Sequence[Json]) -> ServiceError | None:
    """Return why a group cannot go, naming every resource that cannot."""
    errors: list[tuple[str, ServiceError]] = []
    for stored in contents:
        if parse_resource(stored["id"]).parent is not None:
            continue
        try:
            check_removable(arm, stored, leaving=f"{group['id']}/".lower())
        except ServiceError as error:
            errors.append((stored["id"], error))
    return exceptions.group_deletion_blocked(group["name"], errors) if errors else None
