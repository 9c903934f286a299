"""Policy rules: whether the condition of a rule holds for a write, and which effect it has.

Source: https://learn.microsoft.com/azure/governance/policy/concepts/definition-structure-policy-rule
"""

import fnmatch
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from emulator.json_object import Json

DENY = "deny"
# Nothing can be seen of the effects other than deny: there are no compliance states. Effects that change something,
# such as append and modify, are not emulated.
EFFECTS = (DENY, "audit", "auditifnotexists", "disabled")
_TAG = re.compile(r"tags(?:\.(\w+)|\['?([^'\]]*)'?\])", re.IGNORECASE)
# The expressions that are evaluated, with what they stand for: a parameter, or the tag that a parameter names.
_EXPRESSIONS: Mapping[re.Pattern[str], Callable[[Any], Any]] = {
    re.compile(r"\[parameters\('([^']+)'\)\]", re.IGNORECASE): lambda value: value,
    re.compile(r"\[concat\('tags\[', ?parameters\('([^']+)'\), ?'\]'\)\]", re.IGNORECASE): "tags[{}]".format,
}


class UnsupportedError(Exception):
    """A rule has a part that the local Azure does not evaluate; the message names it."""


class InvalidRuleError(Exception):
    """A rule is wrong; the message says why."""


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
    """Tell whether a definition looks at a write at all."""
    mode = str(definition.get("mode") or "Indexed").lower()
    return mode == "all" or (mode == "indexed" and write.indexed and write.type != group_type)


def holds(condition: Json, write: Write, parameters: Mapping[str, Any]) -> bool:
    """Tell whether a condition holds.

    Raises:
        UnsupportedError: a part of it is not emulated.
        InvalidRuleError: it is wrong.
    """
    known = {name.lower(): value for name, value in condition.items()}
    for name, combine in (("allof", all), ("anyof", any)):
        if name in known:
            # Each one is evaluated, so that a new rule is tried in all its parts.
            found = [holds(each, write, parameters) for each in known[name]]
            return combine(found)
    if "not" in known:
        return not holds(known["not"], write, parameters)
    for name in ("count", "value"):
        if name in known:
            raise UnsupportedError(f"'{name}' in a policy rule")
    operator = [name for name in known if name in _OPERATORS]
    if "field" not in known or len(operator) != 1:
        raise InvalidRuleError(f"the condition '{', '.join(condition)}' needs a field and one operator")
    subject = str(_evaluated(known["field"], parameters))
    actual, wanted = _field(write, subject), _evaluated(known[operator[0]], parameters)
    if subject.lower() == "location":
        wanted = _normal(wanted)
    return _OPERATORS[operator[0]](actual, wanted)


def effect_of(rule: Json, parameters: Mapping[str, Any]) -> str:
    """Return the effect of a rule, in lower case.

    Raises:
        UnsupportedError: it is not emulated.
    """
    effect = str(_evaluated(rule["then"].get("effect", ""), parameters)).lower()
    if effect not in EFFECTS:
        raise UnsupportedError(f"the policy effect '{effect}'")
    return effect


def _evaluated(value: Any, parameters: Mapping[str, Any]) -> Any:
    """Return the value of an expression, or the value itself if it is none."""
    if not isinstance(value, str) or not value.startswith("["):
        return value
    for pattern, meaning in _EXPRESSIONS.items():
        found = pattern.fullmatch(value)
        if found is not None and found[1] in parameters:
            return meaning(parameters[found[1]])
    raise UnsupportedError(f"the expression '{value}' in a policy rule")


def _field(write: Write, name: str) -> Any:
    """Return a field of a write, or None if it has none of that name."""
    tag = _TAG.fullmatch(name)
    if tag is not None:
        wanted = (tag[1] or tag[2]).lower()
        return next((value for known, value in write.tags.items() if known.lower() == wanted), None)
    simple = {
        "name": write.id.rsplit("/", 1)[-1],
        "type": write.type,
        "location": write.location,
        "id": write.id,
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


def _not(operator: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    return lambda actual, wanted: not operator(actual, wanted)


_POSITIVE: Mapping[str, Callable[[Any, Any], bool]] = {
    "equals": lambda actual, wanted: actual is not None and _text(actual) == _text(wanted),
    "like": _like,
    "in": _inside,
    "contains": _has,
}
_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    **_POSITIVE,
    **{f"not{name}": _not(operator) for name, operator in _POSITIVE.items()},
    "exists": lambda actual, wanted: (actual is not None) == (_text(wanted) == "true"),
}
