"""Functions for logic and comparison. As in ARM, `if` evaluates only the branch that it takes."""

from collections.abc import Callable, Sequence
from typing import Any

from emulator.deployments.language.functions.signature import Function, failed
from emulator.deployments.language.syntax import Call
from emulator.deployments.language.values import Unknown, as_node, same, type_name


def _if(arguments: Sequence[Callable[[], Any]]) -> Any:
    condition = arguments[0]()
    if isinstance(condition, Unknown):
        # Which branch it takes is known only when the deployment runs: both must be valid, and may refer to resources.
        return Unknown(Call("if", (as_node(condition), as_node(arguments[1]()), as_node(arguments[2]()))))
    if not isinstance(condition, bool):
        raise failed("if", f"the condition is of type '{type_name(condition)}', not 'Boolean'")
    return arguments[1]() if condition else arguments[2]()


def _bool(value: Any) -> bool:
    if isinstance(value, str):
        if value.lower() not in ("true", "false"):
            raise failed("bool", f"'{value}' is neither 'true' nor 'false'")
        return value.lower() == "true"
    return bool(value)


def _compare(name: str, accept: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def compare(left: Any, right: Any) -> bool:
        if type(left) is not type(right):
            raise failed(name, f"the types '{type_name(left)}' and '{type_name(right)}' cannot be compared")
        return accept(left, right)

    return compare


COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "less": lambda left, right: left < right,
    "lessOrEquals": lambda left, right: left <= right,
    "greater": lambda left, right: left > right,
    "greaterOrEquals": lambda left, right: left >= right,
}

LOGIC = (
    Function("if", "bool any any", lazy=_if),
    Function("and", "bool bool bool*", lambda *values: all(values)),
    Function("or", "bool bool bool*", lambda *values: any(values)),
    Function("not", "bool", lambda value: not value),
    Function("equals", "any any", same),
    *(Function(name, "int|string int|string", _compare(name, accept)) for name, accept in COMPARISONS.items()),
    Function("bool", "string|int|bool", _bool),
    Function("true", "", lambda: True),
    Function("false", "", lambda: False),
    Function("null", "", lambda: None),
    Function("coalesce", "any any*", lambda *values: next((value for value in values if value is not None), None)),
)
