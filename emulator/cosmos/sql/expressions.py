"""Compiles expressions to Python functions over a document, once for each execution of a query."""

from collections.abc import Callable
from typing import Any

from emulator.cosmos.exceptions import BAD_REQUEST, NOT_SUPPORTED
from emulator.cosmos.sql.statements import Node
from emulator.cosmos.sql.values import UNDEFINED, deep_equals, equals, same_type, type_name

# Takes the document that the alias names.
Expression = Callable[[Any], Any]

_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
}
_ORDERED = ("boolean", "number", "string")
_CONSTANTS = {"true": True, "false": False, "null": None, "undefined": UNDEFINED}


def _starts_with(text: Any, part: Any) -> Any:
    return text.startswith(part) if isinstance(text, str) and isinstance(part, str) else UNDEFINED


def _array_contains(array: Any, wanted: Any) -> Any:
    if not isinstance(array, list) or wanted is UNDEFINED:
        return UNDEFINED
    return any(deep_equals(item, wanted) for item in array)


# By name: how many arguments a function takes, and what it returns for them.
FUNCTIONS: dict[str, tuple[int, Callable[..., Any]]] = {
    "IS_DEFINED": (1, lambda value: value is not UNDEFINED),
    "STARTSWITH": (2, _starts_with),
    "ARRAY_CONTAINS": (2, _array_contains),
}


class Compiler:
    """Turns syntax trees into functions: one method for each kind of node."""

    def __init__(self, alias: str, parameters: dict[str, Any]) -> None:
        """Set the meaning of names."""
        self._alias = alias
        self._parameters = parameters

    def compile(self, node: Any) -> Expression:
        """Compile a node to a function.

        Raises:
            ServiceError: 400 when a name, function or parameter is unknown.
        """
        compiled: Expression = getattr(self, f"_{node.data}")(node)
        return compiled

    def _string(self, node: Node) -> Expression:
        value = str(node.children[0])[1:-1]
        return lambda _: value

    def _integer(self, node: Node) -> Expression:
        value = int(str(node.children[0]))
        return lambda _: value

    def _constant(self, node: Node) -> Expression:
        value = _CONSTANTS[str(node.children[0]).lower()]
        return lambda _: value

    def _parameter(self, node: Node) -> Expression:
        name = str(node.children[0])
        if name not in self._parameters:
            raise BAD_REQUEST(f"The parameter '{name}' has no value.")
        value = self._parameters[name]
        return lambda _: value

    def _name(self, node: Node) -> Expression:
        name = str(node.children[0])
        if name != self._alias:
            raise BAD_REQUEST(f"Identifier '{name}' could not be resolved.")
        return lambda document: document

    def _access(self, node: Node) -> Expression:
        owner, name = self.compile(node.children[0]), str(node.children[1])

        def member(document: Any) -> Any:
            value = owner(document)
            return value.get(name, UNDEFINED) if isinstance(value, dict) else UNDEFINED

        return member

    def _compare(self, node: Node) -> Expression:
        left, right = self.compile(node.children[0]), self.compile(node.children[2])
        operator = str(node.children[1])
        if operator == "=":
            return lambda document: equals(left(document), right(document))
        if operator == "!=":
            return lambda document: _negated(equals(left(document), right(document)))
        compare = _COMPARISONS[operator]
        return lambda document: _ordered(compare, left(document), right(document))

    def _negation(self, node: Node) -> Expression:
        value = self.compile(node.children[0])
        return lambda document: _negated(value(document))

    def _conjunction(self, node: Node) -> Expression:
        parts = [self.compile(child) for child in node.children]
        return lambda document: _all([part(document) for part in parts])

    def _disjunction(self, node: Node) -> Expression:
        parts = [self.compile(child) for child in node.children]
        return lambda document: _negated(_all([_negated(part(document)) for part in parts]))

    def _call(self, node: Node) -> Expression:
        name = str(node.children[0]).upper()
        count, function = FUNCTIONS.get(name, (-1, None))
        arguments = [self.compile(child) for child in node.children[1:]]
        if function is None or count != len(arguments):
            raise NOT_SUPPORTED(f"the function {name} with {len(arguments)} arguments in queries")
        return lambda document: function(*[argument(document) for argument in arguments])


def _ordered(compare: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    return compare(left, right) if same_type(left, right) and type_name(left) in _ORDERED else UNDEFINED


def _negated(value: Any) -> Any:
    return not value if isinstance(value, bool) else UNDEFINED


def _all(values: list[Any]) -> Any:
    """Return the AND of values: false if one is false, else undefined if one is not a boolean."""
    if False in [value for value in values if isinstance(value, bool)]:
        return False
    return True if all(isinstance(value, bool) for value in values) else UNDEFINED
