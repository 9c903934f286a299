"""Partial updates: add, set, replace, remove, incr and move. They are applied in order, all or none."""

import copy
import re
from collections.abc import Callable
from typing import Any

from emulator.cosmos.exceptions import bad_request
from emulator.cosmos.sql.values import type_name

MAX_OPERATIONS = 10
_PROTECTED = ("id", "_rid", "_self", "_etag", "_ts", "_attachments")

Container = dict[str, Any] | list[Any]


def apply(document: dict[str, Any], operations: Any) -> dict[str, Any]:
    """Return a copy of the document with the operations applied.

    Raises:
        CosmosError: 400, naming the operation that cannot be applied.
    """
    if not isinstance(operations, list) or not operations:
        raise bad_request("A patch has a list of operations.")
    if len(operations) > MAX_OPERATIONS:
        raise bad_request(f"A patch has {MAX_OPERATIONS} operations at most, not {len(operations)}.")
    result = copy.deepcopy(document)
    for number, operation in enumerate(operations, 1):
        _apply_one(result, operation, number)
    return result


def _apply_one(document: dict[str, Any], operation: Any, number: int) -> None:
    if not isinstance(operation, dict) or operation.get("op") not in _OPERATIONS:
        raise bad_request(f"Operation {number} has no 'op' out of {', '.join(_OPERATIONS)}.")
    name, path = operation["op"], operation.get("path")
    if name not in ("remove", "move") and "value" not in operation:
        raise bad_request(f"Operation {number} ({name}) has no 'value'.")
    try:
        if name == "move":
            owner, key = _find(document, operation.get("from"))
            value = _remove(owner, key, None)
            _set(*_find(document, path), value)
        else:
            _OPERATIONS[name](*_find(document, path), copy.deepcopy(operation.get("value")))
    except (KeyError, IndexError, TypeError, ValueError) as error:
        detail = error.args[0] if isinstance(error, ValueError) else f"there is nothing at '{path}'"
        raise bad_request(f"Operation {number} ({name} '{path}') cannot be done: {detail}.") from error


def _find(document: dict[str, Any], path: Any) -> tuple[Container, Any]:
    """Return the object or array that a path leads into, and the last member or index."""
    if not isinstance(path, str) or not re.fullmatch(r"(/[^/]+)+", path):
        raise ValueError("a path is written /member or /member/index")
    *parents, last = [part.replace("~1", "/").replace("~0", "~") for part in path[1:].split("/")]
    if not parents and last in _PROTECTED:
        raise ValueError(f"'{last}' is the system's")
    owner: Any = document
    for part in parents:
        owner = owner[_index(owner, part) if isinstance(owner, list) else part]
    if isinstance(owner, list):
        return owner, _index(owner, last)
    if not isinstance(owner, dict):
        raise KeyError(last)
    return owner, last


def _index(array: list[Any], text: str) -> int:
    if text == "-":
        return len(array)
    if not text.isdigit():
        raise ValueError(f"'{text}' is no index of an array")
    return int(text)


def _add(owner: Any, key: Any, value: Any) -> None:
    if isinstance(owner, list):
        if key > len(owner):
            raise IndexError(key)
        owner.insert(key, value)
    else:
        owner[key] = value


def _set(owner: Any, key: Any, value: Any) -> None:
    if isinstance(owner, list) and key == len(owner):
        owner.append(value)
    else:
        owner[key] = value


def _replace(owner: Any, key: Any, value: Any) -> None:
    _ = owner[key]  # raises when there is nothing to replace
    owner[key] = value


def _remove(owner: Any, key: Any, _value: Any) -> Any:
    return owner.pop(key)


def _increment(owner: Any, key: Any, value: Any) -> None:
    if type_name(value) != "number":
        raise ValueError("incr takes a number")
    current = owner.get(key, 0) if isinstance(owner, dict) else owner[key]
    if type_name(current) != "number":
        raise ValueError("what is there is no number")
    owner[key] = current + value


_OPERATIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "add": _add,
    "set": _set,
    "replace": _replace,
    "remove": _remove,
    "incr": _increment,
    "move": _set,
}
