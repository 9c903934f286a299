"""Policy rules: whether the condition of a rule holds for a write, and which effect it has.

Source: https://learn.microsoft.com/azure/governance/policy/concepts/definition-structure-policy-rule
"""

import fnmatch
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from emulator.arm.policy.expressions import (
    Functions,
    InvalidRuleError,
    UnsupportedError,
    evaluate,
)

Json = dict[str, Any]

DENY = "deny"
# Nothing can be seen of the effects other than deny: there are no compliance states. Effects that change something,
# such as append and modify, are not emulated.
EFFECTS = (DENY, "audit", "auditifnotexists", "disabled")
_TAG = re.compile(r"tags(?:\.(\w+)|\['?([^'\]]*)'?\])", re.IGNORECASE)


@dataclass(frozen=True)
class Write:
    """A planned write, as policies see it.

    Args:
        type: the resource's type.
        id: the resource's id.
        location: in normal form; "" if the type has no location.
        tags: the tags after the write.
        indexed: whether the type has location and tags. Policies of mode Indexed ignore all other types.
        body: the body of the write.
    """

    type: str
    id: str
    location: str
    tags: Mapping[str, str]
    indexed: bool
    body: Json = field(default_factory=dict)


def applies(definition: Json, write: Write, group_type: str) -> bool:
    """Tell whether a definition looks at a write at all.

    Args:
        definition: the `properties` of the definition.
        write: the write.
        group_type: the type of resource groups, which have location and tags but are not resources.
    """
    mode = str(definition.get("mode") or "Indexed").lower()
    return mode == "all" or (mode == "indexed" and write.indexed and write.type != group_type)


def functions_of(write: Write, parameters: Mapping[str, Any], group: Json) -> Functions:
    """Return what the expressions of a rule can ask of a write.

    Args:
        write: the write.
        parameters: values of the definition's parameters, by name.
        group: the resource group of the write as GET answers it, or {}.
    """
    values = {name.lower(): value for name, value in parameters.items()}
    return Functions(values, lambda name: _field(write, name), group)


def holds(condition: Json, functions: Functions) -> bool:
    """Tell whether a condition holds.

    Raises:
        UnsupportedError: a part of it is not emulated.
        InvalidRuleError: it is wrong.
    """
    if not isinstance(condition, dict):
        raise InvalidRuleError(f"'{condition}' is not a condition")
    known = {name.lower(): value for name, value in condition.items()}
    for name, combine in (("allof", all), ("anyof", any)):
        if name in known:
            # Each one is evaluated, so that a new rule is tried in all its parts.
            if not isinstance(known[name], list):
                raise InvalidRuleError(f"'{name}' needs a list of conditions")
            found = [holds(each, functions) for each in known[name]]
            return combine(found)
    if "not" in known:
        return not holds(known["not"], functions)
    if "count" in known:
        raise UnsupportedError("'count' in a policy rule")
    operand = [name for name in ("field", "value") if name in known]
    operator = [name for name in known if name in _OPERATORS]
    if len(operand) != 1 or len(operator) != 1:
        raise InvalidRuleError(f"the condition '{', '.join(condition)}' needs a field or value, and one operator")
    subject = evaluate(known[operand[0]], functions)
    actual = functions.field(str(subject)) if operand[0] == "field" else subject
    wanted = evaluate(known[operator[0]], functions)
    if operand[0] == "field" and str(subject).lower() == "location":
        actual, wanted = _normal(actual), _normal(wanted)
    return _OPERATORS[operator[0]](actual, wanted)


def effect_of(rule: Json, functions: Functions) -> str:
    """Return the effect of a rule, in lower case.

    Raises:
        UnsupportedError: it is not emulated.
    """
    effect = str(evaluate(rule["then"].get("effect", ""), functions)).lower()
    if effect not in EFFECTS:
        raise UnsupportedError(f"the policy effect '{effect}'")
    return effect


def tag_of(name: str) -> str | None:
    """Return the tag that a field names, or None if it names something else."""
    found = _TAG.fullmatch(name)
    return None if found is None else found[1] or found[2]


def _field(write: Write, name: str) -> Any:
    """Return a field of a write, or None if it has none of that name."""
    tag = tag_of(name)
    if tag is not None:
        return next((value for known, value in write.tags.items() if known.lower() == tag.lower()), None)
    simple = {
        "name": write.id.rsplit("/", 1)[-1],
        "fullname": "/".join(write.id.rpartition("/providers/")[2].split("/")[2::2]) or write.id.rsplit("/", 1)[-1],
        "type": write.type,
        "location": write.location,
        "id": write.id,
        "kind": write.body.get("kind"),
        "tags": dict(write.tags),
    }
    if name.lower() in simple:
        return simple[name.lower()]
    if "[*]" in name:
        raise UnsupportedError(f"the array alias '{name}' in a policy rule")
    kind, path = name[: len(write.type)], name[len(write.type) + 1 :]
    if "/" not in name:
        raise InvalidRuleError(f"the field '{name}' does not exist")
    if kind.lower() != write.type.lower() or not path:
        return None
    inside = _at(write.body.get("properties"), path)
    return _at(write.body, path) if inside is None else inside


def _at(value: Any, path: str) -> Any:
    for member in path.split("."):
        known = {key.lower(): key for key in value} if isinstance(value, dict) else {}
        if member.lower() not in known:
            return None
        value = value[known[member.lower()]]
    return value


def _normal(value: Any) -> Any:
    if isinstance(value, list):
        return [_normal(item) for item in value]
    return value.replace(" ", "").lower() if isinstance(value, str) else value


def _text(value: Any) -> str:
    return str(value).lower() if value is not None else ""


def _like(actual: Any, pattern: Any) -> bool:
    return actual is not None and fnmatch.fnmatchcase(_text(actual), _text(pattern).replace("[", "[[]"))


def _inside(actual: Any, wanted: Any) -> bool:
    return _text(actual) in {_text(item) for item in (wanted if isinstance(wanted, list) else [wanted])}


def _has(actual: Any, wanted: Any) -> bool:
    if isinstance(actual, list):
        return _text(wanted) in {_text(item) for item in actual}
    return actual is not None and _text(wanted) in _text(actual)


def _has_key(actual: Any, wanted: Any) -> bool:
    return isinstance(actual, dict) and _text(wanted) in {key.lower() for key in actual}


def _order(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    return lambda actual, wanted: type(actual) is type(wanted) and compare(actual, wanted)


def _not(operator: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    return lambda actual, wanted: not operator(actual, wanted)


_POSITIVE: Mapping[str, Callable[[Any, Any], bool]] = {
    "equals": lambda actual, wanted: actual is not None and _text(actual) == _text(wanted),
    "like": _like,
    "in": _inside,
    "contains": _has,
    "containskey": _has_key,
}
_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    **_POSITIVE,
    **{f"not{name}": _not(operator) for name, operator in _POSITIVE.items()},
    "exists": lambda actual, wanted: (actual is not None) == (_text(wanted) == "true"),
    "less": _order(lambda actual, wanted: actual < wanted),
    "lessorequals": _order(lambda actual, wanted: actual <= wanted),
    "greater": _order(lambda actual, wanted: actual > wanted),
    "greaterorequals": _order(lambda actual, wanted: actual >= wanted),
}
