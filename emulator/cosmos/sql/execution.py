"""Runs a statement over documents, one page at a time.

A continuation token names the last row by its sort values and its key, so a write between two pages never makes the
second one repeat or skip a row.
"""

import base64
import binascii
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from emulator.cosmos.exceptions import bad_request
from emulator.cosmos.sql.expressions import Compiler, Expression, Row
from emulator.cosmos.sql.statements import Node, Statement, parse
from emulator.cosmos.sql.values import UNDEFINED, order

Documents = Callable[[str], Iterable[tuple[str, dict[str, Any]]]]

MAX_PAGE_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True)
class Page:
    """The results that one request gets.

    Args:
        items: the results, each as JSON text.
        continuation: the token of the next page, or None at the end.
    """

    items: list[str]
    continuation: str | None


class _Ordered:
    """A row's place in the order: by sort values, each in its own direction, then by storage key."""

    __slots__ = ("key", "signs", "values")

    def __init__(self, values: list[Any], signs: list[int], key: str) -> None:
        self.values, self.signs, self.key = values, signs, key

    def __lt__(self, other: "_Ordered") -> bool:
        for mine, theirs, sign in zip(self.values, other.values, self.signs, strict=True):
            if compared := order(mine, theirs) * sign:
                return compared < 0
        return self.key < other.key


def holds(condition: str, document: dict[str, Any]) -> bool:
    """Tell whether a patch's condition (`FROM c WHERE ...`) is true for a document."""
    statement = parse(condition, "condition")
    return statement.where is None or Compiler(statement.alias, {}).compile(statement.where)(Row(document)) is True


def execute(
    statement: Statement, parameters: dict[str, Any], documents: Documents, size: int, continuation: str | None
) -> Page:
    """Run a statement and return one page.

    Args:
        statement: the statement to run.
        parameters: values by name, `@` included.
        documents: returns (key, document) in key order, beginning after a given key.
        size: largest number of results; -1 for as many as fit into the bytes of a page.
        continuation: token of the previous page, or None.

    Raises:
        CosmosError: 400 for a statement that cannot run, or for an invalid token.
    """
    compiler = Compiler(statement.alias, parameters)
    state = _decode(continuation)
    left = _left(statement, compiler, state)
    skip = 0 if continuation or statement.offset is None else compiler.count(statement.offset)
    if statement.aggregates or statement.distinct:
        results = _whole(statement, compiler, documents)
        skip = state.get("skip", skip)
        numbered = enumerate(islice(results, skip, None if left is None else skip + left), skip + 1)
        return _page(((value, {"skip": number}) for number, value in numbered), size, left)
    select = _select(statement, compiler)
    rows = islice(_rows(statement, compiler, documents, state), skip, None)
    results_with_state = (
        (value, {"key": key, "sort": [[] if item is UNDEFINED else [item] for item in sort]})
        for key, document, sort in rows
        if (value := select(Row(document))) is not UNDEFINED
    )
    return _page(results_with_state if left is None else islice(results_with_state, left), size, left)


def _left(statement: Statement, compiler: Compiler, state: dict[str, Any]) -> int | None:
    if "left" in state:
        return int(state["left"])
    bounds = [compiler.count(bound) for bound in (statement.top, statement.limit) if bound is not None]
    return min(bounds) if bounds else None


def _passing(
    statement: Statement, compiler: Compiler, documents: Documents, after: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    if statement.where is None:
        yield from documents(after)
        return
    where = compiler.compile(statement.where)
    for key, document in documents(after):
        if where(Row(document)) is True:
            yield key, document


def _rows(
    statement: Statement, compiler: Compiler, documents: Documents, state: dict[str, Any]
) -> Iterator[tuple[str, dict[str, Any], list[Any]]]:
    """Yield key, document and sort values of the rows after the last page, in order."""
    if not statement.order:
        yield from (
            (key, document, []) for key, document in _passing(statement, compiler, documents, state.get("key", ""))
        )
        return
    sorts = [compiler.compile(sort.children[0]) for sort in statement.order]
    signs = [-1 if str(sort.children[-1]).upper() == "DESC" else 1 for sort in statement.order]
    rows = [
        (_Ordered([sort(Row(document)) for sort in sorts], signs, key), document)
        for key, document in _passing(statement, compiler, documents, "")
    ]
    rows.sort(key=lambda row: row[0])
    if "key" in state:
        if len(state["sort"]) != len(sorts):
            raise bad_request("Invalid Continuation Token: it is of another query.")
        last = _Ordered([item[0] if item else UNDEFINED for item in state["sort"]], signs, state["key"])
        rows = [row for row in rows if last < row[0]]
    yield from ((place.key, document, place.values) for place, document in rows)


def _whole(statement: Statement, compiler: Compiler, documents: Documents) -> Iterator[Any]:
    """Yield the results of a statement that needs all rows: aggregates and DISTINCT."""
    select = _select(statement, compiler)
    rows = (document for _, document, _ in _rows(statement, compiler, documents, {}))
    if statement.aggregates:
        value = select(Row(UNDEFINED, list(rows)))
        if value is not UNDEFINED:
            yield value
        return
    seen: set[str] = set()
    for document in rows:
        value = select(Row(document))
        text = "" if value is UNDEFINED else json.dumps(value, sort_keys=True)
        if text and text not in seen:
            seen.add(text)
            yield value


def _select(statement: Statement, compiler: Compiler) -> Expression:
    if statement.select.data == "select_all":
        return lambda row: row.document
    if statement.select.data == "select_value":
        return compiler.compile(statement.outputs[0])
    columns = [(name, compiler.compile(expression)) for name, expression in named_columns(statement)]
    return lambda row: {name: value for name, column in columns if (value := column(row)) is not UNDEFINED}


def named_columns(statement: Statement) -> list[tuple[str, Node]]:
    """Return the columns with their names in the result: the alias, the member, or `$1`, `$2` ..."""
    named: list[tuple[str, Node]] = []
    unnamed = 0
    columns: Any = statement.select.children
    for column in columns:
        expression, *alias = column.children
        if alias:
            name = str(alias[0])
        elif expression.data == "access":
            name = _member_name(expression)
        elif expression.data == "name":
            name = str(expression.children[0])
        else:
            unnamed += 1
            name = f"${unnamed}"
        if name in dict(named):
            raise bad_request(f"The result has two members called '{name}'; name one of them with AS.")
        named.append((name, expression))
    return named


def _member_name(expression: Any) -> str:
    key = expression.children[1]
    text = str(key.children[0]) if hasattr(key, "data") else str(key)
    return text.strip("\"'")


def _page(results: Iterable[tuple[Any, dict[str, Any]]], size: int, left: int | None) -> Page:
    """Fill a page, and check whether more results follow."""
    items: list[str] = []
    total = 0
    state: dict[str, Any] = {}
    for value, after in results:
        text = json.dumps(value, separators=(",", ":"))
        total += len(text)
        if items and (len(items) == size or total > MAX_PAGE_BYTES):
            return Page(items, _encode(state if left is None else state | {"left": left - len(items)}))
        items.append(text)
        state = after
    return Page(items, None)


def _encode(state: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(state, separators=(",", ":")).encode()).decode()


def _decode(token: str | None) -> dict[str, Any]:
    if not token:
        return {}
    try:
        state = json.loads(base64.b64decode(token, altchars=b"-_", validate=True))
    except (binascii.Error, ValueError) as error:
        raise bad_request("Invalid Continuation Token") from error
    if not isinstance(state, dict) or not _is_state(state):
        raise bad_request("Invalid Continuation Token")
    return state


def _is_state(state: dict[str, Any]) -> bool:
    """Tell whether a token's content is valid: a position or a last row, and the number of results left, if limited."""
    by_position = _is_count(state.get("skip")) and "key" not in state
    by_row = isinstance(state.get("key"), str) and isinstance(state.get("sort"), list)
    return (
        _is_count(state.get("left", 0))
        and (by_position or by_row)
        and all(isinstance(item, list) for item in state.get("sort", []))
    )


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and value >= 0
