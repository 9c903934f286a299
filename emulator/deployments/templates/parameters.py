"""The parameters of a deployment: what the caller gave, checked against what the template declares."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from emulator.deployments.exceptions import INVALID_TEMPLATE, NOT_SUPPORTED, NULL_PARAMETER
from emulator.deployments.language.evaluation import evaluate
from emulator.deployments.language.expression_error import ExpressionError
from emulator.deployments.language.scope import Environment, Scope
from emulator.deployments.language.values import UNKNOWN, Unknown, find_key, holds_unknown, same, to_text, type_name
from emulator.deployments.templates.template import Template

USAGE = "Please see https://aka.ms/arm-create-parameter-file for usage details."

# Types of parameters and outputs by lower-case name: the spelling in ARM's answers, and the JSON type.
TYPES: dict[str, tuple[str, type]] = {
    "string": ("String", str),
    "securestring": ("SecureString", str),
    "int": ("Int", int),
    "bool": ("Bool", bool),
    "object": ("Object", dict),
    "secureobject": ("SecureObject", dict),
    "array": ("Array", list),
}
# What ARM's messages call the JSON types of parameters and outputs.
JTOKENS: dict[type, str] = {str: "String, Uri", int: "Integer", bool: "Boolean", dict: "Object", list: "Array"}
SECURE = ("SecureString", "SecureObject")


@dataclass(frozen=True)
class Parameter:
    """A parameter with its value."""

    name: str
    type: str
    value: Any

    @property
    def secure(self) -> bool:
        """Whether the value must never be shown."""
        return self.type in SECURE


def read_given(raw: Any) -> dict[str, Any]:
    """Return the values of a request's `properties.parameters`, by name.

    Raises:
        ServiceError: 400 `InvalidDeploymentParameterValue`.
    """
    values: dict[str, Any] = {}
    for name, entry in (raw or {}).items():
        if isinstance(entry, Unknown):
            values[name] = UNKNOWN
            continue
        if isinstance(entry, Mapping) and "reference" in entry:
            raise NOT_SUPPORTED(f"parameters from a key vault (`reference` of parameter '{name}')")
        if not isinstance(entry, Mapping) or entry.get("value") is None:
            raise NULL_PARAMETER(name)
        values[name] = entry["value"]
    return values


def resolve_parameters(template: Template, given: Mapping[str, Any], environment: Environment) -> dict[str, Parameter]:
    """Return every declared parameter with its value: the given one, or the evaluated default.

    Raises:
        ServiceError: 400 `InvalidTemplate` for a value that is missing, unknown, of a wrong type or not allowed.
    """
    declared = template.section("parameters")
    unknown = [name for name in given if find_key(declared, name) is None]
    if unknown:
        raise INVALID_TEMPLATE(
            f"The template parameters '{', '.join(unknown)}' in the parameters file are not valid; they are not present "
            "in the original template and can therefore not be provided at deployment time. The only supported "
            f"parameters for this template are '{', '.join(declared)}'. "
            "Please see https://aka.ms/arm-pass-parameter-values for usage details."
        )
    resolved: dict[str, Parameter] = {}
    for name, definition in declared.items():
        kind = _type(name, definition)
        key = find_key(given, name)
        value = given[key] if key is not None else _default(name, definition, resolved, environment)
        parameter = Parameter(name, kind, value)
        _check(definition, parameter)
        resolved[name] = parameter
    return resolved


def _type(name: str, definition: Mapping[str, Any]) -> str:
    """Return the type of a parameter in ARM's spelling."""
    known = TYPES.get(definition["type"].lower())
    if known is None:
        raise INVALID_TEMPLATE(
            f"Template parameter '{name}' has the type '{definition['type']}', which is not valid. Expected one of "
            f"'{', '.join(spelling for spelling, _ in TYPES.values())}'. Please see "
            "https://aka.ms/arm-syntax#parameters for usage details."
        )
    return known[0]


def _default(
    name: str, definition: Mapping[str, Any], resolved: Mapping[str, Parameter], environment: Environment
) -> Any:
    if "defaultValue" not in definition:
        raise INVALID_TEMPLATE(f"The value for the template parameter '{name}' is not provided. {USAGE}")
    known = {other.name: other.value for other in resolved.values()}
    try:
        return evaluate(definition["defaultValue"], Scope(environment, parameters=known, in_default=True))
    except ExpressionError as error:
        raise INVALID_TEMPLATE(
            # ARM calls it a resource here too.
            f"The template resource '{name}' is not valid: {error}. Please see https://aka.ms/arm-functions for usage "
            "details."
        ) from error


def _check(definition: Mapping[str, Any], parameter: Parameter) -> None:
    reason = _fault(definition, parameter)
    if reason:
        raise INVALID_TEMPLATE(
            f"The provided value for the template parameter '{parameter.name}' is not valid. {reason} {USAGE}"
        )


def _fault(definition: Mapping[str, Any], parameter: Parameter) -> str:
    """Return what is wrong with a value, or ""; the text does not show a secure value."""
    value, wanted = parameter.value, TYPES[parameter.type.lower()][1]
    if holds_unknown(value):
        # A parameter of a nested template, checked again when the nested deployment begins.
        return ""
    if type(value) is not wanted:
        return f"Expected a value of type '{JTOKENS[wanted]}', but received a value of type '{type_name(value)}'."
    allowed = definition.get("allowedValues")
    if allowed is not None and not any(same(value, item) for item in allowed):
        shown = "" if parameter.secure else f" '{to_text(value)}'"
        return f"The value{shown} is not part of the allowed value(s): '{','.join(map(to_text, allowed))}'."
    size = len(value) if isinstance(value, str | list | dict) else None
    for member, measured, what in (
        ("minLength", size, "Length of the value should be greater than or equal to"),
        ("minValue", value, f"The value '{value}' should be greater than or equal to"),
    ):
        if type(measured) is int and measured < definition.get(member, measured):
            return f"{what} '{definition[member]}'."
    for member, measured, what in (
        ("maxLength", size, "Length of the value should be less than or equal to"),
        ("maxValue", value, f"The value '{value}' should be less than or equal to"),
    ):
        if type(measured) is int and measured > definition.get(member, measured):
            return f"{what} '{definition[member]}'."
    return ""


def to_external(parameters: Mapping[str, Parameter]) -> dict[str, Any]:
    """Return parameters as GET answers them; of secure ones, only the type."""
    return {
        parameter.name: {"type": parameter.type} | ({} if parameter.secure else {"value": parameter.value})
        for parameter in parameters.values()
    }
