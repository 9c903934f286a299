"""Walks over objects along their schema: their fields, how two of them differ, merging them, removing fields.

Source: kubernetes-sigs/structured-merge-diff, typed.
"""

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from emulator.json_object import Json
from emulator.openshift.kubernetes.objects.fields import paths, schemas
from emulator.openshift.kubernetes.objects.fields.paths import Fields, Path

MISSING: Any = object()


class Form(Enum):
    """How a value is treated: as one field, as a map of fields, or as a list whose items are fields."""

    LEAF = auto()
    MAP = auto()
    ITEMS = auto()


@dataclass
class Difference:
    """The fields in which two objects differ."""

    added: set[Path] = field(default_factory=set)
    modified: set[Path] = field(default_factory=set)
    removed: set[Path] = field(default_factory=set)


def fields_of(schema: Json, obj: Json) -> Fields:
    """Return the fields of an object, which is what a manager who applies it owns."""
    return frozenset(_fields(schemas.resolved(schema), obj, ()))


def _fields(schema: Json, value: Any, path: Path) -> Iterator[Path]:
    match _form(schema, value):
        case Form.LEAF:
            yield path
        case Form.MAP:
            for name, inner in value.items():
                inner_schema, declared = member_of(schema, name)
                at = (*path, paths.member(name))
                yield from _fields(inner_schema, inner, at)
                if inner is None or inner == {} or not declared:
                    yield at
        case Form.ITEMS:
            for step, inner in items_of(schema, value).items():
                yield from _fields(_item(schema), inner, (*path, step))
                yield (*path, step)


def difference(schema: Json, old: Json, new: Json) -> Difference:
    """Return the fields in which two objects differ."""
    found = Difference()
    _compare(schemas.resolved(schema), old, new, (), found)
    return found


def _compare(schema: Json, old: Any, new: Any, path: Path, found: Difference) -> None:
    forms = {_form(schema, value) for value in (old, new) if value is not MISSING and value is not None}
    is_empty = all(value is MISSING or value is None or value in ({}, []) for value in (old, new))
    if is_empty or forms not in ({Form.MAP}, {Form.ITEMS}):
        if old is MISSING:
            found.added.add(path)
        elif new is MISSING:
            found.removed.add(path)
        elif old != new:
            found.modified.add(path)
        return
    if forms == {Form.MAP}:
        before, after = ({} if value is MISSING or value is None else value for value in (old, new))
        for name in {**before, **after}:
            inner, at = member_of(schema, name)[0], (*path, paths.member(name))
            _compare(inner, before.get(name, MISSING), after.get(name, MISSING), at, found)
    else:
        before, after = ({} if value is MISSING else items_of(schema, value or []) for value in (old, new))
        for step in {**before, **after}:
            _compare(_item(schema), before.get(step, MISSING), after.get(step, MISSING), (*path, step), found)
    if old is MISSING:
        found.added.add(path)
    elif new is MISSING:
        found.removed.add(path)


def merged(schema: Json, live: Any, applied: Any) -> Any:
    """Return a value with another one applied to it; neither is modified."""
    schema = schemas.resolved(schema)
    if applied is MISSING or live is MISSING:
        return copy.deepcopy(live if applied is MISSING else applied)
    forms = {_form(schema, value) for value in (live, applied) if value is not None}
    if not live and not applied:
        return copy.deepcopy(applied)
    if forms == {Form.MAP}:
        before, after = live or {}, applied or {}
        return {
            name: merged(member_of(schema, name)[0], before.get(name, MISSING), after.get(name, MISSING))
            for name in {**before, **after}
        }
    if forms == {Form.ITEMS}:
        before, after = items_of(schema, live or []), items_of(schema, applied or [])
        return [
            merged(_item(schema), before.get(step, MISSING), after.get(step, MISSING))
            for step in _order(list(before), list(after))
        ]
    return copy.deepcopy(applied)


def _order(before: list[str], after: list[str]) -> list[str]:
    """Return the order of a merged list: shared items as in the applied list, the others beside their neighbours."""
    shared = [step for step in after if step in before]
    ordered: list[str] = []
    left, right = 0, 0
    while left < len(before) or right < len(after):
        if left < len(before) and right < len(after):
            if before[left] == after[right]:
                ordered.append(before[left])
                shared = shared[1:]
                left, right = left + 1, right + 1
                continue
            if before[left] in after and shared and shared[0] != before[left]:
                left += 1
                continue
        if left < len(before):
            if before[left] not in after:
                ordered.append(before[left])
                left += 1
                continue
            if before[left] in ordered:
                left += 1
        if right < len(after):
            ordered.append(after[right])
            if shared and shared[0] == after[right]:
                shared = shared[1:]
            right += 1
    return ordered


def without(schema: Json, value: Any, removed: Fields) -> Any:
    """Return a value without some of its fields; MISSING if a map or list loses its last one."""
    schema = schemas.resolved(schema)
    form = _form(schema, value)
    if form is Form.LEAF or not value:
        return value
    if form is Form.MAP:
        kept: Json = {}
        for name, inner in value.items():
            step = paths.member(name)
            if (step,) not in removed:
                rest = _without(member_of(schema, name)[0], inner, removed, step)
                if rest is not MISSING:
                    kept[name] = rest
        return kept or MISSING
    items = [
        _without(_item(schema), inner, removed, step)
        for step, inner in items_of(schema, value).items()
        if (step,) not in removed
    ]
    return [inner for inner in items if inner is not MISSING] or MISSING


def _without(schema: Json, value: Any, removed: Fields, step: str) -> Any:
    inner = paths.below(removed, step)
    return without(schema, value, inner) if inner else value


def with_named(schema: Json, fields: Fields) -> Fields:
    """Return fields with the members on their way that a type declares, which no manager owns by itself."""
    found = set(fields)
    for path in fields:
        current: Json = schemas.resolved(schema)
        for at, step in enumerate(path[:-1]):
            if step.startswith("f:"):
                current, declared = member_of(current, step[2:])
                if declared:
                    found.add(path[: at + 1])
            else:
                current = _item(current)
    return frozenset(found)


def member_of(schema: Json, name: str) -> tuple[Json, bool]:
    """Return the schema of a member, and whether the type declares it by name."""
    declared = (schema.get("properties") or {}).get(name)
    if declared is not None:
        return schemas.resolved(declared), True
    extra = schema.get("additionalProperties")
    return (schemas.resolved(extra) if isinstance(extra, dict) else {}), False


def items_of(schema: Json, value: list[Any]) -> dict[str, Any]:
    """Return the items of a list by their path elements; of items with the same keys, the last."""
    keys = schemas.keys_of(schema) or ()
    if not keys:
        return {paths.value(inner): inner for inner in value}
    return {paths.item(key_of(keys, inner)): inner for inner in value}


def key_of(keys: tuple[str, ...], item: Json) -> Json:
    """Return the keys of a list's item, with the defaults of those that it leaves out."""
    found = {name: item.get(name, schemas.KEY_DEFAULTS.get(name)) for name in keys}
    return {name: value for name, value in found.items() if value is not None}


def _item(schema: Json) -> Json:
    items = schema.get("items")
    return schemas.resolved(items) if isinstance(items, dict) else {}


def _form(schema: Json, value: Any) -> Form:
    if isinstance(value, dict):
        return Form.LEAF if schema.get(schemas.MAP_TYPE) == "atomic" else Form.MAP
    if isinstance(value, list):
        keys = schemas.keys_of(schema)
        fits = keys is not None and all(isinstance(inner, dict) == bool(keys) for inner in value)
        return Form.ITEMS if fits else Form.LEAF
    return Form.LEAF
