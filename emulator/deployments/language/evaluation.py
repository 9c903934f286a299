"""Evaluate expressions and whole JSON values in a scope."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from emulator.deployments.language.expression_error import ExpressionError, UndeterminedError
from emulator.deployments.language.functions import FUNCTIONS
from emulator.deployments.language.functions.missing_functions import ABSENT, NOT_EMULATED
from emulator.deployments.language.functions.signature import Function
from emulator.deployments.language.scope import Scope
from emulator.deployments.language.syntax import (
    Call,
    Index,
    Literal,
    Member,
    Node,
    is_expression,
    literal_text,
    parse,
)
from emulator.deployments.language.values import (
    Unknown,
    as_node,
    element,
    find_key,
    holds_unknown,
    member,
    type_name,
)

MAX_COPY_COUNT = 800


class Variables:
    """A template's variables. Each is evaluated at its first use, so their order does not matter."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        loops = raw.get("copy")
        self._loops = {loop["name"]: loop for loop in loops or ()} if is_property_copy(loops) else {}
        self._raw = {name: value for name, value in raw.items() if name != "copy" or not self._loops} | self._loops
        self._values: dict[str, Any] = {}
        self._open: list[str] = []

    def check(self, scope: Scope) -> tuple[str, ExpressionError] | None:
        """Evaluate every variable; return the name of the first that cannot be evaluated, with the error."""
        for name in self._raw:
            try:
                self.get(name, scope)
            except ExpressionError as error:
                return name, error
            except UndeterminedError:
                # A loop of a nested template whose count is not known yet.
                continue
        return None

    def get(self, name: str, scope: Scope) -> Any:
        """Return the value of a variable.

        Raises:
            ExpressionError: there is no such variable, or its value depends on itself.
        """
        key = find_key(self._raw, name)
        if key is None:
            raise ExpressionError(f"The template variable '{name}' is not found.", topic="arm-template/#variables")
        if key not in self._values:
            if key in self._open:
                chain = "', '".join([*self._open, key])
                raise ExpressionError(
                    f"The template variables '{chain}' form a circle.", topic="arm-template-expressions"
                )
            self._open.append(key)
            try:
                # A variable has the same value everywhere, so its expression sees no copy loop and no resource.
                alone = replace(scope, loops={}, runtime=None)
                loop = self._loops.get(key)
                self._values[key] = evaluate_loop(loop, key, alone) if loop else evaluate(self._raw[key], alone)
            finally:
                self._open.pop()
        return self._values[key]


def evaluate(value: Any, scope: Scope) -> Any:
    """Evaluate every expression in a JSON value, property copy loops included.

    Raises:
        ExpressionError: an expression cannot be parsed or evaluated.
    """
    if isinstance(value, str):
        return evaluate_node(parse(value), scope) if is_expression(value) else literal_text(value)
    if isinstance(value, list):
        return [evaluate(item, scope) for item in value]
    if isinstance(value, dict):
        return _evaluate_object(value, scope)
    return value


def _evaluate_object(value: dict[str, Any], scope: Scope) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, item in value.items():
        if name.lower() == "copy" and is_property_copy(item):
            for loop in item:
                result[loop["name"]] = evaluate_loop(loop, loop["name"], scope)
            continue
        # Names can be expressions too; Bicep writes computed member names that way.
        key = evaluate(name, scope) if name.startswith("[") else name
        if isinstance(key, Unknown):
            key = str(key)
        if not isinstance(key, str):
            raise ExpressionError(f"The property name '{name}' evaluates to a value of type '{type_name(key)}'.")
        result[key] = evaluate(item, scope)
    return result


def is_property_copy(item: Any) -> bool:
    """Tell whether the value of a member named `copy` describes copy loops, and is not a property of that name."""
    return (
        isinstance(item, list)
        and bool(item)
        and all(
            isinstance(loop, dict) and isinstance(loop.get("name"), str) and {"count", "input"} <= loop.keys()
            for loop in item
        )
    )


def evaluate_loop(loop: Mapping[str, Any], name: str, scope: Scope, *, unnamed: bool = False) -> Any:
    """Evaluate a loop: return one evaluated `input` for each round.

    Args:
        loop: `{count, input}`.
        name: name of the loop.
        scope: the scope around the loop.
        unnamed: whether `copyIndex()` without a name means this loop; in the loop of a property, it means the loop of
            the resource.

    Raises:
        ExpressionError: `count` or `input` is missing or wrong.
    """
    if not {"count", "input"} <= loop.keys():
        raise ExpressionError(f"The copy loop '{name}' needs 'count' and 'input'.", topic="arm-copy")
    count = copy_count(loop["count"], name, scope)
    return [evaluate(loop["input"], scope.in_loop(name, index, unnamed=unnamed)) for index in range(count)]


def copy_count(raw: Any, name: str, scope: Scope) -> int:
    """Return how many rounds a copy loop has.

    Raises:
        ExpressionError: the count is not an integer from 0 to 800.
    """
    count = evaluate(raw, replace(scope, runtime=None))
    if isinstance(count, Unknown):
        raise UndeterminedError(name)
    if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= MAX_COPY_COUNT:
        raise ExpressionError(
            f"The template copy definition '{name}' has an invalid copy count '{count}'. The copy count must be a "
            f"non-negative integer value and cannot exceed '{MAX_COPY_COUNT}'.",
            topic="arm-copy",
        )
    return count


def evaluate_node(node: Node, scope: Scope) -> Any:
    """Evaluate one tree.

    Raises:
        ExpressionError: a function, member or element that it uses does not exist or has a wrong type.
    """
    if isinstance(node, Literal):
        return node.value
    if isinstance(node, Call):
        return _call(node, scope)
    base = evaluate_node(node.base, scope)
    if isinstance(node, Member):
        return Unknown(Member(as_node(base), node.name)) if isinstance(base, Unknown) else member(base, node.name)
    index = evaluate_node(node.index, scope)
    if isinstance(base, Unknown) or isinstance(index, Unknown):
        return Unknown(Index(as_node(base), as_node(index)))
    return element(base, index)


def _call(node: Call, scope: Scope) -> Any:
    function = find_function(node.name)
    if function.lazy is not None:
        function.check_count(len(node.arguments))
        return function.lazy([_later(argument, scope) for argument in node.arguments])
    arguments = [evaluate_node(argument, scope) for argument in node.arguments]
    function.check_count(len(arguments))
    if any(map(holds_unknown, arguments)):
        return _unknown(node, arguments)
    function.check_types(arguments)
    result = function.evaluate(scope, node.name, arguments) if function.scoped else function.evaluate(*arguments)
    # Only `reference` and `list*` begin something unknown.
    return _unknown(node, arguments) if isinstance(result, Unknown) and result.node is None else result


def _unknown(node: Call, arguments: list[Any]) -> Unknown:
    return Unknown(Call(node.name, tuple(map(as_node, arguments))))


def _later(node: Node, scope: Scope) -> Callable[[], Any]:
    return lambda: evaluate_node(node, scope)


def find_function(name: str) -> Function:
    """Return a function by its name, ignoring case; any `list…` is an action of a resource.

    Raises:
        ExpressionError: there is no such function.
        ServiceError: Azure has the function and the local Azure does not.
    """
    folded = name.lower()
    function = FUNCTIONS.get(folded)
    if function is None and folded.startswith("list"):
        function = FUNCTIONS["list*"]
    if function is None and folded in ABSENT:
        raise NOT_EMULATED(ABSENT[folded])
    if function is None:
        raise ExpressionError(f"The template function '{name}' is not valid.")
    return function
