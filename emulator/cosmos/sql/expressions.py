"""Compiles expressions to Python functions over a row, once for each execution of a query.

A row is one document or, if the query has aggregate functions, all documents that passed the filter.
"""

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lark import Token

from emulator.cosmos.exceptions import CosmosError, bad_request, query_error
from emulator.cosmos.sql.functions import AGGREGATE_FUNCTIONS, FUNCTIONS, like
from emulator.cosmos.sql.statements import Count, Node
from emulator.cosmos.sql.values import UNDEFINED, deep_equals, equals, same_type, type_name


@dataclass(frozen=True, slots=True)
class Row:
    """The input of an expression.

    Args:
        document: the document that the alias names; undefined if there is a group.
        group: the documents that an aggregate function runs over.
    """

    document: Any
    group: list[Any] | None = None


Expression = Callable[[Row], Any]

_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
}
_ORDERED = ("boolean", "number", "string", "null")
_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": lambda left, right: left / right if right else UNDEFINED,
    "%": lambda left, right: math.fmod(left, right) if right else UNDEFINED,
}
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
            CosmosError: 400 when a name, function or parameter is unknown.
        """
        compiled: Expression = getattr(self, f"_{node.data}")(node)
        return compiled

    def count(self, node: Count) -> int:
        """Return the number in a TOP, OFFSET or LIMIT."""
        value = int(node) if isinstance(node, Token) else self.compile(node)(Row(UNDEFINED))
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise bad_request(f"TOP, OFFSET and LIMIT take a number from 0, not {json.dumps(value)}.")
        return value

    def _string(self, node: Node) -> Expression:
        value = text_of(str(node.children[0]))
        return lambda _: value

    def _number(self, node: Node) -> Expression:
        text = str(node.children[0])
        value: float = int(text) if text.isdigit() else float(text)
        return lambda _: value

    def _constant(self, node: Node) -> Expression:
        value = _CONSTANTS[str(node.children[0]).lower()]
        return lambda _: value

    def _parameter(self, node: Node) -> Expression:
        name = str(node.children[0])
        if name not in self._parameters:
            raise _at(node, "SC2010", f"The parameter '{name}' has no value.")
        value = self._parameters[name]
        return lambda _: value

    def _name(self, node: Node) -> Expression:
        name = str(node.children[0])
        if name != self._alias:
            raise _at(node, "SC2001", f"Identifier '{name}' could not be resolved.")
        return lambda row: row.document

    def _access(self, node: Node) -> Expression:
        owner = self.compile(node.children[0])
        key = node.children[1]
        if isinstance(key, Token):
            name = str(key)

            def member(row: Row) -> Any:
                value = owner(row)
                return value.get(name, UNDEFINED) if isinstance(value, dict) else UNDEFINED

            return member
        index = self.compile(key)
        return lambda row: _element(owner(row), index(row))

    def _compare(self, node: Node) -> Expression:
        left, right = self.compile(node.children[0]), self.compile(node.children[2])
        operator = str(node.children[1])
        if operator == "=":
            return lambda row: equals(left(row), right(row))
        if operator in ("!=", "<>"):
            return lambda row: _negated(equals(left(row), right(row)))
        compare = _COMPARISONS[operator]
        return lambda row: _ordered(compare, left(row), right(row))

    def _member(self, node: Node) -> Expression:
        value, *choices = [self.compile(child) for child in node.children if not isinstance(child, Token)]

        def member(row: Row) -> Any:
            found = value(row)
            return UNDEFINED if found is UNDEFINED else any(deep_equals(found, choice(row)) for choice in choices)

        return _unless(node, member)

    def _between(self, node: Node) -> Expression:
        value, low, high = [self.compile(child) for child in node.children if not isinstance(child, Token)]

        def between(row: Row) -> Any:
            found = value(row)
            return _all([_ordered(_COMPARISONS[">="], found, low(row)), _ordered(_COMPARISONS["<="], found, high(row))])

        return _unless(node, between)

    def _like(self, node: Node) -> Expression:
        value, pattern = [self.compile(child) for child in node.children if not isinstance(child, Token)]

        def matches(row: Row) -> Any:
            found, wanted = value(row), pattern(row)
            if not isinstance(found, str) or not isinstance(wanted, str):
                return UNDEFINED
            return like(wanted).fullmatch(found) is not None

        return _unless(node, matches)

    def _negation(self, node: Node) -> Expression:
        value = self.compile(node.children[1])
        return lambda row: _negated(value(row))

    def _conjunction(self, node: Node) -> Expression:
        parts = [self.compile(child) for child in node.children]
        return lambda row: _all([part(row) for part in parts])

    def _disjunction(self, node: Node) -> Expression:
        parts = [self.compile(child) for child in node.children]
        return lambda row: _negated(_all([_negated(part(row)) for part in parts]))

    def _arithmetic(self, node: Node) -> Expression:
        left, right = self.compile(node.children[0]), self.compile(node.children[2])
        operator = str(node.children[1])
        if operator == "||":
            return lambda row: FUNCTIONS["CONCAT"](left(row), right(row))
        work = _ARITHMETIC[operator]

        def arithmetic(row: Row) -> Any:
            one, other = left(row), right(row)
            if not type_name(one) == type_name(other) == "number":
                return UNDEFINED
            try:
                result = work(one, other)
            except OverflowError:
                return UNDEFINED
            return UNDEFINED if result is UNDEFINED or not math.isfinite(result) else result

        return arithmetic

    def _minus(self, node: Node) -> Expression:
        value = self.compile(node.children[0])

        def minus(row: Row) -> Any:
            found = value(row)
            return -found if type_name(found) == "number" else UNDEFINED

        return minus

    def _array(self, node: Node) -> Expression:
        items = [self.compile(child) for child in node.children]
        return lambda row: [value for value in (item(row) for item in items) if value is not UNDEFINED]

    def _object(self, node: Node) -> Expression:
        pairs: Any = node.children
        members = [(_pair_name(pair.children[0]), self.compile(pair.children[1])) for pair in pairs]
        return lambda row: {name: found for name, value in members if (found := value(row)) is not UNDEFINED}

    def _call(self, node: Node) -> Expression:
        name = str(node.children[0]).upper()
        arguments = [self.compile(child) for child in node.children[1:]]
        if name in AGGREGATE_FUNCTIONS:
            return _aggregate(node, name, arguments)
        function = FUNCTIONS.get(name)
        if function is None:
            raise _at(node, "SC2005", f"'{node.children[0]}' is not a recognized built-in function name.")
        if not function.least <= len(arguments) <= function.most:
            raise _at(
                node,
                "SC2062",
                f"{name} takes {function.least} to {function.most} arguments, not {len(arguments)}.",
            )
        return lambda row: function(*[argument(row) for argument in arguments])


def _aggregate(node: Node, name: str, arguments: list[Expression]) -> Expression:
    if len(arguments) != 1:
        raise _at(node, "SC2062", f"{name} takes 1 argument, not {len(arguments)}.")
    work, argument = AGGREGATE_FUNCTIONS[name], arguments[0]

    def aggregate(row: Row) -> Any:
        if row.group is None:
            raise _at(node, "SC2102", f"{name} stands in the select clause only, and not inside of another aggregate.")
        return work([argument(Row(document)) for document in row.group])

    return aggregate


def _at(node: Node, code: str, message: str) -> CosmosError:
    return query_error(code, message, node.meta.start_pos, node.meta.end_pos)


def _pair_name(token: Any) -> str:
    return text_of(str(token)) if token.type == "STRING" else str(token)


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
    return (lambda row: _negated(expression(row))) if negated else expression
