"""Parses the text of a query to a statement, whose clauses are syntax trees, or reports its syntax error."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from emulator.core.errors import ServiceError
from emulator.cosmos.exceptions import NOT_SUPPORTED, syntax_error

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
_WORD = re.compile(r"\w+|.", re.DOTALL)
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


@dataclass(frozen=True)
class _Refusal:
    """What only Azure's queries have: offset of its first character, and the error."""

    start: int
    error: ServiceError


def _trees(node: Node) -> Iterator[Node]:
    return (child for child in node.children if isinstance(child, Tree))


@lru_cache(maxsize=512)
def parse(text: str) -> Statement:
    """Parse a query.

    Raises:
        ServiceError: 400, SC1001 with the position if the syntax is wrong, or what the local Azure does not have.
    """
    refusal = _not_emulated(text)
    try:
        tree = _LARK.parse(text)
    except UnexpectedInput as error:
        start, found = _place(text, error)
        # What only Azure has breaks the syntax here, too. What breaks it before would break Azure's.
        if refusal is None or start < refusal.start:
            raise syntax_error(found, start) from error
    if refusal is not None:
        raise refusal.error
    clauses = {str(child.data): child for child in _trees(tree)}
    return Statement(
        alias=str(clauses["from"].children[-1]),
        select=next(clauses[name] for name in clauses if name.startswith("select_")),
        where=next(_trees(clauses["where"]), None) if "where" in clauses else None,
    )


def _not_emulated(text: str) -> _Refusal | None:
    """Return the refusal of the first thing in a query that only Azure's queries have, or None."""
    for match in _NOT_EMULATED.finditer(text):
        if match["words"]:
            what = f"{' '.join(match['words'].upper().split())} in queries"
        elif match["operator"]:
            what = f"the operator {match['operator']} in queries"
        elif match.lastgroup in _NAMES:
            what = _NAMES[match.lastgroup]
        else:
            continue
        return _Refusal(match.start(), NOT_SUPPORTED(what))
    return None


def _place(text: str, error: UnexpectedInput) -> tuple[int, str]:
    """Return where the syntax is wrong, and what stands there: a token, a word or character that is none, or the end."""
    if isinstance(error, UnexpectedToken) and error.token.type != "$END":
        return error.token.start_pos or 0, str(error.token)
    if isinstance(error, UnexpectedCharacters):
        start = error.pos_in_stream or 0
        return start, _WORD.match(text, start)[0]  # type: ignore[index]  # the pattern matches any character
    return len(text), ""
