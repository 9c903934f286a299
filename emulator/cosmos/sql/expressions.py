"""Compiles expressions to Python functions over a document, once for each execution of a query."""

import re
from collections.abc import Callable
from typing import Any

from lark import Token

from emulator.cosmos.exceptions import (
    NOT_SUPPORTED,
    no_function,
    no_name,
    no_parameter,
    wrong_arguments,
)
from emulator.cosmos.sql.functions import FUNCTIONS, OF_AZURE
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
_ORDERED = ("boolean", "number", "string", "null")
_CONSTANTS = {"true": True, "false": False, "null": None, "undefined": UNDEFINED}
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def text_of(literal: str) -> str:
    """Return the text of a string literal, in either kind of quotes."""

    def unescape(match: re.Match[str]) -> str:
        code = match.group(1)
        return chr(int(code[1:], 16)) if len(code) > 1 else _ESCAPES.get(code, code)

    return re.sub(r"\\(u[0-9a-fA-F]{4}|.)", unescape, literal[1:-1], flags=re.DOTALL)


class Compiler:
    """Turns syntax trees into functions: one method for each kind of node."""

    def __init__(self, alias: str, parameters: dict[str, Any]) -> None:
        """Set the meaning of names.

        Args:
            alias: the name that the query gives the document.
            parameters: values by name, `@` included.
        """
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
        value = text_of(str(node.children[0]))
        return lambda _: value

    def _number(self, node: Node) -> Expression:
        text = str(node.children[0])
        value: float = int(text) if text.lstrip("-").isdigit() else float(text)
        return lambda _: value

    def _constant(self, node: Node) -> Expression:
        value = _CONSTANTS[str(node.children[0]).lower()]
        return lambda _: value

    def _parameter(self, node: Node) -> Expression:
        name = str(node.children[0])
        if name not in self._parameters:
            raise no_parameter(name, *_place(node))
        value = self._parameters[name]
        return lambda _: value

    def _name(self, node: Node) -> Expression:
        name = str(node.children[0])
        if name != self._alias:
            raise no_name(name, *_place(node))
        return lambda document: document

    def _access(self, node: Node) -> Expression:
        owner = self.compile(node.children[0])
        key = node.children[1]
        if isinstance(key, Token):
            name = str(key)

            def member(document: Any) -> Any:
                value = owner(document)
                return value.get(name, UNDEFINED) if isinstance(value, dict) else UNDEFINED

            return member
        index = self.compile(key)
        return lambda document: _element(owner(document), index(document))

    def _compare(self, node: Node) -> Expression:
        left, right = self.compile(node.children[0]), self.compile(node.children[2])
        operator = str(node.children[1])
        if operator == "=":
            return lambda document: equals(left(document), right(document))
        if operator in ("!=", "<>"):
            return lambda document: _negated(equals(left(document), right(document)))
        compare = _COMPARISONS[operator]
        return lambda document: _ordered(compare, left(document), right(document))

    def _member(self, node: Node) -> Expression:
        value, *choices = [self.compile(child) for child in node.children if not isinstance(child, Token)]

        def member(document: Any) -> Any:
            found = value(document)
            return UNDEFINED if found is UNDEFINED else any(deep_equals(found, choice(document)) for choice in choices)

        return _unless(node, member)

    def _negation(self, node: Node) -> Expression:
        value = self.compile(node.children[1])
        return lambda document: _negated(value(document))

    def _conjunction(self, node: Node) -> Expression:
        parts = [self.compile(child) for child in node.children]
        return lambda document: _all([part(document) for part in parts])

    def _disjunction(self, node: Node) -> Expression:
        parts = [self.compile(child) for child in node.children]
        return lambda document: _negated(_all([_negated(part(document)) for part in parts]))

    def _array(self, node: Node) -> Expression:
        items = [self.compile(child) for child in node.children]
        return lambda document: [value for value in (item(document) for item in items) if value is not UNDEFINED]

    def _call(self, node: Node) -> Expression:
        name = str(node.children[0]).upper()
        if name in OF_AZURE:
            raise NOT_SUPPORTED(f"the function {name} in queries")
        arguments = [self.compile(child) for child in node.children[1:]]
        function = FUNCTIONS.get(name)
        if function is None:
            raise no_function(str(node.children[0]), *_place(node))
        if not function.least <= len(arguments) <= function.most:
            raise wrong_arguments(name, *_place(node))
        return lambda document: function(*[argument(document) for argument in arguments])


def _place(node: Node) -> tuple[int, int]:
    return node.meta.start_pos, node.meta.end_pos


def _element(owner: Any, index: Any) -> Any:
    if isinstance(owner, dict) and isinstance(index, str):
        return owner.get(index, UNDEFINED)
    if isinstance(owner, list) and type_name(index) == "number" and index == int(index) and 0 <= index < len(owner):
        return owner[int(index)]
    return UNDEFINED


def _ordered(compare: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    if not same_type(left, right) or type_name(left) not in _ORDERED:
        return UNDEFINED
    return compare(left is not None, right is not None) if left is None else compare(left, right)


def _negated(value: Any) -> Any:
    return not value if isinstance(value, bool) else UNDEFINED


def _all(values: list[Any]) -> Any:
    """Return the AND of values: false if one is false, else undefined if one is not a boolean."""
    if False in [value for value in values if isinstance(value, bool)]:
        return False
    return True if all(isinstance(value, bool) for value in values) else UNDEFINED


def _unless(node: Node, expression: Expression) -> Expression:
    """Negate the expression if the node has a NOT."""
    negated = any(isinstance(child, Token) and child.type == "NOT" for child in node.children)
    return (lambda document: _negated(expression(document))) if negated else expression
