"""What is wrong with the types of an object to apply, in the words of the real server.

Source: kubernetes-sigs/structured-merge-diff, typed/validate.go.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from emulator.json_object import Json
from emulator.openshift.kubernetes.objects.fields import paths, schemas
from emulator.openshift.kubernetes.objects.fields.values import items_of, key_of, member_of

OPEN = frozenset({schemas.PRESERVE, "additionalProperties"})


def problems(schema: Json, obj: Json) -> list[str]:
    """Return what is wrong, as the real server's message lists it."""
    return list(_problems(schemas.resolved(schema), obj, ""))


def _problems(schema: Json, value: Any, path: str) -> Iterator[str]:
    wanted = schema.get("type")
    if value is None or wanted is None or (schema.get(schemas.INT_OR_STRING) and not isinstance(value, dict | list)):
        return
    shown = "&value.valueUnstructured{Value:" + _go(value) + "}"
    if wanted == "object" and not isinstance(value, dict):
        yield f"{path}: expected map, got &{{{_go(value)}}}"
    elif wanted == "array" and not isinstance(value, list):
        yield f"{path}: expected list, got &{{{_go(value)}}}"
    elif wanted == "string" and not isinstance(value, str):
        yield f"{path}: expected string, got {shown}"
    elif wanted == "boolean" and not isinstance(value, bool):
        yield f"{path}: expected boolean, got {shown}"
    elif wanted in ("integer", "number") and (not isinstance(value, int | float) or isinstance(value, bool)):
        yield f"{path}: expected numeric (int or float), got *value.valueUnstructured"
    elif isinstance(value, dict):
        yield from _members(schema, value, path)
    elif isinstance(value, list):
        yield from _items(schema, value, path)


def _members(schema: Json, value: Json, path: str) -> Iterator[str]:
    is_open = not OPEN.isdisjoint(schema) or not schema.get("properties")
    for name, inner in value.items():
        found, declared = member_of(schema, name)
        if not declared and not is_open:
            yield f"{path}.{name}: field not declared in schema"
        else:
            yield from _problems(found, inner, f"{path}.{name}")


def _items(schema: Json, value: list[Any], path: str) -> Iterator[str]:
    keys, inner = schemas.keys_of(schema), schemas.resolved(schema.get("items") or {})
    if keys is None:
        for index, item in enumerate(value):
            yield from _problems(inner, item, f"{path}[{index}]")
        return
    steps = Counter(paths.item(key_of(keys, item)) if keys else paths.value(item) for item in value)
    for step, count in steps.items():
        if count > 1:
            yield f"{path}: duplicate entries for key {paths.shown((step,))}"
    for step, item in items_of(schema, value).items():
        yield from _problems(inner, item, f"{path}{paths.shown((step,))}")


def _go(value: Any) -> str:
    """Return a value as Go's `%v` shows it."""
    match value:
        case bool():
            return str(value).lower()
        case list():
            return f"[{' '.join(map(_go, value))}]"
        case dict():
            return f"map[{' '.join(f'{name}:{_go(inner)}' for name, inner in sorted(value.items()))}]"
        case _:
            return str(value)
