"""Parses the text of a query to a statement, whose clauses are syntax trees."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from emulator.cosmos.exceptions import NOT_SUPPORTED

Node = Tree[Token]

_LARK = Lark(
    Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8"),
    parser="lalr",
    start="query",
    maybe_placeholders=False,
)


@dataclass(frozen=True)
class Statement:
    """One query."""

    alias: str
    select: Node
    where: Node | None = None


@lru_cache(maxsize=512)
def parse(text: str) -> Statement:
    """Parse a query.

    Raises:
        ServiceError: 400 for a query outside of the grammar, which Azure may have or not.
    """
    try:
        children: list[Any] = _LARK.parse(text).children
    except UnexpectedInput as error:
        raise NOT_SUPPORTED(f"this query: {error.get_context(text).strip()}") from error
    select, alias, *where = children
    return Statement(str(alias), select, where[0].children[0] if where else None)
