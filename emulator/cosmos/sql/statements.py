"""Parses the text of a query to a statement, whose clauses are syntax trees, or reports its syntax error."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from emulator.cosmos.exceptions import CosmosError, not_supported, syntax_error

Node = Tree[Token]

_LARK = Lark(
    Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8"),
    parser="lalr",
    start="query",
    propagate_positions=True,
    maybe_placeholders=False,
)
# What Azure's queries have and those of the local Azure do not, as it stands outside of strings, comments, parameters
# and names of members. https://learn.microsoft.com/cosmos-db/query/keywords
_NOT_EMULATED = re.compile(
    r"""(?P<skipped>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|--[^\n]*|[@.]\s*\w+|SELECT\s*\*)
    |\b(?P<words>DISTINCT|TOP|JOIN|GROUP\s+BY|ORDER\s+BY|OFFSET|LIMIT|LIKE|BETWEEN|EXISTS|ALL|UDF(?=\.)|ARRAY(?=\s*\())(?!\w)
    |(?P<operator>\?\?|\|\||[?+/%|&^~]|-(?!\d))
    |(?P<object>\{)
    |(?P<product>\*)
    |(?P<iteration>\bIN\b(?!\s*\())
    |(?P<inner>\(\s*SELECT\b)""",
    re.IGNORECASE | re.VERBOSE,
)
_NAMES = {
    "product": "the operator * in queries",
    "iteration": "FROM … IN in queries",
    "inner": "subqueries",
    "object": "objects in queries; use a parameter",
}


@dataclass(frozen=True)
class Statement:
    """One query.

    Args:
        alias: the name of the document in the expressions.
        select: `select_all`, `select_value` or `select_columns`.
        where: the filter's expression.
    """

    alias: str
    select: Node
    where: Node | None = None


def _trees(node: Node) -> Iterator[Node]:
    return (child for child in node.children if isinstance(child, Tree))


@lru_cache(maxsize=512)
def parse(text: str) -> Statement:
    """Parse a query.

    Raises:
        CosmosError: 400, SC1001 with the position if the syntax is wrong, or what the local Azure does not have.
    """
    _refuse_not_emulated(text)
    try:
        tree = _LARK.parse(text)
    except UnexpectedInput as error:
        raise _syntax_error(text, error) from error
    clauses = {str(child.data): child for child in _trees(tree)}
    return Statement(
        alias=str(clauses["from"].children[-1]),
        select=next(clauses[name] for name in clauses if name.startswith("select_")),
        where=next(_trees(clauses["where"]), None) if "where" in clauses else None,
    )


def _refuse_not_emulated(text: str) -> None:
    for match in _NOT_EMULATED.finditer(text):
        if match["words"]:
            raise not_supported(f"{' '.join(match['words'].upper().split())} in queries")
        if match["operator"]:
            raise not_supported(f"the operator {match['operator']} in queries")
        if match.lastgroup in _NAMES:
            raise not_supported(_NAMES[match.lastgroup])


def _syntax_error(text: str, error: UnexpectedInput) -> CosmosError:
    """Return the error for the place where the syntax is wrong: a token, a character that begins none, or the end."""
    start, found = len(text), ""
    if isinstance(error, UnexpectedToken) and error.token.type != "$END":
        start, found = error.token.start_pos or 0, str(error.token)
    elif isinstance(error, UnexpectedCharacters):
        start = error.pos_in_stream or 0
        found = text[start]
    return syntax_error(found, start)
