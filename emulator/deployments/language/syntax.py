"""Expressions as trees: parses text to a tree and caches it, and writes a tree as text."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedInput, UnexpectedToken, v_args

from emulator.deployments.language.expression_error import ExpressionError

# ARM's own limit for one expression.
MAX_CHARACTERS = 24_576
# ARM publishes no limit of depth; this one keeps evaluation well within Python's stack.
MAX_DEPTH = 100
INT64 = 2**63


@dataclass(frozen=True, slots=True)
class Literal:
    """A string or an integer."""

    value: str | int
    depth: int = 1


@dataclass(frozen=True, slots=True)
class Call:
    """`name(arguments)`. The name is kept as written; functions are looked up ignoring case."""

    name: str
    arguments: tuple["Node", ...]
    depth: int = 1


@dataclass(frozen=True, slots=True)
class Member:
    """`base.name`."""

    base: "Node"
    name: str
    depth: int = 1


@dataclass(frozen=True, slots=True)
class Index:
    """`base[index]`."""

    base: "Node"
    index: "Node"
    depth: int = 1


Node = Literal | Call | Member | Index

# Names of the tokens in ARM's messages.
TOKENS = {
    "$END": "EndOfData",
    "STRING": "StringLiteral",
    "INTEGER": "Integer",
    "NAME": "Identifier",
    "LPAR": "LeftParenthesis",
    "RPAR": "RightParenthesis",
    "LSQB": "LeftSquareBracket",
    "RSQB": "RightSquareBracket",
    "COMMA": "Comma",
    "DOT": "Dot",
}


def is_expression(text: str) -> bool:
    """Tell whether a string in a template is an expression: in brackets, and not escaped by a second bracket."""
    return text.startswith("[") and text.endswith("]") and not text.startswith("[[")


def literal_text(text: str) -> str:
    """Return the value of a string that is not an expression: `[[x]` is the text `[x]`."""
    return text[1:] if text.startswith("[[") and text.endswith("]") else text


@lru_cache(maxsize=8192)
def parse(text: str) -> Node:
    """Parse an expression, given with its brackets.

    Raises:
        ExpressionError: the expression is invalid.
    """
    inner = text[1:-1]
    if len(inner) > MAX_CHARACTERS:
        raise ExpressionError(f"The template language expression limit of {MAX_CHARACTERS} characters is exceeded.")
    try:
        node: Node = _parser()(inner)
    except UnexpectedInput as error:
        raise ExpressionError(f"Unable to parse language expression '{inner}': {_describe(error, inner)}.") from error
    return node


@cache
def _parser() -> Callable[[str], Any]:
    return Lark.open(
        "expression.lark", rel_to=__file__, parser="lalr", lexer="basic", maybe_placeholders=False, transformer=_Build()
    ).parse


@v_args(inline=True)
class _Build(Transformer[Token, Node]):
    """Builds nodes while the grammar matches, from the leaves up, so that deep nesting cannot exhaust the stack."""

    def string(self, token: Token) -> Node:
        return Literal(token[1:-1].replace("''", "'"))

    def integer(self, token: Token) -> Node:
        # Every 64-bit integer fits in 20 characters; Python refuses to convert thousands of digits.
        if len(token) > len(str(-INT64)) or not -INT64 <= int(token) < INT64:
            raise ExpressionError(f"The language expression literal '{token[:40]}' is not a 64-bit integer.")
        return Literal(int(token))

    def call(self, name: Token, *arguments: Node) -> Node:
        return Call(str(name), arguments, _depth(*arguments))

    def member(self, base: Node, name: Token) -> Node:
        return Member(base, str(name), _depth(base))

    def index(self, base: Node, index: Node) -> Node:
        return Index(base, index, _depth(base, index))


def _depth(*children: Node) -> int:
    depth = 1 + max((child.depth for child in children), default=0)
    if depth > MAX_DEPTH:
        raise ExpressionError(f"The language expression is nested more than {MAX_DEPTH} levels deep.")
    return depth


def _describe(error: UnexpectedInput, text: str) -> str:
    if isinstance(error, UnexpectedToken):
        expected = sorted(TOKENS.get(name, name) for name in error.accepts or error.expected)
        actual = TOKENS.get(error.token.type, error.token.type)
        position = len(text) + 1 if error.token.type == "$END" else (error.pos_in_stream or 0) + 1
        return f"expected token '{' or '.join(expected)}' and actual '{actual}' at position {position}"
    if isinstance(error, UnexpectedCharacters):
        return f"the character '{error.char}' at position {(error.pos_in_stream or 0) + 1} is not expected"
    return "the expression is not complete"


def unparse(node: Node) -> str:
    """Write a tree as an expression with its brackets; `parse` returns the same tree for it."""
    return f"[{_write(node)}]"


def _write(node: Node) -> str:
    if isinstance(node, Literal):
        return str(node.value) if isinstance(node.value, int) else "'" + node.value.replace("'", "''") + "'"
    if isinstance(node, Call):
        return f"{node.name}({', '.join(map(_write, node.arguments))})"
    if isinstance(node, Member):
        return f"{_write(node.base)}.{node.name}"
    return f"{_write(node.base)}[{_write(node.index)}]"
