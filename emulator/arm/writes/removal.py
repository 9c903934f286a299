"""DELETE of a resource with everything below it, and of a resource group with its contents."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from emulator.arm import exceptions
from emulator.arm.access.conditions import Facts
from emulator.arm.ids import parse_resource
from emulator.arm.operations import ResourceOperation
from emulator.arm.writes.guards import Conditions, check_conditions, require_idle
from emulator.core.clock import rfc3339
from emulator.core.errors import ServiceError
from emulator.entra.models import Principal

if TYPE_CHECKING:
    from emulator.arm.models import ArmModel

Json = dict[str, Any]

# How long the deletion of a group takes in addition to that of its contents.
GROUP_SECONDS = 15


async def delete(
    arm: "ArmModel", caller: Principal, resource_id: str, api_version: str, conditions: Conditions | None
) -> ResourceOperation:
    """Delete a resource; a resource that does not exist counts as deleted.

    Args:
        arm: the model.
        caller: the principal that makes the call.
        resource_id: id of the resource.
        api_version: the api-version of the request.
        conditions: If-Match and If-None-Match, if any.

    Raises:
        ServiceError: the caller lacks access, the conditions do not hold, or the resource is in use.
    """
    identifier = parse_resource(resource_id)
    if identifier.subscription_id:
        arm.subscriptions.for_caller(identifier.subscription_id, caller)
    row = arm.row(identifier, api_version)
    if row.inline_only:
        raise exceptions.method_not_supported("DELETE")
    stored = arm.load(identifier)
    facts = Facts(resource={} if stored is None else row.attributes(arm, stored))
    arm.authorize(caller, f"{row.name}/delete", str(identifier), facts)
    if identifier.resource_group:
        arm.groups.get(identifier.subscription_id, identifier.resource_group)
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
    """Check that a resource and its children may be deleted.

    Args:
        arm: the model.
        stored: the resource's document.
        leaving: lower-case prefix of the ids that are deleted together with it; references from these do not count.

    Raises:
        ServiceError: another resource refers to it or to one of its children, or its type forbids the deletion.
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
    """Begin to delete a group with its contents; return the operation.

    The operation fails at its end and deletes nothing if a resource outside the group refers to one inside, or if the
    group still has clusters.

    Args:
        arm: the model.
        subscription_id: the subscription of the group.
        name: name of the group.

    Raises:
        ServiceError: 404 if the group does not exist; otherwise an error of another service that a deletion updates.
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
    # The resources of Microsoft.Authorization, which allow and deny, go last, with the group itself.
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
            # Deletions that have begun go on; the caller has to repeat the call for the rest.
            arm.groups.withdraw_delete(group)
            raise
    return operation


def _blocked(arm: "ArmModel", group: Json, contents: Sequence[Json]) -> ServiceError | None:
    """Return the error that lists every resource of a group that cannot be deleted, or None."""
    errors: list[tuple[str, ServiceError]] = []
    for stored in contents:
        if parse_resource(stored["id"]).parent is not None:
            continue
        try:
            check_removable(arm, stored, leaving=f"{group['id']}/".lower())
        except ServiceError as error:
            errors.append((stored["id"], error))
    return exceptions.group_deletion_blocked(group["name"], errors) if errors else None
