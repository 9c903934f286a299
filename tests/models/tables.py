"""Compares the property tables of the emulated types with the models of the SDKs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from emulator.arm.schema import Choice, Fixed, ReadOnly, Reference, Required, Rule, Since
from emulator.arm.schema import MapOf as TableMap
from tests.models.description import (
    ANY,
    BOOLEAN,
    INTEGER,
    NUMBER,
    TEXT,
    TIME,
    Enumeration,
    Kind,
    Library,
    ListOf,
    MapOf,
    Model,
    Named,
)

Problem = Literal["unknown member", "other kind", "other values", "missing values", "open values"]

_PLAIN: dict[object, tuple[Kind, ...]] = {
    str: (TEXT, TIME),
    int: (INTEGER,),
    float: (NUMBER, INTEGER),
    bool: (BOOLEAN,),
}


@dataclass(frozen=True)
class Mismatch:
    """A difference between a property table and a model.

    Args:
        type: the emulated type.
        path: the member, from the resource on.
        problem: what differs.
        detail: what the table has, and what the model.
    """

    type: str
    path: str
    problem: Problem
    detail: str

    def __str__(self) -> str:
        return f"{self.type}: {self.path}: {self.problem}: {self.detail}"


@dataclass(frozen=True)
class Comparison:
    """Compares one table.

    Args:
        type: the emulated type.
        library: the models.
    """

    type: str
    library: Library

    def object(self, table: Mapping[str, Any], model: Model, path: str = "") -> Iterator[Mismatch]:
        """Yield where a table differs from a model."""
        for name, entry in table.items():
            member, here = model.members.get(name), f"{path}.{name}" if path else name
            if member is None:
                yield Mismatch(self.type, here, "unknown member", f"{model.name} has no member of this name")
            elif not isinstance(entry, ReadOnly):
                yield from self._kind(entry, self._resolved(member.kind), here)

    def _kind(self, entry: Any, kind: Kind | Model, path: str) -> Iterator[Mismatch]:
        while isinstance(entry, Required | Since | Rule | Fixed):
            entry = entry.kind
        if entry is object or kind == ANY:
            return
        match entry, kind:
            case Choice(), Enumeration():
                yield from self._values(entry, kind, path)
            case dict(), Model():
                yield from self.object(entry, kind, path)
            case list(), ListOf():
                yield from self._kind(entry[0], self._resolved(kind.item), f"{path}[]")
            case TableMap(), MapOf():
                yield from self._kind(entry.kind, self._resolved(kind.item), f"{path}.*")
            case type(), Enumeration() if entry is str:
                yield Mismatch(
                    self.type, path, "open values", f"{kind.name} has only {', '.join(map(str, kind.values))}"
                )
            case _ if not self._fits(entry, kind):
                named = kind.name if isinstance(kind, Model) else f"{kind}"
                yield Mismatch(self.type, path, "other kind", f"the table has {entry}, the model {named}")

    def _values(self, entry: Choice, kind: Enumeration, path: str) -> Iterator[Mismatch]:
        has, knows = set(entry.values), set(map(str, kind.values))
        if has - knows:
            yield Mismatch(self.type, path, "other values", f"{kind.name} has no {', '.join(sorted(has - knows))}")
        if knows - has:
            yield Mismatch(self.type, path, "missing values", f"{kind.name} has {', '.join(sorted(knows - has))} too")

    def _fits(self, entry: Any, kind: Kind | Model) -> bool:
        match entry:
            case Reference(bare=True):
                return kind == TEXT
            case Reference():
                return isinstance(kind, Model) and "id" in kind.members
            case Choice():
                return kind == TEXT
            case type():
                return kind in _PLAIN.get(entry, ())
            case TableMap():
                return isinstance(kind, Model)
        return False

    def _resolved(self, kind: Kind) -> Kind | Model:
        return self.library.find(kind.name) if isinstance(kind, Named) else kind
