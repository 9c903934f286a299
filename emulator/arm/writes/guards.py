"""Checks on a write or deletion besides access: conditions, location, parent, operations in progress."""

from dataclasses import dataclass

from emulator.arm import exceptions
from emulator.arm.groups import LOCATIONS, normal_location
from emulator.arm.ids import ResourceId
from emulator.arm.resources import Checks, Reads, ResourceType
from emulator.json_object import Json


@dataclass(frozen=True)
class Conditions:
    """The If-Match and If-None-Match headers of a write; "" if absent."""

    if_match: str = ""
    if_none_match: str = ""


def check_conditions(identifier: ResourceId, existing: Json | None, conditions: Conditions | None) -> None:
    """Check that the conditions of a request hold.

    Raises:
        ServiceError: 412 `PreconditionFailed`.
    """
    if conditions is None:
        return
    current = None if existing is None else existing["etag"]
    match, none_match = (_bare(value) for value in (conditions.if_match, conditions.if_none_match))
    if match and (current is None or match not in ("*", current)):
        raise exceptions.PRECONDITION_FAILED(
            identifier=identifier, header="If-Match", given=match, current=current or ""
        )
    if none_match and current is not None and none_match in ("*", current):
        raise exceptions.PRECONDITION_FAILED(
            identifier=identifier, header="If-None-Match", given=none_match, current=current
        )


def locate(arm: Checks, row: ResourceType, identifier: ResourceId, body: Json, existing: Json | None) -> str:
    """Return the location of a resource, in normal form; a child has the location of its root, or else of its group.

    Raises:
        ServiceError: 400 if a tracked resource has no location, or one in which the type is not available; 409 if the
            resource already exists in another location.
    """
    if row.placement == "none":
        root = arm.load(identifier.root)
        group = arm.groups.find(identifier.subscription_id, identifier.resource_group)
        found = root if root is not None and "location" in root else group
        return "" if found is None else str(found["location"])
    if not body.get("location"):
        raise exceptions.LOCATION_REQUIRED()
    location = normal_location(body["location"])
    allowed = ("global",) if row.placement == "global" else LOCATIONS
    if location not in allowed:
        raise exceptions.LOCATION_NOT_AVAILABLE(location=location, resource_type=row.name, available=",".join(allowed))
    if existing is not None and existing["location"] != location:
        raise exceptions.INVALID_RESOURCE_LOCATION(identifier=identifier, current=existing["location"], wanted=location)
    return location


def require_parent(arm: Reads, identifier: ResourceId) -> None:
    """Check that the parent of a child exists.

    Raises:
        ServiceError: 404 `ParentResourceNotFound`.
    """
    parent = identifier.parent
    if parent is not None and arm.load(parent) is None:
        raise exceptions.PARENT_RESOURCE_NOT_FOUND(identifier=identifier, verb="write")


def require_idle(arm: Reads, row: ResourceType, identifier: ResourceId, existing: Json | None) -> None:
    """Check that no operation in progress excludes a write or deletion.

    Raises:
        ServiceError: 409 `AnotherOperationInProgress` if the type locks and the top-level resource or anything below
            it has an operation in progress; 409 `ResourceBeingDeleted` if the resource itself is being deleted.
    """
    if row.locks:
        root = identifier.root
        for document in [arm.load(root), *arm.scan(f"{root}/")]:
            pending = None if document is None else document.get("pending")
            if pending:
                raise exceptions.ANOTHER_OPERATION(
                    f"https://management.azure.com/subscriptions/{identifier.subscription_id}/providers/"
                    f"{row.namespace}/locations/{arm.platform.world.location}/operations/{pending['operationId']}"
                )
    if existing is not None and existing.get("pending", {}).get("kind") == "delete":
        raise exceptions.RESOURCE_BEING_DELETED(identifier)


def _bare(etag: str) -> str:
    return etag.strip().removeprefix("W/").strip('"')
