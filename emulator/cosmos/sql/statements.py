"""Parses the text of a query to a statement, whose clauses are syntax trees, or reports its syntax error."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from emulator.cosmos.exceptions import CosmosError, query_error

Node = Tree[Token]
Count = Token | Node

AGGREGATES = ("COUNT", "SUM", "MIN", "MAX", "AVG")

_LARK = Lark(
    Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8"),
    parser="lalr",
    start=["query", "condition"],
    propagate_positions=True,
    maybe_placeholders=False,
)


@dataclass(frozen=True)
class Statement:
    """One query.

    Args:
        text: the query as sent; plans cut clauses out of it.
        alias: the name of the document in the expressions.
        select: `select_all`, `select_value` or `select_columns`.
        where: the filter's expression.
        order: one `sort` for each expression of ORDER BY.
        top: the largest number of results, a number or a parameter.
        offset: how many results to skip.
        limit: the largest number of results after those.
        distinct: whether equal results appear once.
    """

    text: str
    alias: str
    select: Node
    where: Node | None = None
    order: tuple[Node, ...] = ()
    top: Count | None = None
    offset: Count | None = None
    limit: Count | None = None
    distinct: bool = False

    def cut(self, node: Node) -> str:
        """Return the text of a node."""
        return self.text[node.meta.start_pos : node.meta.end_pos]

    @property
    def outputs(self) -> list[Node]:
        """The expressions of the select clause; none for `*`."""
        if self.select.data == "select_columns":
            return [next(trees(column)) for column in trees(self.select)]
        return list(trees(self.select))

    @property
    def aggregates(self) -> list[Node]:
        """The calls of aggregate functions in the select clause."""
        return [call for call in self.select.find_data("call") if str(call.children[0]).upper() in AGGREGATES]


def trees(node: Node) -> Iterator[Node]:
    """Yield the children that are trees."""
    return (child for child in node.children if isinstance(child, Tree))


@lru_cache(maxsize=512)
def parse(text: str, start: str = "query") -> Statement:
    """Parse a query, or the condition of a patch (`start="condition"`).

    Raises:
        CosmosError: 400 with SC1001 and the position, if the text does not match the grammar.
    """
    try:
        tree = _LARK.parse(text, start=start)
    except UnexpectedInput as error:
        raise _syntax_error(text, error) from error
    clauses = {str(child.data): child for child in trees(tree)}
    pages = clauses["offset_limit"].children if "offset_limit" in clauses else (None, None)
    selection = next((clauses[name] for name in clauses if name.startswith("select_")), Tree("select_all", []))
    return Statement(
        text=text,
        alias=str(clauses["from"].children[-1]),
        select=selection,
        where=next(trees(clauses["where"]), None) if "where" in clauses else None,
        order=tuple(trees(clauses["order_by"])) if "order_by" in clauses else (),
        top=clauses["top"].children[0] if "top" in clauses else None,
        offset=pages[0],
        limit=pages[1],
        distinct=any(isinstance(child, Token) and child.type == "DISTINCT" for child in tree.children),
    )


def _syntax_error(text: str, error: UnexpectedInput) -> CosmosError:
    """Return the error for the place where the syntax is wrong: a token, a character that begins none, or the end."""
    start, found = len(text), ""
    if isinstance(error, UnexpectedToken) and error.token.type != "$END":
        start, found = error.token.start_pos or 0, str(error.token)
    elif isinstance(error, UnexpectedCharacters):
        start = error.pos_in_stream or 0
        found = text[start]
    near = f"'{found}'" if found else "the end"
    return query_error("SC1001", f"Syntax error, incorrect syntax near {near}.", start, start + len(found))
