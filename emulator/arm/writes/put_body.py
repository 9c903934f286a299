"""Reading of the body of a PUT by the row of its type."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from emulator.arm import exceptions
from emulator.arm.ids import ResourceId
from emulator.arm.resources import ResourceType
from emulator.arm.schema import READ_ONLY, Found, Reading, Reference, Refusal
from emulator.arm.tags import tags
from emulator.core.service_error import ServiceError
from emulator.json_object import Json

_IDENTITY = {"id": READ_ONLY, "name": str, "type": READ_ONLY, "etag": READ_ONLY, "systemData": READ_ONLY}
_TRACKED = {"location": str, "tags": tags()}
# The errors for unknown and wrong properties, given in Json.NET's words, of the namespaces that have one of their own.
UNREADABLE: Mapping[str, Callable[[Sequence[str]], ServiceError]] = {
    "Microsoft.Compute": exceptions.unreadable_compute_resource,
    "Microsoft.Network": exceptions.unreadable_network_resource,
}


@dataclass(frozen=True)
class Body:
    """A body that was read."""

    body: Json
    references: list[tuple[str, str, Reference]]
    fixed: list[tuple[str, Any, Refusal]]


def table_of(row: ResourceType) -> Json:
    """Return the property table of a whole resource of this type."""
    return _IDENTITY | ({} if row.placement == "none" else _TRACKED) | row.members | {"properties": row.properties}


def read_body(row: ResourceType, identifier: ResourceId, api_version: str, body: Any) -> Body:
    """Read the body of a PUT.

    Raises:
        ServiceError: 400 with all unknown and wrong members of the body, for a name that the type does not allow, or
            for the first member that breaks a rule.
    """
    if not re.fullmatch(row.name_pattern, identifier.name):
        raise row.name_refusal(Found(identifier, "name", identifier.name))
    reading = Reading(api_version.lower(), row.kind)
    result = reading.read(table_of(row) | {"properties": object}, body, "")
    name = result.pop("name", identifier.name)
    if str(name).rsplit("/", 1)[-1].lower() != identifier.name.lower():
        reading.problems.append(f"The name '{name}' differs from the name '{identifier.name}' in the URI. Path 'name'.")
    if reading.problems:
        # Azure Resource Manager reads all but the properties itself.
        raise exceptions.unreadable(reading.problems)
    # Without properties, read an empty object, so that missing required ones are reported.
    result["properties"] = reading.read(row.properties, result.get("properties", {}), "properties")
    if reading.problems:
        raise UNREADABLE.get(row.namespace, exceptions.unreadable)(reading.problems)
    for path, value, refusal in reading.broken:
        raise refusal(Found(_part(row, identifier, result, path), path, value))
    return Body(result, reading.references, reading.fixed)


def _part(row: ResourceType, identifier: ResourceId, body: Json, path: str) -> ResourceId:
    """Return the id of what a path in a body belongs to: the resource, or a child that is written inside it."""
    found = re.match(r"properties\.(\w+)\[(\d+)]", path)
    if found is None or found[1] not in row.inline:
        return identifier
    child: Json = body["properties"][found[1]][int(found[2])]
    return identifier.child(row.inline[found[1]].rsplit("/", 1)[-1], child["name"])


def check_fixed(identifier: ResourceId, existing: Json | None, body: Body) -> None:
    """Check that a write changes no member that its resource keeps.

    Raises:
        ServiceError: the refusal of the first such member that differs.
    """
    if existing is None:
        return
    for path, value, refusal in body.fixed:
        before: Any = existing
        for member in path.split("."):
            before = before.get(member) if isinstance(before, dict) else None
        if before is not None and not _same(before, value):
            raise refusal(Found(identifier, path, value))


def _same(before: Any, value: Any) -> bool:
    if isinstance(before, str) and isinstance(value, str):
        return before.lower() == value.lower()
    return bool(before == value)
