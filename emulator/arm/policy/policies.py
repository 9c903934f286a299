"""Which writes the assignments of policies refuse."""

import json
from collections.abc import Iterator

from emulator.arm.ids import scopes
from emulator.arm.policy import rules
from emulator.arm.policy.built_in_policies import BUILT_IN, GROUP, PREFIX
from emulator.arm.policy.rules import Write
from emulator.arm.resources import Reads
from emulator.core.service_error import ServiceError
from emulator.core.sources import public_output, said
from emulator.json_object import Json

__all__ = ["GROUP", "Write"]

ASSIGNMENTS = "Microsoft.Authorization/policyAssignments"
DEFINITIONS = "Microsoft.Authorization/policyDefinitions"


def check(arm: Reads, write: Write) -> None:
    """Check that no policy refuses a write.

    Raises:
        ServiceError: 403 `RequestDisallowedByPolicy`, which lists every assignment that refuses the write.
    """
    refusing: list[tuple[Json, Json]] = []
    for assignment, definition in _applying(arm, write):
        parameters, rule = values(assignment, definition), definition["properties"]["policyRule"]
        if rules.effect_of(rule, parameters) == rules.DENY and rules.holds(rule["if"], write, parameters):
            refusing.append((assignment, definition))
    if refusing:
        raise disallowed(write, refusing)


def definition(arm: Reads, identifier: str) -> Json | None:
    """Return a policy definition, built in or custom, or None."""
    name = identifier.rsplit("/", 1)[-1].lower()
    if name in BUILT_IN and identifier.lower().endswith(f"{PREFIX}{name}".lower()):
        return built_in(name)
    return arm.load(identifier)


def built_in(name: str) -> Json:
    """Return a built-in definition as GET answers it, by its GUID."""
    return {"properties": BUILT_IN[name], "id": f"{PREFIX}{name}", "type": DEFINITIONS, "name": name}


def values(assignment: Json, found: Json) -> Json:
    """Return the values of a definition's parameters in an assignment, by name."""
    defaults = {
        name: parameter["defaultValue"]
        for name, parameter in (found["properties"].get("parameters") or {}).items()
        if "defaultValue" in parameter
    }
    given = assignment["properties"].get("parameters") or {}
    return defaults | {name: parameter["value"] for name, parameter in given.items()}


def _applying(arm: Reads, write: Write) -> Iterator[tuple[Json, Json]]:
    """Yield the assignments that are enforced on a write, each with its definition."""
    if f"/providers/{ASSIGNMENTS}/".lower() in write.id.lower():
        return
    for scope in scopes(write.id):
        for stored in arm.scan(f"{scope}/providers/{ASSIGNMENTS}/"):
            properties = stored["properties"]
            excluded = [f"{one}/".lower() for one in properties.get("notScopes", [])]
            found = definition(arm, properties["policyDefinitionId"])
            if (
                found is not None
                and properties["enforcementMode"] == "Default"
                and rules.applies(found["properties"], write, GROUP)
                and not any(f"{write.id}/".lower().startswith(one) for one in excluded)
            ):
                yield stored, found


_WORKSHOP = "a workshop on policies: `az group create` under `Require a tag on resource groups`"


@said(public_output(_WORKSHOP))
def disallowed(write: Write, refusing: list[tuple[Json, Json]]) -> ServiceError:
    """Build the 403 for a write that policies refuse."""
    name = write.id.rsplit("/", 1)[-1]
    identifiers = [
        {
            "policyAssignment": {"name": _shown(assignment), "id": assignment["id"]},
            "policyDefinition": {"name": _shown(found), "id": found["id"]},
        }
        for assignment, found in refusing
    ]
    quoted = json.dumps(identifiers, separators=(",", ":"))
    return ServiceError(
        403,
        "RequestDisallowedByPolicy",
        f"Resource '{name}' was disallowed by policy. Policy identifiers: '{quoted}'.",
        target=name,
        extra={"additionalInfo": [{"type": "PolicyViolation", "info": _info(*pair)} for pair in refusing]},
    )


def _info(assignment: Json, found: Json) -> Json:
    properties = assignment["properties"]
    return {
        "policyDefinitionId": found["id"],
        "policyDefinitionName": found["name"],
        "policyDefinitionDisplayName": _shown(found),
        "policyDefinitionEffect": rules.DENY,
        "policyAssignmentId": assignment["id"],
        "policyAssignmentName": assignment["name"],
        "policyAssignmentDisplayName": properties.get("displayName", ""),
        "policyAssignmentScope": properties["scope"],
        "policyAssignmentParameters": properties.get("parameters") or {},
        "policyExemptionIds": [],
    }


def _shown(stored: Json) -> str:
    return str(stored["properties"].get("displayName") or stored["name"])
