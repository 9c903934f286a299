"""Reading of the body of a PUT by the row of its type."""

import re
from dataclasses import dataclass
from typing import Any

from emulator.arm.exceptions import invalid_request_content
from emulator.arm.ids import ResourceId
from emulator.arm.resources import ResourceType
from emulator.arm.schema import READ_ONLY, MapOf, Reading, Reference
from emulator.core.errors import ServiceError

Json = dict[str, Any]

_IDENTITY = {"id": READ_ONLY, "name": str, "type": READ_ONLY, "etag": READ_ONLY, "systemData": READ_ONLY}
_TRACKED = {"location": str, "tags": MapOf(str)}


@dataclass(frozen=True)
class Body:
    """A body that was read: the members that its type has, and its references as (JSON path, id, reference)."""

    body: Json
    references: list[tuple[str, str, Reference]]


def read_body(row: ResourceType, identifier: ResourceId, api_version: str, body: Any) -> Body:
    """Read the body of a PUT.

    Args:
        row: the row of the resource's type.
        identifier: id of the resource.
        api_version: the api-version of the request.
        body: the parsed JSON.

    Raises:
        ServiceError: 400 with all unknown and wrong members of the body, or for a name that the type does not allow.
    """
    if not re.fullmatch(row.name_pattern, identifier.name):
        raise ServiceError(
            400,
            "InvalidResourceName",
            f"Resource name {identifier.name} is invalid. The name of a {row.name} must match {row.name_pattern}.",
        )
    table = _IDENTITY | ({} if row.placement == "none" else _TRACKED) | row.members | {"properties": row.properties}
    reading = Reading(api_version.lower(), row.kind)
    result = reading.read(table, body, "")
    if "properties" not in result:
        # Read an empty object, so that missing required properties are reported.
        result["properties"] = reading.read(row.properties, {}, "properties")
    name = result.pop("name", identifier.name)
    if str(name).rsplit("/", 1)[-1].lower() != identifier.name.lower():
        reading.problems.append(f"The name '{name}' differs from the name '{identifier.name}' in the URI. Path 'name'.")
    if reading.problems:
        raise _refusal(row, reading.problems)
    return Body(result, reading.references)


def _refusal(row: ResourceType, problems: list[str]) -> ServiceError:
    if row.namespace == "Microsoft.Network":
        return ServiceError(
            400,
            "InvalidRequestFormat",
            "Cannot parse the request.",
            details=[{"code": "InvalidJson", "message": problem} for problem in problems],
        )
    error = invalid_request_content(problems[0])
    error.details = [{"code": "InvalidRequestContent", "message": problem} for problem in problems]
    return error
