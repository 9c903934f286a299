"""Partition keys: their paths in documents, and the header that carries their value."""

import json
import re
from typing import Any

from emulator.cosmos.exceptions import BAD_REQUEST, OTHER_PARTITION_KEY
from emulator.cosmos.sql.values import UNDEFINED, deep_equals, type_name

MAX_KEY_BYTES = 2048
_ALLOWED = ("undefined", "null", "boolean", "number", "string")
_SEGMENT = re.compile(r'/(?:"((?:[^"\\]|\\.)*)"|([^/"]+))')


def segments(path: str) -> list[str]:
    """Split a path such as `/partitionKey`, `/a/b` or `/"a/b"/c` into member names.

    Raises:
        ServiceError: 400 if the path is malformed.
    """
    found = list(_SEGMENT.finditer(path))
    if "".join(match.group() for match in found) != path or not found:
        raise BAD_REQUEST(f"The path '{path}' is invalid: write it as /member or /member/member.")
    return [match.group(1) or match.group(2) for match in found]


def value_at(document: dict[str, Any], path: str) -> Any:
    """Return the value under a path, or undefined."""
    value: Any = document
    for name in segments(path):
        value = value.get(name, UNDEFINED) if isinstance(value, dict) else UNDEFINED
    return value


def from_header(header: str) -> Any:
    """Return the value in `x-ms-documentdb-partitionkey`, a JSON array with one element; `{}` stands for undefined.

    Raises:
        ServiceError: 400 if the header does not have this form.
    """
    try:
        parts = json.loads(header)
    except ValueError:
        parts = None
    if not isinstance(parts, list) or len(parts) != 1:
        raise BAD_REQUEST(f"The partition key {header!r} is invalid: it is a JSON array with one value.")
    value = UNDEFINED if parts[0] == {} else parts[0]
    return checked(value)


def checked(value: Any) -> Any:
    """Return a value after checking that it can be a partition key.

    Raises:
        ServiceError: 400 if it is an array, an object or too long.
    """
    if type_name(value) not in _ALLOWED:
        raise BAD_REQUEST(f"A partition key is a string, number, boolean, null or absent, not an {type_name(value)}.")
    if isinstance(value, str) and len(value.encode()) > MAX_KEY_BYTES:
        raise BAD_REQUEST(f"The partition key is longer than {MAX_KEY_BYTES} bytes.")
    return value


def storage_text(value: Any) -> str:
    """Write a partition key as text, which is the same for equal keys only."""
    if value is UNDEFINED:
        return "[]"
    return json.dumps([int(value) if isinstance(value, float) and value.is_integer() else value])


def of_document(document: dict[str, Any], path: str, header: Any) -> Any:
    """Return a document's partition key, after checking that the header has the same.

    Raises:
        ServiceError: 400 with substatus 1001 if the two differ.
    """
    value = checked(value_at(document, path))
    if value is not header and not deep_equals(value, header):
        raise OTHER_PARTITION_KEY()
    return value
