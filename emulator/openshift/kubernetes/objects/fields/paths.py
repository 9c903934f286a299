"""Sets of fields: each field is a path of elements as `managedFields` writes them, such as `("f:data", "f:key")`.

An element is `f:` and a member's name, `k:` and the keys of a list's item, or `v:` and an item of a set.
Source: kubernetes-sigs/structured-merge-diff, fieldpath.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from emulator.json_object import Json

Path = tuple[str, ...]
Fields = frozenset[Path]
ITSELF = "."


def member(name: str) -> str:
    """Return the element of an object's member."""
    return f"f:{name}"


def item(keys: dict[str, Any]) -> str:
    """Return the element of a list's item with these keys."""
    return f"k:{json.dumps(keys, sort_keys=True, separators=(',', ':'), ensure_ascii=False)}"


def value(found: Any) -> str:
    """Return the element of a set's item."""
    return f"v:{json.dumps(found, separators=(',', ':'), ensure_ascii=False)}"


def written(fields: Iterable[Path]) -> Json:
    """Return fields as `fieldsV1` has them."""
    tree: Json = {}
    for path in sorted(fields):
        node = tree
        for step in path:
            node = node.setdefault(step, {})
        node[ITSELF] = {}
    return _without_marks(tree)


def _without_marks(tree: Json) -> Json:
    """Leave out the mark of a field without fields of its own, and sort the elements."""
    if set(tree) == {ITSELF}:
        return {}
    return {step: _without_marks(tree[step]) if step != ITSELF else {} for step in sorted(tree)}


def read(tree: Json) -> Fields:
    """Return the fields in a `fieldsV1`.

    Raises:
        ValueError: if it is not one.
    """
    return frozenset(_read(tree, ()))


def _read(tree: Any, path: Path) -> Iterator[Path]:
    if not isinstance(tree, dict):
        raise ValueError(f"{tree} is not a set of fields")  # noqa: TRY004 - a value of a request, not a caller's mistake
    if not tree and path:
        yield path
    for step, inner in tree.items():
        if step == ITSELF:
            yield path
        elif step[:2] not in ("f:", "k:", "v:", "i:"):
            raise ValueError(f"{step} is not the element of a path")
        else:
            yield from _read(inner, (*path, step))


def shown(path: Path) -> str:
    """Return a path as messages show it: `.spec.containers[name="x"].image`."""
    return "".join(_shown(step) for step in path)


def _shown(step: str) -> str:
    kind, text = step[:2], step[2:]
    if kind == "f:":
        return f".{text}"
    if kind == "k:":
        keys = json.loads(text)
        return f"[{','.join(f'{name}={json.dumps(keys[name], ensure_ascii=False)}' for name in sorted(keys))}]"
    return f"[={text}]"


def in_order(fields: Iterable[Path]) -> list[Path]:
    """Return fields in the order of messages: at each level first those that end there, then those that go on."""
    return sorted(fields, key=lambda path: [(at + 1 < len(path), step) for at, step in enumerate(path)])


def below(fields: Fields, step: str) -> Fields:
    """Return the fields below an element, as paths from there."""
    return frozenset(path[1:] for path in fields if len(path) > 1 and path[0] == step)


def outside(fields: Iterable[Path], roots: Iterable[Path]) -> Fields:
    """Return the fields that are neither one of the roots nor below one."""
    known = tuple(roots)
    return frozenset(path for path in fields if not any(path[: len(root)] == root for root in known))
