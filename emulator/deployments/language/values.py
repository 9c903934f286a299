"""The values of the language: JSON, and `UNKNOWN` for what is not known before the deployment runs."""

import json
from collections.abc import Mapping
from typing import Any, Final

from emulator.deployments.language.errors import ExpressionError


class _Unknown:
    """The type of `UNKNOWN`."""

    def __repr__(self) -> str:
        return "UNKNOWN"


# What reference() and list*() return while a template is only checked. Values computed from it are unknown too.
UNKNOWN: Final = _Unknown()

TYPE_NAMES: dict[type, str] = {
    str: "String",
    int: "Integer",
    bool: "Boolean",
    float: "Float",
    list: "Array",
    dict: "Object",
    type(None): "Null",
}


def type_name(value: Any) -> str:
    """Name the type of a value as ARM's messages do."""
    return TYPE_NAMES.get(type(value), type(value).__name__)


def to_text(value: Any) -> str:
    """Write a value as string() does: .NET's spelling of booleans, compact JSON for arrays and objects."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "True" if value else "False"
    if value is None:
        return ""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def same(left: Any, right: Any) -> bool:
    """Tell whether two values are equal as JSON: true is not 1, and members have no order."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(value, right[name]) for name, value in left.items())
    return bool(left == right)


def find_key(members: Mapping[str, Any], name: str) -> str | None:
    """Return the key of a member whose name matches, ignoring case, or None."""
    if name in members:
        return name
    folded = name.lower()
    return next((key for key in members if key.lower() == folded), None)


def member(base: Any, name: str) -> Any:
    """Return a member of an object.

    Raises:
        ExpressionError: there is no such member, or the value is not an object.
    """
    if not isinstance(base, Mapping):
        raise ExpressionError(
            f"The language expression property '{name}' can't be evaluated, property can only be selected from an "
            f"object, not from a value of type '{type_name(base)}'."
        )
    key = find_key(base, name)
    if key is None:
        raise ExpressionError(
            f"The language expression property '{name}' doesn't exist, available properties are '{', '.join(base)}'."
        )
    return base[key]


def element(base: Any, index: Any) -> Any:
    """Return an element of an array by position, or a member of an object by name.

    Raises:
        ExpressionError: there is no such element.
    """
    if isinstance(index, str):
        return member(base, index)
    if not isinstance(base, list) or not isinstance(index, int) or isinstance(index, bool):
        raise ExpressionError(
            f"The language expression property '{to_text(index)}' can't be evaluated: "
            f"a value of type '{type_name(base)}' has no such element."
        )
    if not 0 <= index < len(base):
        raise ExpressionError(
            f"The language expression property array index '{index}' is out of bounds, "
            f"the array has {len(base)} element(s)."
        )
    return base[index]
