"""The members of a type, with a place for each in an example."""

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from emulator.arm.schema import Fixed, Kind, MapOf, Required, Rule, Since
from emulator.json_object import Json

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Member:
    """A member of a property table.

    Args:
        path: where it is in the example's body, or would be.
        layers: what the table says of it, outermost first: `Required`, `Since`, `Rule`, `Fixed`, and then its kind.
        placed: whether the object that has it is in the example, so that a value can be put there; for an item of a list,
            whether the object that has the list is.
    """

    path: Path
    layers: tuple[Kind, ...]
    placed: bool = True

    @property
    def kind(self) -> Kind:
        """The kind without what is around it."""
        return self.layers[-1]

    def __str__(self) -> str:
        text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in self.path)
        return text.removeprefix(".")


def layers_of(kind: Kind) -> tuple[Kind, ...]:
    """Return a kind and all kinds inside it that say something of the same value, outermost first."""
    if isinstance(kind, Required | Since | Rule | Fixed):
        return (kind, *layers_of(kind.kind))
    return (kind,)


def members(table: Kind, body: Any, path: Path = (), *, placed: bool = True) -> Iterator[Member]:
    """Yield every member of a property table, in the order of the table.

    Args:
        table: the kind of `body`.
        body: the example's value, or None where it has none.
        path: where `body` is.
        placed: whether it is there.
    """
    match layers_of(table)[-1]:
        case dict() as known:
            for name, kind in known.items():
                here = (*path, name)
                yield Member(here, layers_of(kind), placed)
                inner = body.get(name) if isinstance(body, dict) else None
                listed = isinstance(layers_of(kind)[-1], list)
                yield from members(kind, inner, here, placed=placed and (listed or inner is not None))
        case list() as items:
            inner = body[0] if isinstance(body, list) and body else None
            here = (*path, 0)
            if not isinstance(layers_of(items[0])[-1], dict):
                yield Member(here, layers_of(items[0]), placed)
            yield from members(items[0], inner, here, placed=placed and inner is not None)
        case MapOf(kind=kind):
            inner = next(iter(body.items()), None) if isinstance(body, dict) else None
            if inner is not None:
                yield from members(kind, inner[1], (*path, inner[0]), placed=placed)


def changed(body: Json, path: Path, value: Any) -> Json:
    """Return a copy of a body with another value at a path; the object must exist, but not a list with one item."""
    copied = copy.deepcopy(body)
    place: Any = copied
    *outer, last = path
    for index, part in enumerate(outer, 1):
        place = place.setdefault(part, [None]) if index == len(outer) and last == 0 else place[part]
    place[last] = value
    return copied


def without(body: Json, path: Path) -> Json:
    """Return a copy of a body without the member at a path."""
    copied = copy.deepcopy(body)
    place: Any = copied
    for part in path[:-1]:
        place = place[part]
    del place[path[-1]]
    return copied


def at(body: Any, path: Sequence[str | int]) -> Any:
    """Return the value at a path, or None."""
    for part in path:
        try:
            body = body[part]
        except (KeyError, IndexError, TypeError):
            return None
    return body
