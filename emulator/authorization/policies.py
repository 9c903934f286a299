"""The resource types of policy definitions, their assignments and exemptions. `arm/policy` says what they do to writes."""

import re
from dataclasses import replace
from typing import Any

from starlette.responses import Response

from emulator.arm.access.policies import ASSIGNMENTS, DEFINITIONS, EXEMPTIONS, built_in, definition
from emulator.arm.call import Call, answer, page
from emulator.arm.ids import scopes
from emulator.arm.models import ArmModel
from emulator.arm.policy import rules
from emulator.arm.policy.built_in import BUILT_IN, PREFIX
from emulator.arm.policy.expressions import (
    Functions,
    InvalidRuleError,
    NoArrayError,
    UnsupportedError,
    evaluate,
    is_expression,
    parameters_in,
)
from emulator.arm.policy.rules import Write
from emulator.arm.resources import Change, ResourceType
from emulator.arm.schema import READ_ONLY, Choice, MapOf, Required
from emulator.authorization import policy_exceptions as errors
from emulator.authorization.exceptions import POLICY_PARAMETER_MISSING, UNSUPPORTED_FILTER
from emulator.authorization.scopes import enter, require_scope
from emulator.identities.assigned import identifiable

Json = dict[str, Any]

VERSIONS = (
    "2018-05-01",
    "2019-01-01",
    "2019-06-01",
    "2019-09-01",
    "2020-03-01",
    "2020-09-01",
    "2021-06-01",
    "2022-06-01",
    "2023-04-01",
    "2024-04-01",
    "2024-05-01",
    "2025-01-01",
    "2025-03-01",
    "2025-11-01",
)
EXEMPTION_VERSIONS = ("2020-07-01-preview", "2022-07-01-preview", "2024-12-01-preview", "2025-12-01-preview")
_SETS = "/policysetdefinitions/"
_FILTER = re.compile(r"policyType eq '(Custom|BuiltIn|Static)'", re.IGNORECASE)
_UNDEFINED = re.compile(r"undefined parameter '(.*)'")
# A write with which a new rule is tried, so that what cannot be evaluated is refused at once.
_TRIAL = Write(
    "Microsoft.Example/things", "/subscriptions/s/resourceGroups/g/providers/x/y/z", "eastus", {}, indexed=True
)
# What messages call the types of JSON values.
_TYPES = {list: "Array", dict: "Object", bool: "Boolean", int: "Integer", float: "Float"}
# Values of parameters without a default, by their type.
_SAMPLES: Json = {"array": [], "object": {}, "boolean": True, "integer": 0, "float": 0.0}


async def list_definitions(call: Call) -> Response:
    """GET {scope}/…/policyDefinitions: the built-in ones, and those of the subscription."""
    scope = enter(call, f"{DEFINITIONS}/read")
    text = call.request.query_params.get("$filter", "")
    found = _FILTER.fullmatch(text)
    if text and found is None:
        raise UNSUPPORTED_FILTER(text)
    stored = [call.arm.render(one) for one in call.arm.scan(f"{scope}/providers/{DEFINITIONS}/", DEFINITIONS)]
    every = [*(built_in(name) for name in BUILT_IN), *stored]
    kind = "" if found is None else found[1].lower()
    return page(call, [one for one in every if not kind or one["properties"]["policyType"].lower() == kind])


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
    """GET {scope}/…/policyAssignments."""
    return _list(call, ASSIGNMENTS)


async def list_exemptions(call: Call) -> Response:
    """GET {scope}/…/policyExemptions."""
    return _list(call, EXEMPTIONS)


def _list(call: Call, kind: str) -> Response:
    """Answer what is at a scope, above it and below it, as far as the filter asks for it."""
    scope = enter(call, f"{kind}/read")
    text = call.request.query_params.get("$filter", "").lower()
    if text not in {"", "atscope()", "atexactscope()", "atscopeandbelow()"}:
        raise UNSUPPORTED_FILTER(text)
    chain = scopes(scope)
    at = [stored for part in chain[-1:] for stored in call.arm.scan(f"{part}/providers/{kind}/")]
    above = [stored for part in chain[:-1] for stored in call.arm.scan(f"{part}/providers/{kind}/")]
    known = {stored["id"] for stored in (*above, *at)}
    below = [stored for stored in call.arm.scan(f"{chain[-1]}/", kind) if stored["id"] not in known]
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
    parameters = properties.get("parameters") or {}
    if change.existing is not None:
        _check_kept(change.existing["properties"].get("parameters") or {}, parameters)
    _check_declarations(name, parameters, rule)
    values = {
        parameter: each.get("defaultValue", _SAMPLES.get(str(each.get("type", "")).lower(), ""))
        for parameter, each in parameters.items()
    }
    try:
        functions = replace(rules.functions_of(_TRIAL, values, {"tags": {}}), trial=True)
        rules.holds(rule["if"], functions)
        for effect in _effects(rule, parameters, functions):
            chosen = rules.effect_of({"then": {"effect": effect}}, functions)
            if chosen in {rules.APPEND, rules.MODIFY}:
                rules.changed_tags(rule, chosen, {}, functions)
    except UnsupportedError as error:
        raise errors.NOT_EMULATED(str(error)) from error
    except NoArrayError as error:
        raise errors.NO_ARRAY(name=name, value=error.value, actual=_type_of(error.actual)) from error
    except InvalidRuleError as error:
        undefined = _UNDEFINED.search(str(error))
        if undefined is not None:
            raise errors.UNDEFINED_PARAMETER(name=name, parameter=undefined[1]) from error
        raise errors.INVALID_RULE(name=name, reason=str(error)) from error


def _check_kept(before: Json, after: Json) -> None:
    """Check that the assignments of a definition still fit it: it keeps its parameters, and new ones have a default."""
    names = {parameter.lower() for parameter in after}
    known = {parameter.lower() for parameter in before}
    if len(after) < len(before):
        raise errors.PARAMETERS_REMOVED(before=len(before), after=len(after))
    if renamed := [parameter for parameter in before if parameter.lower() not in names]:
        raise errors.PARAMETERS_RENAMED(renamed)
    added = [parameter for parameter in after if parameter.lower() not in known]
    if without := [parameter for parameter in added if "defaultValue" not in after[parameter]]:
        raise errors.PARAMETERS_WITHOUT_DEFAULT(without)


def _check_declarations(name: str, parameters: Json, rule: Json) -> None:
    """Check that each parameter is used, and that its default is a value of its type."""
    used = parameters_in(rule)
    unused = [parameter for parameter in parameters if parameter.lower() not in used]
    if unused:
        raise errors.UNUSED_PARAMETERS(name=name, parameters=unused)
    for parameter, each in parameters.items():
        if "defaultValue" in each and not _fits(each["defaultValue"], each):
            raise errors.DEFAULT_OF_ANOTHER_TYPE(
                parameter=parameter, expected=str(each.get("type", "String")), actual=_type_of(each["defaultValue"])
            )


def _fits(value: Any, declared: Json) -> bool:
    """Tell whether a value is an array, an object or neither, as the type of its parameter is. Expressions always fit."""
    wanted = str(declared.get("type", "String"))
    return is_expression(value) or _composite(_type_of(value)) == _composite(wanted.capitalize())


def _composite(kind: str) -> str:
    return kind if kind in {"Array", "Object"} else ""


def _type_of(value: Any) -> str:
    return _TYPES.get(type(value), "String")


def _effects(rule: Json, parameters: Json, functions: Functions) -> list[Any]:
    """Return the effects that a rule can have: one, or those that its parameter allows."""
    named = re.fullmatch(r"\[parameters\('(\w+)'\)\]", str(rule["then"].get("effect")))
    allowed = (parameters.get(named[1]) or {}).get("allowedValues") if named is not None else None
    return list(allowed) if allowed else [evaluate(rule["then"].get("effect", ""), functions)]


def _check_unused(arm: ArmModel, stored: Json) -> None:
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
    """Check that the definition of an assignment exists, its parameters, and its identity if the policy needs one."""
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
    defined = found["properties"].get("parameters") or {}
    _check_parameters(name, found["name"], defined, properties.get("parameters") or {})
    then = found["properties"]["policyRule"]["then"]
    if str(then.get("effect", "")).lower() == rules.MODIFY and not change.body.get("identity"):
        raise errors.IDENTITY_REQUIRED(name)
    properties["scope"] = change.id.scope
    properties.setdefault("enforcementMode", "Default")


def _check_parameters(name: str, definition_name: str, defined: Json, given: Json) -> None:
    unknown = [parameter for parameter in given if parameter not in defined]
    if unknown:
        raise errors.UNKNOWN_PARAMETERS(name=name, parameters=unknown, definition=definition_name)
    for parameter, each in defined.items():
        if "value" not in given.get(parameter, {}):
            if "defaultValue" not in each:
                raise POLICY_PARAMETER_MISSING(name=name, parameter=parameter, definition=definition_name)
            continue
        value, allowed = given[parameter]["value"], each.get("allowedValues")
        if not _fits(value, each):
            raise errors.VALUE_OF_ANOTHER_TYPE(
                name=name, parameter=parameter, expected=str(each.get("type", "String")), actual=_type_of(value)
            )
        chosen = value if isinstance(value, list) else [value]
        if allowed and not {str(one).lower() for one in chosen} <= {str(one).lower() for one in allowed}:
            raise errors.parameter_not_allowed(name, parameter, value, allowed)


def _prepare_exemption(change: Change) -> None:
    """Check that an exemption is from an assignment that reaches its scope."""
    require_scope(change)
    assignment = change.properties["policyAssignmentId"]
    found = change.arm.load(assignment)
    if found is None or found["type"] != ASSIGNMENTS:
        raise errors.ASSIGNMENT_NOT_FOUND(name=change.id.name, assignment=assignment)
    if not f"{change.id.scope}/".lower().startswith(f"{found['properties']['scope']}/".lower()):
        raise errors.EXEMPTION_ELSEWHERE(name=change.id.name, assignment=assignment)


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
POLICY_EXEMPTIONS = ResourceType(
    name=EXEMPTIONS,
    api_versions=EXEMPTION_VERSIONS,
    properties={
        "assignmentScopeValidation": str,
        "description": str,
        "displayName": str,
        "exemptionCategory": Required(Choice(("Waiver", "Mitigated"))),
        "expiresOn": str,
        "metadata": object,
        "policyAssignmentId": Required(str),
        "policyDefinitionReferenceIds": [str],
    },
    name_pattern=r"[^<>*%&:?+/\\]{1,64}",
    has_state=False,
    prepare=_prepare_exemption,
)
POLICIES = (POLICY_DEFINITIONS, identifiable(POLICY_ASSIGNMENTS), POLICY_EXEMPTIONS)
