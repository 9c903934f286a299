"""PUT: checks access, references and the body, then writes the resource with its inline children."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from emulator.arm import exceptions, zones
from emulator.arm.access.conditions import Facts
from emulator.arm.groups import normal_location
from emulator.arm.ids import ResourceId, parse_resource
from emulator.arm.operations import ResourceOperation
from emulator.arm.policy import policies
from emulator.arm.resources import Change, Checks, Reads, ResourceType, Writes
from emulator.arm.schema import Reference
from emulator.arm.writes.guards import Conditions, check_conditions, locate, require_idle, require_parent
from emulator.arm.writes.put_body import Body, check_fixed, read_body
from emulator.arm.writes.removal import check_removable
from emulator.core.clock import rfc3339
from emulator.entra.models import Principal
from emulator.json_object import Json


async def put(  # noqa: PLR0917 - the parts of a PUT, in the order of its path
    arm: Writes, caller: Principal, resource_id: str, api_version: str, body: Any, conditions: Conditions | None
) -> ResourceOperation:
    """Create or replace a resource.

    Raises:
        ServiceError: ARM or the type's provider refuses the write.
    """
    identifier = parse_resource(resource_id)
    row = _admit(arm, caller, identifier, api_version, body)
    existing = arm.load(identifier)
    check_conditions(identifier, existing, conditions)
    reading = read_body(row, identifier, api_version, body)
    wanted = normal_location(str(reading.body.get("location") or ""))
    tags = reading.body.get("tags") or {}
    policies.check(arm, policies.Write(row.name, str(identifier), wanted, tags, row.placement != "none", reading.body))
    own = [found for found in reading.references if not found[0].startswith(_inline_paths(row))]
    change = _change(arm, caller, identifier, api_version, row, existing, reading, own)
    row.prepare(change)
    children = {member: change.properties.pop(member, None) for member in row.inline}
    _put_children(arm, change, row, children)
    stored = _store(arm, change, row, [*(target for _, target, _ in own), *change.made])
    await row.stored(arm, stored)
    return _begin(arm, row, stored, api_version, created=existing is None)


def _inline_paths(row: ResourceType) -> tuple[str, ...]:
    """Return the prefixes of the JSON paths that belong to inline children, not to the resource itself."""
    return tuple(f"properties.{member}[" for member in row.inline)


def _admit(arm: Checks, caller: Principal, identifier: ResourceId, api_version: str, body: Any) -> ResourceType:
    """Check that the caller may write the resource and that its group allows writes; return the row of its type."""
    if identifier.subscription_id:
        arm.subscriptions.for_caller(identifier.subscription_id, caller)
    row = arm.row(identifier, api_version)
    if row.inline_only:
        raise exceptions.METHOD_NOT_SUPPORTED("PUT")
    arm.authorize(caller, f"{row.name}/write", str(identifier), Facts(request=row.attributes(arm, body)))
    if identifier.resource_group:
        exists = arm.load(identifier) is not None
        arm.groups.require_writable(identifier.subscription_id, identifier.resource_group, exists=exists)
    if identifier.subscription_id:
        arm.subscriptions.require_registered(identifier.subscription_id, identifier.namespace)
    return row


def _change(  # noqa: PLR0917 - the parts of a change, in its order
    arm: Writes,
    caller: Principal,
    identifier: ResourceId,
    api_version: str,
    row: ResourceType,
    existing: Json | None,
    reading: Body,
    own: Sequence[tuple[str, str, Reference]],
) -> Change:
    """Check location, parent, references and the right to join them; return the change that the body asks for."""
    location = locate(arm, row, identifier, reading.body, existing)
    if row.placement != "none":
        reading.body["location"] = location
    zones.check(identifier, location, reading.body)
    for path, target, kind in reading.references:
        if kind.join and not target.lower().startswith(("/subscriptions/", "/providers/")):
            raise exceptions.LINKED_ID_MALFORMED(path=path if kind.bare else f"{path}.id", target=target)
    linked = [(f"{kind.type}/{kind.join}", target) for _, target, kind in reading.references if kind.join]
    arm.authorization.authorize_linked(caller, f"{row.name}/write", str(identifier), linked)
    require_parent(arm, identifier)
    require_idle(arm, row, identifier, existing)
    check_fixed(identifier, existing, reading)
    arm.documents.references.check(arm, identifier, location, own)
    change = Change(arm, caller, identifier, api_version, location, existing, reading.body)
    if identifier.parent is not None:
        change.parent = arm.load(identifier.parent)
        change.siblings = [
            (sibling["name"], sibling)
            for sibling in arm.scan(f"{identifier.parent}/{identifier.types[-1]}/", row.name)
            if sibling["id"].lower() != identifier.key
        ]
    return change


def _put_children(arm: Writes, change: Change, row: ResourceType, children: Mapping[str, list[Json] | None]) -> None:
    """Write the children in the body of their parent; remove those that a list in the body leaves out.

    Children of one body may refer to each other, as a load balancer's rules refer to its probes. Therefore all of them
    are read before any is written.
    """
    rows = {member: arm.types[row.inline[member].lower()] for member in children}
    before = {
        member: {child["id"].lower(): child for child in arm.scan(f"{_collection(change.id, kind)}/", kind.name)}
        for member, kind in rows.items()
    }
    coming = {key for member, known in before.items() if children[member] is None for key in known}
    read: list[tuple[ResourceType, Change, Body]] = []
    for member, kind in rows.items():
        bodies = [_read_child(change, kind, body, before[member]) for body in children[member] or ()]
        for child, _ in bodies:
            if child.id.key in coming:
                raise exceptions.DUPLICATE_CHILD(parent_id=change.id, name=child.id.name)
            child.siblings = [(other.id.name, other.body) for other, _ in bodies if other is not child]
            coming.add(child.id.key)
        read += [(kind, child, reading) for child, reading in bodies]
    for kind, child, reading in read:
        arm.documents.references.check(
            arm, child.id, change.location, reading.references, inside=f"{change.id.key}/", coming=coming
        )
        kind.prepare(child)
    removed = [child for known in before.values() for key, child in known.items() if key not in coming]
    for child_document in removed:
        check_removable(arm, child_document, leaving=f"{change.id.key}/")
    for child_document in removed:
        arm.documents.drop(child_document)
    for position, (kind, child, reading) in enumerate(read):
        _store(arm, child, kind, [target for _, target, _ in reading.references], position)


def _collection(parent: ResourceId, row: ResourceType) -> str:
    return f"{parent}/{row.name.rsplit('/', 1)[-1]}"


def _read_child(change: Change, row: ResourceType, body: Json, before: Mapping[str, Json]) -> tuple[Change, Body]:
    identifier = change.id.child(row.name.rsplit("/", 1)[-1], body["name"])
    reading = read_body(row, identifier, change.api_version, body)
    check_fixed(identifier, before.get(identifier.key), reading)
    zones.check(identifier, change.location, reading.body)
    child = Change(
        change.arm,
        change.caller,
        identifier,
        change.api_version,
        change.location,
        before.get(identifier.key),
        reading.body,
        change.body,
    )
    return child, reading


def _store(arm: Writes, change: Change, row: ResourceType, targets: Sequence[str], position: int | None = None) -> Json:
    now = rfc3339(change.arm.clock.now())
    existing = change.existing or {}
    stored: Json = {
        "id": existing.get("id", str(_canonical(change.arm, change.id, row))),
        "name": existing.get("name", change.id.name),
        "type": row.name,
        **change.body,
        "etag": str(uuid4()),
        "created": existing.get("created", now),
        "changed": now,
        "references": sorted({target.lower() for target in targets}),
        "position": existing.get("position", len(change.siblings)) if position is None else position,
    }
    arm.documents.put(stored)
    return stored


def _canonical(arm: Reads, identifier: ResourceId, row: ResourceType) -> ResourceId:
    """Return the id with the type in the casing of its row, below the parent's id as stored."""
    namespace, *types = row.name.split("/")
    parent = None if identifier.parent is None else arm.load(identifier.parent)
    known = identifier if parent is None else parse_resource(parent["id"])
    return ResourceId(
        known.scope,
        namespace,
        tuple(types),
        identifier.names if parent is None else (*known.names, identifier.name),
        identifier.subscription_id,
        identifier.resource_group,
    )


def _begin(arm: Writes, row: ResourceType, stored: Json, api_version: str, *, created: bool) -> ResourceOperation:
    seconds = row.create_seconds if created else row.update_seconds
    if row.reply == "sync" or seconds == 0:
        status = row.created_status if created else row.updated_status
        return ResourceOperation(stored["id"], api_version, status, arm.render(stored))
    operation = arm.operations.begin(
        "put", stored["id"], seconds, api_version=api_version, waits=row.outcome is not None
    )
    marked = arm.documents.mark(stored, operation)
    status = 202 if row.reply in {"accepted", "location"} else 201 if created and row.reply != "ok" else 200
    return ResourceOperation(stored["id"], api_version, status, arm.render(marked), operation["id"])
