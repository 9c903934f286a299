"""What a write or a deletion must pass beside access checks: conditions, location, parent, other writes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from emulator.arm import exceptions
from emulator.arm.groups import LOCATIONS, normal_location
from emulator.arm.ids import ResourceId
from emulator.arm.resources import ResourceType

if TYPE_CHECKING:
    from emulator.arm.models import ArmModel

Json = dict[str, Any]


@dataclass(frozen=True)
class Conditions:
    """If-Match and If-None-Match of a write."""

    if_match: str = ""
    if_none_match: str = ""


def check_conditions(identifier: ResourceId, existing: Json | None, conditions: Conditions | None) -> None:
    """Let a request pass whose conditions hold.

    Raises:
        ServiceError: 412 `PreconditionFailed`.
    """
    if conditions is None:
        return
    current = None if existing is None else existing["etag"]
    match, none_match = (_bare(value) for value in (conditions.if_match, conditions.if_none_match))
    if match and (current is None or match not in ("*", current)):
        raise exceptions.precondition_failed(str(identifier), "If-Match", match, current)
    if none_match and current is not None and none_match in ("*", current):
        raise exceptions.precondition_failed(str(identifier), "If-None-Match", none_match, current)


def locate(arm: "ArmModel", row: ResourceType, identifier: ResourceId, body: Json, existing: Json | None) -> str:
    """Return where a resource is to be, in normal form; a child is where its root is, or its group.

    Raises:
        ServiceError: 400 without location or with one that the type does not have; 409 with another than it has.
    """
    if row.placement == "none":
        root = arm.load(identifier.root)
        group = arm.groups.find(identifier.subscription_id, identifier.resource_group)
        found = root if root is not None and "location" in root else group
        return "" if found is None else str(found["location"])
    if not body.get("location"):
        raise exceptions.location_required()
    location = normal_location(body["location"])
    allowed = ("global",) if row.placement == "global" else LOCATIONS
    if location not in allowed:
        raise exceptions.location_not_available(location, row.name, ",".join(allowed))
    if existing is not None and existing["location"] != location:
        raise exceptions.invalid_resource_location(identifier, existing["location"], location)
    return location


def require_parent(arm: "ArmModel", identifier: ResourceId) -> None:
    """Let a child pass whose parent is there.

    Raises:
        ServiceError: 404 `ParentResourceNotFound`.
    """
    parent = identifier.parent
    if parent is not None and arm.load(parent) is None:
        raise exceptions.parent_resource_not_found(identifier, "write")


def require_idle(arm: "ArmModel", row: ResourceType, identifier: ResourceId, existing: Json | None) -> None:
    """Let a write pass with which no other one is under way.

    Raises:
        ServiceError: 409 `AnotherOperationInProgress` where writes lock the whole top-level resource, and
            `ResourceBeingDeleted` for a write to what is on its way out.
    """
    if row.locks:
        root = identifier.root
        for document in [arm.load(root), *arm.scan(f"{root}/")]:
            pending = None if document is None else document.get("pending")
            if pending:
                raise exceptions.another_operation(
                    f"https://management.azure.com/subscriptions/{identifier.subscription_id}/providers/"
                    f"{row.namespace}/locations/{arm.platform.world.location}/operations/{pending['operationId']}"
                )
    if existing is not None and existing.get("pending", {}).get("kind") == "delete":
        raise exceptions.resource_being_deleted(identifier)


def _bare(etag: str) -> str:
    return etag.strip().removeprefix("W/").strip('"')
