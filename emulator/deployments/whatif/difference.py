"""The difference between a resource as it is and as a template wants it.

Only what the template sets is compared; members that a provider adds, and defaults, do not count. Tags are the
exception, because a PUT replaces them all.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from emulator.arm.groups import normal_location
from emulator.arm.schema import ReadOnly, Required, Since
from emulator.deployments.language.values import find_key, same
from emulator.json_object import Json


def differences(before: Mapping[str, Any], body: Mapping[str, Any], table: Mapping[str, Any]) -> list[Json]:
    """Return the property changes that a PUT of a body would make, as what-if shows them.

    Args:
        before: the resource as GET answers it.
        body: body of the PUT.
        table: property table of the type, which tells the members that no PUT can set; {} if there is none.
    """
    changes = _of_objects(before, {name: value for name, value in body.items() if name != "tags"}, "", table)
    tags, wanted = before.get("tags") or {}, body.get("tags") or {}
    changes += _of_objects(tags, wanted, "tags.", {})
    return changes + [
        {"path": f"tags.{name}", "propertyChangeType": "Delete", "before": value}
        for name, value in tags.items()
        if find_key(wanted, name) is None
    ]


def predicted(before: Any, wanted: Any) -> Any:
    """Return a value as it would be after a PUT: what the template sets, and around it what is there."""
    if not isinstance(before, dict) or not isinstance(wanted, dict):
        return before if wanted is None else wanted
    after = dict(before)
    for name, value in wanted.items():
        key = find_key(after, name) or name
        after[key] = value if key == "tags" else predicted(after.get(key), value)
    return after


def _of_objects(before: Mapping[str, Any], wanted: Mapping[str, Any], prefix: str, table: Any) -> list[Json]:
    changes: list[Json] = []
    for name, value in wanted.items():
        key, kind = find_key(before, name), _kind(table, name)
        path = f"{prefix}{name}"
        if isinstance(kind, ReadOnly):
            changes += _no_effect(path, None if key is None else before[key], value)
        elif key is not None:
            changes += _of_values(before[key], value, path, kind)
        elif value not in (None, {}, []):
            changes.append({"path": path, "propertyChangeType": "Create", "after": value})
    return changes


def _of_values(before: Any, wanted: Any, path: str, kind: Any) -> list[Json]:
    if wanted is None or _same(before, wanted, path):
        return []
    if isinstance(before, dict) and isinstance(wanted, dict):
        return _of_objects(before, wanted, f"{path}.", kind)
    if isinstance(before, list) and isinstance(wanted, list):
        children = _of_arrays(before, wanted, kind[0] if isinstance(kind, list) else {})
        whole = {"path": path, "propertyChangeType": "Array", "before": before, "after": wanted, "children": children}
        return [whole] if children else []
    return [{"path": path, "propertyChangeType": "Modify", "before": before, "after": wanted}]


def _of_arrays(before: Sequence[Any], wanted: Sequence[Any], kind: Any) -> list[Json]:
    """Return the changes of elements; those with a name are compared with the element of this name."""
    changes: list[Json] = []
    left = dict(enumerate(before))
    for position, value in enumerate(wanted):
        match = _counterpart(left, position, value)
        if match is None:
            changes.append({"path": str(position), "propertyChangeType": "Create", "after": value})
            continue
        current = left.pop(match)
        if isinstance(current, dict) and isinstance(value, dict):
            children = _of_objects(current, value, "", kind)
            change = {"path": str(position), "propertyChangeType": "Modify", "before": current, "after": value}
            changes += [change | {"children": children}] if children else []
        elif not _same(current, value, ""):
            changes.append({"path": str(position), "propertyChangeType": "Modify", "before": current, "after": value})
    return changes + [
        {"path": str(position), "propertyChangeType": "Delete", "before": value} for position, value in left.items()
    ]


def _counterpart(left: Mapping[int, Any], position: int, value: Any) -> int | None:
    name = value.get("name") if isinstance(value, dict) else None
    if name is None:
        return position if position in left else None
    return next((at for at, item in left.items() if isinstance(item, dict) and item.get("name") == name), None)


def _no_effect(path: str, before: Any, wanted: Any) -> list[Json]:
    change = {"path": path, "propertyChangeType": "NoEffect", "before": before, "after": wanted}
    return [] if same(before, wanted) else [change]


def _kind(table: Any, name: str) -> Any:
    """Return the kind of a member in a property table, or {} if the table does not tell."""
    key = find_key(table, name) if isinstance(table, dict) else None
    kind = {} if key is None else table[key]
    while isinstance(kind, Required | Since):
        kind = kind.kind
    return kind


def _same(before: Any, wanted: Any, path: str) -> bool:
    if isinstance(before, str) and isinstance(wanted, str):
        if path == "location":
            return normal_location(before) == normal_location(wanted)
        if wanted.startswith("/subscriptions/"):
            return before.lower() == wanted.lower()
    return same(before, wanted)
