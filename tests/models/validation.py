"""Compares a JSON document with the model that it should have."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from tests.models.description import (
    Enumeration,
    Kind,
    Library,
    ListOf,
    MapOf,
    Member,
    Model,
    Named,
    Plain,
)

Problem = Literal[
    "unknown member", "missing member", "read-only member", "write-only member", "other kind", "other value"
]
Direction = Literal["request", "reply"]

# What the samples of the local Azure have in place of a text that is data, and of a name that is data.
_TEXT, _ANY_NAME = "…", "*"
_TIME = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?")
_DURATION = re.compile(r"P(?=.)(\d+[YMWD])*(T(\d+(\.\d+)?[HMS])+)?|-?(\d+\.)?\d\d:\d\d:\d\d(\.\d+)?")


@dataclass(frozen=True)
class Violation:
    """One difference between a document and its model.

    Args:
        problem: what is wrong.
        library: name of the package of the model.
        model: name of the model that has, or lacks, the member.
        member: name of the member.
        path: JSON path of the member in the document.
        sent: what was sent, in JSON.
        known: what the model has.
    """

    problem: Problem
    library: str
    model: str
    member: str
    path: str
    sent: str
    known: str

    def __str__(self) -> str:
        return f"{self.path}: {self.problem}: sent {self.sent}; {self.model} of {self.library} has {self.known}"


@dataclass(frozen=True)
class Place:
    """Where in a document the validation is.

    Args:
        library: the models.
        direction: whether the document is a request or a reply.
        model: name of the model around this place.
        member: name of the member of that model.
        path: JSON path.
    """

    library: Library
    direction: Direction
    model: str = ""
    member: str = ""
    path: str = "$"

    def at(self, model: str, member: str) -> "Place":
        """Return the place of a member."""
        return Place(self.library, self.direction, model, member, f"{self.path}.{member}")

    def item(self) -> "Place":
        """Return the place of the items of an array, or of the members of a map."""
        return Place(self.library, self.direction, self.model, self.member, f"{self.path}[]")

    def violation(self, problem: Problem, sent: Any, known: str) -> Violation:
        """Return a violation at this place."""
        return Violation(problem, self.library.name, self.model, self.member, self.path, _shown(sent), known)


def violations(kind: Kind, value: Any, place: Place) -> Iterator[Violation]:
    """Yield where a value differs from its kind."""
    match kind:
        case Named():
            found = place.library.find(kind.name)
            if isinstance(found, Model):
                yield from of_model(found, value, place)
            else:
                yield from violations(found, value, place)
        case Enumeration():
            if not isinstance(value, str | int) or isinstance(value, bool):
                yield place.violation("other kind", value, kind.name)
            elif value not in (*kind.values, _TEXT) and not _joins_letters(value, kind.values):
                known = ", ".join(f"{known}" for known in kind.values)
                yield place.violation("other value", value, f"{kind.name}: {known}")
        case ListOf() | MapOf():
            yield from _of_items(kind, value, place)
        case Plain():
            if not _fits(kind, value):
                yield place.violation("other kind", value, kind.name)


def _joins_letters(value: str | int, known: Collection[str | int]) -> bool:
    """Tell whether a value joins known letters: permissions of a shared access signature are named one by one."""
    return isinstance(value, str) and all(len(str(each)) == 1 for each in known) and set(value) <= set(known)


def _of_items(kind: ListOf | MapOf, value: Any, place: Place) -> Iterator[Violation]:
    if isinstance(kind, ListOf) and isinstance(value, list):
        items = value
    elif isinstance(kind, MapOf) and isinstance(value, dict):
        items = [item for item in value.values() if item is not None]
    else:
        yield place.violation("other kind", value, "an array" if isinstance(kind, ListOf) else "an object")
        return
    for item in items:
        yield from violations(kind.item, item, place.item())


def of_model(model: Model, value: Any, place: Place) -> Iterator[Violation]:
    """Yield where a value differs from a model."""
    if not isinstance(value, dict):
        yield place.violation("other kind", value, f"an object: {model.name}")
        return
    model = _variant(model, value, place.library)
    for name, item in value.items():
        member = model.members.get(name)
        here = place.at(model.name, name)
        if member is None:
            if not model.free and not name.startswith(_ANY_NAME):
                yield here.violation("unknown member", item, ", ".join(sorted(model.members)))
        elif item is not None:
            yield from _of_member(member, item, here)
        elif member.required:
            yield here.violation("missing member", item, f"{member.kind}, required")
    for name, member in model.members.items():
        if member.required and name not in value and _belongs(member, place.direction):
            yield place.at(model.name, name).violation("missing member", None, f"{member.kind}, required")


def _of_member(member: Member, value: Any, place: Place) -> Iterator[Violation]:
    if member.read_only and place.direction == "request":
        yield place.violation("read-only member", value, "it in answers only")
    elif member.write_only and place.direction == "reply":
        yield place.violation("write-only member", value, "it in requests only")
    yield from violations(member.kind, value, place)


def _belongs(member: Member, direction: Direction) -> bool:
    return not (member.read_only if direction == "request" else member.write_only)


def _variant(model: Model, value: dict[str, Any], library: Library) -> Model:
    name = model.variants.get(value.get(model.discriminator, ""), "") if model.discriminator else ""
    found = library.find(name) if name else model
    return found if isinstance(found, Model) else model


def _fits(kind: Plain, value: Any) -> bool:
    is_boolean = isinstance(value, bool)
    return {
        "any": True,
        "boolean": is_boolean,
        "integer": isinstance(value, int) and not is_boolean,
        "number": isinstance(value, int | float) and not is_boolean,
        "text": isinstance(value, str),
        "time": isinstance(value, str) and _TIME.fullmatch(value) is not None,
        "duration": isinstance(value, str) and _DURATION.fullmatch(value) is not None,
    }[kind.name]


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(sorted(value)) + "}"
    return "nothing" if value is None else f"{value!r}"[:80]
