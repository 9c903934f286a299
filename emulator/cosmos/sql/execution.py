"""Runs a statement over documents, one page at a time.

A continuation token names the last document, so a write between two pages never makes the second one repeat or skip one.
"""

import base64
import binascii
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from emulator.cosmos.exceptions import INVALID_TOKEN, NOT_SUPPORTED
from emulator.cosmos.sql.expressions import Compiler, Expression
from emulator.cosmos.sql.statements import Statement
from emulator.cosmos.sql.values import UNDEFINED

Documents = Callable[[str], Iterable[tuple[str, dict[str, Any]]]]

MAX_PAGE_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True)
class Page:
    """The results that one request gets."""

    items: list[str]
    continuation: str | None


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
        ServiceError: 400 for a statement that cannot run, or for an invalid token.
    """
    compiler = Compiler(statement.alias, parameters)
    select = _select(statement, compiler)
    where = None if statement.where is None else compiler.compile(statement.where)
    found = documents(_decode(continuation))
    passing = ((key, document) for key, document in found if where is None or where(document) is True)
    values = ((key, select(document)) for key, document in passing)
    return _page(((key, value) for key, value in values if value is not UNDEFINED), size)


def _select(statement: Statement, compiler: Compiler) -> Expression:
    if statement.select.data == "select_all":
        return lambda document: document
    if statement.select.data == "select_value":
        return compiler.compile(statement.select.children[0])
    columns = [(_column_name(column), compiler.compile(column)) for column in statement.select.children]
    return lambda document: {name: value for name, column in columns if (value := column(document)) is not UNDEFINED}


def _column_name(column: Any) -> str:
    """Return the name of a column in the result: its member's.

    Raises:
        ServiceError: 400 for an expression: Azure gives its column another name.
    """
    if column.data != "access":
        raise NOT_SUPPORTED("columns of a query other than members of documents")
    return str(column.children[1])


def _page(results: Iterable[tuple[str, Any]], size: int) -> Page:
    """Fill a page, and check whether more results follow."""
    items: list[str] = []
    total, last = 0, ""
    for key, value in results:
        text = json.dumps(value, separators=(",", ":"))
        total += len(text)
        if items and (len(items) == size or total > MAX_PAGE_BYTES):
            return Page(items, _encode(last))
        items.append(text)
        last = key
    return Page(items, None)


def _encode(key: str) -> str:
    return base64.urlsafe_b64encode(json.dumps({"key": key}).encode()).decode()


def _decode(token: str | None) -> str:
    """Return the key after which a page begins."""
    if not token:
        return ""
    try:
        state = json.loads(base64.b64decode(token, altchars=b"-_", validate=True))
    except (binascii.Error, ValueError) as error:
        raise INVALID_TOKEN() from error
    if not isinstance(state, dict) or not isinstance(state.get("key"), str):
        raise INVALID_TOKEN()
    return str(state["key"])
