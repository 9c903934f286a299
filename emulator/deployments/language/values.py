"""The values of the language: JSON, and `Unknown` for what is not known before the deployment runs."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from emulator.deployments.language.expression_error import ExpressionError
from emulator.deployments.language.syntax import Call, Literal, Node, unparse


@dataclass(frozen=True)
class Unknown:
    """A value that only the running deployment can compute.

    Args:
        node: the expression for it, in which everything that is known is evaluated; None while it is not needed.
    """

    node: Node | None = None

    def __str__(self) -> str:
        return "" if self.node is None else unparse(self.node)


# What reference() and list*() return while a template is only checked. Values computed from it are unknown too.
UNKNOWN: Final = Unknown()


def holds_unknown(value: Any) -> bool:
    """Tell whether a value, or anything in it, is unknown."""
    if isinstance(value, list | dict):
        return any(map(holds_unknown, value.values() if isinstance(value, dict) else value))
    return isinstance(value, Unknown)


def without_unknown(value: Any) -> Any:
    """Return a value as JSON: each unknown value in it becomes the text of its expression."""
    if isinstance(value, list):
        return [without_unknown(item) for item in value]
    if isinstance(value, dict):
        return {name: without_unknown(item) for name, item in value.items()}
    return str(value) if isinstance(value, Unknown) else value


def as_node(value: Any) -> Node:
    """Return an expression for a value."""
    match value:
        case Unknown():
            return value.node or Call("null", ())
        case bool() | None:
            return Call({True: "true", False: "false", None: "null"}[value], ())
        case list():
            return Call("createArray", tuple(map(as_node, value)))
        case dict():
            return Call("createObject", tuple(as_node(part) for pair in value.items() for part in pair))
        case float():
            return Call("json", (Literal(json.dumps(value)),))
    return Literal(value)


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
            f"The language expression property '{name}' can't be evaluated, property name must be a string and the value "
            f"must be an object, not of type '{type_name(base)}'.",
            topic="",
        )
    key = find_key(base, name)
    if key is None:
        raise ExpressionError(
            f"The language expression property '{name}' doesn't exist, available properties are '{', '.join(base)}'.",
            topic="",
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
        raise ExpressionError(f"The language expression property array index '{index}' is out of bounds.", topic="")
    return base[index]
