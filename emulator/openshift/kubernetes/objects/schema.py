"""Structural schemas of custom kinds: pruning, defaults and validation.

The messages are those of the real server, because people read them in a failed operation.
"""

import copy
import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from emulator.json_object import Json
from emulator.openshift.kubernetes.api_errors import Cause, invalid_value, not_supported, required

PRESERVE = "x-kubernetes-preserve-unknown-fields"
INT_OR_STRING = "x-kubernetes-int-or-string"
EMBEDDED = "x-kubernetes-embedded-resource"
TYPES: Mapping[type, str] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}
TYPE_META = frozenset({"apiVersion", "kind", "metadata"})


def settle(schema: Json, obj: Json) -> Json:
    """Return an object as it is stored: without unknown members and meaningless nulls, and with defaults."""
    settled = {name: value for name, value in obj.items() if name in TYPE_META}
    body = {name: value for name, value in obj.items() if name not in TYPE_META}
    inner = schema | {"properties": _properties(schema)}
    settled.update(_settle(inner, copy.deepcopy(body)))
    return settled


def causes(schema: Json, obj: Json) -> Iterator[Cause]:
    """Yield what is wrong with an object, in the order of its members."""
    inner = schema | {
        "properties": _properties(schema),
        "required": [name for name in schema.get("required") or () if name not in TYPE_META],
    }
    yield from _causes(inner, {name: value for name, value in obj.items() if name not in TYPE_META}, "")


def unknown(schema: Json, obj: Json) -> Iterator[str]:
    """Yield the paths of the members that an object has and its schema lacks, which `settle` leaves out."""
    body = {name: value for name, value in obj.items() if name not in TYPE_META}
    yield from _unknown(schema | {"properties": _properties(schema)}, body, "")


def _unknown(schema: Json, value: Any, path: str) -> Iterator[str]:
    if isinstance(value, list):
        items = schema.get("items")
        if isinstance(items, dict):
            for index, item in enumerate(value):
                yield from _unknown(items, item, f"{path}[{index}]")
    elif isinstance(value, dict):
        for name, member in value.items():
            inner = _member_schema(schema, name)
            if inner is not None:
                yield from _unknown(inner, member, _join(path, name))
            elif not _is_kept(schema, name):
                yield _join(path, name)


def _member_schema(schema: Json, name: str) -> Json | None:
    extra = schema.get("additionalProperties")
    found: Json | None = (schema.get("properties") or {}).get(name, extra if isinstance(extra, dict) else None)
    return found


def _is_kept(schema: Json, name: str) -> bool:
    """Tell whether a member without a schema is kept."""
    if schema.get(PRESERVE) or schema.get("additionalProperties") is True:
        return True
    return bool(schema.get(EMBEDDED)) and name in TYPE_META


def _properties(schema: Json) -> Json:
    return {name: inner for name, inner in (schema.get("properties") or {}).items() if name not in TYPE_META}


def _settle(schema: Json, value: Any) -> Any:
    if isinstance(value, list):
        items = schema.get("items")
        return [_settle(items, item) for item in value] if isinstance(items, dict) else value
    if not isinstance(value, dict):
        return value
    properties: Json = schema.get("properties") or {}
    settled: Json = {}
    for name, member in value.items():
        inner = _member_schema(schema, name)
        if inner is None:
            if _is_kept(schema, name):
                settled[name] = member
        elif member is not None or inner.get("nullable"):
            settled[name] = _settle(inner, member)
    for name, inner in properties.items():
        if name not in settled and "default" in inner:
            settled[name] = _settle(inner, copy.deepcopy(inner["default"]))
    return settled


def _type_of(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        # A number without a fraction is an integer in JSON.
        return "integer"
    return TYPES.get(type(value), "null")


def _causes(schema: Json, value: Any, path: str) -> Iterator[Cause]:
    if value is None and schema.get("nullable"):
        return
    wanted = ("integer", "string") if schema.get(INT_OR_STRING) else tuple(filter(None, [schema.get("type")]))
    found = _type_of(value)
    if wanted and found not in wanted and not (found == "integer" and "number" in wanted):
        message = f'{path} in body must be of type {",".join(wanted)}: "{found}"'
        yield invalid_value(path, found, message)
        return
    yield from _enum(schema, value, path)
    if isinstance(value, dict):
        yield from _object(schema, value, path)
    elif isinstance(value, list):
        yield from _array(schema, value, path)
    elif isinstance(value, str):
        yield from _text(schema, value, path)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _number(schema, value, path)
    yield from _combined(schema, value, path)


def _enum(schema: Json, value: Any, path: str) -> Iterator[Cause]:
    allowed = schema.get("enum")
    if allowed and value not in allowed:
        yield not_supported(path, value, [str(one) for one in allowed])


def _object(schema: Json, value: Json, path: str) -> Iterator[Cause]:
    for name in schema.get("required") or ():
        if name not in value:
            yield required(_join(path, name))
    properties: Json = schema.get("properties") or {}
    extra = schema.get("additionalProperties")
    for name, member in value.items():
        inner = properties.get(name, extra if isinstance(extra, dict) else None)
        if inner is not None:
            yield from _causes(inner, member, _join(path, name))
    if "minProperties" in schema and len(value) < schema["minProperties"]:
        yield invalid_value(
            path, len(value), f"{path} in body should have at least {schema['minProperties']} properties"
        )
    if "maxProperties" in schema and len(value) > schema["maxProperties"]:
        yield invalid_value(
            path, len(value), f"{path} in body should have at most {schema['maxProperties']} properties"
        )


def _array(schema: Json, value: list[Any], path: str) -> Iterator[Cause]:
    if isinstance(schema.get("items"), dict):
        for item in value:
            yield from _causes(schema["items"], item, path)
    if "minItems" in schema and len(value) < schema["minItems"]:
        yield invalid_value(path, len(value), f"{path} in body should have at least {schema['minItems']} items")
    if "maxItems" in schema and len(value) > schema["maxItems"]:
        yield invalid_value(path, len(value), f"{path} in body should have at most {schema['maxItems']} items")
    keys = [json.dumps(item, sort_keys=True) for item in value]
    if schema.get("uniqueItems") and len(set(keys)) < len(keys):
        yield invalid_value(path, value, f"{path} in body shouldn't contain duplicates")


def _text(schema: Json, value: str, path: str) -> Iterator[Cause]:
    if "minLength" in schema and len(value) < schema["minLength"]:
        yield invalid_value(path, value, f"{path} in body should be at least {schema['minLength']} chars long")
    if "maxLength" in schema and len(value) > schema["maxLength"]:
        yield invalid_value(path, value, f"{path} in body should be at most {schema['maxLength']} chars long")
    if "pattern" in schema and not _fits(schema["pattern"], value):
        yield invalid_value(path, value, f"{path} in body should match '{schema['pattern']}'")
    if schema.get("format") == "date-time" and not _is_date_time(value):
        yield invalid_value(path, value, f'{path} in body must be of type date-time: "{value}"')


def _fits(pattern: str, value: str) -> bool:
    try:
        return re.search(pattern, value) is not None
    except re.error:
        # Go knows a few forms, such as `\p{L}`, that Python does not.
        return True


def _is_date_time(value: str) -> bool:
    try:
        return datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


def _number(schema: Json, value: float, path: str) -> Iterator[Cause]:
    if "minimum" in schema:
        least, open_end = schema["minimum"], schema.get("exclusiveMinimum")
        if value < least or (open_end and value == least):
            bound = "greater than" if open_end else "greater than or equal to"
            yield invalid_value(path, value, f"{path} in body should be {bound} {least}")
    if "maximum" in schema:
        most, open_end = schema["maximum"], schema.get("exclusiveMaximum")
        if value > most or (open_end and value == most):
            bound = "less than" if open_end else "less than or equal to"
            yield invalid_value(path, value, f"{path} in body should be {bound} {most}")
    if "multipleOf" in schema and value % schema["multipleOf"]:
        yield invalid_value(path, value, f"{path} in body should be a multiple of {schema['multipleOf']}")


def _combined(schema: Json, value: Any, path: str) -> Iterator[Cause]:
    for inner in schema.get("allOf") or ():
        yield from _causes(inner, value, path)
    fitting = [not list(_causes(inner, value, path)) for inner in schema.get("anyOf") or ()]
    if fitting and not any(fitting):
        yield invalid_value(path, value, f"{path} in body must validate at least one schema (anyOf)")
    fitting = [not list(_causes(inner, value, path)) for inner in schema.get("oneOf") or ()]
    if fitting and sum(fitting) != 1:
        yield invalid_value(path, value, f"{path} in body must validate one and only one schema (oneOf)")
    if schema.get("not") and not list(_causes(schema["not"], value, path)):
        yield invalid_value(path, value, f"{path} in body must not validate the schema (not)")


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
