"""JSON values as the query language sees them: undefined, equality, comparison."""

from typing import Any, Final, final


@final
class Undefined:
    """The value of a member that does not exist. It equals nothing, and no filter accepts it."""

    def __repr__(self) -> str:
        return "undefined"


UNDEFINED: Final = Undefined()

_TYPES: tuple[tuple[str, type | tuple[type, ...]], ...] = (
    ("undefined", Undefined),
    ("null", type(None)),
    ("boolean", bool),
    ("number", (int, float)),
    ("string", str),
    ("array", list),
    ("object", dict),
)


def type_name(value: Any) -> str:
    """Return the JSON type of a value, or `undefined`."""
    return next(name for name, kind in _TYPES if isinstance(value, kind))


def same_type(left: Any, right: Any) -> bool:
    """Tell whether two values are both defined and have the same JSON type."""
    return left is not UNDEFINED and type_name(left) == type_name(right)


def equals(left: Any, right: Any) -> Any:
    """Compare as `=` does: true, false, or undefined if the types differ."""
    return deep_equals(left, right) if same_type(left, right) else UNDEFINED


def deep_equals(left: Any, right: Any) -> bool:
    """Tell whether two values are equal as JSON; unlike in Python, `true` does not equal `1` at any depth."""
    if not same_type(left, right):
        return False
    if isinstance(left, list):
        return len(left) == len(right) and all(map(deep_equals, left, right))
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(deep_equals(value, right[name]) for name, value in left.items())
    return bool(left == right)
