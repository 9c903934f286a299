"""DELETE of a resource with everything below it."""

from emulator.arm import exceptions
from emulator.arm.access.conditions import Facts
from emulator.arm.ids import parse_resource
from emulator.arm.operations import ResourceOperation
from emulator.arm.resources import Checks, Writes
from emulator.arm.writes.guards import Conditions, check_conditions, require_idle
from emulator.entra.models import Principal
from emulator.json_object import Json


async def delete(
    arm: Writes, caller: Principal, resource_id: str, api_version: str, conditions: Conditions | None
) -> ResourceOperation:
    """Delete a resource; a resource that does not exist counts as deleted.

    Raises:
        ServiceError: the caller lacks access, the conditions do not hold, or the resource is in use.
    """
    identifier = parse_resource(resource_id)
    if identifier.subscription_id:
        arm.subscriptions.for_caller(identifier.subscription_id, caller)
    row = arm.row(identifier, api_version)
    if row.inline_only:
        raise exceptions.METHOD_NOT_SUPPORTED("DELETE")
    stored = arm.load(identifier)
    facts = Facts(resource={} if stored is None else row.attributes(arm, stored))
    arm.authorize(caller, f"{row.name}/delete", str(identifier), facts)
    if identifier.resource_group:
        arm.groups.get(identifier.subscription_id, identifier.resource_group)
    row.protected(identifier)
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


def check_removable(arm: Checks, stored: Json, *, leaving: str = "") -> None:
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
            holder for holder in arm.holders(stored["id"]) if not holder.lower().startswith((own, leaving or own))
        ]
        if holders:
            raise row.in_use(identifier=stored["id"], holders=holders)
    for child in arm.scan(own):
        check_removable(arm, child, leaving=leaving or own)
