"""Functions on arrays and objects, including those that accept strings too."""

import json
import math
from typing import Any

from emulator.deployments.language.functions.signature import Function, failed
from emulator.deployments.language.values import find_key, same, to_text

MAX_RANGE = 10_000


def _length(value: Any) -> int:
    return len(value)


def _empty(value: Any) -> bool:
    return value is None or len(value) == 0


def _first(value: Any) -> Any:
    return value[0] if value else ("" if isinstance(value, str) else None)


def _last(value: Any) -> Any:
    return value[-1] if value else ("" if isinstance(value, str) else None)


def _take(value: Any, count: int) -> Any:
    return value[: max(count, 0)]


def _skip(value: Any, count: int) -> Any:
    return value[max(count, 0) :]


def _contains(container: Any, item: Any) -> bool:
    if isinstance(container, list):
        return any(same(item, element) for element in container)
    if isinstance(container, dict):
        return find_key(container, to_text(item)) is not None
    return to_text(item) in container


def _has(items: list[Any], wanted: Any) -> bool:
    return any(same(item, wanted) for item in items)


def _union(*values: Any) -> Any:
    if all(isinstance(value, list) for value in values):
        merged: list[Any] = []
        for value in values:
            merged.extend(item for item in value if not _has(merged, item))
        return merged
    if all(isinstance(value, dict) for value in values):
        result: dict[str, Any] = {}
        for value in values:
            result = _merge(result, value)
        return result
    raise failed("union", "all values must be arrays, or all objects")


def _merge(left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any]:
    merged = dict(left)
    for name, value in right.items():
        key = find_key(merged, name) or name
        known = merged.get(key)
        merged[key] = _merge(known, value) if isinstance(known, dict) and isinstance(value, dict) else value
    return merged


def _range(start: int, count: int) -> list[int]:
    if not 0 <= count <= MAX_RANGE:
        raise failed("range", f"the count {count} is not from 0 to {MAX_RANGE}")
    return list(range(start, start + count))


def _create_object(*arguments: Any) -> dict[str, Any]:
    names = arguments[0::2]
    if len(arguments) % 2 or not all(isinstance(name, str) for name in names):
        raise failed("createObject", "it needs pairs of a name, which is a string, and a value")
    return dict(zip(names, arguments[1::2], strict=True))


def _array(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _not_json(text: str) -> Any:
    raise ValueError(text)


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _not_json(text)


def _json(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_not_json, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise failed("json", f"the text is not JSON ({type(error).__name__})") from None


def _items(value: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": name, "value": value[name]} for name in sorted(value)]


ARRAYS = (
    Function("length", "string|array|object", _length),
    Function("empty", "string|array|object|null", _empty),
    Function("first", "string|array", _first),
    Function("last", "string|array", _last),
    Function("take", "string|array int", _take),
    Function("skip", "string|array int", _skip),
    Function("contains", "string|array|object any", _contains),
    Function("union", "array|object array|object array|object*", _union),
    Function("range", "int int", _range),
    Function("createArray", "any*", lambda *values: list(values)),
    Function("createObject", "any*", _create_object),
    Function("array", "any", _array),
    Function("json", "string", _json),
    Function("items", "object", _items),
)
