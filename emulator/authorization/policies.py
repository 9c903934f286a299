"""The resource types of policy definitions and their assignments. `arm/policy` says what they do to writes."""

from starlette.responses import Response

from emulator.arm.api_versions import versions
from emulator.arm.call import Call, answer, page
from emulator.arm.ids import scopes
from emulator.arm.policy import rules
from emulator.arm.policy.built_in_policies import BUILT_IN, PREFIX
from emulator.arm.policy.policies import ASSIGNMENTS, DEFINITIONS, built_in, definition
from emulator.arm.policy.rules import InvalidRuleError, UnsupportedError, Write
from emulator.arm.resources import Change, Reads, ResourceType
from emulator.arm.schema import READ_ONLY, Choice, MapOf, Required
from emulator.authorization import policy_exceptions as errors
from emulator.authorization.exceptions import UNSUPPORTED_FILTER
from emulator.authorization.scopes import enter, require_scope
from emulator.identities.resource_identity import identifiable
from emulator.json_object import Json

VERSIONS = versions("Microsoft.Authorization/policyDefinitions")
_SETS = "/policysetdefinitions/"
# A write with which a new rule is tried, so that what cannot be evaluated is refused at once.
_TRIAL = Write(
    "Microsoft.Example/things", "/subscriptions/s/resourceGroups/g/providers/x/y/z", "eastus", {}, indexed=True
)
# Values of parameters without a default, by their type.
_SAMPLES: Json = {"array": [], "object": {}, "boolean": True, "integer": 0, "float": 0.0}


async def list_definitions(call: Call) -> Response:
    """GET {scope}/…/policyDefinitions: the built-in ones, and those of the subscription."""
    scope = enter(call, f"{DEFINITIONS}/read")
    if text := call.request.query_params.get("$filter", ""):
        raise UNSUPPORTED_FILTER(text)
    stored = [call.arm.render(one) for one in call.arm.scan(f"{scope}/providers/{DEFINITIONS}/", DEFINITIONS)]
    return page(call, [*(built_in(name) for name in BUILT_IN), *stored])


async def get_definition(call: Call) -> Response:
    """GET {scope}/…/policyDefinitions/{name}: a built-in one has no scope."""
    scope = enter(call, f"{DEFINITIONS}/read")
    name = call.params["name"]
    if not scope and name.lower() in BUILT_IN:
        return answer(built_in(name.lower()))
    found = call.arm.load(f"{scope}/providers/{DEFINITIONS}/{name}")
    if found is None:
        raise errors.DEFINITION_NOT_FOUND(name)
    return answer(call.arm.render(found))


async def list_assignments(call: Call) -> Response:
    """GET {scope}/…/policyAssignments: those at a scope, above it and below it, as far as the filter asks for them."""
    scope = enter(call, f"{ASSIGNMENTS}/read")
    text = call.request.query_params.get("$filter", "").lower()
    if text not in {"", "atscope()", "atexactscope()", "atscopeandbelow()"}:
        raise UNSUPPORTED_FILTER(text)
    chain = scopes(scope)
    at = [stored for part in chain[-1:] for stored in call.arm.scan(f"{part}/providers/{ASSIGNMENTS}/")]
    above = [stored for part in chain[:-1] for stored in call.arm.scan(f"{part}/providers/{ASSIGNMENTS}/")]
    known = {stored["id"] for stored in (*above, *at)}
    below = [stored for stored in call.arm.scan(f"{chain[-1]}/", ASSIGNMENTS) if stored["id"] not in known]
    shown = {
        "": (*above, *at, *below),
        "atscope()": (*above, *at),
        "atexactscope()": at,
        "atscopeandbelow()": (*at, *below),
    }
    return page(call, [call.arm.render(stored) for stored in shown[text]])


def _prepare_definition(change: Change) -> None:
    """Try the rule of a definition, so that a wrong one is refused before it is assigned."""
    properties, name = change.properties, change.id.name
    properties.setdefault("mode", "Indexed")
    properties["policyType"] = "Custom"
    rule = properties["policyRule"]
    if not isinstance(rule, dict) or not all(isinstance(rule.get(part), dict) for part in ("if", "then")):
        raise errors.INVALID_RULE(name=name, reason="the rule needs the members 'if' and 'then'")
    values = {
        parameter: each.get("defaultValue", _SAMPLES.get(str(each.get("type", "")).lower(), ""))
        for parameter, each in (properties.get("parameters") or {}).items()
    }
    try:
        rules.holds(rule["if"], _TRIAL, values)
        rules.effect_of(rule, values)
    except UnsupportedError as error:
        raise errors.NOT_EMULATED(str(error)) from error
    except InvalidRuleError as error:
        raise errors.INVALID_RULE(name=name, reason=str(error)) from error


def _check_unused(arm: Reads, stored: Json) -> None:
    """Keep a definition that is assigned."""
    wanted = stored["id"].lower()
    holders = [
        assignment["id"]
        for assignment in arm.scan("/subscriptions/", ASSIGNMENTS)
        if assignment["properties"]["policyDefinitionId"].lower() == wanted
    ]
    if holders:
        raise errors.DEFINITION_IN_USE(name=stored["name"], holders=holders)


def _prepare_assignment(change: Change) -> None:
    """Check that the definition of an assignment exists and has its parameters."""
    require_scope(change)
    properties, name = change.properties, change.id.name
    identifier = properties["policyDefinitionId"]
    found = definition(change.arm, identifier)
    if _SETS in identifier.lower():
        raise errors.NOT_EMULATED("policy sets (initiatives)")
    if found is None and identifier.lower().startswith(PREFIX.lower()):
        known = ", ".join(f"{guid} ({each['displayName']})" for guid, each in BUILT_IN.items())
        raise errors.NOT_EMULATED(f"the built-in policy '{identifier}'. It has these: {known}")
    if found is None:
        raise errors.ASSIGNED_DEFINITION_NOT_FOUND(name=name, definition=identifier)
    given = properties.get("parameters") or {}
    for parameter, each in (found["properties"].get("parameters") or {}).items():
        if "value" not in given.get(parameter, {}) and "defaultValue" not in each:
            raise errors.PARAMETER_MISSING(name=name, parameter=parameter, definition=found["name"])
    properties["scope"] = change.id.scope
    properties.setdefault("enforcementMode", "Default")


_NAME = r"[^<>*%&:?+/\\]{1,128}[^<>*%&:?+/\\. ]?"
POLICY_DEFINITIONS = ResourceType(
    name=DEFINITIONS,
    api_versions=VERSIONS,
    properties={
        "displayName": str,
        "description": str,
        "externalEvaluationEnforcementSettings": object,
        "metadata": object,
        "mode": Choice(("All", "Indexed"), lambda found: errors.NOT_EMULATED(f"the policy mode '{found.value}'")),
        "parameters": MapOf(
            {
                "type": Choice(("String", "Array", "Object", "Boolean", "Integer", "Float", "DateTime")),
                "metadata": object,
                "allowedValues": [object],
                "defaultValue": object,
                "schema": object,
            }
        ),
        "policyRule": Required(object),
        "policyType": Choice(("NotSpecified", "BuiltIn", "Custom", "Static")),
        "version": str,
        "versions": [str],
    },
    name_pattern=_NAME,
    has_state=False,
    updated_status=201,
    prepare=_prepare_definition,
    removable=_check_unused,
    answers_deleted=False,
)
POLICY_ASSIGNMENTS = ResourceType(
    name=ASSIGNMENTS,
    api_versions=VERSIONS,
    members={"location": str, "sku": object},
    properties={
        "assignmentType": Choice(("NotSpecified", "System", "SystemHidden", "Custom")),
        "definitionVersion": str,
        "displayName": str,
        "description": str,
        "effectiveDefinitionVersion": READ_ONLY,
        "enforcementMode": Choice(("Default", "DoNotEnforce")),
        "instanceId": READ_ONLY,
        "latestDefinitionVersion": READ_ONLY,
        "metadata": object,
        "nonComplianceMessages": object,
        "notScopes": [str],
        "parameters": MapOf({"value": object}),
        "policyDefinitionId": Required(str),
        "scope": READ_ONLY,
    },
    name_pattern=r"[^<>*%&:?+/\\]{1,64}",
    has_state=False,
    updated_status=201,
    prepare=_prepare_assignment,
    answers_deleted=True,
)
POLICIES = (POLICY_DEFINITIONS, identifiable(POLICY_ASSIGNMENTS))
