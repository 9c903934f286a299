"""Strategic merge patch: a merge patch that knows which lists of built-in kinds are maps by a key.

Custom kinds have no such lists, so the server answers 415 for them.
"""

import copy
from collections.abc import Mapping
from typing import Any

from emulator.json_object import Json
from emulator.openshift.kubernetes.api_errors import UNEXPECTED
from emulator.openshift.kubernetes.kinds import Kind
from emulator.openshift.kubernetes.objects.fields import schemas

# The lists that are merged, by name of the member, and their keys. All other lists are replaced as a whole.
MERGE_KEYS: Mapping[str, str] = {
    "taints": "key",
    **{
        row.rpartition(".")[2]: keyed.patch_key
        for row, keyed in schemas.LISTS.items()
        if keyed.patch_key and not row.startswith("ServiceSpec.")
    },
}
# The kinds that differ from this.
KIND_MERGE_KEYS: Mapping[str, Mapping[str, str]] = {
    "Service": {"ports": "port"},
    "CertificateSigningRequest.certificates.k8s.io": {"conditions": ""},
    "CustomResourceDefinition.apiextensions.k8s.io": {"conditions": ""},
}
# Lists of plain values that are merged as sets.
SETS = frozenset({"finalizers", "podCIDRs"})
DIRECTIVE, DELETE_ITEMS, ORDER, RETAIN = "$patch", "$deleteFromPrimitiveList/", "$setElementOrder/", "$retainKeys"


def strategic_merge_patch(kind: Kind, target: Json, patch: Json) -> Json:
    """Return the target with a strategic merge patch applied.

    Args:
        kind: kind of the target.
        target: the object, which is not modified.
        patch: the patch.

    Raises:
        ServiceError: 500, as in the real server, for an item without its merge key or a directive that does not exist.
    """
    keys = {**MERGE_KEYS, **KIND_MERGE_KEYS.get(kind.name, {})}
    return _merge(keys, copy.deepcopy(target), patch)


def _merge(keys: Mapping[str, str], target: Json, patch: Json) -> Json:
    directive = patch.get(DIRECTIVE)
    if directive == "replace":
        return {name: value for name, value in patch.items() if name != DIRECTIVE}
    if directive == "delete":
        return {}
    if directive not in (None, "merge"):
        raise UNEXPECTED(f"unknown patch type: {directive} in map: {go_map(patch)}")
    if RETAIN in patch:
        target = {name: value for name, value in target.items() if name in patch[RETAIN]}
    live = dict(target)
    for name, value in patch.items():
        if name.startswith(DELETE_ITEMS):
            field = name.removeprefix(DELETE_ITEMS)
            target[field] = [item for item in target.get(field) or [] if item not in value]
        elif name not in (DIRECTIVE, RETAIN) and not name.startswith(ORDER):
            _merge_member(keys, target, name, value)
    for name, value in patch.items():
        field = name.removeprefix(ORDER)
        if name.startswith(ORDER) or (isinstance(value, list) and f"{ORDER}{name}" not in patch):
            _reorder(keys.get(field, ""), live.get(field), target, field, value)
    return target


def _merge_member(keys: Mapping[str, str], target: Json, name: str, value: Any) -> None:
    current = target.get(name)
    if value is None:
        target.pop(name, None)
    elif isinstance(value, dict):
        target[name] = _merge(keys, current if isinstance(current, dict) else {}, value)
    elif not isinstance(value, list):
        target[name] = value
    elif name in SETS:
        kept = current if isinstance(current, list) else []
        target[name] = kept + [item for item in value if item not in kept]
    elif keys.get(name) and _are_objects(value) and _are_objects(current or []):
        target[name] = _merge_list(keys, keys[name], current or [], value)
    else:
        target[name] = copy.deepcopy(value)


def _are_objects(items: Any) -> bool:
    return isinstance(items, list) and all(isinstance(item, dict) for item in items)


def _merge_list(keys: Mapping[str, str], key: str, current: list[Json], patch: list[Json]) -> list[Json]:
    replaces = any(item.get(DIRECTIVE) == "replace" and key not in item for item in patch)
    items = [] if replaces else list(current)
    for change in patch:
        if change.get(DIRECTIVE) == "replace" and key not in change:
            continue
        if key not in change:
            raise UNEXPECTED(f"map: {go_map(change)} does not contain declared merge key: {key}")
        index = next((at for at, item in enumerate(items) if item.get(key) == change[key]), None)
        if change.get(DIRECTIVE) == "delete":
            items = [item for item in items if item.get(key) != change[key]]
        elif index is None:
            items.append(_merge(keys, {}, change))
        else:
            items[index] = _merge(keys, items[index], change)
    return items


def _reorder(key: str, live: Any, target: Json, name: str, order: list[Any]) -> None:
    """Sort a merged list: what the client names in its order, the rest in the old order and as far ahead as that says."""
    items = target.get(name)
    if not isinstance(items, list) or (name not in SETS and not (key and _are_objects(items))):
        return

    def identity(item: Any) -> Any:
        return item.get(key) if isinstance(item, dict) and key else item

    before, wanted = [identity(item) for item in live or []], [identity(item) for item in order]
    named = sorted((item for item in items if identity(item) in wanted), key=lambda item: wanted.index(identity(item)))
    rest = [item for item in items if identity(item) not in wanted]
    result = []
    for item in named:
        own = identity(item)
        while rest and own in before and before.index(identity(rest[0])) < before.index(own):
            result.append(rest.pop(0))
        result.append(item)
    target[name] = result + rest


def go_map(value: Any) -> str:
    """Show a decoded JSON value as Go prints it."""
    match value:
        case dict():
            return f"map[{' '.join(f'{name}:{go_map(value[name])}' for name in sorted(value))}]"
        case list():
            return f"[{' '.join(map(go_map, value))}]"
        case None:
            return "<nil>"
        case bool():
            return "true" if value else "false"
        case _:
            return str(value)
