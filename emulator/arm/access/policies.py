"""The part of Azure Policy that refuses writes: assignments of some built-in definitions with the effect `deny`."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from emulator.arm.ids import scopes
from emulator.core.errors import ServiceError

if TYPE_CHECKING:
    from emulator.arm.models import ArmModel

Json = dict[str, Any]

GROUP = "Microsoft.Resources/subscriptions/resourceGroups"
ASSIGNMENTS = "Microsoft.Authorization/policyAssignments"
DEFINITIONS = "/providers/Microsoft.Authorization/policyDefinitions/"


@dataclass(frozen=True)
class Write:
    """A planned write, as policies see it.

    Args:
        type: the resource's type.
        id: the resource's id.
        location: in normal form; "" if the type has no location.
        tags: the tags after the write.
        indexed: whether the type has location and tags. Policies on location and tags ignore all other types.
    """

    type: str
    id: str
    location: str
    tags: Mapping[str, str]
    indexed: bool


@dataclass(frozen=True)
class Definition:
    """A built-in policy that denies.

    Args:
        name: its `displayName`.
        parameter: name of the parameter that an assignment must set.
        denies: tells whether the definition refuses a write, given the value of that parameter.
    """

    name: str
    parameter: str
    denies: Callable[[Write, Any], bool]


def _lacks_tag(write: Write, name: str) -> bool:
    return name.lower() not in {tag.lower() for tag in write.tags}


def _is_elsewhere(write: Write, allowed: list[str]) -> bool:
    return write.location not in {location.replace(" ", "").lower() for location in allowed} | {"global"}


# Ids, names and parameters are Azure's public ones.
BUILT_IN = {
    "871b6d14-10aa-478d-b590-94f262ecfa99": Definition(
        "Require a tag on resources", "tagName", lambda write, tag: write.indexed and _lacks_tag(write, tag)
    ),
    "96670d01-0a4d-4649-9c89-2d3abc0a5025": Definition(
        "Require a tag on resource groups", "tagName", lambda write, tag: write.type == GROUP and _lacks_tag(write, tag)
    ),
    "e56962a6-4747-49cd-b67b-bf8b01975c4c": Definition(
        "Allowed locations",
        "listOfAllowedLocations",
        lambda write, allowed: write.indexed and _is_elsewhere(write, allowed),
    ),
    "e765b5de-1225-4ba3-bd56-1ac6695af988": Definition(
        "Allowed locations for resource groups",
        "listOfAllowedLocations",
        lambda write, allowed: write.type == GROUP and _is_elsewhere(write, allowed),
    ),
    "6c112d4e-5bc7-47ae-a041-ea2d9dccd749": Definition(
        "Not allowed resource types",
        "listOfResourceTypesNotAllowed",
        lambda write, types: write.type.lower() in {one.lower() for one in types},
    ),
}


def check(arm: "ArmModel", write: Write) -> None:
    """Check that no policy refuses a write.

    Raises:
        ServiceError: 403 `RequestDisallowedByPolicy`, which lists every assignment that refuses the write.
    """
    violated = [assignment for assignment in _applying(arm, write) if _refuses(assignment, write)]
    if violated:
        raise _disallowed(write, violated)


def _applying(arm: "ArmModel", write: Write) -> Iterator[Json]:
    for scope in scopes(write.id):
        for stored in arm.scan(f"{scope}/providers/{ASSIGNMENTS}/"):
            excluded = [f"{one}/".lower() for one in stored["properties"].get("notScopes", [])]
            if not any(f"{write.id}/".lower().startswith(one) for one in excluded):
                yield stored


def _refuses(assignment: Json, write: Write) -> bool:
    properties = assignment["properties"]
    definition = BUILT_IN[definition_name(properties["policyDefinitionId"])]
    value = properties["parameters"][definition.parameter]["value"]
    return properties["enforcementMode"] == "Default" and definition.denies(write, value)


def definition_name(identifier: str) -> str:
    """Return the key in `BUILT_IN` for the id of a policy definition."""
    return identifier.rsplit("/", 1)[-1].lower()


def _disallowed(write: Write, violated: list[Json]) -> ServiceError:
    name = write.id.rsplit("/", 1)[-1]
    identifiers = [
        {
            "policyAssignment": {"name": _shown(stored), "id": stored["id"]},
            "policyDefinition": {
                "name": BUILT_IN[definition_name(stored["properties"]["policyDefinitionId"])].name,
                "id": stored["properties"]["policyDefinitionId"],
            },
        }
        for stored in violated
    ]
    return ServiceError(
        403,
        "RequestDisallowedByPolicy",
        f"Resource '{name}' was disallowed by policy. Policy identifiers: '{json.dumps(identifiers)}'.",
        target=name,
        extra={"additionalInfo": [{"type": "PolicyViolation", "info": _info(stored)} for stored in violated]},
    )


def _info(stored: Json) -> Json:
    properties = stored["properties"]
    guid = definition_name(properties["policyDefinitionId"])
    return {
        "policyDefinitionId": properties["policyDefinitionId"],
        "policyDefinitionName": guid,
        "policyDefinitionDisplayName": BUILT_IN[guid].name,
        "policyDefinitionEffect": "deny",
        "policyAssignmentId": stored["id"],
        "policyAssignmentName": stored["name"],
        "policyAssignmentDisplayName": properties.get("displayName", ""),
        "policyAssignmentScope": properties["scope"],
        "policyAssignmentParameters": properties["parameters"],
        "policyExemptionIds": [],
    }


def _shown(stored: Json) -> str:
    return str(stored["properties"].get("displayName") or stored["name"])
